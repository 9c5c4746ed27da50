//! Stream B: the message format of the older Redis consumers. Owns its types; its encoder owns how outputs become
//! messages, and delivery and retries are the shell's.

mod encoder;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

pub use encoder::{Encoder, Messages};

use crate::error::ErrorInfo;
use crate::event::{Origin, ToolArguments};
use crate::ids::{CallId, ItemId, SessionId, TurnId};
use crate::trace_context::TraceContext;
use crate::wire_enum::wire_enum;

/// One entry of Stream B.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct StreamBMessage {
    /// This emission.
    pub event_id: String,
    /// When it went out, in milliseconds since the epoch.
    #[ts(type = "number")]
    pub timestamp: i64,
    /// The turn, from which the stream's key is made.
    pub turn_id: TurnId,
    /// What the payload is.
    pub payload_type: PayloadType,
    /// A [`UiUpsert`] or [`UiTurnEvent`] as JSON text.
    pub payload: String,
    /// The trace of the event that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub trace_context: Option<Arc<TraceContext>>,
}

wire_enum! {
    /// What a payload is.
    PayloadType {
        /// A [`UiUpsert`].
        ItemUpsert = "item_upsert",
        /// A [`UiTurnEvent`].
        TurnEvent = "turn_event",
    }
}

/// An item's full state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct UiUpsert {
    /// Always `item_upsert`.
    pub r#type: PayloadType,
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// The thread it belongs to: a session in every other format.
    pub thread_id: SessionId,
    /// The item.
    pub item_id: ItemId,
    /// What it is.
    pub item_type: UiItemType,
    /// How far it is.
    pub change_type: ChangeType,
    /// The whole text so far; empty for tools and errors.
    pub content: String,
    /// Who wrote a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub origin: Option<Origin>,
    /// Whose model thought so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub provider_id: Option<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_name: Option<String>,
    /// What it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_arguments: Option<UiToolArguments>,
    /// Joins call and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call_id: Option<CallId>,
    /// What the tool said: parsed if it is a JSON object or array, else as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub tool_output: Option<Value>,
    /// Whether the tool did what it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub success: Option<bool>,
    /// What went wrong, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error_code: Option<String>,
    /// What went wrong, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error_message: Option<String>,
}

/// What a tool was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(untagged)]
pub enum UiToolArguments {
    /// The arguments by name.
    Object(#[ts(type = "Record<string, unknown>")] ToolArguments),
    /// What the model wrote, where that is no JSON object.
    Text(String),
}

wire_enum! {
    /// What an item is.
    UiItemType {
        /// Text for people.
        Message = "message",
        /// The model's thoughts.
        Reasoning = "reasoning",
        /// A tool call.
        ToolCall = "tool_call",
        /// A tool's output.
        ToolOutput = "tool_output",
        /// An item that failed.
        Error = "error",
        /// The agent's task list.
        Plan = "plan",
        /// The agent asks before it acts.
        Permission = "permission",
    }
}

wire_enum! {
    /// How far an item is.
    ChangeType {
        /// Seen for the first time.
        Created = "created",
        /// Grown.
        Updated = "updated",
        /// Over.
        Completed = "completed",
    }
}

/// A milestone of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum UiTurnEvent {
    /// The agent begins to answer.
    TurnStarted {
        /// The turn.
        turn_id: TurnId,
        /// Its thread.
        thread_id: SessionId,
        /// The model that answers.
        model_id: String,
        /// Who offers it.
        provider_id: String,
    },
    /// The source told the end of the turn.
    TurnCompleted {
        /// The turn.
        turn_id: TurnId,
        /// Its thread.
        thread_id: SessionId,
        /// How it ended.
        status: UiTurnStatus,
        /// What it cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<UiUsage>,
    },
    /// The turn broke off.
    TurnError {
        /// The turn.
        turn_id: TurnId,
        /// Its thread.
        thread_id: SessionId,
        /// Why.
        error: ErrorInfo,
    },
}

wire_enum! {
    /// How a turn ended.
    UiTurnStatus {
        /// The agent finished.
        Complete = "complete",
        /// It failed.
        Error = "error",
        /// The user stopped it.
        Aborted = "aborted",
    }
}

/// What a turn cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct UiUsage {
    /// Tokens the model read.
    #[ts(type = "number")]
    pub prompt_tokens: u64,
    /// Tokens the model wrote.
    #[ts(type = "number")]
    pub completion_tokens: u64,
    /// Both.
    #[ts(type = "number")]
    pub total_tokens: u64,
}
