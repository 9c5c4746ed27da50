//! Agents that nobody asks anything are ended; their sessions are not.

use std::fs;

use liminal_core::wire::rest::{MessageAccepted, Queue, SessionState, SessionStatus};
use liminal_core::wire::view::QueuePause;
use serde_json::json;

use super::attachments::{WORDS, attach};
use super::client::eventually;
use super::machine::{Machine, is_running};
use super::screen::texts;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(an_idle_session_loses_its_process_and_goes_on_with_its_context);

async fn an_idle_session_loses_its_process_and_goes_on_with_its_context(pin: Pin) {
    let mut machine = Machine::with_claude(pin).await;
    machine.settings += "[sessions]\nidle-minutes = 0\nidle-seconds = 1\n";
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, "say:before the sleep").await;
    let pid = server.status(&id).await.view.agent.pid.expect("it has a process");
    socket.end_of(&turn).await;
    let status =
        server.until(&id, |status| !status.view.is_alive && status.view.state == SessionState::Idle).await;
    assert_eq!((status.view.agent.pid, status.view.failure), (None, None));
    eventually(|| !is_running(pid)).await;
    let listed = server.list().await;
    assert_eq!((listed[0].is_alive, listed[0].state), (false, SessionState::Idle));
    let turn = server.send(&id, "say:after it").await;
    socket.end_of(&turn).await;
    let page = server.history(&id).await;
    let expected = ["say:before the sleep", "before the sleep", "say:after it", "after it"];
    assert_eq!(texts(&page.entries), expected);
    let requests = machine.model.as_ref().unwrap().requests();
    assert!(requests.last().unwrap().body_bytes > requests.first().unwrap().body_bytes, "it remembers");
    server.stop().await;
}

#[tokio::test]
async fn a_turn_that_takes_long_is_not_idle() {
    let mut machine = Machine::new();
    machine.settings += "[sessions]\nidle-minutes = 0\nidle-seconds = 1\n";
    let server = machine.start().await;
    let (busy, idle) = (server.create("demo").await, server.create("demo").await);
    let turn = server.send(&busy, "/hang").await;
    // The other one was idle for just as long.
    server.until(&idle, |status| !status.view.is_alive).await;
    let status = server.status(&busy).await;
    assert_eq!((status.view.is_alive, &status.view.turn), (true, &Some(turn)));
    server.act(&busy, "cancel").await.read::<SessionStatus>(200);
    server.turn(&idle, "hello").await;
    server.stop().await;
}

/// The file of a message that waits is gone when its turn comes.
#[tokio::test]
async fn a_message_that_cannot_be_sent_keeps_no_agent_awake() {
    let mut machine = Machine::new();
    machine.settings += "[sessions]\nidle-minutes = 0\nidle-seconds = 1\n";
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    let file = attach(&server, &id, "a.txt", "text/plain", WORDS).await;
    let waits = json!({ "message": "later", "queue": true, "attachments": [file.id] });
    server.post(&format!("/api/session/{id}/send"), waits).await.read::<MessageAccepted>(202);
    fs::remove_dir_all(machine.data().join("attachments")).unwrap();
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    server.act(&id, "queue/resume").await.read::<Queue>(200);
    let status =
        server.until(&id, |status| !status.view.is_alive && status.view.state == SessionState::Idle).await;
    assert_eq!((status.view.queue.len(), status.view.queue_paused), (1, Some(QueuePause::Failed)));
    assert!(status.view.queue[0].failure.is_some(), "{status:?}");
    server.stop().await;
}

#[tokio::test]
async fn when_all_places_are_taken_an_idle_agent_makes_room() {
    let mut machine = Machine::new();
    machine.settings += "[sessions]\nmax-agents = 1\n";
    let server = machine.start().await;
    let one = server.create("demo").await;
    let two = server.create("demo").await;
    assert!(!server.status(&one).await.view.is_alive && server.status(&two).await.view.is_alive);
    server.send(&two, "/hang").await;
    server.say(&one, "hello").await.assert_problem(503, "AGENTS_EXHAUSTED");
    server.act(&two, "cancel").await.read::<SessionStatus>(200);
    server.until(&two, |status| status.view.state == SessionState::Idle).await;
    server.turn(&one, "hello").await;
    server.stop().await;
}
