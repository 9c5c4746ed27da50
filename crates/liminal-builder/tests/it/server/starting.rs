//! `POST …/load` with `{"start": true}`: the agent runs and has the session's context when the request is answered.

use liminal_core::ids::SessionId;
use liminal_core::wire::rest::SessionOpened;
use serde_json::json;

use super::client::{Answer, Client};
use super::machine::{Machine, is_running};
use crate::pin::Pin;
use crate::world::{assert_knows, both_pins};

both_pins!(tc_3_1b_tc_6_1e_loading_starts_claude_code_with_the_context_of_the_session);

async fn load(server: &Client, id: &SessionId) -> Answer {
    server.post(&format!("/api/session/{id}/load"), json!({ "start": true })).await
}

/// By a server that has never seen the session.
async fn is_resumed(machine: Machine, cli_type: &str) {
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    server.turn(&id, "say:the fox remembers").await;
    server.stop().await;
    std::fs::remove_dir_all(machine.data()).unwrap();

    let server = machine.start().await;
    let opened: SessionOpened = load(&server, &id).await.read(200);
    assert_eq!((&opened.session_id, opened.cli_type.as_str()), (&id, cli_type));
    let view = server.status(&id).await.view;
    let pid = view.agent.pid.unwrap();
    assert!(view.is_alive && is_running(pid), "{view:?}");
    load(&server, &id).await.read::<SessionOpened>(200);
    server.turn(&id, "say:and on").await;
    assert_eq!(server.status(&id).await.view.agent.pid, Some(pid), "one process serves it");
    assert_knows(machine.model.as_ref().unwrap(), "and on", "the fox remembers");
    server.stop().await;
}

async fn tc_3_1b_tc_6_1e_loading_starts_claude_code_with_the_context_of_the_session(pin: Pin) {
    is_resumed(Machine::with_claude(pin).await, "claude-code").await;
}

#[tokio::test]
async fn tc_6_1e_loading_starts_codex_with_the_context_of_the_session() {
    is_resumed(Machine::with_codex().await, "codex").await;
}

#[tokio::test]
async fn tc_6_1e_loading_without_a_wish_starts_no_agent() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    server.act(&id, "kill").await.read::<serde_json::Value>(200);
    for body in [json!({}), json!({ "start": false })] {
        server.post(&format!("/api/session/{id}/load"), body).await.read::<SessionOpened>(200);
        assert!(!server.status(&id).await.view.is_alive);
    }
    load(&server, &id).await.read::<SessionOpened>(200);
    assert!(server.status(&id).await.view.is_alive);
    let refused = server.post(&format!("/api/session/{id}/load"), json!({ "start": "yes" })).await;
    refused.assert_problem(400, "INVALID_REQUEST");
    server.stop().await;
}

/// The history is there, and why the agent is not.
#[tokio::test]
async fn an_agent_that_does_not_start_is_reported_by_the_call_that_loads_the_session() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    server.act(&id, "kill").await.read::<serde_json::Value>(200);
    std::fs::rename(&machine.project, machine.project.with_extension("away")).unwrap();
    load(&server, &id).await.assert_problem(400, "PROJECT_DIR_INVALID");
    assert!(!server.history(&id).await.entries.is_empty());
    assert!(!server.status(&id).await.view.is_alive);
    server.stop().await;
}
