//! What agents asked and nobody has answered yet, and what was found in sessions: lists across all of them. Owns
//! their types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ItemId, ProjectId, SessionId};
use crate::upsert::Upsert;

/// A question of an agent that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// What to answer it by.
    pub id: String,
    /// The session that waits.
    pub session_id: SessionId,
    /// Its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project_id: Option<ProjectId>,
    /// What the session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// The permission item as it stands in the session, with all that the approver has to see.
    pub item: Upsert,
}

/// The questions that wait, the oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalList {
    /// The questions.
    pub approvals: Vec<Approval>,
}

/// An item in which something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project_id: Option<ProjectId>,
    /// What the session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// The item.
    pub item_id: ItemId,
    /// A few words around what was found, in pieces.
    pub snippet: Vec<SnippetPiece>,
}

/// A piece of a text around what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SnippetPiece {
    /// Its words.
    pub text: String,
    /// Whether it is what was looked for.
    pub is_match: bool,
}

/// What was found, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SearchResults {
    /// The items.
    pub hits: Vec<SearchHit>,
    /// How many sessions other servers keep, which were not searched: each server searches its own. Missing if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub elsewhere: Option<u32>,
    /// Finished items that are not in the search index yet, so that this search could not find them. Missing if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_indexed: Option<u32>,
}
