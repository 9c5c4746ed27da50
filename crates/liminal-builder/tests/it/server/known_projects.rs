//! Directories that agents have worked in are offered as projects; others are not.

use std::fs;
use std::path::{Path, PathBuf};

use liminal_core::wire::projects::{KnownProject, KnownProjectList};
use serde_json::json;

use super::client::Client;
use super::machine::Machine;

async fn known(server: &Client) -> Vec<KnownProject> {
    server.get("/api/projects/known").await.read::<KnownProjectList>(200).projects
}

/// A session file as Claude Code writes it.
fn claude_session(home: &Path, number: u32, directory: &Path) {
    let slug = directory.display().to_string().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let file = format!("00000000-0000-4000-8000-{number:012}.jsonl");
    let line = json!({
        "type": "user", "cwd": directory, "sessionId": number.to_string(), "uuid": "u",
        "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": "hello"},
    });
    write(&home.join(".claude/projects").join(slug).join(file), &format!("{line}\n"));
}

/// A session file as Codex writes it; its first line is long.
fn codex_session(home: &Path, number: u32, directory: &Path) {
    let id = format!("00000000-0000-4000-8000-{number:012}");
    let meta = json!({
        "timestamp": "2026-01-01T00:00:00Z", "type": "session_meta",
        "payload": {"id": id, "cwd": directory, "instructions": "x".repeat(20_000)},
    });
    let file = format!(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{id}.jsonl");
    write(&home.join(file), &format!("{meta}\n"));
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[tokio::test]
async fn directories_of_claude_code_and_codex_are_offered_with_their_sessions() {
    let machine = Machine::new();
    let home = machine.home.path().canonicalize().unwrap();
    let [shop, blog] = ["shop", "blog"].map(|name| machine.directory(name));
    claude_session(&home, 1, &shop);
    claude_session(&home, 2, &shop);
    codex_session(&home, 3, &shop);
    codex_session(&home, 4, &blog);
    // None of these may be a project, or is one already.
    let elsewhere: [PathBuf; 5] =
        [home.join("gone"), "/".into(), home.clone(), machine.data(), machine.project.clone()];
    for (number, directory) in (10..).zip(&elsewhere) {
        claude_session(&home, number, directory);
        codex_session(&home, number + 10, directory);
    }
    // Neither text nor a session.
    write(&home.join(".claude/projects/odd/00000000-0000-4000-8000-000000000099.jsonl"), "\u{0}not json");
    let server = machine.start().await;
    let mut found = known(&server).await;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    let shown =
        found.iter().map(|one| (one.name.as_str(), one.path.as_str(), one.sessions, one.agents.len()));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [("blog", blog.to_str().unwrap(), 1, 1), ("shop", shop.to_str().unwrap(), 3, 2)]
    );
    assert_eq!(found[1].agents, ["claude-code", "codex"]);
    server.add_project(&shop).await;
    assert_eq!(known(&server).await.len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_machine_that_no_agent_worked_on_offers_nothing() {
    let server = Machine::new().start().await;
    assert!(known(&server).await.is_empty());
    server.stop().await;
}

/// A bounded number of files is read, the newest first, and the answer says that it was cut.
#[tokio::test]
async fn a_long_past_is_read_in_part() {
    let machine = Machine::new();
    let home = machine.home.path().canonicalize().unwrap();
    let shop = machine.directory("shop");
    for number in 0..1200 {
        codex_session(&home, number, &shop);
    }
    let server = machine.start().await;
    let list: KnownProjectList = server.get("/api/projects/known").await.read(200);
    assert_eq!((list.projects.len(), list.is_cut), (1, true));
    assert_eq!(list.projects[0].sessions, 1000);
    server.stop().await;
}
