//! A session beside its items: what it does, what waits, and what its agent is. Owns the type; it is sent whole whenever
//! something in it changed, and replaces the earlier one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::abilities::Abilities;
use super::guard::Guard;
use super::rest::{QueuedMessage, SessionState};
use crate::error::ErrorInfo;
use crate::ids::{ItemId, TurnId};
use crate::time::Timestamp;
use crate::wire_enum::wire_enum;

/// A session beside its items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and clients show each by itself"
)]
pub struct SessionView {
    /// What it does.
    pub state: SessionState,
    /// Whether its agent runs. An idle session may have none; its next message brings one.
    pub is_alive: bool,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// The turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<TurnId>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn_started_at: Option<Timestamp>,
    /// Permission items that wait for an answer.
    pub pending: Vec<ItemId>,
    /// Messages that wait for their turn.
    pub queue: Vec<QueuedMessage>,
    /// Why the queue is paused: nothing in it is sent until it is resumed. Absent while it is not; an empty queue never is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub queue_paused: Option<QueuePause>,
    /// A request timed out, and no person has acted in the session since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub timed_out: bool,
    /// Work that runs in the background, in a turn or after its end; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub background: Option<BackgroundWork>,
    /// A turn runs, and its agent has been silent for long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_stalled: bool,
    /// Another program changed the session since this one read it: what is shown is not all that the agent knows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_diverged: bool,
    /// Whether it was put away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_archived: bool,
    /// The agent acts without asking; the same as `guard: "unguarded"`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_unguarded: bool,
    /// Whether the agent asks before it acts, judged by the mode and the options that it reports; absent if it asks.
    #[serde(default, skip_serializing_if = "Guard::asks")]
    #[ts(optional, as = "Option<Guard>")]
    pub guard: Guard,
    /// Why its agent is gone, if it did not go as wished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<ErrorInfo>,
    /// What is known of its agent.
    pub agent: AgentView,
}

/// Work of an agent that its turns do not wait for: sub-agents and commands in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundWork {
    /// How many detached tool calls are open.
    pub running: u32,
}

wire_enum! {
    /// Why a queue is paused.
    QueuePause {
        /// The server was restarted while messages waited.
        Restart = "restart",
        /// A turn failed, or a message could not be sent.
        Failed = "failed",
        /// A person rejected a request, or skipped a question.
        Rejected = "rejected",
        /// A request was rejected because nobody answered it in time.
        Timeout = "timeout",
        /// A turn was stopped.
        Cancelled = "cancelled",
    }
}

/// A session's agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentView {
    /// Its process, while it runs; sessions of one agent may share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pid: Option<u32>,
    /// The model it thinks with, in its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// How often it asks, in its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub permission_mode: Option<String>,
    /// How full the model's context is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<ContextUse>,
    /// What it offers.
    #[serde(default)]
    pub abilities: Abilities,
    /// Lines of it that this version does not understand.
    #[serde(default)]
    #[ts(type = "number")]
    pub unknown_lines: u64,
}

/// How full a model's context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextUse {
    /// The tokens in it.
    #[ts(type = "number")]
    pub used: u64,
    /// The tokens that it holds.
    #[ts(type = "number")]
    pub size: u64,
}
