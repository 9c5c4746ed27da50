//! Claude Code's lines as they are read. Owns how forgiving that is: a field that is missing or of another type
//! than expected is absent, and only a line that is no JSON object with a `type` is not understood at all.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::tool_result::result_text;
pub(super) use crate::dialect::fields::{flag, list, object, text};
use crate::event::Usage;
use crate::ids::CallId;

/// One line.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// A part of a message while the model writes it. By far the most frequent line, so it is read in place.
    Part(Part<'a>),
    /// A part of a sub-agent's message; what it is a part of comes as a whole as well.
    NestedPart,
    /// Anything else.
    Whole(String, Map<String, Value>),
}

impl<'a> Line<'a> {
    /// Reads a line, and the id that no other line has.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Option<Uuid>, Self)> {
        let head: Head<'a> = serde_json::from_slice(bytes).ok()?;
        // What withdraws a request has the id of the request.
        let own = head.request_id.filter(|_| head.kind == "control_request");
        let id = head.uuid.or(own).and_then(|id| Uuid::parse_str(id.get().trim_matches('"')).ok());
        Some((id, Self::behind(head, bytes)?))
    }

    fn behind(head: Head<'a>, bytes: &'a [u8]) -> Option<Self> {
        if head.kind == "stream_event"
            && let Some(event) = head.event
        {
            return match head.parent_tool_use_id {
                Some(_) => Some(Self::NestedPart),
                None => serde_json::from_str(event.get()).ok().map(Self::Part),
            };
        }
        Some(Self::Whole(head.kind.into_owned(), serde_json::from_slice(bytes).ok()?))
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    event: Option<&'a RawValue>,
    #[serde(default)]
    parent_tool_use_id: Option<IgnoredAny>,
    #[serde(default, borrow)]
    uuid: Option<&'a RawValue>,
    #[serde(default, borrow)]
    request_id: Option<&'a RawValue>,
}

/// A part of a message, in the words of the Messages API.
#[derive(Debug, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(default)]
    pub(super) index: u64,
    #[serde(default)]
    pub(super) message: Option<MessageHead>,
    #[serde(default)]
    pub(super) content_block: Option<Map<String, Value>>,
    #[serde(default, borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(default)]
    pub(super) usage: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageHead {
    pub(super) id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(default, borrow)]
    text: Cow<'a, str>,
    #[serde(default, borrow)]
    thinking: Cow<'a, str>,
    #[serde(default, borrow)]
    partial_json: Cow<'a, str>,
    #[serde(default)]
    stop_reason: Option<IgnoredAny>,
}

impl Delta<'_> {
    /// What is added, whichever kind of block it is for. Signatures are nobody's to see.
    pub(super) fn added(&self) -> &str {
        [&self.text, &self.thinking, &self.partial_json]
            .into_iter()
            .find(|text| !text.is_empty())
            .map_or("", |text| text)
    }

    /// Whether the message ended by itself. Of a stream that broke, the CLI makes up the end without a reason.
    pub(super) const fn has_stopped(&self) -> bool {
        self.stop_reason.is_some()
    }
}

/// One block of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Text(String),
    Thinking(String),
    Call(Call),
    Result(CallResult),
    Unknown(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) id: CallId,
    pub(super) name: String,
    pub(super) input: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallResult {
    pub(super) id: CallId,
    pub(super) output: String,
    pub(super) is_error: bool,
}

impl Block {
    pub(super) fn read(block: &Map<String, Value>) -> Self {
        let kind = text(block, "type").unwrap_or_default();
        match kind {
            "text" => Self::Text(text(block, "text").unwrap_or_default().to_owned()),
            "thinking" => Self::Thinking(text(block, "thinking").unwrap_or_default().to_owned()),
            // The model never shows what these hold.
            "redacted_thinking" => Self::Thinking(String::new()),
            _ => Self::read_call(kind, block)
                .or_else(|| Self::read_result(kind, block))
                .unwrap_or_else(|| Self::Unknown(format!("block {kind}"))),
        }
    }

    /// `tool_use`, and its relatives that the API runs itself.
    fn read_call(kind: &str, block: &Map<String, Value>) -> Option<Self> {
        let id = text(block, "id").filter(|_| kind.ends_with("tool_use"))?;
        let name = text(block, "name")?.to_owned();
        let input = object(block, "input").cloned().unwrap_or_default();
        Some(Self::Call(Call { id: CallId::from(id), name, input }))
    }

    fn read_result(kind: &str, block: &Map<String, Value>) -> Option<Self> {
        let id = text(block, "tool_use_id").filter(|_| kind.ends_with("tool_result"))?;
        let output = block.get("content").map(result_text).unwrap_or_default();
        Some(Self::Result(CallResult { id: CallId::from(id), output, is_error: flag(block, "is_error") }))
    }
}

/// The blocks of a line's message; a text that stands alone is a block of text.
pub(super) fn blocks(line: &Map<String, Value>) -> Vec<Block> {
    match object(line, "message").and_then(|message| message.get("content")) {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(blocks)) => blocks.iter().filter_map(Value::as_object).map(Block::read).collect(),
        Some(_) | None => Vec::new(),
    }
}

/// The tokens that a message or a turn took.
pub(super) fn usage(usage: &Map<String, Value>) -> Usage {
    let count = |key| usage.get(key).and_then(Value::as_u64);
    Usage {
        input_tokens: count("input_tokens").unwrap_or_default(),
        output_tokens: count("output_tokens").unwrap_or_default(),
        cache_read_input_tokens: count("cache_read_input_tokens"),
        cache_creation_input_tokens: count("cache_creation_input_tokens"),
        cost_usd: None,
    }
}
