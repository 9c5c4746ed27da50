//! Agents that are installed, updated, removed, slow or logged out while the server runs: the list answers at once, and
//! agrees with what starts.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use liminal_core::upsert::TurnEvent;
use liminal_core::wire::ServerMessage;
use liminal_core::wire::agents::{AgentReport, AgentState};
use serde_json::json;
use tokio::time::Instant;

use super::client::{Client, eventually};
use super::machine::Machine;
use super::socket::Socket;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(a_turn_without_a_login_fails_with_a_code_of_its_own_and_the_list_shows_it);

/// A hanging `--version` has 20 s. A request that waited for it would be slower than this.
const AT_ONCE: Duration = Duration::from_secs(10);

/// A machine whose `PATH` begins with a folder of the test's own.
fn machine() -> (Machine, PathBuf) {
    let mut machine = Machine::new();
    let folder = machine.home.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    machine.variables.push(("PATH", path.leak()));
    (machine, folder)
}

/// A program that notes each start, and then runs a script. It is put into its place whole, as installers do.
fn install(folder: &Path, name: &str, script: &str) {
    let (starts, draft) = (starts_file(folder), folder.join(format!(".{name}")));
    fs::write(&draft, format!("#!/bin/sh\necho \"{name} $*\" >> {}\n{script}\n", starts.display())).unwrap();
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(draft, folder.join(name)).unwrap();
}

fn claude(version: &str, logged_in: bool) -> String {
    format!(
        "case $1 in --version) echo '{version} (Claude Code)';; auth) echo '{{\"loggedIn\": {logged_in}}}';; esac"
    )
}

fn starts_file(folder: &Path) -> PathBuf {
    folder.join("../starts")
}

fn starts(folder: &Path, command: &str) -> usize {
    let noted = fs::read_to_string(starts_file(folder)).unwrap_or_default();
    noted.lines().filter(|line| *line == command).count()
}

async fn agent(server: &Client, name: &str) -> AgentReport {
    let agents: Vec<AgentReport> = server.get("/api/agents").await.read(200);
    agents.into_iter().find(|agent| agent.name == name).unwrap()
}

async fn until(server: &Client, name: &str, wanted: impl Fn(&AgentReport) -> bool) -> AgentReport {
    loop {
        let found = agent(server, name).await;
        if wanted(&found) {
            return found;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn agents_are_listed_at_once_and_asked_once_per_change_of_their_file() {
    let (machine, folder) = machine();
    install(&folder, "claude", &claude("2.1.197", false));
    install(&folder, "opencode", "echo 1.2.3");
    // Ends with its child alone.
    install(&folder, "gemini", "sleep 1000 & wait");
    let began = Instant::now();
    let server = machine.start().await;
    assert_eq!(agent(&server, "gemini").await.state, AgentState::Detecting);
    let found = until(&server, "claude-code", |agent| agent.logged_in.is_some()).await;
    assert_eq!((found.state, found.version.as_deref()), (AgentState::Usable, Some("2.1.197")));
    assert_eq!((found.logged_in, found.sign_in.as_deref()), (Some(false), Some("claude")));
    until(&server, "opencode", |agent| agent.version.as_deref() == Some("1.2.3")).await;
    for _ in 0..20 {
        assert_eq!(agent(&server, "gemini").await.state, AgentState::Detecting);
    }
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    for command in ["claude --version", "claude auth status", "gemini --version", "opencode --version"] {
        assert_eq!(starts(&folder, command), 1, "{command}");
    }

    install(&folder, "claude", &claude("2.1.198", true));
    let updated = until(&server, "claude-code", |agent| agent.version.as_deref() == Some("2.1.198")).await;
    assert!(updated.is_usable());
    until(&server, "claude-code", |agent| agent.logged_in == Some(true)).await;
    assert_eq!((starts(&folder, "claude --version"), starts(&folder, "claude auth status")), (2, 2));
    assert_eq!((starts(&folder, "gemini --version"), starts(&folder, "opencode --version")), (1, 1));
    // What hangs is killed with its child; `stop` looks for both.
    server.stop().await;
}

#[tokio::test]
async fn agents_are_asked_again_when_a_person_wants_it_or_their_credentials_change() {
    let (machine, folder) = machine();
    let answer = folder.join("answer");
    fs::write(&answer, "{\"loggedIn\": false}").unwrap();
    let told = format!("auth) cat {};;", answer.display());
    install(&folder, "claude", &format!("case $1 in --version) echo '2.1.197 (Claude Code)';; {told} esac"));
    let server = machine.start().await;
    let mut socket = Socket::connect(&server).await;
    until(&server, "claude-code", |agent| agent.logged_in == Some(false)).await;

    // The program says something else now, and nothing that is watched has changed but the credentials.
    fs::write(&answer, "{\"loggedIn\": true}").unwrap();
    fs::create_dir(machine.home.path().join(".claude")).unwrap();
    fs::write(machine.home.path().join(".claude/.credentials.json"), "{}").unwrap();
    // No HTTP request: an open page gets a frame.
    socket
        .until(|message| {
            let ServerMessage::AgentsChanged { agents } = message else { return false };
            agents.iter().any(|agent| agent.name == "claude-code" && agent.logged_in == Some(true))
        })
        .await;
    assert_eq!(starts(&folder, "claude --version"), 1, "only the login was probed again");

    let agents: Vec<AgentReport> = server.post("/api/agents/refresh", json!({})).await.read(200);
    let again = agents.into_iter().find(|agent| agent.name == "claude-code").unwrap();
    assert_eq!((again.state, again.version.as_deref()), (AgentState::Detecting, Some("2.1.197")));
    eventually(|| starts(&folder, "claude --version") == 2).await;
    until(&server, "claude-code", |agent| agent.state == AgentState::Usable).await;
    server.stop().await;
}

/// AGENTS-TODAY 6: the list and the start of a session never disagree.
#[tokio::test]
async fn an_agent_that_is_installed_later_works_at_once_and_one_that_is_removed_does_not() {
    let (mut machine, folder) = machine();
    machine.variables.push(("FAKE_AGENT_SPEAKS", "acp"));
    let server = machine.start().await;
    for _ in 0..2 {
        let missing = agent(&server, "gemini").await;
        assert_eq!((missing.state, missing.is_usable()), (AgentState::Missing, false));
        let refused = server.create_with("gemini", json!({})).await;
        refused.assert_problem(502, "SPAWN_FAILED");
        assert!(refused.body.contains("not installed; install it with: npm install"), "{refused:?}");

        symlink(env!("CARGO_BIN_EXE_fake-agent"), folder.join("gemini")).unwrap();
        let id = server.create("gemini").await;
        assert!(agent(&server, "gemini").await.is_usable());
        server.turn(&id, "!say 1").await;
        server.act(&id, "kill").await;
        fs::remove_file(folder.join("gemini")).unwrap();
    }
    server.stop().await;
}

#[tokio::test]
async fn a_program_that_is_no_agent_is_refused_in_the_same_words_by_list_and_start() {
    let (machine, folder) = machine();
    install(&folder, "claude", "echo '1.0.3 (Claude Code)'");
    let server = machine.start().await;
    let old = until(&server, "claude-code", |agent| agent.state != AgentState::Detecting).await;
    let problem = old.problem.unwrap();
    assert!(problem.contains("too old"), "{problem}");
    let refused = server.create_with("claude-code", json!({})).await;
    refused.assert_problem(502, "SPAWN_FAILED");
    assert!(refused.body.contains(&problem), "{refused:?}");
    server.stop().await;
}

/// POLISH 6, with the real Claude Code and no login at all.
async fn a_turn_without_a_login_fails_with_a_code_of_its_own_and_the_list_shows_it(pin: Pin) {
    let (mut machine, folder) = machine();
    symlink(pin.program(), folder.join("claude")).unwrap();
    machine.variables.push(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"));
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let mut socket = Socket::connect(&server).await;
    socket.ask(json!({"type": "session:subscribe", "sessionId": id})).await;
    server.send(&id, "hello").await;
    let ended = socket
        .until(|message| matches!(message, ServerMessage::Turn { payload: TurnEvent::TurnError { .. }, .. }))
        .await;
    let ServerMessage::Turn { payload: TurnEvent::TurnError { error_code, error_message, .. }, .. } = ended
    else {
        unreachable!()
    };
    assert_eq!(error_code, "LOGIN_REQUIRED", "{error_message}");
    let found = until(&server, "claude-code", |agent| agent.logged_in.is_some()).await;
    assert_eq!((found.logged_in, found.sign_in.as_deref()), (Some(false), Some("claude")));
    server.stop().await;
}

/// An agent whose program tells nothing of its login: what its sessions show counts.
#[tokio::test]
async fn a_login_that_a_session_lacked_is_shown_until_one_works() {
    let mut machine = Machine::with_own(&[("FAKE_AGENT_LOGIN", "1")]);
    let server = machine.start().await;
    assert_eq!(agent(&server, "mine").await.logged_in, None);
    server.create_with("mine", json!({})).await.assert_problem(502, "LOGIN_REQUIRED");
    until(&server, "mine", |agent| agent.logged_in == Some(false)).await;
    server.stop().await;
    machine.settings = machine.settings.replace("FAKE_AGENT_LOGIN", "FAKE_AGENT_NO_LOGIN");
    let server = machine.start_bare().await;
    server.create("mine").await;
    assert_eq!(agent(&server, "mine").await.logged_in, None);
    server.stop().await;
}
