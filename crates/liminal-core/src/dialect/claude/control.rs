//! The requests that our side and Claude Code make of each other beside the conversation. Owns the numbers of
//! ours and the shape of both; what is asked inside them is others' business.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::modes;
use super::wire::{list, object, text};
use crate::dialect::{Abilities, AttachmentAbilities, ModelChoice, SlashCommand, Step};

/// The requests of ours that wait for their responses.
#[derive(Debug, Default)]
pub(super) struct Control {
    sent: u64,
    open: BTreeMap<String, Request>,
}

/// What we asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Initialize,
    Interrupt,
    SetModel,
    SetPermissionMode,
    StopTask,
}

impl Request {
    const fn subtype(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Interrupt => "interrupt",
            Self::SetModel => "set_model",
            Self::SetPermissionMode => "set_permission_mode",
            Self::StopTask => "stop_task",
        }
    }
}

/// A response to a request of ours.
#[derive(Debug)]
pub(super) struct Response<'a> {
    pub(super) request: Request,
    /// What it holds, or why it was refused.
    pub(super) answer: Result<Option<&'a Map<String, Value>>, String>,
}

impl Control {
    pub(super) fn request(&mut self, request: Request, arguments: Value, step: &mut Step<'_>) {
        self.sent += 1;
        let id = format!("liminal-{}", self.sent);
        let mut fields = Map::from_iter([("subtype".to_owned(), Value::from(request.subtype()))]);
        if let Value::Object(arguments) = arguments {
            fields.extend(arguments);
        }
        step.send(&json!({ "type": "control_request", "request_id": id, "request": fields }));
        self.open.insert(id, request);
    }

    /// Takes the response to a request of ours; those to others' requests are nobody's.
    pub(super) fn response<'a>(&mut self, line: &'a Map<String, Value>) -> Option<Response<'a>> {
        let response = object(line, "response")?;
        let request = self.open.remove(text(response, "request_id")?)?;
        let answer = match text(response, "subtype") {
            Some("error") => Err(text(response, "error").unwrap_or("no reason was given").to_owned()),
            Some(_) | None => Ok(object(response, "response")),
        };
        Some(Response { request, answer })
    }
}

/// Answers a request of the agent.
pub(super) fn answer(request_id: &str, response: &Value, step: &mut Step<'_>) {
    step.send(&json!({
        "type": "control_response",
        "response": { "subtype": "success", "request_id": request_id, "response": response },
    }));
}

/// Refuses a request of the agent, so that it does not wait for ever.
pub(super) fn refuse(request_id: &str, why: &str, step: &mut Step<'_>) {
    step.send(&json!({
        "type": "control_response",
        "response": { "subtype": "error", "request_id": request_id, "error": why },
    }));
}

/// What the agent offers, from its answer to `initialize`.
pub(super) fn abilities(response: Option<&Map<String, Value>>) -> Abilities {
    let of = |key| response.map(|response| list(response, key)).unwrap_or_default();
    let models = of("models").iter().filter_map(Value::as_object).filter_map(model);
    let commands = of("commands").iter().filter_map(Value::as_object).filter_map(command);
    Abilities {
        models: models.collect(),
        commands: commands.collect(),
        permission_modes: modes::permission_mode_choices(),
        attachments: AttachmentAbilities::ALL,
        steer: true,
        fork: true,
        ..Abilities::default()
    }
}

fn model(entry: &Map<String, Value>) -> Option<ModelChoice> {
    let id = text(entry, "value")?;
    let name = text(entry, "displayName").unwrap_or(id).to_owned();
    let description = text(entry, "description").map(str::to_owned);
    Some(ModelChoice { id: id.to_owned(), name, description })
}

fn command(entry: &Map<String, Value>) -> Option<SlashCommand> {
    Some(SlashCommand {
        name: text(entry, "name")?.to_owned(),
        description: text(entry, "description").unwrap_or_default().to_owned(),
        argument_hint: text(entry, "argumentHint").filter(|hint| !hint.is_empty()).map(str::to_owned),
    })
}
