//! What an agent would run in a project: each file alone is found, and nothing starts before it is decided on.

mod plants;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use liminal_core::wire::projects::{Project, Trust};
use liminal_core::wire::rest::SessionStatus;
use serde_json::{Value, json};

use super::client::{Answer, eventually};
use super::machine::{Machine, Server};
use crate::pin::Pin;
use crate::world::both_pins;
use plants::{PLANTS, Plant};

both_pins!(d16_a_restricted_claude_code_uses_nothing_of_the_project);

const AGENTS: [&str; 5] = ["claude-code", "codex", "gemini", "opencode", "qwen"];

/// A machine on which every kind of agent is the fake one, which logs its starts.
fn machine() -> Machine {
    let mut machine = Machine::with_fake();
    let log = machine.heard_file().display().to_string();
    let variables = [("FAKE_AGENT_SPEAKS", "acp".to_owned()), ("FAKE_AGENT_LOG", log)];
    let fake = Path::new(env!("CARGO_BIN_EXE_fake-agent"));
    let adapter = adapter(machine.home.path(), fake);
    for (name, program) in
        [("codex", adapter.as_path()), ("gemini", fake), ("opencode", fake), ("qwen", fake)]
    {
        machine.agent(name, program, &[], &variables);
    }
    machine
}

/// Codex's adapter is known by what it says of its version.
fn adapter(folder: &Path, fake: &Path) -> PathBuf {
    let path = folder.join("codex-acp");
    let version = "@agentclientprotocol/codex-acp 2.6.0";
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo {version};; *) exec {} \"$@\";; esac\n",
        fake.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn write(directory: &Path, path: &str, text: &str) {
    let file = directory.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// A project of its own for a plant, in a directory of its own for those that lie above.
fn project_with(machine: &Machine, number: usize, plant: &Plant) -> PathBuf {
    let project = machine.directory(&format!("planted/{number}/project"));
    write(&project, plant.path, plant.text);
    if plant.path == "config" {
        write(&project, "HEAD", "ref: refs/heads/main\n");
        ["objects", "refs"].iter().for_each(|name| fs::create_dir(project.join(name)).unwrap());
    }
    project
}

async fn create(server: &Server, cli_type: &str, directory: &Path) -> Answer {
    server.post("/api/session/create", json!({ "cliType": cli_type, "projectDir": directory })).await
}

async fn decide(server: &Server, project: &Project, trusted: bool) -> Project {
    let path = format!("/api/projects/{}/trust", project.id);
    server.post(&path, json!({ "trusted": trusted })).await.read(200)
}

fn cli_type(reader: &str) -> &str {
    if reader == "other" { "qwen" } else { reader }
}

#[tokio::test]
async fn d16_every_file_that_an_agent_would_run_is_found_and_nothing_starts() {
    let machine = machine();
    let server = machine.start().await;
    for (number, plant) in PLANTS.iter().enumerate() {
        let directory = project_with(&machine, number, plant);
        let project = server.add_project(&directory).await;
        let found = project.findings.iter().find(|finding| finding.path == plant.path);
        let found = found.unwrap_or_else(|| panic!("{} is not among {:?}", plant.path, project.findings));
        let mut readers = found.agents.clone();
        readers.sort();
        assert_eq!(readers, plant.readers, "{}", plant.path);
        assert_eq!(project.trust, Trust::Unknown, "{}", plant.path);
        for agent in plant.readers.iter().map(|reader| cli_type(reader)).chain(["qwen"]) {
            let refused = create(&server, agent, &directory).await;
            assert_eq!(refused.problem(), (403, "TRUST_REQUIRED".to_owned()), "{agent}: {}", plant.path);
        }
    }
    assert_eq!(machine.starts(), Vec::<String>::new());
    server.stop().await;
}

/// A place without a plant would not be tested, and a test without a place proves nothing.
#[test]
fn d16_every_place_has_a_plant() {
    for (path, readers) in liminal_builder::trust::places() {
        let below = if path == "." { "config" } else { path };
        let is_below = |plant: &&Plant| Path::new(plant.path.trim_start_matches("../")).starts_with(below);
        for reader in readers {
            let mut plants = PLANTS.iter().filter(is_below);
            assert!(plants.any(|plant| plant.readers.contains(&reader)), "{path} for {reader}");
        }
    }
}

#[tokio::test]
async fn d16_nothing_is_sent_to_an_agent_that_would_have_to_start_in_an_undecided_project() {
    let machine = machine();
    let server = machine.start().await;
    let plants = [
        ".claude/settings.json",
        ".codex/config.toml",
        ".gemini/.env",
        ".opencode/agents/a.md",
        ".kimi/mcp.json",
    ];
    for (agent, path) in AGENTS.into_iter().zip(plants) {
        let directory = machine.directory(&format!("sent/{agent}"));
        server.add_project(&directory).await;
        let opened: Value = create(&server, agent, &directory).await.read(201);
        let id = serde_json::from_value(opened["sessionId"].clone()).unwrap();
        server.turn(&id, "say:hello").await;
        server.act(&id, "kill").await.read::<Value>(200);
        let starts = machine.starts().len();
        let plant = PLANTS.iter().find(|plant| plant.path == path).unwrap();
        write(&directory, plant.path, plant.text);
        server.act(&id, "load").await;
        server.say(&id, "say:again").await.assert_problem(403, "TRUST_REQUIRED");
        assert_eq!(machine.starts().len(), starts, "{agent}");
    }
    server.stop().await;
}

#[tokio::test]
async fn d16_a_decision_holds_for_an_agent_until_what_it_reads_changes() {
    let machine = machine();
    let server = machine.start().await;
    let directory = machine.directory("decided");
    write(&directory, ".env", "A=b\n");
    let project = server.add_project(&directory).await;
    assert_eq!(create(&server, "claude-code", &directory).await.status, 201, "it reads no .env");
    create(&server, "gemini", &directory).await.assert_problem(403, "TRUST_REQUIRED");
    assert_eq!(decide(&server, &project, true).await.trust, Trust::Trusted);
    assert_eq!(create(&server, "gemini", &directory).await.status, 201);
    write(&directory, ".env", "A=c\n");
    create(&server, "gemini", &directory).await.assert_problem(403, "TRUST_REQUIRED");
    assert_eq!(create(&server, "claude-code", &directory).await.status, 201);
    write(&directory, ".opencode/agents/a.md", "agent");
    assert_eq!(create(&server, "claude-code", &directory).await.status, 201);
    create(&server, "opencode", &directory).await.assert_problem(403, "TRUST_REQUIRED");
    create(&server, "qwen", &directory).await.assert_problem(403, "TRUST_REQUIRED");
    server.stop().await;
}

#[tokio::test]
async fn d15_a_directory_inside_a_project_is_decided_on_as_a_project_of_its_own() {
    let machine = machine();
    let server = machine.start().await;
    let inner = machine.directory("project/inner");
    write(&inner, ".opencode/plugin/p.ts", "export {}");
    let refused = create(&server, "opencode", &inner).await;
    refused.assert_problem(403, "TRUST_REQUIRED");
    assert!(refused.read::<Value>(403)["detail"].as_str().unwrap().contains("add it as a project"));
    let outer = server.projects().await.remove(0);
    decide(&server, &outer, true).await;
    create(&server, "opencode", &inner).await.assert_problem(403, "TRUST_REQUIRED");
    assert_eq!(machine.starts(), Vec::<String>::new());
    let project = server.add_project(&inner).await;
    decide(&server, &project, true).await;
    assert_eq!(create(&server, "opencode", &inner).await.status, 201);
    server.stop().await;
}

/// Its flags keep Claude Code from a project's settings, but nothing keeps git from a repository's.
#[tokio::test]
async fn d16_claude_code_does_not_start_restricted_where_git_runs_programs() {
    let machine = machine();
    let server = machine.start().await;
    write(&machine.project, ".git/config", "[core]\n\tfsmonitor = ./spy\n");
    let project = server.projects().await.remove(0);
    assert_eq!(decide(&server, &project, false).await.trust, Trust::Untrusted);
    server.create_with("claude-code", json!({})).await.assert_problem(403, "TRUST_REQUIRED");
    assert_eq!(machine.starts(), Vec::<String>::new());
    fs::remove_file(machine.project.join(".git/config")).unwrap();
    write(&machine.project, ".mcp.json", r#"{"mcpServers": {"bait": {"command": "true"}}}"#);
    decide(&server, &project, false).await;
    server.create("claude-code").await;
    eventually(|| machine.starts().len() == 1).await;
    assert!(machine.starts()[0].contains("--strict-mcp-config"), "{:?}", machine.starts());
    server.stop().await;
}

fn planted_commands(status: &SessionStatus) -> Vec<&str> {
    let commands = status.view.agent.abilities.commands.iter().map(|command| command.name.as_str());
    let mut names: Vec<&str> = commands.filter(|name| name.contains("planted")).collect();
    names.sort_unstable();
    names
}

/// The real program: what it offers and submits in a trusted project, and not in a restricted one.
async fn d16_a_restricted_claude_code_uses_nothing_of_the_project(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let task = json!({ "id": "a1b2c3d4", "cron": "0 0 1 1 *", "prompt": "say:PLANTED", "createdAt": 1_600_000_000_000_u64 });
    write(&machine.project, ".claude/scheduled_tasks.json", &json!({ "tasks": [task] }).to_string());
    write(&machine.project, ".claude/commands/planted-command.md", "---\nallowed-tools: Bash\n---\nhello");
    let skill = "---\nname: planted-skill\ndescription: d\nallowed-tools: Bash\n---\nhello";
    write(&machine.project, ".claude/skills/planted-skill/SKILL.md", skill);
    let workflow = "export const meta = { name: 'planted-workflow', description: 'd' }\n";
    write(&machine.project, ".claude/workflows/planted-workflow.js", workflow);
    let server = machine.start().await;
    let project = server.projects().await.remove(0);
    let is_submitted = || {
        let requests = machine.model.as_ref().unwrap().requests();
        requests.iter().any(|request| request.prompt.contains("PLANTED"))
    };
    decide(&server, &project, false).await;
    let id = server.create("claude-code").await;
    server.turn(&id, "say:hello").await;
    // The agent may send its commands after its first answer.
    let status = server.until(&id, |status| !status.view.agent.abilities.commands.is_empty()).await;
    server.act(&id, "kill").await.read::<Value>(200);
    assert_eq!((planted_commands(&status), is_submitted()), (Vec::new(), false));
    // The same files have an effect where they may.
    decide(&server, &project, true).await;
    let id = server.create("claude-code").await;
    server.turn(&id, "say:hello").await;
    let expected = ["planted-command", "planted-skill", "planted-workflow"];
    server.until(&id, |status| planted_commands(status) == expected).await;
    eventually(is_submitted).await;
    server.stop().await;
}
