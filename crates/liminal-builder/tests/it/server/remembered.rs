//! Sessions that only their agent knows: asked for behind the list's back, shown, opened with their past.

use std::collections::BTreeSet;
use std::time::Duration;

use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{SessionOpened, SessionSource, SessionSummary};
use serde_json::json;
use tokio::time::{interval, timeout};

use super::client::Client;
use super::machine::Machine;
use super::screen::texts;
use crate::chat::PATIENCE;

/// The list, once it has come to hold so many sessions.
async fn list_of(server: &Client, count: usize) -> Vec<SessionSummary> {
    let mut looks = interval(Duration::from_millis(20));
    let looked = async {
        loop {
            looks.tick().await;
            let listed = server.list().await;
            if listed.len() == count {
                return listed;
            }
        }
    };
    timeout(PATIENCE, looked).await.expect("the list comes to hold them all")
}

/// How often a process of the agent was started.
fn starts(machine: &Machine) -> usize {
    machine.starts().len()
}

#[tokio::test]
async fn what_an_agent_remembers_is_listed_page_by_page_and_opened_with_its_past() {
    let machine = Machine::with_own(&[("FAKE_AGENT_SESSIONS", "27")]);
    let server = machine.start().await;
    let listed = list_of(&server, 27).await;
    let ids: BTreeSet<String> = listed.iter().map(|session| session.session_id.to_string()).collect();
    assert_eq!(ids, (1..=27).map(|number| format!("mine:old-{number}")).collect());
    let first = &listed[0];
    assert_eq!((first.title.as_deref(), first.source), (Some("number 27"), SessionSource::Found));
    assert_eq!(first.updated_at.to_string(), "2026-01-01T00:00:27.000Z");

    let id = SessionId::from("mine:old-3");
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(texts(&server.history(&id).await.entries), ["asked in old-3", "said in old-3"]);
    server.turn(&id, "!say 1").await;
    let page = server.history(&id).await;
    assert_eq!(texts(&page.entries), ["asked in old-3", "said in old-3", "!say 1", "piece 1 "]);
    let listed = server.list().await;
    assert_eq!((listed.len(), &listed[0].session_id), (27, &id), "it is there once, and the latest");
    assert_eq!((starts(&machine), machine.asked("session/list")), (1, 5), "asked once, page by page");
    server.stop().await;
}

#[tokio::test]
async fn a_followed_list_is_told_when_the_agent_has_answered() {
    let machine = Machine::with_own(&[("FAKE_AGENT_SESSIONS", "1")]);
    let server = machine.start().await;
    let mut socket = server.socket().await;
    assert!(server.list().await.len() <= 1, "nobody waits for the agent");
    socket.until(message_is_change).await;
    assert_eq!(list_of(&server, 1).await[0].session_id.as_str(), "mine:old-1");
    server.stop().await;
}

fn message_is_change(message: &liminal_core::wire::ServerMessage) -> bool {
    matches!(message, liminal_core::wire::ServerMessage::SessionsChanged { .. })
}

#[tokio::test]
async fn a_list_that_fails_costs_nobody_anything_and_is_not_asked_for_again_at_once() {
    for fault in ["none", "error", "garbage", "exit", "endless"] {
        let machine = Machine::with_own(&[("FAKE_AGENT_SESSIONS", "3"), ("FAKE_AGENT_LIST", fault)]);
        let server = machine.start().await;
        for _ in 0..20 {
            assert!(server.list().await.is_empty());
        }
        let asked = || if fault == "none" { "initialize" } else { "session/list" };
        super::client::eventually(|| machine.asked(asked()) > 0).await;
        let id = server.create("mine").await;
        server.turn(&id, "!say 2").await;
        assert_eq!(server.list().await.len(), 1, "{fault}");
        assert!(starts(&machine) <= 2, "{fault}: {:?}", machine.starts());
        assert!(fault == "endless" || machine.asked("session/list") <= 1, "{fault}");
        server.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_never_answers_a_list_keeps_nobody_waiting() {
    let machine = Machine::with_own(&[("FAKE_AGENT_LIST", "hang")]);
    let server = machine.start().await;
    assert!(server.list().await.is_empty());
    super::client::eventually(|| machine.asked("session/list") == 1).await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    assert_eq!((server.list().await.len(), starts(&machine)), (1, 1));
    server.stop().await;
}

/// Whoever tells what it remembers of a project reads what the project brings.
#[tokio::test]
async fn no_agent_is_asked_in_a_project_that_nobody_trusts() {
    let machine = Machine::with_own(&[("FAKE_AGENT_SESSIONS", "2")]);
    std::fs::write(machine.project.join(".mcp.json"), r#"{"mcpServers":{"a":{"command":"true"}}}"#).unwrap();
    let server = machine.start().await;
    for _ in 0..5 {
        assert!(server.list().await.is_empty());
    }
    let id = server.create_with("mine", json!({})).await;
    id.assert_problem(403, "TRUST_REQUIRED");
    assert_eq!(starts(&machine), 0);
    let project = server.projects().await.remove(0).id;
    server.post(&format!("/api/projects/{project}/trust"), json!({ "trusted": true })).await;
    list_of(&server, 2).await;
    assert_eq!(starts(&machine), 1);
    server.stop().await;
}
