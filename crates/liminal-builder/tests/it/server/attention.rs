//! Lists across projects: sessions that need attention, and sessions that match a text.

use std::collections::BTreeSet;
use std::fs;

use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{SessionList, SessionStatus, SessionSummary};
use serde_json::{Value, json};

use super::client::Client;
use super::machine::{Machine, Server};

async fn listed(server: &Client, query: &str) -> Vec<SessionSummary> {
    server.get(&format!("/api/session/list?{query}")).await.read::<SessionList>(200).sessions
}

async fn ids(server: &Client, query: &str) -> BTreeSet<SessionId> {
    listed(server, query).await.into_iter().map(|session| session.session_id).collect()
}

async fn entitled(server: &Client, title: &str) -> SessionId {
    let id = server.create("demo").await;
    let body = json!({ "title": title });
    server.post(&format!("/api/session/{id}/title"), body).await.read::<SessionStatus>(200);
    id
}

async fn set_seen(server: &Client, seen: Value) {
    let state = json!({ "theme": "dark", "seen": seen });
    assert_eq!(server.call("PUT", "/api/ui-state", &[], Some(&state)).await.status, 204);
}

/// A server with a second project, in which sessions are created.
async fn in_two_projects(machine: &Machine) -> (Server, Client) {
    let other = machine.home.path().canonicalize().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    let server = machine.start().await;
    server.add_project(&other).await;
    let inside = Client { project: other, ..Client::clone(&server) };
    (server, inside)
}

#[tokio::test]
async fn waiting_running_and_unread_sessions_of_all_projects_are_listed() {
    let machine = Machine::new();
    let (server, other) = in_two_projects(&machine).await;
    let (idle, unread, read) =
        (server.create("demo").await, server.create("demo").await, server.create("demo").await);
    for id in [&idle, &unread, &read] {
        server.turn(id, "hello").await;
    }
    let (waiting, running) = (other.create("demo").await, server.create("demo").await);
    other.send(&waiting, "/permission").await;
    other.until(&waiting, |status| !status.view.pending.is_empty()).await;
    server.send(&running, "/hang").await;
    let heads = listed(&server, "q=demo").await;
    let head = |id: &SessionId| heads.iter().find(|session| session.session_id == *id).unwrap().seq;
    set_seen(
        &server,
        json!({ unread.as_str(): head(&unread) - 1, read.as_str(): head(&read), "demo:x": 0, "y": "z" }),
    )
    .await;

    let expected = BTreeSet::from([waiting.clone(), running.clone(), unread.clone()]);
    assert_eq!(ids(&server, "attention=true").await, expected);
    let with_idle = ids(&server, &format!("attention=true&sessionIds={idle},demo:x")).await;
    assert!(with_idle.is_superset(&expected) && with_idle.contains(&idle) && with_idle.len() == 4);
    let found = listed(&server, "attention=true").await;
    let waits = found.iter().find(|session| session.session_id == waiting).unwrap();
    assert_eq!((waits.pending, waits.directory.ends_with("other")), (1, true));
    let project = server.projects().await.remove(0).id;
    let only = ids(&server, &format!("attention=true&projectId={project}")).await;
    assert_eq!(only, BTreeSet::from([running, unread.clone()]));

    server.act(&unread, "archive").await.read::<SessionStatus>(200);
    assert!(!ids(&server, "attention=true").await.contains(&unread));
    server.stop().await;
}

#[tokio::test]
async fn a_text_finds_sessions_in_every_project() {
    let machine = Machine::new();
    let (server, other) = in_two_projects(&machine).await;
    let cafe = entitled(&server, "Café menu").await;
    let card = entitled(&other, "menu card").await;
    entitled(&server, "something else").await;
    assert_eq!(ids(&server, "q=MENU").await, BTreeSet::from([cafe.clone(), card.clone()]));
    assert_eq!(ids(&server, "q=cafe").await, BTreeSet::from([cafe.clone()]));
    assert_eq!(ids(&server, "q=menu%20other").await, BTreeSet::from([card.clone()]));
    assert_eq!(ids(&server, "q=nothing").await, BTreeSet::new());
    assert_eq!(listed(&server, "q=menu&limit=1").await.len(), 1);
    let project = server.projects().await.remove(0).id;
    assert_eq!(ids(&server, &format!("q=menu&projectId={project}")).await, BTreeSet::from([cafe]));
    for query in ["", "q=%20", "attention=false"] {
        let refused = server.get(&format!("/api/session/list?{query}")).await;
        refused.assert_problem(400, "PROJECT_ID_REQUIRED");
    }
    server.stop().await;
}
