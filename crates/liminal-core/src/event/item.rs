//! What an item is: when it starts, and when it is finished. Owns these types; knows nothing of turns.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::{Attachment, PermissionItem, PermissionRequest};
use crate::ids::CallId;
use crate::read;
use crate::wire_enum::wire_enum;

/// The arguments of a tool call. Shared, because every state of the call repeats them.
pub type ToolArguments = Arc<Map<String, Value>>;

/// What an item that begins is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
#[serde(tag = "itemType", rename_all = "snake_case")]
pub enum ItemKind {
    /// Text for people.
    Message,
    /// The model's thoughts.
    Reasoning,
    /// A tool is called.
    FunctionCall(FunctionCallStart),
    /// A tool's output comes.
    FunctionCallOutput(FunctionCallOutputStart),
    /// The agent's task list. A second start of the same item replaces the list.
    Plan(Plan),
    /// The agent asks before it acts.
    Permission(PermissionRequest),
}

/// A tool is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCallStart {
    /// The tool.
    pub name: String,
    /// Joins the call to its output.
    pub call_id: CallId,
    /// What else is known of the call.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty", deserialize_with = "read::from_map")]
    #[ts(optional, as = "Option<ToolDetails>")]
    pub details: ToolDetails,
    /// The call runs in the background: the end of its turn leaves it open. A later start of the same item may set this,
    /// and nothing unsets it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub detached: bool,
}

/// A tool's output comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCallOutputStart {
    /// The call it belongs to; without it live output cannot be shown before the item is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call_id: Option<CallId>,
}

/// The agent's task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The tasks in order.
    #[serde(deserialize_with = "read::list_of_maps")]
    pub entries: Vec<PlanEntry>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: PlanStatus,
    /// How much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub priority: Option<PlanPriority>,
}

wire_enum! {
    /// How far a task is.
    PlanStatus {
        /// Not begun.
        Pending = "pending",
        /// Under way.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

wire_enum! {
    /// How much a task matters.
    PlanPriority {
        /// Much.
        High = "high",
        /// Somewhat.
        Medium = "medium",
        /// Little.
        Low = "low",
    }
}

/// The whole of a finished item.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FinalItem {
    /// Text for people.
    Message(MessageItem),
    /// The model's thoughts.
    Reasoning(ReasoningItem),
    /// A tool call with its final arguments; its output is still to come.
    FunctionCall(FunctionCallItem),
    /// A tool's output.
    FunctionCallOutput(FunctionCallOutputItem),
    /// The agent's task list.
    Plan(Plan),
    /// A request that was answered.
    Permission(PermissionItem),
}

/// Text for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MessageItem {
    /// The text.
    pub content: String,
    /// Who wrote it.
    pub origin: Origin,
    /// Files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read::list_of_maps")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
}

impl MessageItem {
    /// A message without files.
    #[must_use]
    pub const fn new(content: String, origin: Origin) -> Self {
        Self { content, origin, attachments: Vec::new() }
    }
}

wire_enum! {
    /// Who wrote a message.
    Origin {
        /// The person.
        User = "user",
        /// The agent.
        Agent = "agent",
        /// The program around them.
        System = "system",
    }
}

/// The model's thoughts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReasoningItem {
    /// The text.
    pub content: String,
    /// Whose model thought so.
    pub provider_id: String,
}

/// A tool call with its final arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCallItem {
    /// The tool.
    pub name: String,
    /// Joins the call to its output.
    pub call_id: CallId,
    /// What the tool was asked.
    #[ts(type = "Record<string, unknown>")]
    #[serde(deserialize_with = "arguments")]
    pub arguments: ToolArguments,
    /// The arguments as the model wrote them, where that is no JSON object; `arguments` then holds this text in a field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub raw_arguments: Option<String>,
    /// What else is known of the call.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty", deserialize_with = "read::from_map")]
    #[ts(optional, as = "Option<ToolDetails>")]
    pub details: ToolDetails,
}

/// A tool's output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCallOutputItem {
    /// The call it belongs to.
    pub call_id: CallId,
    /// What the tool said.
    pub output: String,
    /// Whether it failed.
    pub is_error: bool,
    /// What else is known of the call by now.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty", deserialize_with = "read::from_map")]
    #[ts(optional, as = "Option<ToolDetails>")]
    pub details: ToolDetails,
}

/// What some agents tell of a call beyond its name and arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetails {
    /// What sort of thing the tool does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kind: Option<ToolKind>,
    /// The call in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// The files it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read::list_of_maps")]
    #[ts(optional, as = "Option<Vec<Location>>")]
    pub locations: Vec<Location>,
    /// What it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read::list_of_maps")]
    #[ts(optional, as = "Option<Vec<Diff>>")]
    pub diffs: Vec<Diff>,
    /// How the command ended that it ran, where the agent tells it beside the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit_code: Option<i32>,
}

impl ToolDetails {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes over what the newer details tell.
    pub(crate) fn merge(&mut self, newer: &Self) {
        self.kind = newer.kind.or(self.kind);
        self.exit_code = newer.exit_code.or(self.exit_code);
        if newer.title.is_some() {
            self.title.clone_from(&newer.title);
        }
        if !newer.locations.is_empty() {
            self.locations.clone_from(&newer.locations);
        }
        if !newer.diffs.is_empty() {
            self.diffs.clone_from(&newer.diffs);
        }
    }
}

wire_enum! {
    /// What sort of thing a tool does.
    ToolKind {
        /// Reads a file.
        Read = "read",
        /// Changes a file.
        Edit = "edit",
        /// Runs a command.
        Execute = "execute",
        /// Looks for something.
        Search = "search",
        /// Gets something from elsewhere.
        Fetch = "fetch",
        /// Thinks or delegates.
        Think = "think",
        /// Anything else.
        Other = "other",
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The file.
    pub path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub line: Option<u32>,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The file.
    pub path: String,
    /// The text before; absent when the file is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub old_text: Option<String>,
    /// The text after.
    pub new_text: String,
}

fn arguments<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ToolArguments, D::Error> {
    read::from_map(deserializer).map(Arc::new)
}
