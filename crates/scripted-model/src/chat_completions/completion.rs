//! An answer that has become a completion: whole, or the chunks of a stream.

use serde_json::{Value, json};

use super::Request;
use crate::answer::{Answer, Block, ToolUse};
use crate::identifiers::Identifiers;
use crate::openai::{CREATED, DEFAULT_ERROR};
use crate::timeline::Moment;
use crate::tokens::Tokens;

pub(super) struct Completion {
    id: String,
    model: String,
    answer: Answer,
    include_usage: bool,
}

impl Completion {
    pub(super) fn new(identifiers: &Identifiers, request: &Request, mut answer: Answer) -> Self {
        answer.name_calls(|| identifiers.next("call_"));
        Self {
            id: identifiers.next("chatcmpl-"),
            model: request.conversation.model.clone(),
            answer,
            include_usage: request.wishes.is_included,
        }
    }

    pub(super) fn answer(&self) -> &Answer {
        &self.answer
    }

    pub(super) fn whole(&self) -> Value {
        let choice = json!({
            "index": 0, "message": self.message(), "logprobs": null, "finish_reason": self.finish_reason(),
        });
        json!({
            "id": self.id, "object": "chat.completion", "created": CREATED, "model": self.model,
            "choices": [choice], "usage": self.usage(),
        })
    }

    pub(super) fn frames(&self, moment: Moment<'_>) -> String {
        match moment {
            Moment::Open => self.delta(&json!({ "role": "assistant", "content": "" })),
            Moment::BlockStart { index, block } => self.block_start(index, block),
            Moment::Piece { index, block, text } => self.delta(&self.piece(index, block, text)),
            Moment::BlockEnd { .. } => String::new(),
            Moment::Close => self.close(),
            Moment::Error { kind, message } => {
                let kind = kind.unwrap_or(DEFAULT_ERROR);
                frame(&json!({ "error": { "message": message, "type": kind, "param": null, "code": null } }))
            }
        }
    }

    /// A call is named before its arguments come.
    fn block_start(&self, index: usize, block: &Block) -> String {
        match block {
            Block::Text(_) | Block::Thinking { .. } => String::new(),
            Block::ToolUse(tool) => {
                let mut call = full_call(tool, "");
                if let Some(call) = call.as_object_mut() {
                    call.insert("index".into(), self.call_number(index).into());
                }
                self.delta(&json!({ "tool_calls": [call] }))
            }
        }
    }

    fn piece(&self, index: usize, block: &Block, text: &str) -> Value {
        match block {
            Block::Text(_) => json!({ "content": text }),
            Block::Thinking { .. } => json!({ "reasoning_content": text }),
            Block::ToolUse(_) => {
                json!({ "tool_calls": [{ "index": self.call_number(index), "function": { "arguments": text } }] })
            }
        }
    }

    /// Calls are counted by themselves.
    fn call_number(&self, index: usize) -> usize {
        let before = self.answer.blocks.iter().take(index);
        before.filter(|block| matches!(block, Block::ToolUse(_))).count()
    }

    fn close(&self) -> String {
        let mut frames = self.chunk(&json!([choice(&json!({}), Some(self.finish_reason()))]), None);
        if self.include_usage {
            frames += &self.chunk(&json!([]), Some(&self.usage()));
        }
        frames + "data: [DONE]\n\n"
    }

    fn delta(&self, delta: &Value) -> String {
        self.chunk(&json!([choice(delta, None)]), None)
    }

    fn chunk(&self, choices: &Value, usage: Option<&Value>) -> String {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": CREATED, "model": self.model,
            "choices": choices,
        });
        if let (Some(usage), Some(fields)) = (usage, chunk.as_object_mut()) {
            fields.insert("usage".into(), usage.clone());
        }
        frame(&chunk)
    }

    fn message(&self) -> Value {
        let joined = |wanted: fn(&Block) -> bool| {
            let texts: Vec<_> = self.answer.blocks.iter().filter(|block| wanted(block)).collect();
            (!texts.is_empty()).then(|| texts.iter().map(|block| block.content()).collect::<String>())
        };
        let calls: Vec<Value> = self.answer.blocks.iter().filter_map(call_of).collect();
        let mut message = json!({
            "role": "assistant", "content": joined(|block| matches!(block, Block::Text(_))), "refusal": null,
        });
        if let Some(fields) = message.as_object_mut() {
            if let Some(reasoning) = joined(|block| matches!(block, Block::Thinking { .. })) {
                fields.insert("reasoning_content".into(), reasoning.into());
            }
            if !calls.is_empty() {
                fields.insert("tool_calls".into(), calls.into());
            }
        }
        message
    }

    fn finish_reason(&self) -> &str {
        match self.answer.stop_reason.as_deref() {
            None if self.answer.uses_tools() => "tool_calls",
            None | Some("end_turn") => "stop",
            Some("tool_use") => "tool_calls",
            Some("max_tokens") => "length",
            Some("refusal") => "content_filter",
            Some(reason) => reason,
        }
    }

    fn usage(&self) -> Value {
        let tokens = Tokens::of(&self.answer);
        json!({
            "prompt_tokens": tokens.input,
            "completion_tokens": tokens.output,
            "total_tokens": tokens.total(),
            "prompt_tokens_details": { "cached_tokens": tokens.cached },
            "completion_tokens_details": { "reasoning_tokens": tokens.reasoning },
        })
    }
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason })
}

fn call_of(block: &Block) -> Option<Value> {
    match block {
        Block::ToolUse(tool) => Some(full_call(tool, &tool.input_text())),
        Block::Text(_) | Block::Thinking { .. } => None,
    }
}

fn full_call(tool: &ToolUse, arguments: &str) -> Value {
    json!({ "id": tool.id(), "type": "function", "function": { "name": tool.name, "arguments": arguments } })
}

fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}
