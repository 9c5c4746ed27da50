//! `liminal serve` as users start it, with one real agent, and a client that follows one session.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use liminal_builder::http::ServerFile;
use liminal_core::event::Origin;
use liminal_core::upsert::{TurnEvent, UpsertBody, UpsertStatus};
use liminal_core::wire::ServerMessage;
use rustix::process::{Pid, Signal, kill_process};
use scripted_model::Running;
use serde_json::json;

use crate::client::Client;
use crate::deltas::Shown;
use crate::dialect::Dialect;
use crate::listener::Listener;
use crate::support::liminal;

pub(crate) struct Server {
    home: tempfile::TempDir,
    child: Child,
    client: Client,
    address: SocketAddr,
    token: String,
}

impl Server {
    pub(crate) fn start(model: &Running, dialect: Dialect, first_emission_ms: Option<u64>) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("project")).unwrap();
        let config = home.path().join("config.toml");
        fs::write(&config, settings(model, dialect, home.path(), first_emission_ms)).unwrap();
        let data = home.path().join("data");
        let child = spawn(home.path(), &data, &config);
        let ServerFile { port, token, .. } = ServerFile::read(&data).unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let client = Client::with_token(address, &token);
        Self { home, child, client, address, token }
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// A new session that a client follows.
    pub(crate) async fn open(&self, dialect: Dialect) -> Session<'_> {
        let project: PathBuf = self.home.path().join("project").canonicalize().unwrap();
        let added = self.client.post("/api/projects", &json!({ "path": project }));
        assert_eq!(added.status, 201, "{added:?}");
        let body = json!({ "cliType": dialect.cli_type(), "projectDir": project });
        let created = self.client.post("/api/session/create", &body);
        assert_eq!(created.status, 201, "{created:?}");
        let id = created.json()["sessionId"].as_str().unwrap().to_owned();
        let mut listener = Listener::connect(self.address, "/ws", Some(&self.token)).await;
        listener.send(&json!({ "type": "session:subscribe", "sessionId": id })).await;
        listener.until(|frame| frame["type"] == "session:history").await;
        Session { client: &self.client, id, listener }
    }

    /// It ends its agent, too.
    pub(crate) fn end(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap();
    }
}

fn spawn(home: &Path, data: &Path, config: &Path) -> Child {
    let [data, config] = [data, config].map(|path| path.to_str().unwrap());
    let mut command = liminal(&["serve", "--port", "0", "--no-open", "--data-dir", data, "--config", config]);
    command.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap());
    command.stdin(Stdio::null()).stderr(File::create(home.join("errors")).unwrap());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let errors = || fs::read_to_string(home.join("errors")).unwrap_or_default();
    assert!(line.starts_with("Liminal Builder is at "), "{line} {}", errors());
    child
}

/// The configuration file. A text in JSON is one in TOML.
fn settings(model: &Running, dialect: Dialect, home: &Path, first_emission_ms: Option<u64>) -> String {
    let variables = dialect
        .variables(model, home)
        .into_iter()
        .map(|(name, value)| format!("{} = {}", name.to_str().unwrap(), json!(value.to_str().unwrap())));
    let agent = format!(
        "[agents.{}]\ncommand = {}\nargs = {}\nenv = {{ {} }}\n",
        dialect.cli_type(),
        json!(dialect.program()),
        json!(dialect.arguments()),
        variables.collect::<Vec<_>>().join(", ")
    );
    let batch = first_emission_ms.map(|within| format!("[batch]\nfirst-emission-ms = {within}\n"));
    agent + &batch.unwrap_or_default()
}

pub(crate) struct Session<'a> {
    client: &'a Client,
    id: String,
    listener: Listener,
}

impl Session<'_> {
    /// One prompt; gives what the client had of the answer before its end, and when.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Vec<Shown> {
        let sent = self.client.send(&self.id, prompt);
        assert_eq!(sent.status, 202, "{sent:?}");
        let mut shown = Vec::new();
        loop {
            let (at, frame) = self.listener.next().await;
            match serde_json::from_value(frame).unwrap() {
                ServerMessage::Turn { payload: TurnEvent::TurnComplete { .. }, .. } => return shown,
                ServerMessage::Turn { payload: error @ TurnEvent::TurnError { .. }, .. } => {
                    panic!("{error:?}")
                }
                message => shown.extend(emission(&message).map(|bytes| Shown { at, bytes })),
            }
        }
    }
}

/// How much of the answer a frame shows that a delta has triggered. The last frame of a message is triggered by its end.
fn emission(message: &ServerMessage) -> Option<usize> {
    let ServerMessage::Upsert { payload, .. } = message else { return None };
    let UpsertBody::Message(body) = &payload.body else { return None };
    let is_triggered = body.origin == Origin::Agent && payload.status != UpsertStatus::Complete;
    (is_triggered && !body.content.is_empty()).then_some(body.content.len())
}
