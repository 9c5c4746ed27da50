//! What the model replies, before any wire format.
//!
//! Scripts produce these values and the API modules write them out. Nothing here knows HTTP or JSON events.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::chunking::Chunking;

/// A token is about four bytes of English: close enough for a script.
pub(crate) const BYTES_PER_TOKEN: usize = 4;

/// What a thinking block is signed with: base64, as in real answers, yet plainly a fake.
const SIGNATURE: &str = "c2NyaXB0ZWQgc2lnbmF0dXJl";

/// The whole reaction to one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Answer(Answer),
    Refusal(Refusal),
    /// The connection closes without a single byte of response.
    HangUp,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) blocks: Vec<Block>,
    /// Without one, the API module derives it from the blocks.
    pub(crate) stop_reason: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) fault: Option<Fault>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Text(Speech),
    Thinking { speech: Speech, signature: String },
    ToolUse(ToolUse),
}

/// Words and the way they arrive.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Speech {
    pub(crate) text: String,
    pub(crate) chunking: Chunking,
    pub(crate) delay: Duration,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolUse {
    /// Without one, the API module numbers the call.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) input: Map<String, Value>,
    /// What is sent instead of the input, for tools that take free text. Only an API module can tell.
    pub(crate) free_text: Option<String>,
    pub(crate) chunking: Chunking,
    pub(crate) delay: Duration,
}

/// Token counts. Fixed by default, so that they are the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) cache_creation_input_tokens: u64,
    pub(crate) cache_read_input_tokens: u64,
    /// Without one, it is estimated from the length of the answer.
    pub(crate) output_tokens: Option<u64>,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input_tokens: 100,
            cache_creation_input_tokens: 20,
            cache_read_input_tokens: 30,
            output_tokens: None,
        }
    }
}

/// Something that goes wrong while an answer streams. Answers that do not stream have none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) kind: FaultKind,
}

/// Where a fault strikes. An answer that is too short for it is struck just before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    AfterDeltas(usize),
    AfterBlocks(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FaultKind {
    /// An error inside the stream, which then ends in good order.
    ErrorEvent {
        /// Without one, the API module names an error of its API that passes by itself.
        kind: Option<String>,
        message: String,
    },
    /// The connection closes inside the stream.
    Drop,
    /// Silence; with a length the answer goes on after it.
    Stall(Option<Duration>),
}

/// An answer by HTTP status alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) kind: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) retry_after_seconds: Option<u64>,
}

impl Default for Place {
    /// Inside the first block.
    fn default() -> Self {
        Self::AfterDeltas(1)
    }
}

impl Refusal {
    pub(crate) const STATUSES: Range<u16> = 400..600;

    pub(crate) fn of(status: u16) -> Self {
        Self { status, kind: None, message: None, retry_after_seconds: None }
    }

    pub(crate) fn because(status: u16, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::of(status) }
    }

    /// The message, or a word on the status.
    pub(crate) fn message(&self) -> Cow<'_, str> {
        match (&self.message, self.status) {
            (Some(message), _) => message.into(),
            (None, 500) => "Internal server error".into(),
            (None, 529) => "Overloaded".into(),
            (None, status) => format!("scripted error {status}").into(),
        }
    }
}

impl FaultKind {
    pub(crate) fn error_event(kind: Option<String>, message: Option<String>) -> Self {
        Self::ErrorEvent { kind, message: message.unwrap_or_else(|| "Overloaded".into()) }
    }
}

impl Answer {
    pub(crate) fn saying(text: impl Into<String>) -> Self {
        Self { blocks: vec![Block::Text(Speech::of(text))], ..Self::default() }
    }

    pub(crate) fn uses_tools(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::ToolUse(_)))
    }

    pub(crate) fn output_tokens(&self) -> u64 {
        let bytes = self.blocks.iter().map(Block::size).sum();
        self.usage.output_tokens.unwrap_or(tokens_in(bytes).max(1))
    }

    /// Gives a name to every call that has none.
    pub(crate) fn name_calls(&mut self, mut identifier: impl FnMut() -> String) {
        for block in &mut self.blocks {
            if let Block::ToolUse(tool) = block {
                tool.id.get_or_insert_with(&mut identifier);
            }
        }
    }
}

impl Speech {
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), chunking: Chunking::Words, delay: Duration::ZERO }
    }
}

impl ToolUse {
    pub(crate) fn of(name: impl Into<String>, input: Map<String, Value>) -> Self {
        const PIECES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(2);
        let (name, chunking) = (name.into(), Chunking::Pieces(PIECES));
        Self { id: None, name, input, free_text: None, chunking, delay: Duration::ZERO }
    }

    /// The identifier of the call; empty before it has one.
    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    pub(crate) fn input_text(&self) -> String {
        self.free_text.clone().unwrap_or_else(|| Value::Object(self.input.clone()).to_string())
    }
}

impl Block {
    pub(crate) fn thinking(speech: Speech, signature: Option<String>) -> Self {
        Self::Thinking { speech, signature: signature.unwrap_or_else(|| SIGNATURE.into()) }
    }

    pub(crate) fn set_delay(&mut self, delay: Duration) {
        match self {
            Self::Text(speech) | Self::Thinking { speech, .. } => speech.delay = delay,
            Self::ToolUse(tool) => tool.delay = delay,
        }
    }

    pub(crate) fn delay(&self) -> Duration {
        match self {
            Self::Text(speech) | Self::Thinking { speech, .. } => speech.delay,
            Self::ToolUse(tool) => tool.delay,
        }
    }

    pub(crate) fn chunking(&self) -> Chunking {
        match self {
            Self::Text(speech) | Self::Thinking { speech, .. } => speech.chunking,
            Self::ToolUse(tool) => tool.chunking,
        }
    }

    /// What arrives in pieces: the words, or the input of the call as text.
    pub(crate) fn content(&self) -> Cow<'_, str> {
        match self {
            Self::Text(speech) | Self::Thinking { speech, .. } => speech.text.as_str().into(),
            Self::ToolUse(tool) => tool.input_text().into(),
        }
    }

    /// How many bytes the block holds; the base of token estimates.
    fn size(&self) -> usize {
        match self {
            Self::Text(_) | Self::Thinking { .. } => self.content().len(),
            Self::ToolUse(tool) => tool.name.len() + self.content().len(),
        }
    }
}

pub(crate) fn tokens_in(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}
