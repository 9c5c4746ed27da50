//! What a message holds. Owns the kinds of blocks; a block of a kind that nobody knows is told by its name.

use serde_json::{Map, Value};

use crate::dialect::user_message::{among_words, decoded_length, known_by_agent, nameless_image};
use crate::event::Attachment;

/// One block of a message.
#[derive(Debug)]
pub(super) enum Block<'a> {
    Text(&'a str),
    Thinking(&'a str),
    Call(Call<'a>),
    Result(CallResult<'a>),
    /// A file that came along.
    File(Attachment),
    /// Nothing for people.
    Hidden,
    /// A kind of a later version.
    Unknown(&'a str),
}

/// A tool is called.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) input: Option<&'a Map<String, Value>>,
}

/// A tool has answered.
#[derive(Debug)]
pub(super) struct CallResult<'a> {
    pub(super) id: &'a str,
    pub(super) content: &'a Value,
    pub(super) is_error: bool,
}

/// The blocks of a message; text that stands alone is a block too.
pub(super) fn blocks(content: Option<&Value>) -> Vec<Block<'_>> {
    match content {
        Some(Value::Array(blocks)) => blocks.iter().map(block).collect(),
        Some(single @ (Value::String(_) | Value::Object(_))) => vec![block(single)],
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => Vec::new(),
    }
}

/// The texts among blocks.
pub(super) fn texts<'a>(blocks: &[Block<'a>]) -> Vec<&'a str> {
    let text = |block: &Block<'a>| match block {
        Block::Text(text) => Some(*text),
        Block::File(_)
        | Block::Thinking(_)
        | Block::Call(_)
        | Block::Result(_)
        | Block::Hidden
        | Block::Unknown(_) => None,
    };
    blocks.iter().filter_map(text).collect()
}

/// The files among blocks.
pub(super) fn files(blocks: &[Block<'_>]) -> Vec<Attachment> {
    let file = |block: &Block<'_>| match block {
        Block::File(file) => Some(file.clone()),
        Block::Text(_)
        | Block::Thinking(_)
        | Block::Call(_)
        | Block::Result(_)
        | Block::Hidden
        | Block::Unknown(_) => None,
    };
    blocks.iter().filter_map(file).collect()
}

fn block(value: &Value) -> Block<'_> {
    if let Some(text) = value.as_str() {
        return Block::Text(text);
    }
    let text = |field: &str| value.get(field).and_then(Value::as_str);
    match text("type").unwrap_or("untyped") {
        "text" => text("text").map_or(Block::Hidden, words),
        "thinking" => text("thinking").map_or(Block::Hidden, Block::Thinking),
        "redacted_thinking" | "tool_reference" => Block::Hidden,
        kind @ ("image" | "document") => Block::File(file(kind, value)),
        kind @ ("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            call(value).unwrap_or(Block::Unknown(kind))
        }
        kind if kind.ends_with("tool_result") => result(value).unwrap_or(Block::Unknown(kind)),
        kind => Block::Unknown(kind),
    }
}

fn words(text: &str) -> Block<'_> {
    among_words(text).map_or(Block::Text(text), Block::File)
}

fn file<'a>(kind: &str, value: &'a Value) -> Attachment {
    let of = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    let data: Option<&'a str> = value.pointer("/source/data").and_then(Value::as_str);
    if kind == "image" {
        return nameless_image(of("/source/media_type").unwrap_or("image/png"), data.unwrap_or_default());
    }
    let mime_type = of("/source/media_type").unwrap_or("application/pdf");
    let name = of("/title").unwrap_or("document");
    known_by_agent(name, mime_type, data.map(decoded_length).unwrap_or_default())
}

fn call(value: &Value) -> Option<Block<'_>> {
    let (id, name) = (value.get("id")?.as_str()?, value.get("name")?.as_str()?);
    Some(Block::Call(Call { id, name, input: value.get("input").and_then(Value::as_object) }))
}

fn result(value: &Value) -> Option<Block<'_>> {
    let id = value.get("tool_use_id")?.as_str()?;
    let is_error = value.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    Some(Block::Result(CallResult { id, content: value.get("content").unwrap_or(&Value::Null), is_error }))
}
