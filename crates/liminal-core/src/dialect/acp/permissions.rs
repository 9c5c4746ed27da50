//! What an agent asks before it acts. Owns the open requests and what each answer becomes on the wire. The options
//! are the agent's own; nothing is allowed here without an answer that says so.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::forms::{self, Form};
use super::tool_calls::RequestedCall;
use crate::dialect::fields::{objects, text};
use crate::dialect::requested_input::{ShownInput, mcp_server, shown_input, shown_title};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{
    PermissionOption, PermissionOptionKind, PermissionOutcome, PermissionRequest, ToolArguments,
};
use crate::ids::{CallId, ItemId};
use crate::wire::rest::PermissionAnswer;

/// A request that is shown and waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The agent's own id of the request.
    pub(super) request_id: Value,
    pub(super) shown: PermissionRequest,
    /// The form that the questions shown stand for; without one, the agent asks for a permission.
    pub(super) form: Option<Form>,
    pub(super) item_id: ItemId,
    /// When it is rejected automatically, if the user set a time-out.
    pub(super) until: Option<Duration>,
}

/// What an answer becomes.
#[derive(Debug)]
pub(super) struct Decision {
    /// For the agent.
    pub(super) response: Value,
    /// For people.
    pub(super) outcome: PermissionOutcome,
}

impl Waiting {
    /// What an answer means; one that does not say what it must is refused.
    pub(super) fn decide(&self, answer: &PermissionAnswer) -> Result<Decision, ErrorInfo> {
        let refused = |message: String| ErrorInfo::new(ErrorCode::InvalidRequest, message);
        let chosen = match (&answer.option_id, &self.form) {
            (Some(chosen), _) => chosen.as_str(),
            (None, Some(_)) if !answer.answers.is_empty() => forms::ANSWER,
            (None, _) => return Err(refused("choose one of the options".to_owned())),
        };
        if !self.shown.options.iter().any(|option| option.option_id == chosen) {
            return Err(refused(format!("`{chosen}` is none of the options")));
        }
        // The protocol has no field for it, and a message in its place would be a prompt.
        if answer.reason.as_deref().is_some_and(|reason| !reason.trim().is_empty()) {
            return Err(refused("this agent cannot receive a reason; reject without one".to_owned()));
        }
        let (response, answers) = match &self.form {
            Some(form) => (form.response(chosen, &answer.answers)?, form.to_keep(&answer.answers)),
            None => (selected(chosen), answer.answers.clone()),
        };
        Ok(Decision { response, outcome: PermissionOutcome::answered(chosen, answers, None) })
    }

    /// The result when nobody answered.
    pub(super) fn unanswered(&self) -> Value {
        if self.form.is_some() { forms::cancelled() } else { cancelled() }
    }

    /// Whether the call that asks is not allowed.
    pub(super) fn is_rejected_by(&self, outcome: &PermissionOutcome) -> bool {
        let mut options = self.shown.options.iter().filter(|_| self.form.is_none());
        let chosen = options.find(|option| Some(&option.option_id) == outcome.option_id.as_ref());
        chosen.is_some_and(|option| option.kind.is_rejection())
    }
}

/// What is shown of a request for a call, of which the call itself knows the rest.
pub(super) fn shown(call_id: CallId, call: RequestedCall, params: &Map<String, Value>) -> PermissionRequest {
    let ShownInput { input, is_truncated } = shown_input(&call.input);
    PermissionRequest {
        call_id,
        server: mcp_server(&call.name),
        tool_name: call.name,
        kind: call.details.kind,
        input,
        input_truncated: is_truncated,
        announced_input: call.announced.as_ref().map(|announced| shown_input(announced).input),
        announced_tool_name: None,
        title: shown_title(call.details.title.as_deref().unwrap_or("The agent asks for permission")),
        diffs: if is_truncated { Vec::new() } else { call.details.diffs },
        options: objects(params, "options").filter_map(option).collect(),
        questions: Vec::new(),
        accepts_reason: false,
        deadline: None,
    }
}

/// What is shown of a form.
pub(super) fn shown_form(call_id: CallId, form: &Form, params: &Map<String, Value>) -> PermissionRequest {
    PermissionRequest {
        call_id,
        tool_name: String::new(),
        server: None,
        kind: None,
        input: ToolArguments::default(),
        input_truncated: false,
        announced_input: None,
        announced_tool_name: None,
        title: shown_title(text(params, "message").unwrap_or("The agent has a question")),
        diffs: Vec::new(),
        options: Form::options(),
        questions: form.questions(),
        accepts_reason: false,
        deadline: None,
    }
}

/// The result of a request that somebody answered.
fn selected(option_id: &str) -> Value {
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
