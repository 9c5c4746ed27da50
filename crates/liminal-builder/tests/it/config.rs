//! `liminal config`, and how the program ends when it cannot be used as it is set.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Output;

use liminal_builder::http::ServerFile;
use serde_json::Value;

use crate::support::{Running, liminal};

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

/// What a server that answers says to a program with its token.
fn agents_of(server: &ServerFile) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let ServerFile { port, token, .. } = server;
    let head =
        format!("GET /api/agents HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_server_runs_as_it_is_set_by_file_variables_and_flags() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    configure(home.path(), &format!("[storage]\ndata-dir = \"{}\"\n[listen]\nport = 1\n", data.display()));
    let mut command = liminal(&["serve", "--agent", "mine=/bin/sh"]);
    command.env_clear().env("HOME", home.path()).env("LIMINAL_LISTEN_PORT", "0");
    let mut child = Running(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("Liminal Builder is at "), "{line}");
    let answer = agents_of(&ServerFile::read(&data).unwrap());
    let body = answer.rsplit("\r\n\r\n").next().unwrap();
    let agents: Vec<Value> = serde_json::from_str(body).expect(body);
    let mine = agents.iter().find(|agent| agent["name"] == "mine").expect(body);
    assert_eq!(mine["launch"]["program"], "/bin/sh");
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
