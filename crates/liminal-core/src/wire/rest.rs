//! Bodies of the HTTP API. Owns their types; routes and status codes are the shell's business.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::error::ErrorCode;
use crate::ids::{ProjectId, SessionId, TurnId};
use crate::time::Timestamp;
use crate::wire_enum::wire_enum;

/// Makes a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CreateSession {
    /// Which kind of agent.
    pub cli_type: String,
    /// Where it works: a registered project, or a directory inside one.
    pub project_dir: String,
    /// What this kind of agent takes besides.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub provider_options: BTreeMap<String, Value>,
}

/// A session that was made or opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpened {
    /// The session.
    pub session_id: SessionId,
    /// Its kind of agent.
    pub cli_type: String,
}

/// Tells the agent something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SendMessage {
    /// What to tell.
    pub message: String,
    /// Wait if a turn is running, instead of being refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub queue: bool,
    /// The sender's own id of the message: the same id is never sent twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub client_message_id: Option<String>,
}

/// A message that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MessageAccepted {
    /// The turn it begins; every output of that turn carries it.
    pub turn_id: TurnId,
}

/// A message that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Its place in the queue, for editing and removing it.
    pub id: String,
    /// What it says.
    pub message: String,
}

/// How a session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatus {
    /// The session.
    pub session_id: SessionId,
    /// Its kind of agent.
    pub cli_type: String,
    /// Whether its agent runs.
    pub is_alive: bool,
    /// What it does.
    pub state: SessionState,
}

wire_enum! {
    /// What a session does.
    SessionState {
        /// Its agent is being started.
        Starting = "starting",
        /// It waits for a message.
        Idle = "idle",
        /// A turn runs.
        Running = "running",
        /// A turn is being stopped.
        Cancelling = "cancelling",
        /// A turn waits for a permission or an answer.
        Waiting = "waiting",
        /// It is over.
        Closed = "closed",
    }
}

/// The sessions of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// The newest first.
    pub sessions: Vec<SessionSummary>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session.
    pub session_id: SessionId,
    /// Its kind of agent.
    pub cli_type: String,
    /// Its project.
    pub project_id: ProjectId,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// What it does.
    pub state: SessionState,
    /// When something last happened in it.
    pub updated_at: Timestamp,
}

/// Registers a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddProject {
    /// The directory.
    pub path: String,
}

/// A directory the user works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The project.
    pub id: ProjectId,
    /// Its directory.
    pub path: String,
    /// What people call it.
    pub name: String,
}

/// Answers what an agent asked: with one of its options, or with words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionAnswer {
    /// The option chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub option_id: Option<String>,
    /// The answers, by question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, String>>")]
    pub answers: BTreeMap<String, String>,
}

/// Turns a one-time code into a browser's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeCode {
    /// The code, from the address that the server told.
    pub code: String,
}

/// A browser's session was made; its other half is a cookie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserKey {
    /// What to send with every request as `X-Liminal-Key`.
    pub key: String,
}

/// Where a browser can be let in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FreshAddress {
    /// The page's address with a new one-time code.
    pub url: String,
}

/// What this server is and can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The program's version, for people.
    pub version: String,
    /// The version of the wire; it grows when something is taken away.
    pub protocol_version: u32,
    /// What can be relied on, by name. Branch on these, never on versions.
    #[ts(type = "Record<string, unknown>")]
    pub capabilities: BTreeMap<String, Value>,
}

/// Why a request was not met, as `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// A URI that names the kind of problem.
    pub r#type: String,
    /// The kind of problem in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The word to branch on.
    pub code: ErrorCode,
    /// What happened here, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
    /// What the problem is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub instance: Option<String>,
}
