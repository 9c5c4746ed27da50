//! What an agent asks before it acts, and what it was answered. Owns these types; knows nothing of who answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::CallId;
use crate::read;
use crate::wire_enum::wire_enum;

/// The agent asks before it acts, or asks something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// The call that waits.
    pub call_id: CallId,
    /// What is asked.
    pub title: String,
    /// The answers the agent takes.
    #[serde(deserialize_with = "read::list_of_maps")]
    pub options: Vec<PermissionOption>,
    /// Questions to be answered in words or by choice, where a yes or no does not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read::list_of_maps")]
    #[ts(optional, as = "Option<Vec<Question>>")]
    pub questions: Vec<Question>,
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
        /// Something that this version has no word for: to be shown as it is, and never to be chosen for anybody.
        Other = "other",
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOutcome {
    /// The option that was chosen; absent when the request was withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub option_id: Option<String>,
    /// The answers, by question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, String>>")]
    pub answers: BTreeMap<String, String>,
}

/// A request that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionItem {
    /// What was asked.
    #[serde(flatten)]
    pub request: PermissionRequest,
    /// The answer.
    pub outcome: PermissionOutcome,
}
