//! What becomes of sessions in lists: titles, archive, pages, deletion.

use liminal_core::wire::rest::{SessionList, SessionStatus, SessionSummary};
use serde_json::json;

use super::client::Client;
use super::machine::Machine;

async fn listed(server: &Client, more: &str) -> SessionList {
    let project = server.projects().await.remove(0).id;
    server.get(&format!("/api/session/list?projectId={project}{more}")).await.read(200)
}

#[tokio::test]
async fn a_session_is_called_by_its_first_message_until_somebody_names_it() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    assert_eq!(server.status(&id).await.view.title, None);
    server.turn(&id, "\n  hello there\nand more").await;
    assert!(server.status(&id).await.view.title.is_some());
    let path = format!("/api/session/{id}/title");
    for title in ["", "  ", "\u{7}", &"x".repeat(201)] {
        server.post(&path, json!({ "title": title })).await.assert_problem(400, "INVALID_REQUEST");
    }
    let status: SessionStatus = server.post(&path, json!({ "title": " my\u{1b} own name " })).await.read(200);
    assert_eq!(status.view.title.as_deref(), Some("my own name"));
    // The agent names its sessions too, and the person's word stays.
    server.turn(&id, "hello again").await;
    assert_eq!(server.list().await[0].title.as_deref(), Some("my own name"));
    server.stop().await;
    let server = machine.start_bare().await;
    assert_eq!(server.status(&id).await.view.title.as_deref(), Some("my own name"));
    let nobody = server.post("/api/session/demo:nothing/title", json!({ "title": "a" })).await;
    nobody.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn a_session_is_put_away_and_taken_back() {
    let server = Machine::new().start().await;
    let (one, two) = (server.create("demo").await, server.create("demo").await);
    server.turn(&one, "hello").await;
    let status: SessionStatus = server.act(&one, "archive").await.read(200);
    assert!(status.view.is_archived && !status.view.is_alive);
    let ids = |list: SessionList| list.sessions.into_iter().map(|found| found.session_id).collect::<Vec<_>>();
    assert_eq!(ids(listed(&server, "").await), std::slice::from_ref(&two));
    assert_eq!(ids(listed(&server, "&archived=true").await), std::slice::from_ref(&one));
    let status: SessionStatus = server.act(&one, "unarchive").await.read(200);
    assert!(!status.view.is_archived);
    assert_eq!(listed(&server, "").await.sessions.len(), 2);
    server.turn(&one, "hello again").await;
    for deed in ["archive", "unarchive"] {
        server.act(&"demo:nothing".into(), deed).await.assert_problem(404, "SESSION_NOT_FOUND");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_deleted_session_is_forgotten_with_all_it_said() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    server.send(&id, "/hang").await;
    assert_eq!(server.delete(&format!("/api/session/{id}")).await.status, 204);
    server.get(&format!("/api/session/{id}/status")).await.assert_problem(404, "SESSION_NOT_FOUND");
    server.get(&format!("/api/session/{id}/history")).await.assert_problem(404, "SESSION_NOT_FOUND");
    server.delete(&format!("/api/session/{id}")).await.assert_problem(404, "SESSION_NOT_FOUND");
    assert!(server.list().await.is_empty());
    server.stop().await;
    let server = machine.start_bare().await;
    assert!(server.list().await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn pages_of_a_list_hold_every_session_once_the_newest_first() {
    let server = Machine::new().start().await;
    for number in 0..5 {
        let id = server.create("demo").await;
        server.turn(&id, &format!("hello {number}")).await;
    }
    let whole = server.list().await;
    assert_eq!(whole.len(), 5);
    assert!(whole.windows(2).all(|pair| pair[0].updated_at.instant() >= pair[1].updated_at.instant()));
    let (mut found, mut after): (Vec<SessionSummary>, Option<String>) = (Vec::new(), None);
    loop {
        let more = after.map(|after| format!("&after={after}")).unwrap_or_default();
        let page = listed(&server, &format!("&limit=2{more}")).await;
        assert!(page.sessions.len() <= 2);
        found.extend(page.sessions);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, whole);
    server.stop().await;
}
