//! Bodies of the HTTP API. Owns their types; routes and status codes are the shell's business.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::view::{BackgroundWork, QueuePause, SessionView};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::Attachment;
use crate::ids::{AttachmentId, ProjectId, SessionId, TurnId};
use crate::time::Timestamp;
use crate::upsert::{TurnEvent, Upsert};
use crate::wire_enum::wire_enum;

/// Makes a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CreateSession {
    /// Which kind of agent.
    pub cli_type: String,
    /// Where it works: a registered project, or a directory inside one.
    pub project_dir: String,
    /// What the agent is to begin with: `model`, `permissionMode`, `extraDirectories`, and `confirmUnguarded` if that
    /// makes it act without asking.
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

/// Opens a session with its history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoadSession {
    /// Start the agent and resume the session in it before this is answered. Without it, the agent starts with the next
    /// message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub start: bool,
}

/// Makes a session that has the history of another one so far, and goes on by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForkSession {
    /// What it is to be called; without it, after the other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
}

/// Tells the agent something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SendMessage {
    /// What to tell.
    pub message: String,
    /// Wait if a turn is running, instead of being refused. While the queue is paused and no turn runs, the message is
    /// sent at once, and the queue stays paused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub queue: bool,
    /// The sender's own id of the message: the same id is never sent twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub client_message_id: Option<String>,
    /// Files that were uploaded for it, at most 10; a message with files need not say anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<AttachmentId>>")]
    pub attachments: Vec<AttachmentId>,
}

/// A message that was taken: it began a turn, or it waits for its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MessageAccepted {
    /// The turn it begins; every output of that turn carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn_id: Option<TurnId>,
    /// Where it waits, if it could not begin at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub queued: Option<QueuedMessage>,
}

/// A message that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Its place in the queue, for editing and removing it.
    pub id: String,
    /// What it says.
    pub message: String,
    /// The sender's own id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub client_message_id: Option<String>,
    /// Files that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
    /// Why it was not sent when its turn came. The queue is then paused; resuming it tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<ErrorInfo>,
}

/// The messages of a session that wait for their turn, the next one first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// The messages.
    pub queue: Vec<QueuedMessage>,
    /// Why the queue is paused; absent while it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub queue_paused: Option<QueuePause>,
}

/// Changes a message that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditQueued {
    /// What it is to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// Its new place, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<u32>,
}

/// How a session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatus {
    /// The session.
    pub session_id: SessionId,
    /// Its kind of agent.
    pub cli_type: String,
    /// Its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project_id: Option<ProjectId>,
    /// Where its agent works.
    pub directory: String,
    /// The branch of the directory, if it is under version control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
    /// What it is and does.
    #[serde(flatten)]
    pub view: SessionView,
    /// The session that it was forked from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forked_from: Option<ForkedFrom>,
    /// Lines of its agent that nobody understood, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub unknown_samples: Vec<String>,
}

/// The session that another one was forked from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// The session.
    pub session_id: SessionId,
    /// Its title; if it is gone, the one that it had when it was forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// It was deleted since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_gone: bool,
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

/// Sessions of one project or of all projects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// The newest first.
    pub sessions: Vec<SessionSummary>,
    /// Where the list goes on, as `after` of the next request; absent at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next: Option<String>,
    /// What of the agents' own sessions is not in the list, and why, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub notes: Vec<String>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and clients show each by itself"
)]
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
    /// Where its agent works.
    pub directory: String,
    /// What it does.
    pub state: SessionState,
    /// Whether its agent runs.
    pub is_alive: bool,
    /// Who made it.
    pub source: SessionSource,
    /// How many questions of it wait for an answer.
    pub pending: u32,
    /// Work that runs in the background, in a turn or after its end; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub background: Option<BackgroundWork>,
    /// A request timed out, and no person has acted in the session since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub timed_out: bool,
    /// Its last turn failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub has_failed: bool,
    /// Whether it was put away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_archived: bool,
    /// The newest `seq` of its log, to tell whether there is something unread; 0 while it was never opened here.
    #[ts(type = "number")]
    pub seq: u64,
    /// When something last happened in it.
    pub updated_at: Timestamp,
}

wire_enum! {
    /// Who made a session.
    SessionSource {
        /// This program.
        Made = "made",
        /// The agent's own program; it was found on disk.
        Found = "found",
    }
}

/// A session's new title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rename {
    /// The title.
    pub title: String,
}

/// Chooses something that the agent offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Configure {
    /// The model to think with, in the agent's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// How often to ask, in the agent's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub permission_mode: Option<String>,
    /// Options of the agent: the choice, by the option's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, String>>")]
    pub options: BTreeMap<String, String>,
    /// Said by a person who knows what it means, when a choice makes the agent act without asking.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub confirm_unguarded: bool,
}

/// A page of a session's items, in the order in which they first appeared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    /// The session.
    pub session_id: SessionId,
    /// The latest state of each item.
    pub entries: Vec<Upsert>,
    /// The milestones of the turns on the page.
    pub turns: Vec<TurnEvent>,
    /// The life of the log that the numbers belong to.
    pub epoch: String,
    /// The newest `seq` of the log when the page was read.
    #[ts(type = "number")]
    pub seq: u64,
    /// Where older items go on, as `before` of the next request; absent at the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub before: Option<u64>,
    /// Where newer items go on, as `after` of the next request; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub after: Option<u64>,
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
    /// Why a request is rejected, for the agent. Refused unless the request says `acceptsReason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
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
