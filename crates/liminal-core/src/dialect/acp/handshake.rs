//! How a session is opened. Owns the stages of that, what both sides say they can do, and the version they speak.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::AcpDialect;
use super::content;
use super::history::History;
use super::login::Login;
use super::requests::Request;
use super::rpc::{self, Answer};
use super::turn::{Ending, Finish};
use crate::dialect::fields::{flag, object, text};
use crate::dialect::{Abilities, AttachmentAbilities, Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};

/// The one version that is spoken. Asking for a later one gets it, with other shapes everywhere.
const PROTOCOL_VERSION: u64 = 1;

/// The parameters of `initialize`. A process hears it once, so everybody who speaks to one says the same.
///
/// Nothing is declared that is not served: files and terminals are the agent's own business, and a plan in Markdown
/// (`plan`) comes as a message where it is not declared, which is what it is.
#[must_use]
pub fn greeting(client_version: &str) -> Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {
            "fs": { "readTextFile": false, "writeTextFile": false },
            "terminal": false,
            "elicitation": { "form": {} },
            "_meta": { "terminal_output": true },
        },
        "clientInfo": { "name": "liminal-builder", "title": "Liminal Builder", "version": client_version },
    })
}

/// How far the opening is.
#[derive(Debug)]
pub(super) enum Stage {
    New,
    Opening(Opening),
    Open,
    Failed(ErrorInfo),
    Closed,
}

/// A session that is being opened.
#[derive(Debug)]
pub(super) struct Opening {
    until: Duration,
    directory: String,
    resume: Option<String>,
    pub(super) replay: Replay,
}

/// What the messages before the session is open are.
#[derive(Debug)]
pub(super) enum Replay {
    /// Something that the agent says unasked.
    No,
    /// What was before, to be told.
    Told(History),
    /// What was before, and is known.
    Skipped,
}

impl Stage {
    pub(super) const fn is_closed(&self) -> bool {
        matches!(self, Self::Closed)
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.opening().map(|opening| opening.until)
    }

    pub(super) const fn opening(&self) -> Option<&Opening> {
        match self {
            Self::Opening(opening) => Some(opening),
            Self::New | Self::Open | Self::Failed(_) | Self::Closed => None,
        }
    }

    pub(super) const fn opening_mut(&mut self) -> Option<&mut Opening> {
        match self {
            Self::Opening(opening) => Some(opening),
            Self::New | Self::Open | Self::Failed(_) | Self::Closed => None,
        }
    }
}

/// What the agent said of itself.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that the agent says it can, or not")]
pub(super) struct Agent {
    session: Option<String>,
    can_load: bool,
    can_resume: bool,
    can_fork: bool,
    /// Whether it takes words into a turn that runs.
    pub(super) can_steer: bool,
    pub(super) attachments: AttachmentAbilities,
    pub(super) logins: Vec<Login>,
    pub(super) title: Option<String>,
    /// What it calls itself.
    pub(super) name: Option<String>,
    pub(super) cost: Cost,
}

/// Whether the agent is known to give its texts ids, before it has said anything. What it then says without one is
/// its adapter's.
fn gives_message_ids(greeting: &Map<String, Value>) -> bool {
    agent_name(greeting).is_some_and(|name| name.starts_with("@agentclientprotocol/"))
}

fn agent_name(greeting: &Map<String, Value>) -> Option<&str> {
    object(greeting, "agentInfo").and_then(|agent| text(agent, "name"))
}

/// What the session has cost in US dollars.
#[derive(Debug, Default)]
pub(super) struct Cost {
    pub(super) total: Option<f64>,
    told: f64,
}

impl Agent {
    pub(super) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or_default()
    }

    fn learn(&mut self, result: &Map<String, Value>) {
        let abilities = object(result, "agentCapabilities");
        let of_sessions = abilities.and_then(|abilities| object(abilities, "sessionCapabilities"));
        let steering = object(result, "_meta").and_then(|meta| object(meta, "steering"));
        self.can_load = abilities.is_some_and(|abilities| flag(abilities, "loadSession"));
        let can = |deed| of_sessions.is_some_and(|of_sessions| of_sessions.contains_key(deed));
        (self.can_resume, self.can_fork) = (can("resume"), can("fork"));
        self.can_steer = steering.is_some_and(|steering| flag(steering, "supported"));
        self.attachments = content::abilities(result);
        self.logins = Login::all(result);
        self.name = agent_name(result).map(str::to_owned);
    }
}

impl Cost {
    /// The price since the last time it was asked for.
    pub(super) fn of_turn(&mut self) -> Option<f64> {
        let total = self.total?;
        let price = if total < self.told { total } else { total - self.told };
        self.told = total;
        Some((price * 1e9).round() / 1e9) // the difference of two sums carries their dust
    }
}

impl AcpDialect {
    pub(super) fn open(&mut self, directory: String, resume: Option<String>, step: &mut Step<'_>) {
        if !matches!(self.stage, Stage::New) {
            let error = ErrorInfo::new(ErrorCode::InvalidRequest, "the session is open already");
            return step.notify(Notice::CommandRefused(error));
        }
        let until = step.now.mono + self.options.handshake_timeout;
        self.stage = Stage::Opening(Opening { until, directory, resume, replay: Replay::No });
        self.requests.send(Request::Initialize, &greeting(&self.options.client_version), step);
    }

    pub(super) fn initialized(&mut self, answer: Answer<'_>, step: &mut Step<'_>) {
        let result: Map<String, Value> = match answer {
            Ok(result) => rpc::read(result),
            Err(error) => return self.fail(self.refusal(&error), step),
        };
        let version = result.get("protocolVersion").and_then(Value::as_u64);
        if version != Some(PROTOCOL_VERSION) {
            let version =
                version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
            let message = format!("the agent speaks {version} of its protocol, and this program version 1");
            return self.fail(ErrorInfo::new(ErrorCode::SpawnFailed, message), step);
        }
        self.agent.learn(&result);
        self.uses_message_ids |= gives_message_ids(&result);
        self.open_session(step);
    }

    fn open_session(&mut self, step: &mut Step<'_>) {
        let Some(opening) = self.stage.opening_mut() else { return };
        opening.until = step.now.mono + self.options.handshake_timeout;
        let mut params = json!({ "cwd": opening.directory, "mcpServers": [] });
        let Some(resume) = opening.resume.clone() else {
            self.requests.send(Request::NewSession, &params, step);
            return;
        };
        let wants_history = self.options.replays_history;
        let request = match (self.agent.can_load, self.agent.can_resume) {
            (true, _) if wants_history => Request::LoadSession,
            (_, true) => Request::ResumeSession,
            (true, false) => Request::LoadSession,
            (false, false) => {
                let message = "this agent cannot go on with an earlier session; start a new one";
                return self.fail(ErrorInfo::new(ErrorCode::SessionNotFound, message), step);
            }
        };
        if request == Request::LoadSession {
            opening.replay = if wants_history { Replay::Told(History::default()) } else { Replay::Skipped };
        }
        if let Value::Object(fields) = &mut params {
            fields.insert("sessionId".to_owned(), Value::from(resume.as_str()));
        }
        self.agent.session = Some(resume);
        self.requests.send(request, &params, step);
    }

    pub(super) fn session_opened(&mut self, answer: Answer<'_>, step: &mut Step<'_>) {
        let result: Map<String, Value> = match answer {
            Ok(result) => rpc::read(result),
            Err(error) => return self.fail(self.refusal(&error), step),
        };
        self.end_history(step);
        if let Some(id) = text(&result, "sessionId") {
            self.agent.session = Some(id.to_owned());
        }
        let Some(id) = self.agent.session.clone() else {
            let message = "the agent opened a session and did not tell its id";
            return self.fail(ErrorInfo::new(ErrorCode::SpawnFailed, message), step);
        };
        step.notify(Notice::AgentSession { id });
        self.settings.opened(&result, step);
        step.notify(Notice::Ready(Abilities {
            attachments: self.agent.attachments,
            steer: self.agent.can_steer,
            fork: self.agent.can_fork,
            ..self.settings.abilities()
        }));
        self.stage = Stage::Open;
        for command in std::mem::take(&mut self.early) {
            self.wish(command, step);
        }
    }

    /// The session cannot be opened.
    pub(super) fn fail(&mut self, error: ErrorInfo, step: &mut Step<'_>) {
        self.end_turn(Ending::Completed(Finish::default()), step);
        step.notify(Notice::Failed(error.clone()));
        for command in std::mem::take(&mut self.early) {
            self.refuse(command, error.clone(), step);
        }
        self.stage = Stage::Failed(error);
    }
}

#[cfg(test)]
mod tests {
    use super::Cost;

    #[test]
    fn the_price_of_a_turn_is_its_own() {
        let mut cost = Cost::default();
        assert_eq!(cost.of_turn(), None);
        cost.total = Some(0.5);
        assert_eq!(cost.of_turn(), Some(0.5));
        cost.total = Some(0.75);
        assert_eq!(cost.of_turn(), Some(0.25));
        cost.total = Some(0.125);
        assert_eq!(cost.of_turn(), Some(0.125), "after the count began anew");
    }
}
