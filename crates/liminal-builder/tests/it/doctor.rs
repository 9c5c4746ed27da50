//! `liminal doctor` on machines that have this and lack that.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::liminal;

/// A machine with nothing on its `PATH` but what a test puts there.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn program(&self, name: &str, script: &str) -> PathBuf {
        let file = self.path().join("bin").join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    fn configure(&self, text: &str) {
        let folder = self.path().join(".config/liminal-builder");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
    }

    fn doctor(&self, arguments: &[&str]) -> Output {
        self.doctor_with(arguments, &[])
    }

    fn doctor_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = liminal(&["doctor"]);
        command.args(arguments).env_clear().env("PATH", self.path().join("bin")).env("HOME", self.path());
        command.envs(variables.iter().copied()).output().unwrap()
    }

    fn report(&self, name: &str) -> Value {
        self.report_with(name, &[])
    }

    fn report_with(&self, name: &str, variables: &[(&str, &str)]) -> Value {
        let output = self.doctor_with(&["--json"], variables);
        let agents: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        agents.into_iter().find(|agent| agent.get("name") == Some(&name.into())).expect(name)
    }
}

fn text<'a>(report: &'a Value, field: &str) -> &'a str {
    report.pointer(field).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn a_machine_without_agents_is_told_how_to_get_each() {
    let machine = Machine::new();
    let output = machine.doctor(&[]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("npm install -g @anthropic-ai/claude-code"), "{said}");
    assert!(said.contains("npm install -g @agentclientprotocol/codex-acp"), "{said}");
}

#[test]
fn the_demo_is_always_there_and_last_but_counts_for_no_agent() {
    let machine = Machine::new();
    machine.program("mine", "exit 0");
    machine.configure("[agents.zz]\ncommand = \"gone\"\n[agents.demo]\nargs = [\"--pace\", \"0\"]\n");
    let output = machine.doctor(&["--json"]);
    assert_eq!(output.status.code(), Some(1), "only the demo can be used");
    let agents: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let demo = agents.last().unwrap();
    assert_eq!(text(demo, "/name"), "demo");
    assert_eq!(text(demo, "/version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(demo.get("builtIn"), Some(&true.into()));
    assert_eq!(text(demo, "/launch/program"), env!("CARGO_BIN_EXE_liminal"));
    let args: Vec<&str> =
        demo.pointer("/launch/args").unwrap().as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let state = machine.path().join(".local/share/liminal-builder/demo");
    assert_eq!(args, ["demo-agent", "--state", state.to_str().unwrap(), "--pace", "0"]);
    assert!(agents.iter().rev().skip(1).all(|agent| agent.get("builtIn").is_none()));

    let said = String::from_utf8(machine.doctor(&[]).stdout).unwrap();
    assert!(said.lines().last().unwrap().contains("built in: scripted, no model"), "{said}");
}

#[test]
fn a_command_that_is_set_for_the_demo_is_used_as_set() {
    let machine = Machine::new();
    let program = machine.program("mine", "exit 0");
    machine.configure("[agents.demo]\ncommand = \"mine\"\n");
    let report = machine.report("demo");
    assert_eq!(text(&report, "/launch/program"), program.to_str().unwrap());
    assert_eq!(report.get("builtIn"), None);
}

#[test]
fn the_demo_agent_is_not_in_the_help() {
    let help = String::from_utf8(liminal(&["--help"]).output().unwrap().stdout).unwrap();
    assert!(help.contains("doctor") && !help.contains("demo"), "{help}");
}

#[test]
fn claude_code_is_found_with_its_version_and_an_old_one_is_refused() {
    let machine = Machine::new();
    let program = machine.program("claude", "echo '2.1.197 (Claude Code)'");
    let report = machine.report("claude-code");
    assert_eq!(text(&report, "/version"), "2.1.197");
    assert_eq!(text(&report, "/launch/program"), program.to_str().unwrap());
    assert_eq!(machine.doctor(&[]).status.code(), Some(0));

    let old = Machine::new();
    old.program("claude", "echo '1.0.3 (Claude Code)'");
    assert!(text(&old.report("claude-code"), "/problem").contains("too old"));
}

#[test]
fn both_adapters_of_codex_are_known_and_told_apart() {
    let machine = Machine::new();
    machine.program("codex-acp", "echo '@agentclientprotocol/codex-acp 2.6.0'");
    assert_eq!(text(&machine.report("codex"), "/version"), "2.6.0");

    let older = Machine::new();
    older.program("codex-acp", "echo \"error: unexpected argument '--version' found\" >&2; exit 2");
    assert!(text(&older.report("codex"), "/version").contains("older Codex"));

    let other = Machine::new();
    other.program("codex-acp", "echo hello");
    assert!(text(&other.report("codex"), "/problem").contains("it says `hello`"));
}

#[test]
fn the_adapter_is_found_among_npms_packages() {
    let machine = Machine::new();
    let entry =
        machine.path().join(".npm-global/lib/node_modules/@agentclientprotocol/codex-acp/dist/index.js");
    std::fs::create_dir_all(entry.parent().unwrap()).unwrap();
    std::fs::write(&entry, "").unwrap();
    assert!(text(&machine.report("codex"), "/problem").contains("needs node"));
    machine.program("node", "echo '@agentclientprotocol/codex-acp 2.6.0'");
    let report = machine.report("codex");
    assert_eq!(text(&report, "/launch/args/0"), entry.to_str().unwrap());
}

#[test]
fn an_agent_that_is_set_is_used_as_set() {
    let machine = Machine::new();
    machine.program("mine", "exit 0");
    machine.configure(
        "[agents.my-agent]\ncommand = \"mine\"\nargs = [\"--acp\"]\n[agents.gone]\ncommand = \"/no/such\"\n",
    );
    let report = machine.report("my-agent");
    assert_eq!(text(&report, "/launch/args/0"), "--acp");
    assert!(text(&machine.report("gone"), "/problem").contains("correct command in [agents.gone]"));
}

#[test]
fn a_models_api_can_be_used_once_its_key_is_set() {
    let machine = Machine::new();
    for (name, key, base) in [
        ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    ] {
        assert_eq!(text(&machine.report(name), "/problem"), format!("needs {key}"));
        // Not the real address: a machine without certificates must do.
        let usable = [(key, "sk-test"), (base, "http://127.0.0.1:1")];
        let report = machine.report_with(name, &usable);
        assert_eq!(report.get("problem"), None);
        assert!(!text(&report, "/version").is_empty(), "{report}");
        let open = machine.report_with(name, &[(key, "sk-test"), (base, "http://example.com")]);
        assert!(text(&open, "/problem").contains("in the open"), "{open}");
        let output = machine.doctor_with(&[], &usable);
        assert_eq!(output.status.code(), Some(0));
        assert!(!String::from_utf8(output.stdout).unwrap().contains("sk-test"));
    }
    machine.configure(
        "[agents.anthropic]\nmodel = \"my-model\"\n[agents.anthropic.env]\nANTHROPIC_API_KEY = \"sk-test\"\n\
         ANTHROPIC_BASE_URL = \"http://127.0.0.1:1\"\n",
    );
    assert_eq!(text(&machine.report("anthropic"), "/version"), "my-model");
}

#[test]
fn a_broken_configuration_is_told_with_its_line() {
    let machine = Machine::new();
    machine.configure("[agents.a]\ncomand = \"x\"\n");
    let output = machine.doctor(&[]);
    assert_eq!(output.status.code(), Some(78));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("config.toml:2: unknown field `comand`"), "{complaint}");
}

/// A login is asked of the agent's own program, and only of one that is known to understand.
#[test]
fn a_login_is_told_where_the_agents_program_tells_it() {
    let machine = Machine::new();
    machine.program("codex-acp", "echo '@agentclientprotocol/codex-acp 2.6.0'");
    for (version, claude, codex) in [
        ("2.1.197", Some(true), Some(false)),
        ("2.1.198", Some(true), Some(false)),
        ("2.1.196", None, Some(false)),
    ] {
        let told = r#"auth) echo '{"loggedIn": true, "email": "a@b.c"}' ;;"#;
        machine.program(
            "claude",
            &format!("case $1 in --version) echo '{version} (Claude Code)' ;; {told} esac"),
        );
        machine.program("codex", "[ \"$1 $2\" = 'login status' ] && echo 'Not logged in' >&2; exit 1");
        let reports = [machine.report("claude-code"), machine.report("codex")];
        let told = reports.each_ref().map(|report| report.get("loggedIn").and_then(Value::as_bool));
        assert_eq!(told, [claude, codex], "{version}");
        assert!(!reports[0].to_string().contains("a@b.c"));
    }
    let said = String::from_utf8(machine.doctor(&[]).stdout).unwrap();
    assert!(
        said.lines()
            .any(|line| line.contains("codex-acp") && line.ends_with("(not logged in; run `codex login`)"))
    );
    machine.program("codex", "echo 'Logged in using ChatGPT'");
    assert_eq!(machine.report("codex").get("loggedIn"), Some(&Value::Bool(true)));
    machine.program("codex", "echo 'what?'");
    assert_eq!(machine.report("codex").get("loggedIn"), None);
}

/// A program that calls itself Gemini and reports a version that would drive a terminal.
#[test]
fn a30_a_hostile_version_reaches_no_terminal() {
    let machine = Machine::new();
    let version = r"\033]0;owned\007\033[2J\302\2331m\342\200\256\033]8;;http://x\033\\1.0\177";
    machine.program("gemini", &format!("printf '{version}\\n'"));
    machine.program("opencode", &format!("printf '{version}\\r%s forged\\n' '✓ codex' >&2; exit 1"));
    let is_unsafe = |character: &char| {
        (character.is_control() && *character != '\n') || matches!(character, '\u{202a}'..='\u{202e}')
    };
    for arguments in [&[][..], &["--json"]] {
        let said = String::from_utf8(machine.doctor(arguments).stdout).unwrap();
        assert_eq!(said.chars().find(is_unsafe), None, "{said:?}");
        assert!(said.contains("\\u001b]0;owned\\u0007"), "{said:?}");
    }
    let version = text(&machine.report("gemini"), "/version").to_owned();
    assert!(
        version.contains('\u{1b}') && version.contains('\u{9b}'),
        "JSON escapes keep the text: {version:?}"
    );
}

/// Agents read configuration from the directory they are started in.
#[test]
fn d16_no_program_is_asked_for_its_version_in_the_current_directory() {
    let machine = Machine::new();
    machine.program("gemini", "pwd");
    assert_eq!(text(&machine.report("gemini"), "/version"), "/");
}
