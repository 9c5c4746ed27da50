//! Sessions that other programs made: in the list, with their past, and to be gone on with.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use liminal_core::ids::SessionId;
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::{SessionList, SessionOpened, SessionSource, SessionSummary};
use tokio::time::timeout;

use super::client::Client;
use super::machine::Machine;
use super::screen::texts;
use super::socket::Socket;
use crate::chat::PATIENCE;
use crate::pin::Pin;
use crate::world::{assert_knows, both_pins};

both_pins!(
    tc_8_3b_a_session_of_the_claude_program_is_found_opened_and_gone_on_with,
    a_session_begun_in_a_terminal_comes_into_lists_that_are_open
);

/// Runs Claude Code in the project as its user does, without this program.
#[expect(clippy::disallowed_methods, reason = "the agent is run by its user here, and ends by itself")]
pub(super) async fn claude(pin: Pin, machine: &Machine, arguments: &[&str]) -> String {
    let mut command = tokio::process::Command::new(pin.program());
    command.args(arguments).current_dir(&machine.project).env_clear().kill_on_drop(true);
    command.env("HOME", machine.home.path()).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command.envs(machine.claude_variables(machine.model.as_ref().unwrap()));
    let output = timeout(PATIENCE, command.output()).await.expect("it ends in bounded time").unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

async fn the_only_session(server: &Client) -> SessionSummary {
    let mut listed = server.list().await;
    assert_eq!(listed.len(), 1, "{listed:?}");
    listed.remove(0)
}

pub(super) async fn said(server: &Client, id: &SessionId) -> Vec<String> {
    let page = server.history(id).await;
    texts(&page.entries).into_iter().map(str::to_owned).collect()
}

async fn tc_8_3b_a_session_of_the_claude_program_is_found_opened_and_gone_on_with(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    assert_eq!(claude(pin, &machine, &["-p", "say:from outside"]).await.trim(), "from outside");
    let server = machine.start().await;
    let found = the_only_session(&server).await;
    let id = found.session_id.clone();
    assert_eq!((found.source, found.is_alive, found.seq), (SessionSource::Found, false, 0));
    assert!(found.title.is_some());
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(said(&server, &id).await, ["say:from outside", "from outside"]);
    server.turn(&id, "say:from inside").await;
    let expected = ["say:from outside", "from outside", "say:from inside", "from inside"];
    assert_eq!(said(&server, &id).await, expected);
    assert_eq!(the_only_session(&server).await.session_id, id);
    assert_knows(machine.model.as_ref().unwrap(), "say:from inside", "from outside");
    server.stop().await;
}

/// A conversation that goes on at a terminal while a page is open: begun before the server first looked, and after.
async fn a_session_begun_in_a_terminal_comes_into_lists_that_are_open(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    claude(pin, &machine, &["-p", "say:one"]).await;
    let (folder, away) = (machine.home.path().join("claude/projects"), machine.home.path().join("away"));
    fs::rename(&folder, &away).unwrap();
    let server = machine.start().await;
    let mut socket = Socket::connect(&server).await;
    assert!(server.list().await.is_empty());
    fs::rename(&away, &folder).unwrap();
    listed(&server, &mut socket, 1).await;
    claude(pin, &machine, &["-p", "say:two"]).await;
    listed(&server, &mut socket, 2).await;
    server.stop().await;
}

/// Looks at the list when its clients are told to and not before, until it has so many sessions.
async fn listed(server: &Client, socket: &mut Socket, count: usize) {
    loop {
        socket.until(|message| matches!(message, ServerMessage::SessionsChanged { .. })).await;
        if server.list().await.len() == count {
            return;
        }
    }
}

/// Every rollout that Codex wrote.
fn rollouts(machine: &Machine) -> Vec<PathBuf> {
    let mut folders = vec![machine.home.path().join("codex/sessions")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
        }
    }
    files
}

#[tokio::test]
async fn sessions_of_codex_are_shown_without_its_adapter_and_whoever_opens_one_is_told_what_is_missing() {
    let mut machine = Machine::with_codex().await;
    let server = machine.start().await;
    let id = server.create("codex").await;
    server.turn(&id, "say:from before").await;
    server.stop().await;
    fs::remove_dir_all(machine.data()).unwrap();
    let rollout = rollouts(&machine).remove(0);
    let old = "rollout-2026-01-01T12-00-00-00000001-2222-7333-8444-555555555555.jsonl.zst";
    fs::copy(&rollout, rollout.with_file_name(old)).unwrap();
    let set = "[agents.codex]\ncommand = ";
    machine.settings = machine.settings.replace(set, &format!("{set}\"/no/such/adapter\" # "));
    let server = machine.start().await;
    assert_eq!(the_only_session(&server).await.session_id, id);
    for refused in [server.act(&id, "load").await, server.create_with("codex", serde_json::json!({})).await] {
        refused.assert_problem(502, "SPAWN_FAILED");
        assert!(refused.body.contains("cannot find /no/such/adapter; correct command"), "{refused:?}");
    }
    assert_eq!(the_only_session(&server).await.session_id, id, "it is still there");
    let project = server.projects().await.remove(0).id;
    let list: SessionList = server.get(&format!("/api/session/list?projectId={project}")).await.read(200);
    assert!(list.notes[0].starts_with("codex: 1 session file is compressed"), "{:?}", list.notes);
    server.stop().await;
}

/// The rollouts are those of an earlier adapter; a server that knows nothing of it finds them.
#[tokio::test]
async fn sessions_of_an_earlier_codex_are_found_and_gone_on_with() {
    let machine = Machine::with_codex().await;
    let server = machine.start().await;
    let id = server.create("codex").await;
    server.turn(&id, "say:from before").await;
    server.stop().await;
    assert_eq!(rollouts(&machine).len(), 1);
    fs::remove_dir_all(machine.data()).unwrap();
    let server = machine.start().await;
    let found = the_only_session(&server).await;
    assert_eq!((found.source, &found.session_id), (SessionSource::Found, &id));
    // Not loaded: whoever sends at once gets the past all the same.
    server.turn(&id, "say:from now").await;
    assert_eq!(said(&server, &id).await, ["say:from before", "from before", "say:from now", "from now"]);
    assert_eq!(rollouts(&machine).len(), 1, "the same conversation goes on");
    server.stop().await;
}
