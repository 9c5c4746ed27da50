//! Canonical stream events: what an agent did, told the same way for every agent. Owns the payloads' types and
//! how they are written; reading them strictly is the envelope's business. Knows nothing of batching or clients.

mod attachment;
mod item;
mod permission;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use attachment::{Attachment, IMAGES};
pub use item::{
    Diff, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart, FunctionCallStart,
    ItemKind, Location, MessageItem, Origin, Plan, PlanEntry, PlanPriority, PlanStatus, ReasoningItem,
    ToolArguments, ToolDetails, ToolKind,
};
pub use permission::{
    AnswerType, PermissionItem, PermissionOption, PermissionOptionKind, PermissionOutcome, PermissionRequest,
    Question, QuestionOption, SettledBy,
};

use crate::error::ErrorInfo;
use crate::ids::{CallId, ItemId};
use crate::read;
use crate::wire_enum::wire_enum;

/// One thing that happened in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamEvent {
    /// The agent begins to answer.
    ResponseStart(ResponseStart),
    /// An item begins.
    ItemStart(ItemStart),
    /// An item's content grows.
    ItemDelta(ItemDelta),
    /// An item is finished.
    ItemDone(ItemDone),
    /// An item failed.
    ItemError(ItemError),
    /// An item was given up; it is as if it had not been.
    ItemCancelled(ItemCancelled),
    /// What the turn has cost so far.
    UsageUpdate(UsageUpdate),
    /// The turn ends.
    ResponseDone(ResponseDone),
    /// The turn fails.
    ResponseError(ResponseError),
}

wire_enum! {
    /// The word that tells which payload an envelope holds.
    EventType {
        /// See [`ResponseStart`].
        ResponseStart = "response_start",
        /// See [`ItemStart`].
        ItemStart = "item_start",
        /// See [`ItemDelta`].
        ItemDelta = "item_delta",
        /// See [`ItemDone`].
        ItemDone = "item_done",
        /// See [`ItemError`].
        ItemError = "item_error",
        /// See [`ItemCancelled`].
        ItemCancelled = "item_cancelled",
        /// See [`UsageUpdate`].
        UsageUpdate = "usage_update",
        /// See [`ResponseDone`].
        ResponseDone = "response_done",
        /// See [`ResponseError`].
        ResponseError = "response_error",
    }
}

impl StreamEvent {
    /// The word for this payload.
    #[must_use]
    pub const fn event_type(&self) -> EventType {
        match self {
            Self::ResponseStart(_) => EventType::ResponseStart,
            Self::ItemStart(_) => EventType::ItemStart,
            Self::ItemDelta(_) => EventType::ItemDelta,
            Self::ItemDone(_) => EventType::ItemDone,
            Self::ItemError(_) => EventType::ItemError,
            Self::ItemCancelled(_) => EventType::ItemCancelled,
            Self::UsageUpdate(_) => EventType::UsageUpdate,
            Self::ResponseDone(_) => EventType::ResponseDone,
            Self::ResponseError(_) => EventType::ResponseError,
        }
    }
}

/// The agent begins to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResponseStart {
    /// The model that answers.
    pub model_id: String,
    /// Who offers it.
    pub provider_id: String,
}

/// An item begins.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ItemStart {
    /// The item.
    pub item_id: ItemId,
    /// What it is.
    #[serde(flatten)]
    pub kind: ItemKind,
    /// Content that is there from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub initial_content: Option<String>,
    /// The tool call whose sub-agent this item belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_call_id: Option<CallId>,
}

/// An item's content grows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ItemDelta {
    /// The item.
    pub item_id: ItemId,
    /// What is added.
    pub delta_content: String,
}

/// An item is finished.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ItemDone {
    /// The item.
    pub item_id: ItemId,
    /// The whole item, which replaces what was streamed of it.
    pub final_item: FinalItem,
}

/// An item failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ItemError {
    /// The item.
    pub item_id: ItemId,
    /// Why.
    #[serde(deserialize_with = "read::from_map")]
    pub error: ErrorInfo,
}

/// An item was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ItemCancelled {
    /// The item.
    pub item_id: ItemId,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<CancelReason>,
}

wire_enum! {
    /// Why an item was given up.
    CancelReason {
        /// The user stopped it.
        UserCancel = "user_cancel",
        /// It took too long.
        Timeout = "timeout",
        /// The agent's process died.
        ProcessDeath = "process_death",
    }
}

/// What the turn has cost so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageUpdate {
    /// The counts so far.
    #[serde(deserialize_with = "read::from_map")]
    pub usage: Usage,
}

/// The turn ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResponseDone {
    /// How.
    pub status: ResponseStatus,
    /// The source's own word for why the answer ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub finish_reason: Option<String>,
    /// Why it failed, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read::optional_map")]
    #[ts(optional)]
    pub error: Option<ErrorInfo>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read::optional_map")]
    #[ts(optional)]
    pub usage: Option<Usage>,
}

wire_enum! {
    /// How a turn ended.
    ResponseStatus {
        /// The agent finished.
        Completed = "completed",
        /// The user stopped it.
        Cancelled = "cancelled",
        /// It failed.
        Error = "error",
    }
}

/// What a turn cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens the model read.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Tokens the model wrote.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// Tokens read from the model's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens written to the model's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub cache_creation_input_tokens: Option<u64>,
    /// The price in US dollars, where the source tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cost_usd: Option<f64>,
}

/// The turn fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResponseError {
    /// Why.
    #[serde(deserialize_with = "read::from_map")]
    pub error: ErrorInfo,
}
