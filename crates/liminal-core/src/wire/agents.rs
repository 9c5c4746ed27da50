//! The agents of a machine, on the wire. Owns their types.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::wire_enum::wire_enum;

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

wire_enum! {
    /// What is known of an agent so far.
    AgentState {
        /// It is installed, and its version is being read. Sessions can be started already.
        Detecting = "detecting",
        /// It can be used.
        Usable = "usable",
        /// It is not installed, or lacks its API key.
        Missing = "missing",
        /// It is installed and does not work; `problem` says why.
        Unusable = "unusable",
    }
}

/// An agent of this machine. It can be used unless it has a `problem`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentReport {
    /// The `cliType` of its sessions.
    pub name: String,
    /// What is known of it so far.
    pub state: AgentState,
    /// How it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub launch: Option<Launch>,
    /// Its version; for a model's API, the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// Why it cannot be used, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// Whether it is a part of this program: always there, with no model behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub built_in: bool,
    /// Whether it is logged in; absent where that is not known. An agent may work without a login, by an API key or a
    /// model of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub logged_in: Option<bool>,
    /// The command that installs it, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub install: Option<String>,
    /// The command that signs its user in, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sign_in: Option<String>,
}

impl AgentReport {
    /// Whether a session can be started with it.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        self.problem.is_none()
    }
}
