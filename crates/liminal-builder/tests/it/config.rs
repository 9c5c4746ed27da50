//! `liminal config`, and how the program ends when it cannot be used as it is set.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::liminal;

fn run(home: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = liminal(arguments);
    command.env_clear().env("HOME", home).envs(variables.iter().copied());
    command.output().unwrap()
}

fn configure(home: &Path, text: &str) {
    let folder = home.join(".config/liminal-builder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let home = tempfile::tempdir().unwrap();
    configure(home.path(), "[sessions]\nmax-agents = 3\n\n[agents.mine]\nenv = { KEY = \"hunter2\" }\n");
    let arguments = ["config", "--json", "--port", "0", "--agent", "codex=/opt/codex", "--allow-bypass"];
    let output = run(home.path(), &arguments, &[("LIMINAL_LOGGING_LEVEL", "debug")]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(output.stdout);
    assert!(!said.contains("hunter2"));
    let lines: Vec<Value> = serde_json::from_str(&said).unwrap();
    let line = |name: &str| lines.iter().find(|line| line["name"] == name).expect(name);
    assert_eq!(line("sessions.max-agents")["value"], 3);
    assert_eq!(line("sessions.max-agents")["origin"]["line"], 2);
    assert_eq!(line("logging.level")["origin"]["variable"], "LIMINAL_LOGGING_LEVEL");
    assert_eq!(line("listen.port")["origin"]["flag"], "--port");
    assert_eq!(line("security.allow-bypass")["value"], true);
    assert_eq!(line("agents.codex.command")["value"], "/opt/codex");
    assert_eq!(line("listen.host")["origin"]["kind"], "default");
    let table = text(run(home.path(), &["config"], &[]).stdout);
    let told = table.lines().find(|line| line.starts_with("sessions.max-agents")).unwrap();
    assert!(told.contains(" 3 ") && told.ends_with("config.toml:2"), "{told}");
}

#[test]
fn what_cannot_be_used_is_told_and_ends_with_78() {
    let home = tempfile::tempdir().unwrap();
    for (file, variable, told) in [
        ("[sessions]\nmax-agent = 3\n", None, "config.toml:2: unknown key `max-agent` in [sessions]"),
        ("[sessions]\n\nmax-agents = 0\n", None, "config.toml:3: sessions.max-agents must be"),
        ("[sessions\n", None, "config.toml:1: "),
        ("", Some(("LIMINAL_LISTEN_HOST", "0.0.0.0")), "LIMINAL_LISTEN_HOST: listen.host must be"),
        ("", Some(("LIMINAL_LISTEN_PROT", "1")), "LIMINAL_LISTEN_PROT: there is no such setting"),
        ("", Some(("LIMINAL_CONFIG", "/no/such/file")), "cannot read /no/such/file"),
    ] {
        configure(home.path(), file);
        let variables: Vec<_> = variable.into_iter().collect();
        for command in ["serve", "config", "url"] {
            let output = run(home.path(), &[command], &variables);
            assert_eq!(output.status.code(), Some(78), "{command} with {told}");
            let complaint = text(output.stderr);
            assert!(complaint.contains(told) && complaint.lines().count() == 1, "{complaint}");
        }
        assert!(!home.path().join(".local").exists());
    }
}

#[test]
fn r18_without_a_place_for_data_nothing_starts() {
    let mut command = liminal(&["serve"]);
    let output = command.env_clear().output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    assert!(text(output.stderr).contains("--data-dir"));
}

#[test]
fn wrong_use_ends_with_2_and_the_codes_are_documented() {
    let home = tempfile::tempdir().unwrap();
    for arguments in [&["serve", "--agent", "codex"][..], &["serve", "--port", "many"], &["no-such-command"]]
    {
        assert_eq!(run(home.path(), arguments, &[]).status.code(), Some(2), "{arguments:?}");
    }
    let help = text(run(home.path(), &["--help"], &[]).stdout);
    assert!(help.contains("75 another server uses the data directory"), "{help}");
}

#[test]
fn the_data_directory_of_the_file_is_where_a_server_is_looked_for() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("elsewhere");
    configure(home.path(), &format!("[storage]\ndata-dir = \"{}\"\n", data.display()));
    let complaint = text(run(home.path(), &["url"], &[]).stderr);
    assert!(complaint.contains("start one with `liminal serve`"), "{complaint}");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("server.json"), "{}").unwrap();
    let other = text(run(home.path(), &["url"], &[]).stderr);
    assert_ne!(other, complaint);
}
