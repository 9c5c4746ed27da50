//! What an agent asks before it acts. Owns the open requests and what each answer becomes on the wire. The options
//! are the agent's own; nothing is allowed here without an answer that says so.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::dialect::fields::{objects, one_line, text};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{PermissionOption, PermissionOptionKind, PermissionOutcome, PermissionRequest};
use crate::ids::{CallId, ItemId};
use crate::wire::rest::PermissionAnswer;

/// A request that is shown and waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The agent's own id of the request.
    pub(super) request_id: Value,
    pub(super) shown: PermissionRequest,
    pub(super) item_id: ItemId,
    pub(super) until: Duration,
}

impl Waiting {
    /// What an answer means; one that does not say what it must is refused.
    pub(super) fn decide(&self, answer: &PermissionAnswer) -> Result<PermissionOutcome, ErrorInfo> {
        let refused = |message: String| ErrorInfo::new(ErrorCode::InvalidRequest, message);
        let Some(chosen) = &answer.option_id else {
            return Err(refused("choose one of the options".to_owned()));
        };
        if !self.shown.options.iter().any(|option| option.option_id == *chosen) {
            return Err(refused(format!("`{chosen}` is none of the options")));
        }
        Ok(PermissionOutcome { option_id: Some(chosen.clone()), answers: answer.answers.clone() })
    }

    pub(super) fn is_rejected_by(&self, outcome: &PermissionOutcome) -> bool {
        let mut options = self.shown.options.iter();
        let chosen = options.find(|option| Some(&option.option_id) == outcome.option_id.as_ref());
        chosen.is_some_and(|option| match option.kind {
            PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways => true,
            PermissionOptionKind::AllowOnce
            | PermissionOptionKind::AllowAlways
            | PermissionOptionKind::Other => false,
        })
    }
}

/// What is shown of a request.
pub(super) fn shown(call_id: CallId, title: Option<&str>, params: &Map<String, Value>) -> PermissionRequest {
    PermissionRequest {
        call_id,
        title: title.map_or_else(|| "The agent asks for permission".to_owned(), one_line),
        options: objects(params, "options").filter_map(option).collect(),
        questions: Vec::new(),
    }
}

/// The result of a request that somebody answered.
pub(super) fn selected(option_id: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option_id } })
}

/// The result of a request that nobody answered.
pub(super) fn cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

fn option(entry: &Map<String, Value>) -> Option<PermissionOption> {
    let id = text(entry, "optionId")?;
    Some(PermissionOption {
        option_id: id.to_owned(),
        name: text(entry, "name").unwrap_or(id).to_owned(),
        kind: text(entry, "kind").map_or(PermissionOptionKind::Other, kind),
    })
}

/// What a kind from a later version means is not guessed.
fn kind(word: &str) -> PermissionOptionKind {
    PermissionOptionKind::from_word(word).unwrap_or(PermissionOptionKind::Other)
}
