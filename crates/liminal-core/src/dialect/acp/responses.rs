//! What came of our requests. Owns how a response ends a turn, and what a session is told of a refusal.

use serde_json::{Map, Value, json};

use super::requests::Request;
use super::rpc::{self, Answer};
use super::turn::{Cause, Ending, Finish};
use super::{AcpDialect, Prompt};
use crate::dialect::fields::{object, text};
use crate::dialect::{Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::Usage;

impl AcpDialect {
    pub(super) fn response(
        &mut self,
        number: u64,
        request: Request,
        answer: Answer<'_>,
        step: &mut Step<'_>,
    ) {
        match request {
            Request::Initialize => self.initialized(answer, step),
            Request::NewSession | Request::LoadSession | Request::ResumeSession => {
                self.session_opened(answer, step);
            }
            Request::Prompt => self.prompt_answered(number, answer, step),
            Request::Steer { turn, message } => self.steered(Prompt { turn, message }, answer, step),
            Request::SetMode { mode } => match answer {
                Ok(_) => self.settings.set_mode(Some(&mode), step),
                Err(error) => step.notify(Notice::CommandRefused(error.info())),
            },
            Request::SetModel { model } => match answer {
                Ok(_) => self.settings.set_model(Some(&model), step),
                Err(error) => step.notify(Notice::CommandRefused(error.info())),
            },
            Request::SetOption => match answer {
                Ok(result) => self.settings.options_changed(&rpc::read(result), step),
                Err(error) => step.notify(Notice::CommandRefused(error.info())),
            },
        }
    }

    pub(super) fn set_mode(&mut self, mode: String, step: &mut Step<'_>) {
        if let Some(option) = self.settings.option("mode").map(|option| option.id.clone()) {
            return self.set_option(&option, &mode, step);
        }
        let params = json!({ "sessionId": self.agent.session(), "modeId": mode });
        self.requests.send(Request::SetMode { mode }, &params, step);
    }

    pub(super) fn set_model(&mut self, model: Option<String>, step: &mut Step<'_>) {
        let Some(model) = model else {
            let error = ErrorInfo::new(ErrorCode::InvalidRequest, "name one of the models of this agent");
            return step.notify(Notice::CommandRefused(error));
        };
        if let Some(option) = self.settings.option("model").map(|option| option.id.clone()) {
            return self.set_option(&option, &model, step);
        }
        let params = json!({ "sessionId": self.agent.session(), "modelId": model });
        self.requests.send(Request::SetModel { model }, &params, step);
    }

    pub(super) fn set_option(&mut self, id: &str, value: &str, step: &mut Step<'_>) {
        let params = json!({ "sessionId": self.agent.session(), "configId": id, "value": value });
        self.requests.send(Request::SetOption, &params, step);
    }

    fn prompt_answered(&mut self, number: u64, answer: Answer<'_>, step: &mut Step<'_>) {
        if self.draining == Some(number) {
            self.draining = None;
        } else if self.turn.as_ref().is_some_and(|turn| turn.cause == (Cause::Prompt { request: number })) {
            let ending = self.ending(answer);
            self.end_turn(ending, step);
        }
        self.begin_next(step);
    }

    fn ending(&mut self, answer: Answer<'_>) -> Ending {
        let stops = self.turn.as_ref().is_some_and(|turn| turn.is_cancel_asked);
        let failure = self.turn.as_ref().and_then(|turn| turn.trouble.failure());
        let result: Map<String, Value> = match answer {
            Ok(result) => rpc::read(result),
            Err(_) if stops => return Ending::Cancelled(Finish::default()),
            Err(error) => return Ending::Failed(self.refusal(&error), Finish::default()),
        };
        let reason = text(&result, "stopReason");
        let usage = usage(&result);
        let cost_usd = self.agent.cost.of_turn();
        let usage = usage.map(|usage| Usage { cost_usd, ..usage });
        let finish = Finish { reason: reason.map(str::to_owned), usage };
        match (reason, failure) {
            (Some("cancelled"), _) => Ending::Cancelled(finish),
            (_, Some(failure)) => Ending::Failed(failure, finish),
            (Some("refusal"), None) => stopped("refusal", "the agent refused to go on", finish),
            (Some("max_turn_requests"), None) => stopped(
                "max_turn_requests",
                "the agent asked its model as often as it may in one turn",
                finish,
            ),
            // Codex ends a turn that is stopped before it began as if it were done; it then tells no cost.
            (Some("end_turn"), None) if stops && finish.usage.is_none() => Ending::Cancelled(finish),
            (Some(_) | None, None) => Ending::Completed(finish),
        }
    }
}

fn stopped(code: &str, message: &str, finish: Finish) -> Ending {
    Ending::Stopped(ErrorInfo { code: code.to_owned(), message: message.to_owned() }, finish)
}

/// The tokens of a turn, where the protocol has them or where one agent puts them.
fn usage(result: &Map<String, Value>) -> Option<Usage> {
    if let Some(usage) = object(result, "usage") {
        return Some(tokens(usage, "inputTokens", "outputTokens"));
    }
    let quota = object(result, "_meta").and_then(|meta| object(meta, "quota"));
    let counts = quota.and_then(|quota| object(quota, "token_count"))?;
    Some(tokens(counts, "input_tokens", "output_tokens"))
}

fn tokens(counts: &Map<String, Value>, input: &str, output: &str) -> Usage {
    let count = |key| counts.get(key).and_then(Value::as_u64);
    Usage {
        input_tokens: count(input).unwrap_or_default(),
        output_tokens: count(output).unwrap_or_default(),
        cache_read_input_tokens: count("cachedReadTokens"),
        cache_creation_input_tokens: count("cachedWriteTokens"),
        cost_usd: None,
    }
}
