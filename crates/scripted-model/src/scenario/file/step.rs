//! One step of an answer: `{"text": …}`, `{"thinking": …}` or `{"toolUse": …}`.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::answer::{Block, Speech, ToolUse};
use crate::chunking::Chunking;

/// A block whose delay may still come from the whole answer.
pub(super) struct Step {
    block: Block,
    delay_ms: Option<u64>,
}

impl Step {
    pub(super) fn into_block(self, answer_delay: Duration) -> Block {
        let mut block = self.block;
        block.set_delay(self.delay_ms.map_or(answer_delay, Duration::from_millis));
        block
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = StepFields::deserialize(deserializer)?;
        let delay_ms = fields.delay_ms;
        let block = fields.into_block().map_err(serde::de::Error::custom)?;
        Ok(Self { block, delay_ms })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepFields {
    text: Option<String>,
    thinking: Option<String>,
    tool_use: Option<ToolUseFields>,
    signature: Option<String>,
    chunks: Option<Chunks>,
    delay_ms: Option<u64>,
}

impl StepFields {
    fn into_block(self) -> Result<Block, &'static str> {
        if self.signature.is_some() && self.thinking.is_none() {
            return Err("only a thinking step has a signature");
        }
        if self.chunks.is_some() && self.tool_use.is_some() {
            return Err("a toolUse step is cut by its inputChunks, not by chunks");
        }
        let speech = |text| Speech {
            text,
            chunking: self.chunks.map_or(Chunking::Words, Chunks::chunking),
            delay: Duration::ZERO,
        };
        match (self.text, self.thinking, self.tool_use) {
            (Some(text), None, None) => Ok(Block::Text(speech(text))),
            (None, Some(text), None) => Ok(Block::thinking(speech(text), self.signature)),
            (None, None, Some(tool)) => Ok(Block::ToolUse(tool.into_tool_use())),
            _ => Err("a step needs exactly one of text, thinking and toolUse"),
        }
    }
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum Chunks {
    Words,
    Whole,
    Bytes(NonZeroUsize),
}

impl Chunks {
    fn chunking(self) -> Chunking {
        match self {
            Self::Words => Chunking::Words,
            Self::Whole => Chunking::Whole,
            Self::Bytes(limit) => Chunking::Bytes(limit),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolUseFields {
    id: Option<String>,
    name: String,
    input: serde_json::Map<String, Value>,
    input_chunks: Option<NonZeroUsize>,
}

impl ToolUseFields {
    fn into_tool_use(self) -> ToolUse {
        let mut tool = ToolUse::of(self.name, self.input);
        tool.id = self.id;
        if let Some(count) = self.input_chunks {
            tool.chunking = Chunking::Pieces(count);
        }
        tool
    }
}
