//! What clients see: the full current state of an item, and the milestones of a turn. Owns these wire types;
//! knows nothing of how or when they are made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event::{
    Attachment, Origin, PermissionOutcome, PermissionRequest, PlanEntry, ToolArguments, ToolDetails, Usage,
};
use crate::ids::{CallId, ItemId, SessionId, TurnId};
use crate::time::Timestamp;
use crate::wire_enum::wire_enum;

/// The full current state of an item; replaces every earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Upsert {
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The item.
    pub item_id: ItemId,
    /// When its source told what is new in it.
    pub source_timestamp: Timestamp,
    /// When it went out.
    pub emitted_at: Timestamp,
    /// When its source told of it first; a log tells it with the later states of thoughts and tool calls, so that
    /// whoever saw only these knows how long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub started_at: Option<Timestamp>,
    /// How far the item is.
    pub status: UpsertStatus,
    /// What went wrong, for programs; only with status `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error_code: Option<String>,
    /// What went wrong, for people; only with status `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error_message: Option<String>,
    /// The tool call whose sub-agent this item belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_call_id: Option<CallId>,
    /// What the item is and holds.
    #[serde(flatten)]
    pub body: UpsertBody,
}

impl Upsert {
    /// An item that was seen and finished at one moment, and of which nothing else is to be told.
    #[must_use]
    pub const fn finished(
        session_id: SessionId,
        turn_id: TurnId,
        item_id: ItemId,
        at: Timestamp,
        body: UpsertBody,
    ) -> Self {
        Self {
            turn_id,
            session_id,
            item_id,
            source_timestamp: at,
            emitted_at: at,
            started_at: None,
            status: UpsertStatus::Complete,
            error_code: None,
            error_message: None,
            parent_call_id: None,
            body,
        }
    }
}

wire_enum! {
    /// How far an item is.
    UpsertStatus {
        /// Seen for the first time.
        Create = "create",
        /// Grown.
        Update = "update",
        /// Finished.
        Complete = "complete",
        /// Failed.
        Error = "error",
    }
}

/// What an item is and holds. A client ignores a type that it does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UpsertBody {
    /// Text for people.
    Message(MessageBody),
    /// The model's thoughts.
    Thinking(ThinkingBody),
    /// A tool call, with its output once it has one.
    ToolCall(ToolCallBody),
    /// The agent's task list.
    Plan(PlanBody),
    /// The agent asks before it acts.
    Permission(PermissionBody),
}

/// Text for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MessageBody {
    /// Who wrote it.
    pub origin: Origin,
    /// Files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
    /// The whole text so far. Last, so that it can be spliced in: see [`Emission`](crate::processor::Emission).
    pub content: String,
}

impl MessageBody {
    /// A message without files.
    #[must_use]
    pub const fn new(origin: Origin, content: String) -> Self {
        Self { origin, attachments: Vec::new(), content }
    }
}

/// The model's thoughts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingBody {
    /// Whose model thought so.
    pub provider_id: String,
    /// The whole text so far. Last, as in a message.
    pub content: String,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallBody {
    /// The tool.
    pub tool_name: String,
    /// What it was asked; may be empty until the call is complete.
    #[ts(type = "Record<string, unknown>")]
    pub tool_arguments: ToolArguments,
    /// Joins the call to its output.
    pub call_id: CallId,
    /// What else is known of the call.
    #[serde(flatten)]
    pub details: ToolDetails,
    /// The call runs, or ran, in the background: it may change after the end of its turn, and so may the items that name it
    /// as their `parentCallId`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub detached: bool,
    /// Whether the tool failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_output_is_error: Option<bool>,
    /// What the tool said so far. Last, as in a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_output: Option<String>,
}

/// The agent's task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanBody {
    /// The tasks in order.
    pub entries: Vec<PlanEntry>,
}

/// A permission request: `create` while it waits, `complete` when answered, `error` when it was withdrawn or timed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionBody {
    /// What is asked.
    #[serde(flatten)]
    pub request: PermissionRequest,
    /// How it was settled, once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub outcome: Option<PermissionOutcome>,
}

/// A milestone of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum TurnEvent {
    /// The agent begins to answer.
    TurnStarted {
        /// The turn.
        turn_id: TurnId,
        /// Its session.
        session_id: SessionId,
        /// The model that answers.
        model_id: String,
        /// Who offers it.
        provider_id: String,
    },
    /// The turn is over, as wished.
    TurnComplete {
        /// The turn.
        turn_id: TurnId,
        /// Its session.
        session_id: SessionId,
        /// Whether it ran to its end.
        status: TurnStatus,
        /// What it cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<Usage>,
    },
    /// The turn is over, because it failed.
    TurnError {
        /// The turn.
        turn_id: TurnId,
        /// Its session.
        session_id: SessionId,
        /// What went wrong, for programs.
        error_code: String,
        /// What went wrong, for people.
        error_message: String,
        /// What it cost until then, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<Usage>,
    },
}

impl TurnEvent {
    /// The session the turn belongs to.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        match self {
            Self::TurnStarted { session_id, .. }
            | Self::TurnComplete { session_id, .. }
            | Self::TurnError { session_id, .. } => session_id,
        }
    }
}

wire_enum! {
    /// How a turn that did not fail ended.
    TurnStatus {
        /// The agent finished.
        Completed = "completed",
        /// The user stopped it.
        Cancelled = "cancelled",
    }
}

/// Anything that goes out of a turn.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every output is an upsert, and a box would cost it an allocation"
)]
pub enum Output {
    /// An item's state.
    Upsert(Upsert),
    /// A turn's milestone.
    Turn(TurnEvent),
}
