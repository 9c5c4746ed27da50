//! The envelope around a canonical event. Owns strict reading and exact writing of whole events: every fault
//! is told with its place, unknown types are told as such, and what is read is written back the same.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::event::{
    EventType, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart,
    FunctionCallStart, ItemCancelled, ItemDelta, ItemDone, ItemError, ItemKind, ItemStart, MessageItem,
    PermissionItem, PermissionOutcome, PermissionRequest, Plan, ReasoningItem, ResponseDone, ResponseError,
    ResponseStart, StreamEvent, UsageUpdate,
};
use crate::ids::{CallId, EventId, ItemId, SessionId, TurnId};
use crate::read::{self, ReadError, object};
use crate::time::Timestamp;
use crate::trace_context::TraceContext;

/// One canonical event with what it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEventEnvelope {
    /// This event.
    pub event_id: EventId,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The distributed trace it belongs to.
    pub trace_context: Option<Arc<TraceContext>>,
    /// What happened.
    pub payload: StreamEvent,
}

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every line is an event, and is moved once")]
pub enum Reading {
    /// An event.
    Event(StreamEventEnvelope),
    /// Well-formed, but of a type that this version does not know; to be skipped.
    Unknown(UnknownType),
}

impl Reading {
    /// The event, if its type is known.
    #[must_use]
    pub fn event(self) -> Option<StreamEventEnvelope> {
        match self {
            Self::Event(event) => Some(event),
            Self::Unknown(_) => None,
        }
    }
}

/// A type from a later version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownType {
    /// Where the word stands.
    pub path: &'static str,
    /// The word.
    pub word: String,
}

/// Reads one canonical event.
pub fn read(json: &str) -> Result<Reading, ReadError> {
    EventReader::default().read(json)
}

/// Reads one canonical event from bytes.
pub fn read_bytes(json: &[u8]) -> Result<Reading, ReadError> {
    read(read::utf8(json)?)
}

/// Reads a stream of canonical events. Neighbours mostly share their session, turn and item, so the last ids are
/// kept: an event then costs no copy of them.
#[derive(Debug, Default)]
pub struct EventReader {
    session_id: Option<SessionId>,
    turn_id: Option<TurnId>,
    item_id: Option<ItemId>,
}

impl EventReader {
    /// Reads the next event.
    pub fn read(&mut self, json: &str) -> Result<Reading, ReadError> {
        let head = object!(Head<'_>, json, "")?;
        let payload = head.payload.get();
        if let Some(delta) = self.read_delta(&head) {
            return Ok(Reading::Event(self.envelope(&head, StreamEvent::ItemDelta(delta))));
        }
        let payload_type = object!(TypeTag<'_>, payload, "payload")?.word;
        if payload_type != head.event_type {
            let expected = format!("`{}`, the type of the envelope", head.event_type);
            return Err(ReadError::new("payload.type", expected, format!("`{payload_type}`")));
        }
        let Some(event_type) = EventType::from_word(&head.event_type) else {
            return Ok(unknown("type", head.event_type));
        };
        Ok(match read_payload(event_type, payload)? {
            Ok(payload) => Reading::Event(self.envelope(&head, payload)),
            Err(unknown) => Reading::Unknown(unknown),
        })
    }

    /// Reads the next event from bytes.
    pub fn read_bytes(&mut self, json: &[u8]) -> Result<Reading, ReadError> {
        self.read(read::utf8(json)?)
    }

    /// Nearly every event is a delta, so a good one is read in one pass. Anything odd is left to the long way, which
    /// finds the fault.
    fn read_delta(&mut self, head: &Head<'_>) -> Option<ItemDelta> {
        if head.event_type != "item_delta" {
            return None;
        }
        let DeltaLine { word, item_id, delta_content } = serde_json::from_str(head.payload.get()).ok()?;
        if word != head.event_type {
            return None;
        }
        let item_id = shared(&mut self.item_id, &item_id, ItemId::as_str);
        Some(ItemDelta { item_id, delta_content })
    }

    fn envelope(&mut self, head: &Head<'_>, payload: StreamEvent) -> StreamEventEnvelope {
        StreamEventEnvelope {
            event_id: head.event_id.as_ref().into(),
            timestamp: head.timestamp,
            turn_id: shared(&mut self.turn_id, &head.turn_id, TurnId::as_str),
            session_id: shared(&mut self.session_id, &head.session_id, SessionId::as_str),
            trace_context: head.trace_context.clone(),
            payload,
        }
    }
}

/// The id of a text: the last one if it is the same.
fn shared<T: Clone + for<'a> From<&'a str>>(last: &mut Option<T>, text: &str, as_str: fn(&T) -> &str) -> T {
    match last {
        Some(id) if as_str(id) == text => id.clone(),
        _ => last.insert(text.into()).clone(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow)]
    event_id: Cow<'a, str>,
    timestamp: Timestamp,
    #[serde(borrow)]
    turn_id: Cow<'a, str>,
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(rename = "type", borrow)]
    event_type: Cow<'a, str>,
    #[serde(default, deserialize_with = "read::optional_map")]
    trace_context: Option<Arc<TraceContext>>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeltaLine<'a> {
    #[serde(rename = "type", borrow)]
    word: Cow<'a, str>,
    #[serde(borrow)]
    item_id: Cow<'a, str>,
    delta_content: String,
}

#[derive(Deserialize)]
struct TypeTag<'a> {
    #[serde(rename = "type", borrow)]
    word: Cow<'a, str>,
}

fn unknown(path: &'static str, word: Cow<'_, str>) -> Reading {
    Reading::Unknown(UnknownType { path, word: word.into_owned() })
}

/// The inner error is a type to be skipped, the outer one a fault.
fn read_payload(event_type: EventType, json: &str) -> Result<Result<StreamEvent, UnknownType>, ReadError> {
    const AT: &str = "payload";
    Ok(Ok(match event_type {
        EventType::ResponseStart => StreamEvent::ResponseStart(object!(ResponseStart, json, AT)?),
        EventType::ItemStart => return read_start(json),
        EventType::ItemDelta => StreamEvent::ItemDelta(object!(ItemDelta, json, AT)?),
        EventType::ItemDone => return read_done(json),
        EventType::ItemError => StreamEvent::ItemError(object!(ItemError, json, AT)?),
        EventType::ItemCancelled => StreamEvent::ItemCancelled(object!(ItemCancelled, json, AT)?),
        EventType::UsageUpdate => StreamEvent::UsageUpdate(object!(UsageUpdate, json, AT)?),
        EventType::ResponseDone => StreamEvent::ResponseDone(object!(ResponseDone, json, AT)?),
        EventType::ResponseError => StreamEvent::ResponseError(object!(ResponseError, json, AT)?),
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartHead<'a> {
    item_id: ItemId,
    #[serde(borrow)]
    item_type: Cow<'a, str>,
    #[serde(default)]
    initial_content: Option<String>,
    #[serde(default)]
    parent_call_id: Option<CallId>,
}

fn read_start(json: &str) -> Result<Result<StreamEvent, UnknownType>, ReadError> {
    let StartHead { item_id, item_type, initial_content, parent_call_id } =
        object!(StartHead<'_>, json, "payload")?;
    let Some(kind) = read_kind(&item_type, json)? else {
        return Ok(Err(UnknownType { path: "payload.itemType", word: item_type.into_owned() }));
    };
    Ok(Ok(StreamEvent::ItemStart(ItemStart { item_id, kind, initial_content, parent_call_id })))
}

fn read_kind(item_type: &str, json: &str) -> Result<Option<ItemKind>, ReadError> {
    const AT: &str = "payload";
    Ok(Some(match item_type {
        "message" => ItemKind::Message,
        "reasoning" => ItemKind::Reasoning,
        "function_call" => ItemKind::FunctionCall(object!(FunctionCallStart, json, AT)?),
        "function_call_output" => ItemKind::FunctionCallOutput(object!(FunctionCallOutputStart, json, AT)?),
        "plan" => ItemKind::Plan(object!(Plan, json, AT)?),
        "permission" => ItemKind::Permission(object!(PermissionRequest, json, AT)?),
        _ => return Ok(None),
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DoneHead<'a> {
    item_id: ItemId,
    #[serde(borrow)]
    final_item: &'a RawValue,
}

fn read_done(json: &str) -> Result<Result<StreamEvent, UnknownType>, ReadError> {
    let DoneHead { item_id, final_item } = object!(DoneHead<'_>, json, "payload")?;
    let word = object!(TypeTag<'_>, final_item.get(), "payload.finalItem")?.word;
    let Some(final_item) = read_final(&word, final_item.get())? else {
        return Ok(Err(UnknownType { path: "payload.finalItem.type", word: word.into_owned() }));
    };
    Ok(Ok(StreamEvent::ItemDone(ItemDone { item_id, final_item })))
}

fn read_final(item_type: &str, json: &str) -> Result<Option<FinalItem>, ReadError> {
    const AT: &str = "payload.finalItem";
    Ok(Some(match item_type {
        "message" => FinalItem::Message(object!(MessageItem, json, AT)?),
        "reasoning" => FinalItem::Reasoning(object!(ReasoningItem, json, AT)?),
        "function_call" => FinalItem::FunctionCall(object!(FunctionCallItem, json, AT)?),
        "function_call_output" => FinalItem::FunctionCallOutput(object!(FunctionCallOutputItem, json, AT)?),
        "plan" => FinalItem::Plan(object!(Plan, json, AT)?),
        "permission" => FinalItem::Permission(PermissionItem {
            request: object!(PermissionRequest, json, AT)?,
            outcome: object!(Answered, json, AT)?.outcome,
        }),
        _ => return Ok(None),
    }))
}

#[derive(Deserialize)]
struct Answered {
    #[serde(deserialize_with = "read::from_map")]
    outcome: PermissionOutcome,
}

/// By hand, because `type` stands twice on the wire and once in the value.
impl Serialize for StreamEventEnvelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer
            .serialize_struct("StreamEventEnvelope", 6 + usize::from(self.trace_context.is_some()))?;
        fields.serialize_field("eventId", &self.event_id)?;
        fields.serialize_field("timestamp", &self.timestamp)?;
        fields.serialize_field("turnId", &self.turn_id)?;
        fields.serialize_field("sessionId", &self.session_id)?;
        fields.serialize_field("type", &self.payload.event_type())?;
        match &self.trace_context {
            Some(trace) => fields.serialize_field("traceContext", trace)?,
            None => fields.skip_field("traceContext")?,
        }
        fields.serialize_field("payload", &self.payload)?;
        fields.end()
    }
}

impl JsonSchema for StreamEventEnvelope {
    fn schema_name() -> Cow<'static, str> {
        EnvelopeShape::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        EnvelopeShape::json_schema(generator)
    }
}

/// The envelope's shape on the wire, for the generated contracts only.
#[derive(JsonSchema, TS)]
#[schemars(rename = "StreamEventEnvelope", rename_all = "camelCase")]
#[ts(rename = "StreamEventEnvelope", rename_all = "camelCase")]
#[expect(dead_code, reason = "only its derived descriptions are used")]
pub(crate) struct EnvelopeShape {
    /// This event.
    event_id: EventId,
    /// When it happened.
    timestamp: Timestamp,
    /// The turn it belongs to.
    turn_id: TurnId,
    /// The session it belongs to.
    session_id: SessionId,
    /// Equal to the payload's type.
    r#type: EventType,
    /// The distributed trace it belongs to.
    #[ts(optional)]
    trace_context: Option<Arc<TraceContext>>,
    /// What happened.
    payload: StreamEvent,
}
