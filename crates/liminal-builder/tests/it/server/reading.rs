//! Routes that read: what the server is, what was said, what is found in it.

use liminal_core::upsert::{Upsert, UpsertBody};
use liminal_core::wire::approvals::SearchResults;
use liminal_core::wire::rest::{HistoryPage, Meta, SessionStatus};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::machine::Machine;
use crate::chat::PATIENCE;

fn call(entries: &[Upsert]) -> (&Upsert, &str) {
    let output = |entry: &Upsert| match &entry.body {
        UpsertBody::ToolCall(call) => call.tool_output.clone(),
        _ => None,
    };
    let found = entries.iter().find(|entry| output(entry).is_some_and(|output| output.len() > 10)).unwrap();
    match &found.body {
        UpsertBody::ToolCall(call) => (found, call.tool_output.as_deref().unwrap()),
        _ => unreachable!(),
    }
}

#[tokio::test]
async fn the_server_tells_what_it_is_and_which_agents_it_has() {
    let server = Machine::new().start().await;
    let meta: Meta = server.get("/api/meta").await.read(200);
    assert_eq!(meta.version, env!("CARGO_PKG_VERSION"));
    let agents: Value = server.get("/api/agents").await.read(200);
    let agents = agents.as_array().unwrap();
    let named = |name: &str| agents.iter().find(|agent| agent["name"] == name).unwrap();
    assert!(named("demo")["problem"].is_null());
    assert!(named("codex")["problem"].as_str().unwrap().contains("install"));
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn the_output_of_a_tool_is_read_whole_or_in_part() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "/run").await;
    let page = server.history(&id).await;
    let (item, output) = call(&page.entries);
    let item = item.item_id.as_str().replace('/', "%2F").replace('#', "%23");
    let path = format!("/api/session/{id}/items/{item}/output");
    let whole = server.get(&path).await;
    assert_eq!((whole.status, whole.body.as_str()), (200, output));
    let part = server.call("GET", &path, &[("Range", "bytes=2-5")], None).await;
    assert_eq!((part.status, part.body.as_bytes()), (206, &output.as_bytes()[2..6]));
    assert_eq!(part.header("content-range").unwrap(), format!("bytes 2-5/{}", output.len()));
    assert_eq!(server.call("GET", &path, &[("Range", "bytes=999999-")], None).await.status, 416);
    let missing = server.get(&format!("/api/session/{id}/items/nothing/output")).await;
    missing.assert_problem(404, "ITEM_NOT_FOUND");
    server.get("/api/session/demo:nothing/items/a/output").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn pages_of_a_history_hold_every_item_once() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "/tools 9").await;
    let whole = server.history(&id).await;
    let (mut entries, mut before) = (Vec::new(), None::<u64>);
    loop {
        let place = before.map(|before| format!("&before={before}")).unwrap_or_default();
        let page: HistoryPage =
            server.get(&format!("/api/session/{id}/history?limit=3{place}")).await.read(200);
        entries.splice(0..0, page.entries);
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(entries, whole.entries);
    server.get(&format!("/api/session/{id}/history?limit=x")).await.assert_problem(400, "INVALID_REQUEST");
    server.get("/api/session/demo:nothing/history").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn a_page_about_an_item_leads_to_all_older_and_newer_ones() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "/tools 9").await;
    let whole = server.history(&id).await.entries;
    let get = async |query: &str| -> HistoryPage {
        server.get(&format!("/api/session/{id}/history?{query}")).await.read(200)
    };
    for (place, item) in whole.iter().enumerate() {
        let name = item.item_id.as_str().replace('/', "%2F").replace('#', "%23");
        for limit in [1, 2, 5, 1000] {
            let page = get(&format!("around={name}&limit={limit}")).await;
            assert!(page.entries.contains(item) && page.entries.len() <= limit, "{place} {limit} {page:?}");
            let (mut entries, mut before, mut after) = (page.entries, page.before, page.after);
            while let Some(place) = before {
                let page = get(&format!("before={place}&limit=3")).await;
                entries.splice(0..0, page.entries);
                before = page.before;
            }
            while let Some(place) = after {
                let page = get(&format!("after={place}&limit=3")).await;
                assert!(!page.entries.is_empty() || !page.turns.is_empty(), "no page is empty");
                entries.extend(page.entries);
                after = page.after;
            }
            assert_eq!(entries, whole, "{place} {limit}");
        }
    }
    assert_eq!(get("limit=1000").await.after, None);
    let missing = server.get(&format!("/api/session/{id}/history?around=nothing")).await;
    missing.assert_problem(404, "ITEM_NOT_FOUND");
    let both = server.get(&format!("/api/session/{id}/history?around=nothing&before=3")).await;
    both.assert_problem(400, "INVALID_REQUEST");
    server.stop().await;
}

#[tokio::test]
async fn a_conversation_is_exported_and_searched() {
    let server = Machine::new().start().await;
    let (id, other) = (server.create("demo").await, server.create("demo").await);
    server.turn(&id, "where is the pangolin").await;
    server.turn(&other, "nothing of interest").await;
    for (format, media) in [("md", "text/markdown"), ("json", "application/json"), ("jsonl", "application/")]
    {
        let file = server.get(&format!("/api/session/{id}/export?format={format}")).await;
        assert_eq!(file.status, 200, "{format}");
        assert!(file.header("content-type").unwrap().starts_with(media), "{format} {file:?}");
        assert!(file.header("content-disposition").unwrap().starts_with("attachment"), "{format}");
        assert!(file.body.contains("pangolin"), "{format}");
    }
    server.get(&format!("/api/session/{id}/export?format=doc")).await.assert_problem(400, "INVALID_REQUEST");
    let found = async |more: &str| -> SearchResults {
        server.get(&format!("/api/search?q=pangolin{more}")).await.read(200)
    };
    let hits = found("").await.hits;
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit.session_id == id), "{hits:?}");
    assert!(hits[0].snippet.iter().any(|piece| piece.is_match && piece.text == "pangolin"), "{hits:?}");
    assert!(found(&format!("&sessionId={other}")).await.hits.is_empty());
    assert_eq!(found("&limit=1").await.hits.len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_search_finds_coloured_words_and_says_what_is_not_indexed_yet() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "/run").await;
    let found = async |query: &str| -> SearchResults {
        server.get(&format!("/api/search?q={query}")).await.read(200)
    };
    let indexed = async { while found("compiling").await.not_indexed.is_some() {} };
    timeout(PATIENCE, indexed).await.expect("everything is indexed");
    // Green, bold and followed by a reset in the output.
    let hit = found("compiling").await.hits.remove(0);
    let shown: String = hit.snippet.iter().map(|piece| piece.text.as_str()).collect();
    assert!(shown.contains("Compiling demo") && !shown.contains("[0m"), "{shown}");

    // The writer looks for such rows when something is appended, and nothing is.
    let file = rusqlite::Connection::open(machine.data().join("liminal.db")).unwrap();
    let note = "INSERT INTO unindexed SELECT place FROM entry WHERE key LIKE 'item:%' LIMIT 2";
    file.execute(note, []).unwrap();
    assert_eq!(found("compiling").await.not_indexed, Some(2));
    assert_eq!(found(&format!("compiling&sessionId={id}")).await.not_indexed, Some(2));
    assert_eq!(found("compiling&sessionId=demo:other").await.not_indexed, None);
    server.stop().await;
}

#[tokio::test]
async fn what_the_page_remembers_is_kept() {
    let machine = Machine::new();
    let server = machine.start().await;
    let path = "/api/ui-state";
    assert_eq!(server.get(path).await.read::<Value>(200), json!({}));
    let state = json!({ "tabs": ["demo:1"], "deep": { "er": [1, null] } });
    assert_eq!(server.call("PUT", path, &[], Some(&state)).await.status, 204);
    assert_eq!(server.get(path).await.read::<Value>(200), state);
    server.call("PUT", path, &[], Some(&json!([1]))).await.assert_problem(400, "INVALID_REQUEST");
    let large = json!({ "a": "x".repeat(300 * 1024) });
    assert!(server.call("PUT", path, &[], Some(&large)).await.status >= 400);
    server.stop().await;
    let server = machine.start_bare().await;
    assert_eq!(server.get(path).await.read::<Value>(200), state);
    server.stop().await;
}

#[tokio::test]
async fn what_an_agent_offers_is_chosen_and_what_it_does_not_is_refused() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    let path = format!("/api/session/{id}/configure");
    let status: SessionStatus = server.post(&path, json!({ "model": "demo-slow" })).await.read(200);
    assert_eq!(status.view.agent.model.as_deref(), Some("demo-slow"));
    let status: SessionStatus =
        server.post(&path, json!({ "options": { "thinking": "off" } })).await.read(200);
    let thinking = status.view.agent.abilities.options.iter().find(|option| option.id == "thinking").unwrap();
    assert_eq!(thinking.current.as_deref(), Some("off"));
    server
        .post(&path, json!({ "options": { "thinking": "loud" } }))
        .await
        .assert_problem(400, "INVALID_REQUEST");
    let nobody = server.post("/api/session/demo:nothing/configure", json!({ "model": "a" })).await;
    nobody.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}
