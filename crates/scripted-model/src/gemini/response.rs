//! An answer that has become a response of the Gemini API: whole, or the chunks of a stream.

use serde_json::{Value, json};

use super::error;
use crate::answer::{Answer, Block, ToolUse};
use crate::identifiers::Identifiers;
use crate::timeline::Moment;
use crate::tokens::Tokens;

/// What the API asks for with the calls that thinking models make.
const THOUGHT_SIGNATURE: &str = "c2NyaXB0ZWQgc2lnbmF0dXJl";

pub(super) struct Response {
    id: String,
    model: String,
    answer: Answer,
}

impl Response {
    pub(super) fn new(identifiers: &Identifiers, model: &str, mut answer: Answer) -> Self {
        answer.name_calls(|| identifiers.next("call_"));
        Self { id: identifiers.next("resp-"), model: model.to_owned(), answer }
    }

    pub(super) fn answer(&self) -> &Answer {
        &self.answer
    }

    pub(super) fn whole(&self) -> Value {
        let parts: Vec<Value> = self.answer.blocks.iter().map(full_part).collect();
        self.chunk(&json!(parts), Some(self.finish_reason()))
    }

    /// The API has no frame for the start; thoughts and calls come whole, and the last frame brings the end.
    pub(super) fn frames(&self, moment: Moment<'_>) -> String {
        match moment {
            Moment::Open | Moment::BlockStart { .. } => String::new(),
            Moment::Piece { block, text, .. } => self.piece(block, text),
            Moment::BlockEnd { block, .. } => self.block_end(block),
            Moment::Close => frame(&self.chunk(&json!([{ "text": "" }]), Some(self.finish_reason()))),
            Moment::Error { kind, message } => frame(&error::in_stream(kind, message)),
        }
    }

    fn piece(&self, block: &Block, text: &str) -> String {
        match block {
            Block::Text(_) => frame(&self.chunk(&json!([{ "text": text }]), None)),
            Block::Thinking { .. } | Block::ToolUse(_) => String::new(),
        }
    }

    fn block_end(&self, block: &Block) -> String {
        match block {
            Block::Text(_) => String::new(),
            Block::Thinking { .. } | Block::ToolUse(_) => {
                frame(&self.chunk(&json!([full_part(block)]), None))
            }
        }
    }

    fn chunk(&self, parts: &Value, finish_reason: Option<String>) -> Value {
        let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
        if let (Some(reason), Some(candidate)) = (finish_reason, candidate.as_object_mut()) {
            candidate.insert("finishReason".into(), reason.into());
        }
        json!({
            "candidates": [candidate], "usageMetadata": self.usage(), "modelVersion": self.model,
            "responseId": self.id,
        })
    }

    /// The API ends with `STOP` after calls as well, and writes its reasons in capitals.
    fn finish_reason(&self) -> String {
        match self.answer.stop_reason.as_deref() {
            None | Some("end_turn" | "tool_use") => "STOP".into(),
            Some("refusal") => "SAFETY".into(),
            Some(reason) => reason.to_uppercase(),
        }
    }

    fn usage(&self) -> Value {
        let tokens = Tokens::of(&self.answer);
        json!({
            "promptTokenCount": tokens.input,
            "cachedContentTokenCount": tokens.cached,
            "candidatesTokenCount": tokens.output - tokens.reasoning,
            "thoughtsTokenCount": tokens.reasoning,
            "totalTokenCount": tokens.total(),
        })
    }
}

fn full_part(block: &Block) -> Value {
    match block {
        Block::Text(speech) => json!({ "text": speech.text }),
        Block::Thinking { speech, .. } => json!({ "text": speech.text, "thought": true }),
        Block::ToolUse(tool) => call_part(tool),
    }
}

fn call_part(tool: &ToolUse) -> Value {
    let call = json!({ "id": tool.id(), "name": tool.name, "args": tool.input });
    json!({ "functionCall": call, "thoughtSignature": THOUGHT_SIGNATURE })
}

fn frame(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}
