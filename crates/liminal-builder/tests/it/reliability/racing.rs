//! Requests that come at the same moment, twice, or from somebody who has gone.

use std::collections::BTreeSet;
use std::io::Write;
use std::thread;

use liminal_core::event::Origin;
use serde_json::json;

use super::client::{Client, send_path};
use super::figures::{Chance, tell, times};
use super::reader::{Reader, begin, turn};
use super::world::{World, alone};

pub(super) fn cancel(client: &Client, session: &str) -> u16 {
    client.act(&format!("/api/session/{session}/cancel")).status
}

#[test]
fn c34_a_hundred_cancels_end_the_turn_once() {
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let turn = begin(&server.client, &session, "!say 5 !stall 60000 !say 5");
    let asked: Vec<_> = (0..100)
        .map(|_| {
            let (client, session) = (server.client.clone(), session.clone());
            thread::spawn(move || cancel(&client, &session))
        })
        .collect();
    let statuses: BTreeSet<u16> = asked.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(statuses, [200].into());
    reader.until_end(&turn);
    assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("cancelled"));
    assert_eq!(super::reader::turn(&server.client, &session, "!say 1"), "completed");
    reader.until("the next turn ended", |shown| shown.turns.len() == 2);
    tell("C34", "100 concurrent cancels: 1 end, all answered by 200, the next turn runs");
}

#[test]
fn c35_a_cancel_that_races_the_end_leaves_exactly_one() {
    let _alone = alone();
    let (world, mut chance) = (World::new(), Chance::new(35));
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let rounds = times(150, 10_000);
    let (mut cancelled, mut completed) = (0, 0);
    for _ in 0..rounds {
        let turn = begin(&server.client, &session, &format!("!stall {} !say 2", chance.below(4)));
        assert_eq!(cancel(&server.client, &session), 200);
        reader.until_end(&turn);
        match reader.shown.end_of(&turn).as_deref() {
            Some("cancelled") => cancelled += 1,
            Some("completed") => completed += 1,
            other => panic!("{other:?}"),
        }
    }
    let last = begin(&server.client, &session, "!say 1");
    reader.until_end(&last);
    assert_eq!(reader.shown.turns.len(), rounds + 1);
    reader.shown.assert_settled();
    tell(
        "C35",
        &format!("{rounds} races: {cancelled} cancelled, {completed} completed, 0 without or with two ends"),
    );
}

#[test]
fn c36_c37_of_two_tabs_that_send_at_once_one_wins() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let pairs = times(100, 1_000);
    let mut refused = 0;
    for pair in 0..pairs {
        let tabs = ["left", "right"].map(|tab| {
            let (client, session) = (server.client.clone(), session.clone());
            thread::spawn(move || client.send(&session, &format!("{tab} {pair} !stall 30 !say 1")))
        });
        let answers = tabs.map(|tab| tab.join().unwrap());
        let turns: Vec<String> = answers
            .iter()
            .filter(|answer| answer.status == 202)
            .map(|answer| answer.json()["turnId"].as_str().unwrap().to_owned())
            .collect();
        let codes = answers.iter().filter(|answer| answer.status != 202).map(super::client::Answer::code);
        assert!(codes.map(|code| assert_eq!(code, "TURN_IN_PROGRESS")).count() == 2 - turns.len());
        refused += 2 - turns.len();
        assert!(!turns.is_empty(), "{answers:?}");
        turns.iter().for_each(|turn| reader.until_end(turn));
    }
    reader.shown.assert_settled();
    let told = reader.shown.texts(Origin::User).len();
    assert_eq!((told, reader.shown.turns.len()), (2 * pairs - refused, 2 * pairs - refused));
    assert_eq!(world.prompts().len(), told);
    // A second one is taken only if the first turn was over by then, which a pause of 30 ms makes rare.
    assert!(refused * 10 >= pairs * 8, "{refused} of {pairs} pairs were told apart");
    tell(
        "C36 C37",
        &format!("{pairs} pairs: {refused} refused with TURN_IN_PROGRESS, every accepted one is one turn"),
    );
}

/// The proxy cuts the reply: the client does not know, and asks again.
#[test]
fn r16_c37_a_key_that_comes_again_never_sends_twice() {
    let _alone = alone();
    let (world, mut chance) = (World::new(), Chance::new(16));
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let messages = times(150, 1_000);
    for number in 0..messages {
        let message = format!("k{number} !say 1");
        let body = json!({ "message": message, "clientMessageId": message });
        for _ in 0..chance.below(3) {
            let mut stream = server.client.connect().unwrap();
            let request = server.client.request("POST", &send_path(&session), Some(&body));
            let cut = usize::try_from(chance.below(4)).unwrap();
            stream.write_all(&request.as_bytes()[..request.len() - cut.saturating_sub(2)]).unwrap();
            if cut == 0 {
                stream.shutdown(std::net::Shutdown::Both).unwrap();
            }
        }
        let sent = server.client.post(&send_path(&session), &body);
        assert_eq!(sent.status, 202, "{sent:?}");
        let turn = sent.json()["turnId"].as_str().unwrap().to_owned();
        reader.until_end(&turn);
        let again = server.client.post(&send_path(&session), &body);
        assert_eq!((again.status, again.json()["turnId"].as_str()), (202, Some(turn.as_str())));
    }
    let prompts = world.prompts();
    assert_eq!(prompts.iter().collect::<BTreeSet<_>>().len(), prompts.len(), "an agent was told twice");
    assert_eq!(prompts.len(), messages);
    server.kill();
    let server = world.start();
    let mut fresh = Reader::join(&server.client, &session, None);
    fresh.until("it has caught up", |shown| shown.seq >= reader.shown.seq);
    fresh.shown.assert_same(&reader.shown);
    tell(
        "R16",
        &format!("{messages} keys with lost answers: each one turn, also after a kill of the server"),
    );
}

/// Nothing was said yet, so the agent has kept nothing that it could go on with.
#[test]
fn c22_a_session_that_was_never_used_can_be_used_after_a_kill() {
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    server.kill();
    let server = world.start();
    assert_eq!(turn(&server.client, &session, "!say 1"), "completed");
    server.kill();
    let server = world.start();
    assert_eq!(turn(&server.client, &session, "!say 1"), "completed");
}
