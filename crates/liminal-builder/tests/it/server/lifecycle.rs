//! Making, listing, loading and ending sessions: sections 6.1 and 6.3 of the acceptance cases.

use liminal_core::wire::rest::{
    SessionList, SessionOpened, SessionSource, SessionState, SessionStatus, SessionSummary,
};
use serde_json::json;

use super::client::eventually;
use super::machine::{Machine, is_running};
use super::screen::texts;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(tc_6_3a_a_killed_session_has_no_process_and_leaves_the_active_list);

#[tokio::test]
async fn tc_6_1a_a_new_session_is_told_with_its_id_and_its_kind() {
    let server = Machine::new().start().await;
    let opened: SessionOpened = server.create_with("demo", json!({})).await.read(201);
    assert_eq!(opened.cli_type, "demo");
    assert!(opened.session_id.as_str().starts_with("demo:"), "{opened:?}");
    let status = server.status(&opened.session_id).await;
    assert_eq!((status.view.state, status.view.is_alive), (SessionState::Idle, true));
    assert_eq!(status.directory, server.project.display().to_string());
    server.stop().await;
}

#[tokio::test]
async fn tc_6_1b_an_unknown_kind_is_refused() {
    let server = Machine::new().start().await;
    let answer = server.create_with("no-such-agent", json!({})).await;
    answer.assert_problem(400, "UNSUPPORTED_CLI_TYPE");
    assert!(answer.body.contains("known types") && answer.body.contains("demo"), "{answer:?}");
    assert!(server.list().await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn tc_6_1c_a_list_holds_the_sessions_of_its_project_alone() {
    let machine = Machine::new();
    let server = machine.start().await;
    let other = machine.directory("other");
    let other_project = server.add_project(&other).await;
    let (one, two) = (server.create("demo").await, server.create("demo").await);
    let body = json!({ "cliType": "demo", "projectDir": other });
    let elsewhere: SessionOpened = server.post("/api/session/create", body).await.read(201);
    let listed = server.list().await;
    let mut ids: Vec<_> = listed.iter().map(|session| session.session_id.clone()).collect();
    ids.sort();
    let mut made = vec![one, two];
    made.sort();
    assert_eq!(ids, made);
    for session in listed {
        assert_eq!((session.cli_type.as_str(), session.source), ("demo", SessionSource::Made));
        assert_eq!((session.state, session.is_alive), (SessionState::Idle, true));
        assert_eq!(session.project_id, server.projects().await[0].id);
    }
    let path = format!("/api/session/list?projectId={}", other_project.id);
    let others: SessionList = server.get(&path).await.read(200);
    assert_eq!(others.sessions.len(), 1);
    assert_eq!(others.sessions[0].session_id, elsewhere.session_id);
    server.stop().await;
}

#[tokio::test]
async fn tc_6_1d_a_list_wants_a_project() {
    let server = Machine::new().start().await;
    for path in ["/api/session/list", "/api/session/list?projectId=", "/api/session/list?archived=true"] {
        server.get(path).await.assert_problem(400, "PROJECT_ID_REQUIRED");
    }
    server.get("/api/session/list?projectId=nothing").await.assert_problem(404, "PROJECT_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn tc_6_1e_a_session_is_loaded_by_its_provider() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    let before = server.history(&id).await;
    server.stop().await;
    let server = machine.start_bare().await;
    let opened: SessionOpened = server.act(&id, "load").await.read(200);
    assert_eq!((&opened.session_id, opened.cli_type.as_str()), (&id, "demo"));
    let after = server.history(&id).await;
    assert_eq!(after.entries, before.entries);
    server.turn(&id, "and on").await;
    let page = server.history(&id).await;
    assert!(texts(&page.entries).contains(&"and on"));
    assert_eq!(page.entries[..before.entries.len()], before.entries[..]);
    server.stop().await;
}

#[tokio::test]
async fn tc_6_1f_what_does_not_exist_is_not_loaded() {
    let server = Machine::new().start().await;
    for id in ["demo:nothing", "claude-code:0194d5f2-0000-7000-8000-000000000000", "gemini:x", "nothing"] {
        server.act(&id.into(), "load").await.assert_problem(404, "SESSION_NOT_FOUND");
    }
    server.stop().await;
}

#[tokio::test]
async fn tc_6_3b_a_status_tells_what_the_agent_does() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let status = server.status(&id).await;
    assert_eq!((status.cli_type.as_str(), status.view.is_alive), ("demo", true));
    assert_eq!(status.view.state, SessionState::Idle);
    let turn = server.send(&id, "/hang").await;
    let status = server.status(&id).await;
    assert_eq!((status.view.state, status.view.turn), (SessionState::Running, Some(turn)));
    assert!(status.view.turn_started_at.is_some());
    server.act(&id, "cancel").await.read::<serde_json::Value>(200);
    server.until(&id, |status| status.view.state == SessionState::Idle && status.view.turn.is_none()).await;
    server.get("/api/session/demo:nothing/status").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}

/// With the real program, whose process is its own.
async fn tc_6_3a_a_killed_session_has_no_process_and_leaves_the_active_list(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.turn(&id, "say:hello").await;
    let pid = server.status(&id).await.view.agent.pid.expect("its process is told");
    assert!(is_running(pid));
    let status: SessionStatus = server.act(&id, "kill").await.read(200);
    assert_eq!((status.view.state, status.view.is_alive), (SessionState::Closed, false));
    assert_eq!(status.view.agent.pid, None);
    eventually(|| !is_running(pid)).await;
    assert!(server.list().await.is_empty());
    let ended = server.list_of("archived=true").await;
    assert_eq!(ended.iter().map(|session| &session.session_id).collect::<Vec<_>>(), [&id]);
    assert_eq!((ended[0].is_alive, ended[0].state), (false, SessionState::Closed));
    server.say(&id, "say:again").await.assert_problem(502, "PROCESS_CRASH");
    server.act(&"demo:nothing".into(), "kill").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(server.list().await.len(), 1);
    assert!(server.list_of("archived=true").await.is_empty());
    server.turn(&id, "say:back again").await;
    assert!(texts(&server.history(&id).await.entries).contains(&"back again"));
    server.stop().await;
}

#[tokio::test]
async fn an_ended_session_stays_out_of_the_active_list_until_it_is_taken_back() {
    let machine = Machine::new();
    let server = machine.start().await;
    let (ended, other) = (server.create("demo").await, server.create("demo").await);
    server.turn(&ended, "hello").await;
    server.act(&ended, "kill").await.read::<serde_json::Value>(200);
    server.stop().await;

    let server = machine.start_bare().await;
    let ids = |listed: Vec<SessionSummary>| listed.into_iter().map(|one| one.session_id).collect::<Vec<_>>();
    assert_eq!(ids(server.list().await), [other]);
    assert_eq!(ids(server.list_of("archived=true").await), std::slice::from_ref(&ended));
    let status: SessionStatus = server.act(&ended, "unarchive").await.read(200);
    assert_eq!(status.view.state, SessionState::Idle);
    assert_eq!(server.list().await.len(), 2);
    server.turn(&ended, "and on").await;
    server.stop().await;
}
