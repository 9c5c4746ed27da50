//! One streamed response. Owns the meaning of its events. A part of an output item is an item of ours; an output item is
//! told in pieces and then as a whole, and whichever of these comes is enough.

use serde_json::{Map, Value};

use super::error;
use crate::dialect::fields::{object, objects, text};
use crate::dialect::model_api::{Finish, Heard, Listener, Place, TextKind, Turn};
use crate::dialect::{Notice, Step};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::Usage;

/// The parts of thoughts stand behind those of their summary.
const THOUGHTS: u64 = 1 << 32;

#[derive(Debug, Default)]
pub(super) struct Answer {
    is_refused: bool,
}

impl Listener for Answer {
    fn hear(&mut self, payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard {
        let kind = text(payload, "type").unwrap_or_default();
        if let Some((kind, place, whole)) = text_of(kind, payload) {
            self.is_refused |= kind == Said::Refusal;
            return said(kind.shown(), place, whole, payload, turn, step);
        }
        match kind {
            "response.created" => tell_model(payload, step),
            "response.output_item.added" => return self.item(payload, Told::Begun, turn, step),
            "response.output_item.done" => return self.item(payload, Told::Done, turn, step),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                turn.grow_call((number(payload, "output_index"), 0), field(payload, "delta"), step);
            }
            "response.completed" => return self.completed(payload, turn, step),
            "response.incomplete" => return incomplete(payload, turn, step),
            "response.failed" => {
                let told = object(payload, "response")
                    .and_then(|response| object(response, "error"))
                    .and_then(error);
                return Heard::Error(told.unwrap_or_else(nameless));
            }
            "error" => return Heard::Error(stream_error(payload)),
            other if is_silent(other) => {}
            other => return Heard::Unknown(format!("event {other}")),
        }
        Heard::Part
    }
}

/// How much of an output item is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Begun,
    Done,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Text,
    Refusal,
    Thought,
}

impl Said {
    /// A refusal is what the model says.
    const fn shown(self) -> TextKind {
        match self {
            Self::Text | Self::Refusal => TextKind::Message,
            Self::Thought => TextKind::Reasoning,
        }
    }
}

impl Answer {
    fn item(
        &mut self,
        payload: &Map<String, Value>,
        told: Told,
        turn: &mut Turn,
        step: &mut Step<'_>,
    ) -> Heard {
        let Some(item) = object(payload, "item") else { return Heard::Unknown("item".to_owned()) };
        let index = number(payload, "output_index");
        match (field(item, "type"), told) {
            ("message" | "reasoning", Told::Begun) => {}
            ("message", Told::Done) => self.message(index, item, turn, step),
            ("reasoning", Told::Done) => reasoning(index, item, turn, step),
            ("function_call", told) => call(index, item, "arguments", told, turn, step),
            ("custom_tool_call", told) => call(index, item, "input", told, turn, step),
            (other, _) => return Heard::Unknown(format!("item {other}")),
        }
        Heard::Part
    }

    fn message(&mut self, index: u64, item: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) {
        for (part, number) in objects(item, "content").zip(0_u64..) {
            let refusal = text(part, "refusal");
            self.is_refused |= refusal.is_some();
            if let Some(whole) = refusal.or_else(|| text(part, "text")) {
                turn.settle_text((index, number), TextKind::Message, whole, step);
            }
        }
    }

    fn completed(&self, payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard {
        let Some(response) = object(payload, "response") else { return Heard::Error(nameless()) };
        count(response, turn, step);
        Heard::End(match self.is_refused {
            true => Finish::Refused { explanation: None },
            false => Finish::Whole { reason: text(response, "status").unwrap_or("completed").to_owned() },
        })
    }
}

/// The text that an event tells: what it is, where, and the field with all of it if it is the last of it.
fn text_of(kind: &str, payload: &Map<String, Value>) -> Option<(Said, Place, Option<&'static str>)> {
    let (stem, is_done) = match (kind.strip_suffix(".delta"), kind.strip_suffix(".done")) {
        (Some(stem), _) => (stem, false),
        (None, Some(stem)) => (stem, true),
        (None, None) => return None,
    };
    let (said, part, whole) = match stem {
        "response.output_text" => (Said::Text, number(payload, "content_index"), "text"),
        "response.refusal" => (Said::Refusal, number(payload, "content_index"), "refusal"),
        "response.reasoning_summary_text" => (Said::Thought, number(payload, "summary_index"), "text"),
        "response.reasoning_text" => {
            (Said::Thought, number(payload, "content_index").saturating_add(THOUGHTS), "text")
        }
        _ => return None,
    };
    Some((said, (number(payload, "output_index"), part), is_done.then_some(whole)))
}

fn said(
    kind: TextKind,
    place: Place,
    whole: Option<&str>,
    payload: &Map<String, Value>,
    turn: &mut Turn,
    step: &mut Step<'_>,
) -> Heard {
    match whole.map(|whole| text(payload, whole)) {
        None => turn.grow_text(place, kind, field(payload, "delta"), step),
        Some(Some(whole)) => turn.settle_text(place, kind, whole, step),
        Some(None) => turn.close(place, step),
    }
    Heard::Part
}

fn reasoning(index: u64, item: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) {
    for (key, first) in [("summary", 0), ("content", THOUGHTS)] {
        for (part, number) in objects(item, key).zip(first..) {
            turn.settle_text((index, number), TextKind::Reasoning, field(part, "text"), step);
        }
    }
}

fn call(
    index: u64,
    item: &Map<String, Value>,
    arguments: &str,
    told: Told,
    turn: &mut Turn,
    step: &mut Step<'_>,
) {
    turn.begin_call((index, 0), field(item, "name"), field(item, "call_id"), step);
    if told == Told::Done {
        turn.settle_call((index, 0), field(item, arguments), step);
    }
}

fn incomplete(payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard {
    let Some(response) = object(payload, "response") else { return Heard::Error(nameless()) };
    count(response, turn, step);
    let details = object(response, "incomplete_details");
    let reason = details.and_then(|details| text(details, "reason")).unwrap_or("incomplete");
    Heard::End(Finish::CutShort { reason: reason.to_owned() })
}

/// Here the tokens that were read include those of the cache; ours do not.
fn count(response: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) {
    let Some(usage) = object(response, "usage") else { return };
    let cached = object(usage, "input_tokens_details").and_then(|details| details.get("cached_tokens"));
    let cached = cached.and_then(Value::as_u64);
    let usage = Usage {
        input_tokens: number(usage, "input_tokens").saturating_sub(cached.unwrap_or_default()),
        output_tokens: number(usage, "output_tokens"),
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: None,
        cost_usd: None,
    };
    turn.count(usage, step);
}

fn tell_model(payload: &Map<String, Value>, step: &mut Step<'_>) {
    let response = object(payload, "response");
    if let Some(model) = response.and_then(|response| text(response, "model")) {
        step.notify(Notice::Model { model: model.to_owned() });
    }
}

/// An error stands in the event itself, or one level deeper.
fn stream_error(payload: &Map<String, Value>) -> ErrorInfo {
    object(payload, "error").and_then(error).or_else(|| error(payload)).unwrap_or_else(nameless)
}

/// Known, and told by other events as well.
fn is_silent(kind: &str) -> bool {
    matches!(
        kind,
        "response.in_progress"
            | "response.queued"
            | "response.content_part.added"
            | "response.content_part.done"
            | "response.reasoning_summary_part.added"
            | "response.reasoning_summary_part.done"
            | "response.function_call_arguments.done"
            | "response.custom_tool_call_input.done"
            | "response.output_text.annotation.added"
    )
}

fn field<'a>(map: &'a Map<String, Value>, key: &str) -> &'a str {
    text(map, key).unwrap_or_default()
}

fn number(map: &Map<String, Value>, key: &str) -> u64 {
    map.get(key).and_then(Value::as_u64).unwrap_or_default()
}

fn nameless() -> ErrorInfo {
    ErrorInfo::new(ErrorCode::ResponseError, "the API reported an error and did not say which")
}
