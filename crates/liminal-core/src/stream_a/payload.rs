//! The payloads of Stream A. Owns their shapes and what each is called in canonical events.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::ErrorInfo;
use crate::event::{
    CancelReason, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart,
    FunctionCallStart, ItemCancelled, ItemDelta, ItemDone, ItemError, ItemKind, ItemStart, MessageItem,
    Origin, ReasoningItem, ResponseDone, ResponseError, ResponseStart, ResponseStatus, StreamEvent,
    ToolArguments, ToolDetails, Usage,
};
use crate::ids::{CallId, ItemId, SessionId, TurnId};
use crate::read::{self, ReadError, object};

const AT: &str = "payload";
const FINAL: &str = "payload.final_item";

/// Reads a payload; `None` is one that canonical events have no word for.
pub(super) fn read(
    event_type: &str,
    json: &str,
    provider_id: Option<&str>,
) -> Result<Option<StreamEvent>, ReadError> {
    Ok(match event_type {
        "response_start" => Some(response_start(object!(Start, json, AT)?)),
        "item_start" => item_start(object!(StartItem, json, AT)?),
        "item_delta" => Some(item_delta(object!(Delta, json, AT)?)),
        "item_done" => item_done(json, provider_id)?,
        "item_error" => Some(item_error(object!(Failed, json, AT)?)),
        "item_cancelled" => Some(item_cancelled(object!(Cancelled, json, AT)?)),
        "response_done" => Some(response_done(object!(Done, json, AT)?)),
        "response_error" => {
            Some(StreamEvent::ResponseError(ResponseError { error: object!(Broken, json, AT)?.error }))
        }
        _ => None,
    })
}

/// A run begins.
#[derive(Deserialize)]
pub(super) struct Start {
    pub(super) turn_id: TurnId,
    pub(super) thread_id: SessionId,
    pub(super) provider_id: String,
    model_id: String,
}

fn response_start(start: Start) -> StreamEvent {
    let Start { model_id, provider_id, .. } = start;
    StreamEvent::ResponseStart(ResponseStart { model_id, provider_id })
}

#[derive(Deserialize)]
struct StartItem {
    item_id: ItemId,
    item_type: String,
    #[serde(default)]
    initial_content: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    call_id: Option<CallId>,
    #[serde(default)]
    arguments: Option<String>,
}

fn item_start(start: StartItem) -> Option<StreamEvent> {
    let StartItem { item_id, item_type, initial_content, name, call_id, arguments } = start;
    let kind = match item_type.as_str() {
        "message" => ItemKind::Message,
        "reasoning" => ItemKind::Reasoning,
        // Most sources tell the call id only at the end; such a call begins when it is done.
        "function_call" => {
            let details = ToolDetails::default();
            ItemKind::FunctionCall(FunctionCallStart {
                name: name?,
                call_id: call_id?,
                details,
                detached: false,
            })
        }
        "function_call_output" => ItemKind::FunctionCallOutput(FunctionCallOutputStart { call_id }),
        _ => return None,
    };
    let initial_content = initial_content.or(arguments);
    Some(StreamEvent::ItemStart(ItemStart { item_id, kind, initial_content, parent_call_id: None }))
}

#[derive(Deserialize)]
struct Delta {
    item_id: ItemId,
    delta_content: String,
}

fn item_delta(delta: Delta) -> StreamEvent {
    let Delta { item_id, delta_content } = delta;
    StreamEvent::ItemDelta(ItemDelta { item_id, delta_content })
}

#[derive(Deserialize)]
struct DoneHead<'a> {
    item_id: ItemId,
    #[serde(borrow)]
    final_item: &'a RawValue,
}

#[derive(Deserialize)]
struct FinalType {
    r#type: String,
}

fn item_done(json: &str, provider_id: Option<&str>) -> Result<Option<StreamEvent>, ReadError> {
    let DoneHead { item_id, final_item } = object!(DoneHead<'_>, json, AT)?;
    let json = final_item.get();
    let final_item = match object!(FinalType, json, FINAL)?.r#type.as_str() {
        "message" => FinalItem::Message(object!(FinalMessage, json, FINAL)?.into()),
        "reasoning" => {
            let content = object!(FinalReasoning, json, FINAL)?.content;
            let provider_id = provider_id.unwrap_or("unknown").to_owned();
            FinalItem::Reasoning(ReasoningItem { content, provider_id })
        }
        "function_call" => FinalItem::FunctionCall(object!(FinalCall, json, FINAL)?.into()),
        "function_call_output" => FinalItem::FunctionCallOutput(object!(FinalOutput, json, FINAL)?.into()),
        _ => return Ok(None),
    };
    Ok(Some(StreamEvent::ItemDone(ItemDone { item_id, final_item })))
}

#[derive(Deserialize)]
struct FinalMessage {
    content: String,
    #[serde(default)]
    origin: Option<Origin>,
}

impl From<FinalMessage> for MessageItem {
    fn from(message: FinalMessage) -> Self {
        Self::new(message.content, message.origin.unwrap_or(Origin::Agent))
    }
}

#[derive(Deserialize)]
struct FinalReasoning {
    content: String,
}

#[derive(Deserialize)]
struct FinalCall {
    name: String,
    call_id: CallId,
    arguments: String,
}

impl From<FinalCall> for FunctionCallItem {
    fn from(call: FinalCall) -> Self {
        let FinalCall { name, call_id, arguments } = call;
        let (arguments, raw_arguments) = parsed(arguments);
        Self { name, call_id, arguments, raw_arguments, details: ToolDetails::default() }
    }
}

/// Models write broken arguments at times; what they wrote is still worth showing.
fn parsed(text: String) -> (ToolArguments, Option<String>) {
    if let Ok(arguments) = serde_json::from_str(&text) {
        return (Arc::new(arguments), None);
    }
    let is_blank = text.trim().is_empty();
    let wrapped = (!is_blank).then(|| ("_raw".to_owned(), Value::String(text.clone())));
    (Arc::new(Map::from_iter(wrapped)), Some(text))
}

#[derive(Deserialize)]
struct FinalOutput {
    call_id: CallId,
    output: String,
    #[serde(default)]
    success: Option<bool>,
}

impl From<FinalOutput> for FunctionCallOutputItem {
    fn from(output: FinalOutput) -> Self {
        let FinalOutput { call_id, output, success } = output;
        Self { call_id, output, is_error: success == Some(false), details: ToolDetails::default() }
    }
}

#[derive(Deserialize)]
struct Failed {
    item_id: ItemId,
    #[serde(deserialize_with = "read::from_map")]
    error: ErrorInfo,
}

fn item_error(failed: Failed) -> StreamEvent {
    let Failed { item_id, error } = failed;
    StreamEvent::ItemError(ItemError { item_id, error })
}

#[derive(Deserialize)]
struct Cancelled {
    item_id: ItemId,
    #[serde(default)]
    reason: Option<String>,
}

fn item_cancelled(cancelled: Cancelled) -> StreamEvent {
    let Cancelled { item_id, reason } = cancelled;
    let reason = reason.as_deref().and_then(CancelReason::from_word);
    StreamEvent::ItemCancelled(ItemCancelled { item_id, reason })
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Complete,
    Error,
    Aborted,
}

#[derive(Deserialize)]
struct Done {
    status: Status,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "read::optional_map")]
    usage: Option<Counts>,
    #[serde(default, deserialize_with = "read::optional_map")]
    error: Option<ErrorInfo>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: u64,
    completion_tokens: u64,
}

fn response_done(done: Done) -> StreamEvent {
    let Done { status, finish_reason, usage, error } = done;
    let status = match status {
        Status::Complete => ResponseStatus::Completed,
        Status::Error => ResponseStatus::Error,
        Status::Aborted => ResponseStatus::Cancelled,
    };
    let usage = usage.map(|counts| Usage {
        input_tokens: counts.prompt_tokens,
        output_tokens: counts.completion_tokens,
        cache_read_input_tokens: None,
        cache_creation_input_tokens: None,
        cost_usd: None,
    });
    StreamEvent::ResponseDone(ResponseDone { status, finish_reason, error, usage })
}

#[derive(Deserialize)]
struct Broken {
    #[serde(deserialize_with = "read::from_map")]
    error: ErrorInfo,
}
