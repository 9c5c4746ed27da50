//! "Allow for this session" with the real Claude Code: each suggestion grants what it says and nothing else.

use std::path::Path;

use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::approvals::Approval;
use serde_json::{Value, json};

use super::client::Client;
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(each_suggestion_grants_what_it_says);

fn touch(name: &str) -> String {
    format!("tool:Bash {}", json!({ "command": format!("touch {name}") }))
}

fn write(path: &Path) -> String {
    format!("tool:Write {}", json!({ "file_path": path, "content": "x" }))
}

fn read(path: &Path) -> String {
    format!("tool:Read {}", json!({ "file_path": path }))
}

/// The option of a request whose name says this.
fn option(asked: &Approval, name: &str) -> String {
    let UpsertBody::Permission(body) = &asked.item.body else { panic!("{asked:?}") };
    let options = &body.request.options;
    let found = options.iter().find(|option| option.name.contains(name));
    found.unwrap_or_else(|| panic!("no {name} in {options:?}")).option_id.clone()
}

/// A new session in which a suggestion was chosen.
async fn allowed(server: &Client, prompt: &str, name: &str) -> SessionId {
    let id = server.create("claude-code").await;
    server.send(&id, prompt).await;
    let asked = server.question(&id).await;
    server.answer(&asked, &option(&asked, name)).await.read::<Value>(200);
    server.until(&id, |status| status.view.turn.is_none()).await;
    id
}

/// Whether a tool asks; if it does, it is rejected.
async fn asks(server: &Client, id: &SessionId, prompt: &str) -> bool {
    let turn = server.send(id, prompt).await;
    let is_settled = |status: &liminal_core::wire::rest::SessionStatus| {
        status.view.turn.as_ref() != Some(&turn) || !status.view.pending.is_empty()
    };
    let is_asked = !server.until(id, is_settled).await.view.pending.is_empty();
    if is_asked {
        let asked = server.question(id).await;
        server.answer(&asked, "deny").await.read::<Value>(200);
        server.until(id, |status| status.view.turn.is_none()).await;
    }
    is_asked
}

async fn each_suggestion_grants_what_it_says(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let outside = machine.directory("outside");
    std::fs::write(outside.join("a.txt"), "in a").unwrap();
    let server = machine.start().await;
    let inside = machine.project.join("edit.txt");

    let id = allowed(&server, &touch("zz.txt"), "`touch zz.txt`").await;
    assert!(machine.project.join("zz.txt").exists());
    assert!(!asks(&server, &id, &touch("zz.txt")).await, "the same command");
    assert!(asks(&server, &id, &touch("yy.txt")).await, "another command");
    assert!(asks(&server, &id, &write(&inside)).await, "an edit");

    let id = allowed(&server, &write(&outside.join("b.txt")), "Allow access to").await;
    assert!(outside.join("b.txt").exists());
    assert!(!asks(&server, &id, &read(&outside.join("a.txt"))).await, "what can be seen there");
    assert!(asks(&server, &id, &write(&outside.join("c.txt"))).await, "an edit there");
    assert_eq!(server.status(&id).await.view.agent.permission_mode.as_deref(), Some("default"));

    let id = allowed(&server, &write(&inside), "Accept all edits").await;
    assert!(!asks(&server, &id, &write(&machine.project.join("more.txt"))).await, "another edit");
    assert!(asks(&server, &id, &read(&outside.join("a.txt"))).await, "what lies outside");
    let status = server.status(&id).await.view;
    assert_eq!((status.agent.permission_mode.as_deref(), status.is_unguarded), (Some("acceptEdits"), false));

    let id = server.create("claude-code").await;
    assert!(asks(&server, &id, &touch("zz.txt")).await, "nothing holds for another session");
    server.stop().await;
}
