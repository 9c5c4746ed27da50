//! What our side asks an agent. Owns the numbers of these requests, which are those of one session; whoever joins
//! sessions into one process gives them numbers of its own.

use std::collections::BTreeMap;

use serde_json::Value;

use super::rpc;
use crate::dialect::{Step, UserMessage};
use crate::ids::TurnId;

/// The requests that wait for their responses.
#[derive(Debug, Default)]
pub(super) struct Requests {
    sent: u64,
    open: BTreeMap<u64, Request>,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    Initialize,
    NewSession,
    LoadSession,
    ResumeSession,
    Prompt,
    /// Take this into the turn that runs.
    Steer {
        turn: TurnId,
        message: UserMessage,
    },
    SetMode {
        mode: String,
    },
    SetModel {
        model: String,
    },
    SetOption,
}

impl Request {
    const fn method(&self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::NewSession => "session/new",
            Self::LoadSession => "session/load",
            Self::ResumeSession => "session/resume",
            Self::Prompt => "session/prompt",
            Self::Steer { .. } => "_session/steering",
            Self::SetMode { .. } => "session/set_mode",
            Self::SetModel { .. } => "session/set_model",
            Self::SetOption => "session/set_config_option",
        }
    }
}

impl Requests {
    /// Asks; gives the number of the request.
    pub(super) fn send(&mut self, request: Request, params: &Value, step: &mut Step<'_>) -> u64 {
        self.sent += 1;
        step.send(&rpc::request(self.sent, request.method(), params));
        self.open.insert(self.sent, request);
        self.sent
    }

    /// Takes the messages that the agent was asked to take in and did not answer for.
    pub(super) fn take_steered(&mut self) -> Vec<TurnId> {
        let open = std::mem::take(&mut self.open).into_values();
        let steered = open.filter_map(|request| match request {
            Request::Steer { turn, .. } => Some(turn),
            Request::Initialize
            | Request::NewSession
            | Request::LoadSession
            | Request::ResumeSession
            | Request::Prompt
            | Request::SetMode { .. }
            | Request::SetModel { .. }
            | Request::SetOption => None,
        });
        steered.collect()
    }

    /// Takes the request that a response is for; those to others' requests are nobody's.
    pub(super) fn take(&mut self, id: &Value) -> Option<(u64, Request)> {
        let id = id.as_u64()?;
        self.open.remove(&id).map(|request| (id, request))
    }
}
