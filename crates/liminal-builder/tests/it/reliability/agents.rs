//! Agents that crash, say too much, or wait for an answer.

use std::thread;
use std::time::Duration;

use liminal_core::event::Origin;
use liminal_core::upsert::{Upsert, UpsertBody, UpsertStatus};
use serde_json::json;

use super::client::Client;
use super::figures::{Stopwatch, Times, gate_bytes, mib, soak_minutes, tell, times};
use super::reader::{Reader, begin, turn};
use super::shown::Shown;
use super::world::{World, alone, wait_until};

#[test]
fn c01_p7_a_crash_is_seen_soon_and_the_next_message_brings_a_new_agent() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let (mut delays, crashes) = (Times::default(), times(40, 500));
    for crash in 0..crashes {
        let how = ["!exit 1", "!signal 9", "!exit 0", "!signal 11"][crash % 4];
        // A finished message is told at once, and the crash comes in the same breath.
        let turn = begin(&server.client, &session, &format!("!say 1 {how}"));
        let said = |shown: &Shown| shown.texts(Origin::Agent).len() == crash + 1;
        reader.until("it has spoken", said);
        let seen = Stopwatch::start();
        reader.until_end(&turn);
        delays.add(seen.elapsed());
        let expected = if how == "!exit 0" { "PROCESS_EXIT_NO_RESULT" } else { "PROCESS_CRASH" };
        assert_eq!(reader.shown.end_of(&turn).as_deref(), Some(expected));
    }
    assert_eq!(turn(&server.client, &session, "!say 1"), "completed");
    delays.gate_p99("c1.exit-to-client");
}

pub(super) fn asked(shown: &Shown) -> Option<Upsert> {
    let is_open = |item: &&Upsert| {
        matches!(item.body, UpsertBody::Permission(_)) && item.status == UpsertStatus::Create
    };
    shown.in_order().into_iter().find(is_open).cloned()
}

#[test]
fn c46_a_question_waits_for_whoever_comes_back_and_lapses_with_the_server() {
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut tab = Reader::join(&server.client, &session, None);
    let answered = begin(&server.client, &session, "!perm ls !say 1");
    tab.until("it asks", |shown| asked(shown).is_some());
    drop(tab);
    let mut tab = Reader::join(&server.client, &session, None);
    tab.until("it still asks", |shown| asked(shown).is_some());
    assert_eq!(tab.shown.view.as_ref().unwrap().pending.len(), 1);
    let approvals = server.client.get("/api/approvals").json();
    let id = approvals["approvals"][0]["id"].as_str().unwrap().to_owned();
    let item = asked(&tab.shown).unwrap();
    let UpsertBody::Permission(body) = &item.body else { panic!("{item:?}") };
    let allow = json!({ "optionId": body.request.options[0].option_id });
    assert_eq!(server.client.post(&format!("/api/approvals/{id}"), &allow).status, 200);
    let late = server.client.post(&format!("/api/approvals/{id}"), &allow);
    assert_eq!((late.status, late.code().as_str()), (409, "ALREADY_ANSWERED"));
    tab.until_end(&answered);

    let cut_off = begin(&server.client, &session, "!perm rm !say 1");
    tab.until("it asks again", |shown| asked(shown).is_some());
    let item = asked(&tab.shown).unwrap();
    server.kill();
    let server = world.start();
    let mut tab = Reader::rejoin(&server.client, &session, tab.shown, None);
    tab.until_end(&cut_off);
    assert_eq!(tab.shown.end_of(&cut_off).as_deref(), Some("SERVER_RESTART"));
    assert_eq!(tab.shown.items[&item.item_id].state.status, UpsertStatus::Error);
    assert_eq!(server.client.get("/api/approvals").json()["approvals"], json!([]));
    let frame = json!({ "type": "session:permission", "sessionId": session, "itemId": item.item_id, "optionId": "allow", "requestId": "late" });
    tab.socket.say(&frame).unwrap();
    let late = tab.socket.until(|message| matches!(message, liminal_core::wire::ServerMessage::Error { .. }));
    let liminal_core::wire::ServerMessage::Error { problem, .. } = late else { panic!("{late:?}") };
    assert_eq!(problem.status, 409, "{problem:?}");
    tell(
        "C46",
        &format!(
            "shown after a reconnect, answered once, lapsed with the server; a late answer: {:?}",
            problem.code
        ),
    );
}

#[test]
fn c08_p10_a_line_of_100_mb_costs_little_and_harms_nothing() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    assert_eq!(turn(&server.client, &session, "!say 1"), "completed");
    let mut reader = Reader::join(&server.client, &session, None);
    reader.for_now(Duration::from_millis(50));
    let before = server.memory();
    server.forget_peak();
    let begun = Stopwatch::start();
    let long = begin(&server.client, &session, "!say 1 !line 100M !say 1");
    reader.until_end(&long);
    let took = begun.elapsed();
    let grown = server.peak().saturating_sub(before);
    assert_eq!(turn(&server.client, &session, "!say 1"), "completed");
    assert_eq!(reader.shown.end_of(&long).as_deref(), Some("LINE_TOO_LONG"));
    assert_eq!(reader.shown.texts(Origin::Agent).len(), 2, "what was said before is kept");
    tell("C8 P10", &format!("a line of 100 MB took {took:?}"));
    gate_bytes("c8.memory", grown);
    // An optimised build has no allowance.
    assert!(grown <= times(usize::MAX, 32 << 20) as u64, "{}", mib(grown));
}

/// What the row names: a gigabyte a minute.
const FLOOD: &str = "!flood 17M";

#[test]
fn c11_r10_output_without_end_is_bounded_and_others_go_on() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let (flooded, calm) = (world.create(&server.client), world.create(&server.client));
    assert_eq!(turn(&server.client, &calm, "!say 1"), "completed");
    let mut reader = Reader::join(&server.client, &flooded, Some("append"));
    let flood = begin(&server.client, &flooded, FLOOD);
    reader.until("it floods", |shown| shown.texts(Origin::Agent).len() > 20);
    let seconds = soak_minutes().max(Duration::from_secs(5));
    // In the first part of it the server fills what it keeps in memory.
    reader.along(seconds / 10);
    let before = server.memory();
    server.forget_peak();
    let client = server.client.clone();
    let other = thread::spawn(move || go_on(&client, &calm, seconds));
    reader.along(seconds);
    let (turns, requests) = other.join().unwrap();
    let (grown, bytes) = (server.peak().saturating_sub(before), reader.socket.received);
    assert_eq!(server.client.act(&format!("/api/session/{flooded}/cancel")).status, 200);
    reader.until_end(&flood);
    tell("C11 R10", &format!("{} read of an endless stream in {seconds:?}", mib(bytes)));
    turns.gate_p99("c11.turn-beside-flood");
    requests.gate_p99("c11.request-beside-flood");
    gate_bytes("c11.memory", grown);
    // A soak lasts until all that is kept in memory is full.
    assert!(grown <= times(usize::MAX, 64 << 20) as u64, "{}", mib(grown));
    wait_until("it is alive", || server.is_alive());
}

/// One turn and one request after the other; how long each took.
fn go_on(client: &Client, session: &str, time: Duration) -> (Times, Times) {
    let (begun, mut turns, mut requests) = (Stopwatch::start(), Times::default(), Times::default());
    let mut reader = Reader::join(client, session, None);
    while begun.elapsed() < time {
        let turn = turns.measure(|| {
            let turn = begin(client, session, "!say 1");
            reader.until_end(&turn);
            turn
        });
        assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("completed"));
        requests.measure(|| assert_eq!(client.get(&format!("/api/session/{session}/status")).status, 200));
    }
    (turns, requests)
}
