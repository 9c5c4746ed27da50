//! What of a client's words reaches a command line or an environment: the value of one flag, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use liminal_core::ids::SessionId;
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::SessionOpened;
use serde_json::{Value, json};

use super::client::{Answer, eventually};
use super::machine::{Machine, Server};

/// Values that want to be more than that; the last ones are sound.
const VALUES: [&str; 22] = [
    "",
    "-",
    "--",
    "-p",
    "--settings={}",
    "--dangerously-skip-permissions",
    "opus --settings={}",
    "opus\n--settings={}",
    "opus\0--settings={}",
    "opus\t",
    " opus",
    "\"opus\" 'x'",
    "$(touch owned)",
    "`touch owned`",
    "opus; touch owned",
    "opus && touch owned | cat",
    "%PATH% ^ & !",
    "\u{2014}settings",
    "../../../../bin/sh",
    "opus[1m]",
    "us.anthropic.claude-sonnet-5-v1:0",
    "plan",
];

/// The command lines of the sessions so far.
fn command_lines(machine: &Machine) -> Vec<Vec<String>> {
    let starts = machine.noted().into_iter().filter(|line| line["started"].is_array());
    starts.map(|line| serde_json::from_value(line["started"].clone()).unwrap()).collect()
}

fn body(machine: &Machine, field: &str, value: &str) -> Value {
    let mut body = json!({ "cliType": "claude-code", "projectDir": machine.project, "providerOptions": {} });
    match field {
        "cliType" | "projectDir" => body[field] = value.into(),
        "extraDirectories" => body["providerOptions"][field] = json!([value]),
        _ => body["providerOptions"][field] = value.into(),
    }
    body
}

/// The command line of a session that is made with this, or nothing if it is refused.
async fn started(machine: &Machine, server: &Server, body: Value) -> Option<Vec<String>> {
    let before = command_lines(machine).len();
    let answer = server.post("/api/session/create", body).await;
    if answer.status != 201 {
        assert!((400..500).contains(&answer.status), "{answer:?}");
        return None;
    }
    eventually(|| command_lines(machine).len() > before).await;
    server.act(&answer.read::<SessionOpened>(201).session_id, "kill").await;
    command_lines(machine).pop()
}

#[tokio::test]
async fn s23_s24_a_value_of_a_client_is_refused_or_one_argument() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let hostile = machine.directory("-p --settings={} $(touch owned)").display().to_string();
    let (mut accepted, mut starts) = (0, 0);
    for (field, flag, sound) in [
        ("model", "--model=", "opus"),
        ("permissionMode", "--permission-mode=", "default"),
        ("extraDirectories", "--add-dir=", machine.project.to_str().unwrap()),
        ("cliType", "", "claude-code"),
        ("projectDir", "", machine.project.to_str().unwrap()),
    ] {
        let plain = started(&machine, &server, body(&machine, field, sound)).await.unwrap();
        starts += 1;
        for value in VALUES.into_iter().chain([hostile.as_str()]) {
            let Some(found) = started(&machine, &server, body(&machine, field, value)).await else {
                continue;
            };
            (accepted, starts) = (accepted + 1, starts + 1);
            assert_eq!(found.len(), plain.len(), "{field} {value:?}: {found:?}");
            assert!(found.contains(&format!("{flag}{value}")), "{field} {value:?}: {found:?}");
        }
    }
    assert_eq!(command_lines(&machine).len(), starts, "what was refused started nothing");
    assert!(accepted >= 4, "only {accepted} were accepted, so that hardly a command line was looked at");
    assert!(!machine.project.join("owned").exists());
    server.stop().await;
}

/// What a client has no say in, under the names that other programs have for it.
fn orders(owned: &Path) -> Value {
    let script = format!("touch {}", owned.display());
    let variables =
        json!({ "EVIL": "1", "PATH": "/evil", "LD_PRELOAD": "/evil.so", "FAKE_AGENT_SPEAKS": "evil" });
    let (words, shell) = (json!(["-c", script]), "/bin/sh");
    json!({
        "command": shell, "cmd": [shell, "-c", script], "program": shell, "executable": shell, "path": shell,
        "shell": true, "args": words, "arguments": words, "argv": words, "extraArgs": words, "flags": words,
        "env": variables, "environment": variables, "envFile": "/etc/environment", "env-file": "/etc/environment",
        "agentEnv": ["EVIL"], "cwd": "/", "workingDirectory": "/", "wrapper": [shell, "-c", script],
        "agentWrapper": [shell, "-c", script], "launch": { "program": shell, "args": words },
        "initialCommand": script, "settings": variables, "restricted": false, "resume": "--evil",
    })
}

/// A body with these orders beside its own fields, or inside of them.
fn with(mut body: Value, inside: Option<&str>, orders: &Value) -> Value {
    // The empty pointer is the whole body.
    let place = body.pointer_mut(inside.unwrap_or_default()).unwrap();
    for (name, value) in orders.as_object().unwrap() {
        place[name] = value.clone();
    }
    body
}

/// The command line and the environment of a session's agent as the system has them, without what names the session.
async fn process(server: &Server, id: &SessionId) -> (Vec<String>, BTreeSet<String>) {
    let status = server.until(id, |status| status.view.agent.pid.is_some()).await;
    let (pid, own) = (status.view.agent.pid.unwrap(), id.as_str().split_once(':').unwrap().1);
    let read = |file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap();
        String::from_utf8_lossy(&bytes).replace(own, "SESSION")
    };
    let parts = |text: String| text.split('\0').map(str::to_owned).collect::<Vec<_>>();
    // One process differs from the next by this number.
    let told = |variable: &String| !variable.starts_with("LIMINAL_LAUNCH=");
    (parts(read("cmdline")), parts(read("environ")).into_iter().filter(told).collect())
}

struct Attempt<'a> {
    server: &'a Server,
    cli_type: &'a str,
    orders: Value,
    plain: (Vec<String>, BTreeSet<String>),
}

impl Attempt<'_> {
    /// A request that may be taken, without the orders in it, or refused.
    async fn ask(&self, path: &str, body: Value, inside: Option<&str>) -> Answer {
        let answer = self.server.post(path, with(body, inside, &self.orders)).await;
        assert!(answer.status < 500, "{path}: {answer:?}");
        answer
    }

    async fn is_unchanged(&self, id: &SessionId, after: &str) {
        let found = process(self.server, id).await;
        assert_eq!(found, self.plain, "{} after {after}", self.cli_type);
    }

    /// Orders in the bodies that make a session; returns how many were taken without them.
    async fn creating(&self) -> usize {
        let project = &self.server.project;
        let body =
            json!({ "cliType": self.cli_type, "projectDir": project, "providerOptions": { "options": {} } });
        let plain = json!({ "cliType": self.cli_type, "projectDir": project, "providerOptions": {} });
        let places =
            [(&plain, None), (&plain, Some("/providerOptions")), (&body, Some("/providerOptions/options"))];
        let mut taken = 0;
        for (body, inside) in places {
            let answer = self.ask("/api/session/create", body.clone(), inside).await;
            if answer.status == 201 {
                taken += 1;
                self.is_unchanged(&answer.read::<SessionOpened>(201).session_id, "create").await;
            }
        }
        taken
    }

    /// Orders in everything else that can start an agent.
    async fn going_on(&self, id: &SessionId) {
        let path = |deed: &str| format!("/api/session/{id}/{deed}");
        self.server.act(id, "kill").await;
        self.ask(&path("load"), json!({ "start": true }), None).await.read::<Value>(200);
        let process = process(self.server, id).await;
        assert!(!process.1.iter().any(|variable| variable.starts_with("EVIL=")), "{process:?}");
        let is_ordered = process.0.iter().any(|word| word.contains("owned") || word.contains("evil"));
        assert!(!is_ordered && process.0[0] == self.plain.0[0], "{process:?}");
        for (deed, body) in [
            ("configure", json!({ "options": {} })),
            ("fork", json!({})),
            ("send", json!({ "message": "hello" })),
        ] {
            self.ask(&path(deed), body, None).await;
        }
    }

    /// Orders in the frames of a socket. None of them makes a session.
    async fn over_a_socket(&self, id: &SessionId) {
        let mut socket = self.server.socket().await;
        let project = &self.server.project;
        for (kind, is_known) in [("session:send", true), ("session:create", false), ("session:start", false)]
        {
            let frame = json!({
                "type": kind, "sessionId": id, "message": "hello", "queue": true, "cliType": self.cli_type,
                "projectDir": project, "providerOptions": self.orders,
            });
            let answer = socket.ask(with(frame, None, &self.orders)).await;
            assert_eq!(matches!(answer, ServerMessage::Ok { .. }), is_known, "{kind}: {answer:?}");
        }
        self.is_unchanged(id, "frames").await;
    }
}

#[tokio::test]
async fn s26_commands_arguments_and_variables_of_a_client_reach_no_agent() {
    let mut machine = Machine::with_fake();
    let log = machine.heard_file().display().to_string();
    let variables = [("FAKE_AGENT_SPEAKS", "acp".to_owned()), ("FAKE_AGENT_LOG", log)];
    machine.agent("mine", Path::new(env!("CARGO_BIN_EXE_fake-agent")), &["--own", "words"], &variables);
    let server = machine.start().await;
    let owned = machine.home.path().join("owned");
    for cli_type in ["claude-code", "mine"] {
        let id = server.create(cli_type).await;
        let plain = process(&server, &id).await;
        let attempt = Attempt { server: &server, cli_type, orders: orders(&owned), plain };
        let taken = attempt.creating().await;
        assert_eq!(
            taken, 1,
            "what is no wish of a session is no part of its body; among its options it is refused"
        );
        attempt.over_a_socket(&id).await;
        attempt.going_on(&id).await;
    }
    assert!(!owned.exists());
    server.stop().await;
}
