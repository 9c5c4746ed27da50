//! An answer that has become a message of the API: it has identifiers, a stop reason and token counts.

use super::event::{ContentBlock, MessageBody, TokenUsage};
use crate::answer::{Answer, Block};
use crate::identifiers::Identifiers;

pub(super) struct Message {
    id: String,
    model: String,
    answer: Answer,
}

impl Message {
    pub(super) fn new(identifiers: &Identifiers, model: &str, mut answer: Answer) -> Self {
        answer.name_calls(|| identifiers.next("toolu_"));
        Self { id: identifiers.next("msg_"), model: model.to_owned(), answer }
    }

    /// The message as it is sent without streaming.
    pub(super) fn whole(&self) -> MessageBody<'_> {
        MessageBody {
            content: self.answer.blocks.iter().map(full_block).collect(),
            stop_reason: Some(self.stop_reason()),
            usage: self.usage(self.answer.output_tokens(), Some("standard")),
            ..self.head()
        }
    }

    /// The message as a stream announces it.
    pub(super) fn head(&self) -> MessageBody<'_> {
        MessageBody {
            id: &self.id,
            r#type: "message",
            role: "assistant",
            model: &self.model,
            content: Vec::new(),
            stop_reason: None,
            stop_sequence: None,
            usage: self.usage(1, Some("standard")),
        }
    }

    pub(super) fn answer(&self) -> &Answer {
        &self.answer
    }

    pub(super) fn stop_reason(&self) -> &str {
        match &self.answer.stop_reason {
            Some(reason) => reason,
            None if self.answer.uses_tools() => "tool_use",
            None => "end_turn",
        }
    }

    pub(super) fn final_usage(&self) -> TokenUsage {
        self.usage(self.answer.output_tokens(), None)
    }

    fn usage(&self, output_tokens: u64, service_tier: Option<&'static str>) -> TokenUsage {
        let usage = &self.answer.usage;
        TokenUsage {
            input_tokens: usage.input_tokens,
            cache_creation_input_tokens: usage.cache_creation_input_tokens,
            cache_read_input_tokens: usage.cache_read_input_tokens,
            output_tokens,
            service_tier,
        }
    }
}

/// The block before its first delta.
pub(super) fn empty_block(block: &Block) -> ContentBlock<'_> {
    match block {
        Block::Text(_) => ContentBlock::Text { text: "" },
        Block::Thinking { .. } => ContentBlock::Thinking { thinking: "", signature: "" },
        Block::ToolUse(tool) => {
            ContentBlock::ToolUse { id: tool.id(), name: &tool.name, input: serde_json::Map::new() }
        }
    }
}

fn full_block(block: &Block) -> ContentBlock<'_> {
    match block {
        Block::Text(speech) => ContentBlock::Text { text: &speech.text },
        Block::Thinking { speech, signature } => ContentBlock::Thinking { thinking: &speech.text, signature },
        Block::ToolUse(tool) => {
            ContentBlock::ToolUse { id: tool.id(), name: &tool.name, input: tool.input.clone() }
        }
    }
}
