//! One streamed message. Owns the meaning of its events; a block is an item, and its index is its place.

use serde_json::{Map, Value};

use super::error;
use crate::dialect::fields::{object, text};
use crate::dialect::model_api::{Finish, Heard, Listener, Place, TextKind, Turn};
use crate::dialect::{Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::Usage;

#[derive(Debug, Default)]
pub(super) struct Answer {
    usage: Map<String, Value>,
    stop_reason: Option<String>,
    /// Why the model refused, if it did and said so.
    explanation: Option<String>,
}

impl Listener for Answer {
    fn hear(&mut self, payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard {
        let place = (payload.get("index").and_then(Value::as_u64).unwrap_or_default(), 0);
        match text(payload, "type").unwrap_or_default() {
            "message_start" => self.start(payload, turn, step),
            "content_block_start" => {
                return object(payload, "content_block").map_or_else(
                    || unknown("content_block_start", ""),
                    |block| begin(place, block, turn, step),
                );
            }
            "content_block_delta" => {
                return object(payload, "delta").map_or_else(
                    || unknown("content_block_delta", ""),
                    |delta| grow(place, delta, turn, step),
                );
            }
            "content_block_stop" => turn.close(place, step),
            "message_delta" => self.change(payload, turn, step),
            "message_stop" => return Heard::End(self.finish()),
            "ping" => {}
            "error" => return Heard::Error(error(payload).unwrap_or_else(nameless)),
            other => return unknown("event", other),
        }
        Heard::Part
    }
}

impl Answer {
    fn start(&mut self, payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) {
        let Some(message) = object(payload, "message") else { return };
        if let Some(model) = text(message, "model") {
            step.notify(Notice::Model { model: model.to_owned() });
        }
        if let Some(usage) = object(message, "usage") {
            self.usage.clone_from(usage);
            turn.count(self.usage(), step);
        }
    }

    /// Counts are totals of the message so far, so the newest are right.
    fn change(&mut self, payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) {
        if let Some(delta) = object(payload, "delta") {
            self.stop_reason = text(delta, "stop_reason").map(str::to_owned);
            let details = object(delta, "stop_details");
            self.explanation = details.and_then(|details| text(details, "explanation")).map(str::to_owned);
        }
        if let Some(counts) = object(payload, "usage") {
            let told = counts.iter().filter(|(_, count)| !count.is_null());
            self.usage.extend(told.map(|(key, count)| (key.clone(), count.clone())));
            turn.count(self.usage(), step);
        }
    }

    fn usage(&self) -> Usage {
        let count = |key| self.usage.get(key).and_then(Value::as_u64);
        Usage {
            input_tokens: count("input_tokens").unwrap_or_default(),
            output_tokens: count("output_tokens").unwrap_or_default(),
            cache_read_input_tokens: count("cache_read_input_tokens"),
            cache_creation_input_tokens: count("cache_creation_input_tokens"),
            cost_usd: None,
        }
    }

    fn finish(&mut self) -> Finish {
        let reason = self.stop_reason.take().unwrap_or_else(|| "unknown".to_owned());
        match reason.as_str() {
            "refusal" => Finish::Refused { explanation: self.explanation.take() },
            "max_tokens" | "model_context_window_exceeded" | "pause_turn" => Finish::CutShort { reason },
            _ => Finish::Whole { reason },
        }
    }
}

fn begin(place: Place, block: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard {
    match text(block, "type").unwrap_or_default() {
        "text" => turn.grow_text(place, TextKind::Message, text(block, "text").unwrap_or_default(), step),
        "thinking" => {
            turn.grow_text(place, TextKind::Reasoning, text(block, "thinking").unwrap_or_default(), step);
        }
        // The model never shows what these hold.
        "redacted_thinking" => {}
        "tool_use" => {
            let field = |key| text(block, key).unwrap_or_default();
            turn.begin_call(place, field("name"), field("id"), step);
        }
        other => return unknown("block", other),
    }
    Heard::Part
}

fn grow(place: Place, delta: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard {
    let field = |key| text(delta, key).unwrap_or_default();
    match field("type") {
        "text_delta" => turn.grow_text(place, TextKind::Message, field("text"), step),
        "thinking_delta" => turn.grow_text(place, TextKind::Reasoning, field("thinking"), step),
        "input_json_delta" => turn.grow_call(place, field("partial_json"), step),
        // Proofs and sources of what is said; neither is shown.
        "signature_delta" | "citations_delta" => {}
        other => return unknown("delta", other),
    }
    Heard::Part
}

fn unknown(what: &str, kind: &str) -> Heard {
    Heard::Unknown(format!("{what} {kind}").trim_end().to_owned())
}

fn nameless() -> ErrorInfo {
    ErrorInfo::new(ErrorCode::ResponseError, "the API reported an error and did not say which")
}
