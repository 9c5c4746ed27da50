//! What real agents say, on its way to clients: section 7 of the acceptance cases.

use liminal_core::event::Origin;
use liminal_core::ids::SessionId;
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::rest::{SessionOpened, SessionSource};
use liminal_core::wire::{Resume, ServerMessage};

use super::client::Client;
use super::machine::Machine;
use super::screen::texts;
use super::socket::Socket;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(
    tc_7_1a_words_of_claude_code_reach_clients_as_they_come,
    tc_7_1c_calls_of_claude_code_arrive_as_invocation_and_result,
    tc_7_3a_a_loaded_session_of_claude_code_shows_its_history
);

const CLAUDE: &str = "claude-code";
const CODEX: &str = "codex";

/// The states of items that came over the socket.
fn upserts(socket: &Socket) -> Vec<&Upsert> {
    let states = socket.log.iter().filter_map(|frame| match frame {
        ServerMessage::Upsert { payload, .. } => Some(&**payload),
        _ => None,
    });
    states.collect()
}

async fn text_streams(machine: Machine, cli_type: &str) {
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, "words:200 slow:5ms").await;
    socket.end_of(&turn).await;
    let states = upserts(&socket);
    let answer: Vec<(UpsertStatus, &str)> = states
        .iter()
        .filter_map(|state| match &state.body {
            UpsertBody::Message(said) if said.origin == Origin::Agent => {
                Some((state.status, said.content.as_str()))
            }
            _ => None,
        })
        .collect();
    assert!(answer.len() > 3, "{answer:?}");
    let grows = |pair: &[(UpsertStatus, &str)]| pair[1].1.starts_with(pair[0].1);
    assert!(answer.windows(2).all(grows), "{answer:?}");
    let (first, last) = (answer[0], answer[answer.len() - 1]);
    assert_eq!((first.0, last.0), (UpsertStatus::Create, UpsertStatus::Complete));
    assert!(first.1.len() < last.1.len() && last.1.trim_end().ends_with("word200"), "{last:?}");
    server.stop().await;
}

async fn tc_7_1a_words_of_claude_code_reach_clients_as_they_come(pin: Pin) {
    text_streams(Machine::with_claude(pin).await, CLAUDE).await;
}

#[tokio::test]
async fn tc_7_1b_words_of_codex_reach_clients_as_they_come() {
    text_streams(Machine::with_codex().await, CODEX).await;
}

async fn tool_calls_arrive(machine: Machine, cli_type: &str, prompt: &str) {
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, prompt).await;
    // The tool goes on when its invocation was seen: a state that is overtaken before it is read is never sent.
    let is_call = |message: &ServerMessage| matches!(message, ServerMessage::Upsert { payload, .. } if matches!(payload.body, UpsertBody::ToolCall(_)));
    socket.until(is_call).await;
    std::fs::write(server.project.join("go"), "").unwrap();
    socket.end_of(&turn).await;
    let states = upserts(&socket);
    let calls: Vec<_> = states
        .iter()
        .filter_map(|state| match &state.body {
            UpsertBody::ToolCall(call) => Some((state.status, call)),
            _ => None,
        })
        .collect();
    let (first, last) = (&calls[0], &calls[calls.len() - 1]);
    assert_eq!((first.0, last.0), (UpsertStatus::Create, UpsertStatus::Complete), "{calls:?}");
    assert_eq!(first.1.call_id, last.1.call_id);
    assert!(last.1.tool_output.as_deref().unwrap_or_default().contains("from the tool"), "{calls:?}");
    server.stop().await;
}

async fn tc_7_1c_calls_of_claude_code_arrive_as_invocation_and_result(pin: Pin) {
    let prompt = r#"tool:Bash {"command":"until [ -e go ]; do sleep 0.02; done; echo from the tool","description":"say it"}"#;
    tool_calls_arrive(Machine::with_claude(pin).await, CLAUDE, prompt).await;
}

#[tokio::test]
async fn tc_7_1c_calls_of_codex_arrive_as_invocation_and_result() {
    let prompt = r#"tool:exec_command {"cmd":"until [ -e go ]; do sleep 0.02; done; echo from the tool","yield_time_ms":30000}"#;
    tool_calls_arrive(Machine::with_codex().await, CODEX, prompt).await;
}

async fn assert_is_found(server: &Client, id: &SessionId) {
    let listed = server.list().await;
    let found = listed.iter().find(|session| session.session_id == *id).expect("it is found on disk");
    assert_eq!((found.source, found.is_alive), (SessionSource::Found, false));
    assert!(found.title.is_some());
}

/// Everything that a new reader is sent at first.
async fn whole(socket: &mut Socket, id: &SessionId) -> (Vec<Upsert>, Vec<TurnEvent>) {
    assert_eq!(socket.subscribe(id).await.0, Resume::Reset);
    match socket.history().await {
        ServerMessage::History { entries, turns, .. } => (entries, turns),
        other => panic!("{other:?}"),
    }
}

/// A server that has never seen the session shows all of it, and goes on with it.
async fn history_is_shown(machine: Machine, cli_type: &str) {
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    server.turn(&id, "say:remember the fox").await;
    server.turn(&id, "say:and the hound").await;
    server.stop().await;
    std::fs::remove_dir_all(machine.data()).unwrap();

    let server = machine.start().await;
    assert_is_found(&server, &id).await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    let mut socket = server.socket().await;
    let (entries, turns) = whole(&mut socket, &id).await;
    let said = texts(&entries);
    let expected = ["say:remember the fox", "remember the fox", "say:and the hound", "and the hound"];
    assert_eq!(said, expected);
    assert_eq!(turns.len(), 4, "{turns:?}");
    assert!(entries.iter().all(|entry| entry.status == UpsertStatus::Complete));
    let turn = server.send(&id, "say:and on").await;
    socket.end_of(&turn).await;
    let page = server.history(&id).await;
    assert_eq!(texts(&page.entries)[4..], ["say:and on", "and on"]);
    assert_eq!(page.entries[..entries.len()], entries[..]);
    server.stop().await;
}

async fn tc_7_3a_a_loaded_session_of_claude_code_shows_its_history(pin: Pin) {
    history_is_shown(Machine::with_claude(pin).await, CLAUDE).await;
}

#[tokio::test]
async fn tc_7_3b_a_loaded_session_of_codex_shows_its_history() {
    history_is_shown(Machine::with_codex().await, CODEX).await;
}
