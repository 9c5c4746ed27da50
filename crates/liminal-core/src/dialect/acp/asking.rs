//! How what an agent asks comes to people, and their answers to it. Owns which turn a request belongs to; one that
//! belongs to none is never allowed.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::call_news::CallNews;
use super::forms::{self, Form};
use super::permissions::Decision;
use super::tool_calls::RequestedCall;
use super::turn::{Asked, Cause, Turn};
use super::{AcpDialect, permissions, rpc};
use crate::dialect::fields::{object, text};
use crate::dialect::requested_input::deadline;
use crate::dialect::{Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{PermissionRequest, ToolArguments};
use crate::ids::{CallId, ItemId};
use crate::wire::rest::PermissionAnswer;

impl AcpDialect {
    pub(super) fn answer(&mut self, item_id: ItemId, answer: &PermissionAnswer, step: &mut Step<'_>) {
        let asked = self.turn.as_ref().and_then(|turn| turn.find_asked(&item_id));
        let decided = match asked {
            Some(asked) => asked.decide(answer).map(|decision| (asked.request_id.clone(), decision)),
            None => {
                Err(ErrorInfo::new(ErrorCode::AlreadyAnswered, "the agent does not wait for this answer"))
            }
        };
        match decided {
            Ok((request_id, Decision { response, outcome })) => {
                step.send(&rpc::result(&request_id, &response));
                if let Some(turn) = &mut self.turn {
                    turn.answered(&item_id, outcome, step);
                }
                self.keep_aside(step);
            }
            Err(error) => step.notify(Notice::AnswerRefused { item_id, error }),
        }
    }

    /// The agent asks before it acts.
    pub(super) fn ask(&mut self, request_id: Value, params: &Map<String, Value>, step: &mut Step<'_>) {
        if self.is_asked(&request_id) {
            return;
        }
        let told = object(params, "toolCall");
        let Some((told, call)) = told.and_then(|told| Some((told, CallNews::read(told)?))) else {
            let why = "the request does not tell the call that it is about";
            return step.send(&rpc::refusal(&request_id, rpc::INVALID_PARAMS, why));
        };
        let (deadline, until) = deadline(self.options.permission_timeout, step.now);
        let Some(turn) = self.turn_to_ask(step) else {
            return step.send(&rpc::result(&request_id, &permissions::cancelled()));
        };
        let (id, asked_input) = (call.id.clone(), call.input.clone());
        let announced = turn.calls.announced(&id);
        turn.call(call, step);
        let requested = requested(turn.calls.requested(&id), asked_input, announced, told);
        let input = requested.input.clone();
        let shown = PermissionRequest { deadline, ..permissions::shown(id, requested, params) };
        turn.ask(Asked { request_id, shown, input, form: None, until }, step);
    }

    /// The agent wants to know something.
    pub(super) fn ask_form(
        &mut self,
        request_id: Value,
        params: &Map<String, Value>,
        bytes: &[u8],
        step: &mut Step<'_>,
    ) {
        if self.is_asked(&request_id) {
            return;
        }
        let Some(form) = Form::read(params) else {
            step.unknown("elicitation/create", bytes);
            return step.send(&rpc::result(&request_id, &forms::cancelled()));
        };
        let (deadline, until) = deadline(self.options.permission_timeout, step.now);
        let Some(turn) = self.turn_to_ask(step) else {
            return step.send(&rpc::result(&request_id, &forms::cancelled()));
        };
        let call = text(params, "toolCallId").map_or_else(|| format!("form {request_id}"), str::to_owned);
        let shown = permissions::shown_form(CallId::from(call), &form, params);
        let shown = PermissionRequest { deadline, ..shown };
        let input = ToolArguments::default();
        turn.ask(Asked { request_id, shown, input, form: Some(form), until }, step);
    }

    fn is_asked(&self, request_id: &Value) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.is_asked(request_id))
    }

    /// The turn that may ask people: none that was, and none that is to stop.
    fn turn_to_ask(&mut self, step: &mut Step<'_>) -> Option<&mut Turn> {
        let stops = self.turn.as_ref().is_some_and(|turn| turn.is_cancel_asked);
        let turn = self.turn_to_tell(step).filter(|turn| turn.cause != Cause::History && !stops)?;
        // What is only said keeps nobody from the next prompt; what waits for an answer does.
        if matches!(turn.cause, Cause::Aside { .. }) && !turn.is_waiting() {
            step.notify(Notice::TurnOpened { turn: turn.writer.turn_id().clone() });
        }
        Some(turn)
    }

    pub(super) fn withdraw(&mut self, params: &Map<String, Value>, step: &mut Step<'_>) {
        if let (Some(turn), Some(request_id)) = (&mut self.turn, params.get("requestId")) {
            turn.withdraw(request_id, step);
        }
    }
}

/// The call as the request has it. What was announced counts only where the request itself is silent, and an agent that
/// sends no input at all is shown with everything else that it says of the call.
fn requested(
    call: RequestedCall,
    asked: Option<Map<String, Value>>,
    announced: Option<ToolArguments>,
    told: &Map<String, Value>,
) -> RequestedCall {
    let asked = asked.filter(|input| !input.is_empty()).map(Arc::new);
    let input = asked.or_else(|| announced.clone()).unwrap_or_else(|| Arc::new(description(told)));
    let announced = announced.filter(|announced| contradict(announced, &input));
    let mut details = call.details;
    if let Some(title) = text(told, "title") {
        details.title = Some(title.to_owned());
    }
    RequestedCall { input, announced, details, ..call }
}

/// Whether two inputs differ in a field that both have, or have none in common. Agents add and drop bookkeeping fields
/// between the announcement of a call and its request, so a single field that only one of them has says nothing.
fn contradict(announced: &Map<String, Value>, asked: &Map<String, Value>) -> bool {
    let mut shared =
        announced.iter().filter_map(|(field, value)| Some((value, asked.get(field)?))).peekable();
    shared.peek().is_none() || shared.any(|(announced, asked)| announced != asked)
}

fn description(told: &Map<String, Value>) -> Map<String, Value> {
    let fields = ["title", "content", "locations"].into_iter();
    fields.filter_map(|field| Some((field.to_owned(), told.get(field)?.clone()))).collect()
}
