//! How what an agent asks comes to people, and their answers to it. Owns which turn a request belongs to; one that
//! belongs to none is never allowed.

use serde_json::{Map, Value};

use super::call_news::CallNews;
use super::turn::Cause;
use super::{AcpDialect, permissions, rpc};
use crate::dialect::fields::object;
use crate::dialect::{Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};
use crate::ids::ItemId;
use crate::wire::rest::PermissionAnswer;

impl AcpDialect {
    pub(super) fn answer(&mut self, item_id: ItemId, answer: &PermissionAnswer, step: &mut Step<'_>) {
        let asked = self.turn.as_ref().and_then(|turn| turn.find_asked(&item_id));
        let decided = match asked {
            Some(asked) => asked.decide(answer).map(|outcome| (asked.request_id.clone(), outcome)),
            None => {
                Err(ErrorInfo::new(ErrorCode::AlreadyAnswered, "the agent does not wait for this answer"))
            }
        };
        match decided {
            Ok((request_id, outcome)) => {
                let chosen = outcome.option_id.as_deref().unwrap_or_default();
                step.send(&rpc::result(&request_id, &permissions::selected(chosen)));
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
        let until = step.now.mono + self.options.permission_timeout;
        if self.turn.as_ref().is_some_and(|turn| turn.is_asked(&request_id)) {
            return;
        }
        let Some(call) = call else {
            let why = "the request does not tell the call that it is about";
            return step.send(&rpc::refusal(&request_id, rpc::INVALID_PARAMS, why));
        };
        let stops = self.turn.as_ref().is_some_and(|turn| turn.is_cancel_asked);
        let Some(turn) = self.turn_to_tell(step).filter(|turn| turn.cause != Cause::History && !stops) else {
            return step.send(&rpc::result(&request_id, &permissions::cancelled()));
        };
        let (id, title) = (call.id.clone(), call.details.title.clone());
        turn.call(call, step);
        let title = title.or_else(|| turn.calls.title(&id).map(str::to_owned));
        turn.ask(request_id, permissions::shown(id, title.as_deref(), params), until, step);
    }

    pub(super) fn withdraw(&mut self, params: &Map<String, Value>, step: &mut Step<'_>) {
        if let (Some(turn), Some(request_id)) = (&mut self.turn, params.get("requestId")) {
            turn.withdraw(request_id, step);
        }
    }
}
