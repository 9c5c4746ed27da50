//! The agent that a client talks to: what it hears, what it answers, and what is due next in each session. Owns the
//! sessions that are open; is told the time and reads no clock.

mod sessions;
mod turn;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::TITLE;
use super::rpc::{self, Incoming, Refusal};
use super::settings::{MODE, MODEL, Settings};
use super::store::Store;
use turn::Turn;

/// What is to be done after hearing or playing something.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// For the client, in order.
    pub(super) messages: Vec<Value>,
    /// Whether the program is to die.
    pub(super) crashes: bool,
}

#[derive(Debug)]
pub(super) struct Agent {
    store: Store,
    /// How long a beat takes.
    pace: Duration,
    sessions: BTreeMap<String, Session>,
    /// The sessions that wait for an answer, by the number of the request.
    asked: BTreeMap<u64, String>,
    requests: u64,
}

#[derive(Debug)]
struct Session {
    /// Where it would work, if it did.
    cwd: String,
    settings: Settings,
    /// Prompts so far, those of earlier runs included.
    prompts: u64,
    /// Tokens so far, roughly.
    used: u64,
    turn: Option<Turn>,
}

/// The answer to a request; nothing if it comes later.
type Reply = Result<Option<Value>, Refusal>;

impl Agent {
    pub(super) const fn new(store: Store, pace: Duration) -> Self {
        Self { store, pace, sessions: BTreeMap::new(), asked: BTreeMap::new(), requests: 0 }
    }

    /// Takes a line of the client.
    pub(super) fn hear(&mut self, line: &[u8], now: Duration, out: &mut Outbox) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match rpc::read(line) {
            Ok(Incoming::Request { id, method, params }) => self.request(&id, &method, &params, now, out),
            Ok(Incoming::Notification { method, params }) if method == "session/cancel" => {
                self.cancel(text(&params, "sessionId"), out);
            }
            Ok(Incoming::Notification { .. }) => {}
            Ok(Incoming::Response { id, result }) => self.answered(&id, result.as_ref(), now, out),
            Err(answer) => out.messages.push(answer),
        }
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value, now: Duration, out: &mut Outbox) {
        let reply = match method {
            "initialize" => Ok(Some(introduction())),
            "session/new" => self.new_session(params),
            "session/load" => self.load_session(params, out),
            "session/resume" => self.resume_session(params),
            "session/list" => self.list_sessions(params),
            "session/close" => self.close_session(params, out),
            "session/prompt" => self.prompt(id, params, now, out),
            "session/set_mode" => self.choose(params, MODE, "modeId", out),
            "session/set_model" => self.choose(params, MODEL, "modelId", out),
            "session/set_config_option" => self.choose(params, text(params, "configId"), "value", out),
            "authenticate" => Ok(Some(json!({}))),
            _ => Err(Refusal::unknown_method(method)),
        };
        match reply {
            Ok(Some(result)) => out.messages.push(rpc::result(id, &result)),
            Ok(None) => {}
            Err(refusal) => out.messages.push(rpc::refusal(id, &refusal)),
        }
        if matches!(method, "session/new" | "session/load" | "session/resume") {
            self.offer_commands(out);
        }
    }

    fn session(&mut self, params: &Value) -> Result<(&str, &mut Session), Refusal> {
        let id = text(params, "sessionId");
        let found = self.sessions.iter_mut().find(|(known, _)| *known == id);
        found.map(|(id, session)| (id.as_str(), session)).ok_or_else(|| Refusal::unknown_session(id))
    }
}

fn introduction() -> Value {
    json!({
        "protocolVersion": 1,
        "agentInfo": { "name": TITLE, "title": TITLE, "version": env!("CARGO_PKG_VERSION") },
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": { "image": true, "audio": false, "embeddedContext": true },
            "sessionCapabilities": { "list": {}, "resume": {}, "close": {} },
        },
        "authMethods": [],
    })
}

fn text<'a>(params: &'a Value, key: &str) -> &'a str {
    params.get(key).and_then(Value::as_str).unwrap_or_default()
}
