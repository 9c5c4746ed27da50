//! Messages that are taken into a turn that runs.

use liminal_core::event::Origin;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody};
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::{MessageAccepted, SessionOpened, SessionState};
use serde_json::Value;

use super::client::{Answer, Client};
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(
    claude_code_takes_messages_into_a_turn_after_its_tool,
    claude_code_goes_on_with_a_message_that_no_tool_made_room_for
);

async fn steer(server: &Client, id: &SessionId, queued: &str) -> Answer {
    server.act(id, &format!("queue/{queued}/steer")).await
}

/// Puts a message into the queue and takes it into the turn that runs.
async fn take_in(server: &Client, id: &SessionId, message: &str) -> TurnId {
    let queued = server.queue(id, message).await;
    steer(server, id, &queued).await.read::<MessageAccepted>(200).turn_id.unwrap()
}

async fn tool_runs(server: &Client, id: &SessionId) {
    let mut socket = server.socket().await;
    let is_call = |upsert: &Upsert| matches!(upsert.body, UpsertBody::ToolCall(_));
    socket.subscribe(id).await;
    let begun = |message: &ServerMessage| match message {
        ServerMessage::Upsert { payload, .. } => is_call(payload),
        ServerMessage::History { entries, .. } => entries.iter().any(is_call),
        _ => false,
    };
    socket.until(begun).await;
}

/// What the user said, and in which turn.
async fn said(server: &Client, id: &SessionId) -> Vec<(TurnId, String)> {
    let entries = server.history(id).await.entries;
    let by_user = entries.into_iter().filter_map(|entry| match entry.body {
        UpsertBody::Message(message) if message.origin == Origin::User => {
            Some((entry.turn_id, message.content))
        }
        _ => None,
    });
    by_user.collect()
}

/// The turns that ended, each as often as it did.
async fn ended(server: &Client, id: &SessionId) -> Vec<TurnId> {
    let turns = server.history(id).await.turns.into_iter();
    let ends = turns.filter_map(|event| match event {
        TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. } => Some(turn_id),
        TurnEvent::TurnStarted { .. } => None,
    });
    ends.collect()
}

async fn at_rest(server: &Client, id: &SessionId) {
    server.until(id, |status| status.view.state == SessionState::Idle && status.view.queue.is_empty()).await;
}

fn asked(machine: &Machine) -> Vec<String> {
    let requests = machine.model.as_ref().unwrap().requests().into_iter();
    requests.filter(|request| !request.errand && request.stream).map(|request| request.prompt).collect()
}

/// A command that runs until a file is there.
fn waiting(tool: &str, key: &str) -> String {
    format!("tool:{tool} {{\"{key}\":\"until [ -e go ]; do sleep 0.05; done\"}}\nthen:went on")
}

async fn claude_code_takes_messages_into_a_turn_after_its_tool(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.until(&id, |status| status.view.agent.abilities.steer).await;
    let turn = server.send(&id, &waiting("Bash", "command")).await;
    tool_runs(&server, &id).await;
    for message in ["say:one", "say:two"] {
        assert_eq!(take_in(&server, &id, message).await, turn);
    }
    assert_eq!(said(&server, &id).await.len(), 3, "they are shown while the tool runs");
    std::fs::write(machine.project.join("go"), "").unwrap();
    at_rest(&server, &id).await;
    let turns: Vec<TurnId> = said(&server, &id).await.into_iter().map(|(turn, _)| turn).collect();
    assert_eq!(turns, [turn.clone(), turn.clone(), turn.clone()]);
    assert_eq!(ended(&server, &id).await, [turn]);
    assert!(asked(&machine).iter().any(|prompt| prompt.contains("say:one")), "{:?}", asked(&machine));
    server.turn(&id, "say:still here").await;
    server.stop().await;

    // The agent's own file has them where they were said.
    std::fs::remove_dir_all(machine.data()).unwrap();
    let server = machine.start().await;
    server.list().await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    let words: Vec<String> = said(&server, &id).await.into_iter().map(|(_, words)| words).collect();
    assert_eq!(words[1..], ["say:one", "say:two", "say:still here"]);
    server.stop().await;
}

async fn claude_code_goes_on_with_a_message_that_no_tool_made_room_for(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let turn = server.send(&id, "words:60 slow:50ms").await;
    server.until(&id, |status| status.view.agent.abilities.steer).await;
    let queued = server.queue(&id, "say:last").await;
    assert_eq!(take_in(&server, &id, "say:after it").await, turn);
    at_rest(&server, &id).await;
    let words: Vec<String> = said(&server, &id).await.into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["words:60 slow:50ms", "say:after it", "say:last"], "each is shown once");
    let ends = ended(&server, &id).await;
    let mut distinct = ends.clone();
    distinct.dedup();
    assert_eq!((ends.len(), &ends[0]), (3, &turn), "{ends:?}");
    assert_eq!(distinct, ends);
    steer(&server, &id, &queued).await.assert_problem(404, "QUEUED_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn codex_takes_a_message_into_a_turn() {
    let machine = Machine::with_codex().await;
    let server = machine.start().await;
    let id = server.create("codex").await;
    server.until(&id, |status| status.view.agent.abilities.steer).await;
    let turn = server.send(&id, &waiting("exec_command", "cmd")).await;
    tool_runs(&server, &id).await;
    assert_eq!(take_in(&server, &id, "say:steered").await, turn);
    std::fs::write(machine.project.join("go"), "").unwrap();
    at_rest(&server, &id).await;
    let expected = [waiting("exec_command", "cmd"), "say:steered".to_owned()];
    assert_eq!(said(&server, &id).await, expected.map(|words| (turn.clone(), words)));
    assert_eq!(ended(&server, &id).await, [turn]);
    assert!(asked(&machine).iter().any(|prompt| prompt.contains("say:steered")), "{:?}", asked(&machine));
    server.stop().await;
}

#[tokio::test]
async fn a_message_that_is_not_taken_waits_where_it_waited() {
    let machine = Machine::with_own(&[("FAKE_AGENT_STEERS", "1")]);
    let server = machine.start().await;
    let id = server.create("mine").await;
    let turn = server.send(&id, "!perm true").await;
    let question = server.question(&id).await;
    let first = server.queue(&id, "first").await;
    let late = server.queue(&id, "late").await;
    steer(&server, &id, &late).await.assert_problem(409, "NOT_STEERABLE");
    steer(&server, &id, "x").await.assert_problem(404, "QUEUED_NOT_FOUND");
    let queue = server.status(&id).await.view.queue;
    assert_eq!(queue.iter().map(|queued| queued.id.as_str()).collect::<Vec<_>>(), [&first, &late]);
    assert_eq!(take_in(&server, &id, "in time").await, turn);
    server.answer(&question, "yes").await.read::<Value>(200);
    at_rest(&server, &id).await;
    let words: Vec<String> = said(&server, &id).await.into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["!perm true", "in time", "first", "late"]);
    assert_eq!(ended(&server, &id).await.len(), 3);
    server.stop().await;
}

#[tokio::test]
async fn a_turn_that_ends_while_a_message_is_taken_ends_once() {
    let machine = Machine::with_own(&[("FAKE_AGENT_STEERS", "1")]);
    let server = machine.start().await;
    let id = server.create("mine").await;
    let turn = server.send(&id, "!perm true").await;
    server.question(&id).await;
    take_in(&server, &id, "over").await;
    at_rest(&server, &id).await;
    let words: Vec<String> = said(&server, &id).await.into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["!perm true", "over"]);
    let ends = ended(&server, &id).await;
    assert_eq!(ends.iter().filter(|end| **end == turn).count(), 1, "{ends:?}");
    server.stop().await;
}

#[tokio::test]
async fn agents_that_cannot_say_so_and_the_message_waits() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    assert!(!server.status(&id).await.view.agent.abilities.steer);
    server.send(&id, "/hang").await;
    let queued = server.queue(&id, "later").await;
    let answer = steer(&server, &id, &queued).await;
    answer.assert_problem(409, "NOT_STEERABLE");
    assert!(answer.body.contains("waits for its own turn"), "{answer:?}");
    assert_eq!(server.status(&id).await.view.queue.len(), 1);
    server.stop().await;
}
