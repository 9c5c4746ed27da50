//! How what an agent asks comes to people, and their answers to it. Owns which turn a request belongs to; one that
//! belongs to none is never allowed.

use std::time::Duration;

use serde_json::{Map, Value};

use super::call_news::CallNews;
use super::forms::{self, Form};
use super::permissions::Decision;
use super::turn::{Asked, Cause, Turn};
use super::{AcpDialect, permissions, rpc};
use crate::dialect::fields::{object, text};
use crate::dialect::{Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};
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
        let call = object(params, "toolCall").and_then(CallNews::read);
        if self.is_asked(&request_id) {
            return;
        }
        let Some(call) = call else {
            let why = "the request does not tell the call that it is about";
            return step.send(&rpc::refusal(&request_id, rpc::INVALID_PARAMS, why));
        };
        let until = self.patience(step);
        let Some(turn) = self.turn_to_ask(step) else {
            return step.send(&rpc::result(&request_id, &permissions::cancelled()));
        };
        let (id, title) = (call.id.clone(), call.details.title.clone());
        turn.call(call, step);
        let title = title.or_else(|| turn.calls.title(&id).map(str::to_owned));
        let shown = permissions::shown(id, title.as_deref(), params);
        turn.ask(Asked { request_id, shown, form: None, until }, step);
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
        let until = self.patience(step);
        let Some(turn) = self.turn_to_ask(step) else {
            return step.send(&rpc::result(&request_id, &forms::cancelled()));
        };
        let call = text(params, "toolCallId").map_or_else(|| format!("form {request_id}"), str::to_owned);
        let shown = permissions::shown_form(CallId::from(call), &form, params);
        turn.ask(Asked { request_id, shown, form: Some(form), until }, step);
    }

    fn is_asked(&self, request_id: &Value) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.is_asked(request_id))
    }

    fn patience(&self, step: &Step<'_>) -> Duration {
        step.now.mono + self.options.permission_timeout
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
