//! The events of a streamed answer, exactly as the Messages API writes them.

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::ErrorDetail;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    MessageStart { message: MessageBody<'a> },
    Ping,
    ContentBlockStart { index: usize, content_block: ContentBlock<'a> },
    ContentBlockDelta { index: usize, delta: Delta<'a> },
    ContentBlockStop { index: usize },
    MessageDelta { delta: StopDelta<'a>, usage: TokenUsage },
    MessageStop,
    Error { error: ErrorDetail<'a> },
}

/// A message: at the start of a stream still empty, without streaming whole.
#[derive(Serialize)]
pub(super) struct MessageBody<'a> {
    pub(super) id: &'a str,
    pub(super) r#type: &'static str,
    pub(super) role: &'static str,
    pub(super) model: &'a str,
    pub(super) content: Vec<ContentBlock<'a>>,
    pub(super) stop_reason: Option<&'a str>,
    pub(super) stop_sequence: Option<&'a str>,
    pub(super) usage: TokenUsage,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ContentBlock<'a> {
    Text { text: &'a str },
    Thinking { thinking: &'a str, signature: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Map<String, Value> },
}

#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Delta<'a> {
    #[serde(rename = "text_delta")]
    Text { text: &'a str },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: &'a str },
    #[serde(rename = "signature_delta")]
    Signature { signature: &'a str },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: &'a str },
}

#[derive(Serialize)]
pub(super) struct StopDelta<'a> {
    pub(super) stop_reason: &'a str,
    pub(super) stop_sequence: Option<&'a str>,
}

#[derive(Serialize, Clone, Copy)]
pub(super) struct TokenUsage {
    pub(super) input_tokens: u64,
    pub(super) cache_creation_input_tokens: u64,
    pub(super) cache_read_input_tokens: u64,
    pub(super) output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'static str>,
}

impl Event<'_> {
    /// The event as a frame of the stream.
    pub(super) fn frame(&self) -> String {
        // Structs of strings and numbers always have a JSON form, so the empty default is never sent.
        let data = serde_json::to_string(self).unwrap_or_default();
        format!("event: {}\ndata: {data}\n\n", self.name())
    }

    fn name(&self) -> &'static str {
        match self {
            Self::MessageStart { .. } => "message_start",
            Self::Ping => "ping",
            Self::ContentBlockStart { .. } => "content_block_start",
            Self::ContentBlockDelta { .. } => "content_block_delta",
            Self::ContentBlockStop { .. } => "content_block_stop",
            Self::MessageDelta { .. } => "message_delta",
            Self::MessageStop => "message_stop",
            Self::Error { .. } => "error",
        }
    }
}
