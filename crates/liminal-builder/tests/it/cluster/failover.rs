//! Servers that are killed, stopped or paused while they have a session.

use std::time::Duration;

use serde_json::json;

use super::super::figures::{Stopwatch, tell};
use super::super::reader::{Reader, begin};
use super::super::world::wait_until;
use super::team::{LEASE_MS, Member, Team};

/// Never ends by itself.
const ENDLESS: &str = "!say 20 !hang";

/// A session of one server, and somebody who follows it at another.
fn followed(team: &Team) -> (Member, Member, String, Reader) {
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let reader = Reader::join(&two.client, &session, None);
    (one, two, session, reader)
}

fn epoch(reader: &Reader) -> String {
    reader.shown.cursor().unwrap().split('.').next().unwrap().to_owned()
}

#[test]
fn r24_a_turn_of_a_killed_server_ends_once_and_the_session_goes_on_elsewhere() {
    let team = Team::new();
    let (one, two, session, mut reader) = followed(&team);
    let turn = begin(&one.client, &session, ENDLESS);
    reader.until("it speaks", |shown| shown.items.len() > 1);
    let killed = Stopwatch::start();
    one.kill();
    reader.until_end(&turn);
    tell("R24", &format!("the turn of a killed server ended after {} ms", killed.elapsed().as_millis()));
    assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("SERVER_LOST"));
    reader.shown.assert_settled();
    let next = two.send_until_taken(&session, &json!({ "message": "!say 2" }));
    let next = next["turnId"].as_str().unwrap().to_owned();
    reader.until_end(&next);
    assert_eq!(reader.shown.end_of(&next).as_deref(), Some("completed"));
    // Whoever comes back finds that its session is another's, and adds nothing to it.
    let before = two.history(&session);
    let one = team.member("one");
    assert_eq!(one.history(&session), before);
    let third = begin(&one.client, &session, "!say 1");
    reader.until_end(&third);
    reader.shown.assert_settled();
    wait_until("it is known here too", || one.history(&session) == two.history(&session));
    assert_eq!(team.prompts(), [ENDLESS, "!say 2", "!say 1"]);
}

#[test]
fn r24_a_server_that_comes_back_at_once_goes_on_with_its_sessions() {
    let team = Team::new();
    let (one, two, session, mut reader) = followed(&team);
    let turn = begin(&one.client, &session, ENDLESS);
    reader.until("it speaks", |shown| shown.items.len() > 1);
    one.kill();
    let one = team.member("one");
    reader.until_end(&turn);
    let end = reader.shown.end_of(&turn);
    assert!(matches!(end.as_deref(), Some("SERVER_RESTART" | "SERVER_LOST")), "{end:?}");
    let next = one.send_until_taken(&session, &json!({ "message": "!say 1" }));
    reader.until_end(next["turnId"].as_str().unwrap());
    reader.shown.assert_settled();
    wait_until("both have the same", || one.history(&session) == two.history(&session));
}

#[test]
fn r24_a_stopped_server_gives_its_sessions_back() {
    let team = Team::new();
    let (one, two, session, mut reader) = followed(&team);
    let turn = begin(&one.client, &session, "!say 5");
    reader.until_end(&turn);
    let (epoch, resets) = (epoch(&reader), reader.shown.resets);
    one.stop();
    let begun = Stopwatch::start();
    let next = two.send_until_taken(&session, &json!({ "message": "!say 1" }));
    assert!(begun.elapsed() < Duration::from_millis(LEASE_MS), "it waited as for a server that was killed");
    reader.until_end(next["turnId"].as_str().unwrap());
    // Nothing was lost, so whoever follows goes on where it was.
    assert_eq!((self::epoch(&reader), reader.shown.resets), (epoch, resets));
    let one = team.member("one");
    wait_until("both have the same", || one.history(&session) == two.history(&session));
}

#[test]
fn c33_a_server_that_was_paused_and_replaced_ends_its_agent_and_writes_nothing() {
    let team = Team::new();
    let (one, two, session, mut reader) = followed(&team);
    let turn = begin(&one.client, &session, "!split 5 !say 5000");
    reader.until("it speaks", |shown| shown.items.len() > 1);
    one.pause();
    reader.until_end(&turn);
    assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("SERVER_LOST"));
    let next = two.send_until_taken(&session, &json!({ "message": "!say 3" }));
    let next = next["turnId"].as_str().unwrap().to_owned();
    reader.until_end(&next);
    one.resume();
    wait_until("its agent is ended", || team.agents().len() <= 1);
    wait_until("it reads what the other has", || {
        one.client.get(&format!("/api/session/{session}/history?limit=1000")).json() == two.history(&session)
    });
    reader.shown.assert_settled();
    let third = begin(&one.client, &session, "!say 1");
    reader.until_end(&third);
    reader.shown.assert_settled();
    assert_eq!(team.prompts().len(), 3);
}

#[test]
fn r24_what_waits_and_what_was_sent_travels_with_a_session() {
    let team = Team::new();
    let (one, two, session, mut reader) = followed(&team);
    let first = json!({ "message": "!say 1", "clientMessageId": "first" });
    let sent = one.do_to(&session, "send", &first).json();
    reader.until_end(sent["turnId"].as_str().unwrap());
    let turn = begin(&one.client, &session, ENDLESS);
    let queued = json!({ "message": "!say 2", "clientMessageId": "queued", "queue": true });
    let waiting = one.do_to(&session, "send", &queued);
    assert_eq!(waiting.status, 202, "{waiting:?}");
    one.kill();
    reader.until_end(&turn);
    // The same ids are answered by the same answers, and nothing is sent again.
    assert_eq!(two.send_until_taken(&session, &first), sent);
    assert_eq!(two.send_until_taken(&session, &queued), waiting.json());
    let opened = two.do_to(&session, "load", &json!({}));
    assert_eq!(opened.status, 200, "{opened:?}");
    assert_eq!(two.status(&session)["queuePaused"], "restart");
    assert_eq!(team.prompts(), ["!say 1", ENDLESS], "nothing is sent before the queue is resumed");
    let resumed = two.do_to(&session, "queue/resume", &json!({}));
    assert_eq!(resumed.status, 200, "{resumed:?}");
    wait_until("what waited is sent", || team.prompts() == ["!say 1", ENDLESS, "!say 2"]);
    let mismatch = two.do_to(&session, "send", &json!({ "message": "other", "clientMessageId": "first" }));
    assert_eq!(mismatch.code(), "IDEMPOTENCY_MISMATCH");
}
