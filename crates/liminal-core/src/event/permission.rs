//! Permission requests of agents and their outcomes. Owns these types; knows nothing of who answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Diff, ToolArguments, ToolKind};
use crate::ids::CallId;
use crate::read;
use crate::time::Timestamp;
use crate::wire_enum::wire_enum;

/// A permission request or a question of an agent. What is allowed by answering it is `input`, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// The call that waits.
    pub call_id: CallId,
    /// The tool to be run. Empty in requests stored by earlier versions.
    #[serde(default)]
    pub tool_name: String,
    /// The MCP server that the tool belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub server: Option<String>,
    /// What sort of thing the tool does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kind: Option<ToolKind>,
    /// What the tool will be given: the input of the request itself, complete unless `inputTruncated` is set.
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub input: ToolArguments,
    /// The input is longer than 1 MiB. `GET /api/approvals/{id}/input` returns all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub input_truncated: bool,
    /// The input with which the agent had announced the call, if it was a different one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub announced_input: Option<ToolArguments>,
    /// The tool that the agent had announced, if it was a different one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub announced_tool_name: Option<String>,
    /// The agent's own words for the request, for display only. They may not match the input.
    pub title: String,
    /// The changes to files that the input asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read::list_of_maps")]
    #[ts(optional, as = "Option<Vec<Diff>>")]
    pub diffs: Vec<Diff>,
    /// The answers the agent takes.
    #[serde(deserialize_with = "read::list_of_maps")]
    pub options: Vec<PermissionOption>,
    /// Questions to be answered in words or by choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read::list_of_maps")]
    #[ts(optional, as = "Option<Vec<Question>>")]
    pub questions: Vec<Question>,
    /// Whether a rejection can carry a reason for the agent.
    #[serde(default)]
    pub accepts_reason: bool,
    /// When the request is rejected automatically; absent unless the user set a time-out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub deadline: Option<Timestamp>,
}

/// A question with suggested answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// What is asked; answers are given by this text.
    pub question: String,
    /// A word or two for a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub header: Option<String>,
    /// Whether several answers may be chosen.
    #[serde(default)]
    pub multi_select: bool,
    /// The suggested answers.
    #[serde(default, deserialize_with = "read::list_of_maps")]
    pub options: Vec<QuestionOption>,
    /// What an answer in words has to be; absent for any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub answer_type: Option<AnswerType>,
    /// Whether the question may be left unanswered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_optional: bool,
}

wire_enum! {
    /// What an answer in words has to be.
    AnswerType {
        /// A whole number.
        Integer = "integer",
        /// A number.
        Number = "number",
        /// One of the suggested answers; words of one's own are refused.
        Choice = "choice",
    }
}

/// A suggested answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// What it says.
    pub label: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
}

/// One answer the agent takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// What to answer with.
    pub option_id: String,
    /// What it says.
    pub name: String,
    /// What it means.
    pub kind: PermissionOptionKind,
}

wire_enum! {
    /// What an answer means.
    PermissionOptionKind {
        /// Yes, this time.
        AllowOnce = "allow_once",
        /// Yes, from now on.
        AllowAlways = "allow_always",
        /// No, this time.
        RejectOnce = "reject_once",
        /// No, from now on.
        RejectAlways = "reject_always",
        /// A kind this version does not know: shown as it is, never chosen automatically.
        Other = "other",
    }
}

impl PermissionOptionKind {
    /// Whether choosing it keeps the agent from acting.
    #[must_use]
    pub const fn is_rejection(self) -> bool {
        match self {
            Self::RejectOnce | Self::RejectAlways => true,
            Self::AllowOnce | Self::AllowAlways | Self::Other => false,
        }
    }
}

/// How a request was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOutcome {
    /// The option that was chosen; absent if the request was never answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub option_id: Option<String>,
    /// The answers, by question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, String>>")]
    pub answers: BTreeMap<String, String>,
    /// The person's words to a rejection, or why the request was never answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
    /// Who settled it. Outcomes stored by earlier versions do not say, and were answers of people.
    #[serde(default = "SettledBy::earlier_versions")]
    pub by: SettledBy,
}

wire_enum! {
    /// Who settled a permission request.
    SettledBy {
        /// A person answered it or stopped its turn.
        User = "user",
        /// Nobody answered within the time-out that the user set, so it was rejected.
        Timeout = "timeout",
        /// The agent withdrew it, ended its turn or went away.
        Agent = "agent",
        /// The server stopped while it waited.
        Restart = "restart",
    }
}

impl SettledBy {
    const fn earlier_versions() -> Self {
        Self::User
    }
}

impl PermissionOutcome {
    /// An answer that a person gave.
    #[must_use]
    pub fn answered(option_id: &str, answers: BTreeMap<String, String>, reason: Option<String>) -> Self {
        Self { option_id: Some(option_id.to_owned()), answers, reason, by: SettledBy::User }
    }

    /// A request that was never answered.
    #[must_use]
    pub fn unanswered(by: SettledBy, why: impl Into<String>) -> Self {
        Self { option_id: None, answers: BTreeMap::new(), reason: Some(why.into()), by }
    }

    /// Whether somebody answered.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.option_id.is_some() || !self.answers.is_empty()
    }
}

/// A request that was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionItem {
    /// What was asked.
    #[serde(flatten)]
    pub request: PermissionRequest,
    /// How it was settled.
    pub outcome: PermissionOutcome,
}
