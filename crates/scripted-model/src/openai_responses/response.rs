//! An answer that has become a response of the API: it has identifiers, a status and token counts.

use serde_json::{Value, json};

use super::item::Item;
use super::tool_kinds::ToolKinds;
use crate::answer::Answer;
use crate::identifiers::Identifiers;
use crate::openai::CREATED;
use crate::tokens::Tokens;

pub(super) struct Response {
    id: String,
    model: String,
    answer: Answer,
    /// One for each block of the answer.
    items: Vec<Item>,
}

impl Response {
    pub(super) fn new(identifiers: &Identifiers, model: &str, kinds: &ToolKinds, mut answer: Answer) -> Self {
        answer.name_calls(|| identifiers.next("call_"));
        let items = answer.blocks.iter_mut().map(|block| Item::of(identifiers, kinds, block)).collect();
        Self { id: identifiers.next("resp_"), model: model.to_owned(), answer, items }
    }

    pub(super) fn answer(&self) -> &Answer {
        &self.answer
    }

    pub(super) fn item(&self, index: usize) -> Option<&Item> {
        self.items.get(index)
    }

    /// The response as a stream announces it.
    pub(super) fn begun(&self) -> Value {
        self.value("in_progress", json!({}))
    }

    /// The response at its end, whole or cut short.
    pub(super) fn ended(&self) -> Value {
        let blocks = self.answer.blocks.iter();
        let output: Vec<Value> =
            self.items.iter().zip(blocks).map(|(item, block)| item.done(block)).collect();
        let fields = json!({ "output": output, "usage": self.usage() });
        match self.incomplete_reason() {
            None => self.value("completed", fields),
            Some(reason) => {
                let mut value = self.value("incomplete", fields);
                insert(&mut value, json!({ "incomplete_details": { "reason": reason } }));
                value
            }
        }
    }

    pub(super) fn failed(&self, code: &str, message: &str) -> Value {
        self.value("failed", json!({ "error": { "code": code, "message": message } }))
    }

    /// Why the answer is not whole, if so. The API has names of its own for two reasons.
    pub(super) fn incomplete_reason(&self) -> Option<&str> {
        match self.answer.stop_reason.as_deref()? {
            "end_turn" | "tool_use" | "stop" => None,
            "max_tokens" => Some("max_output_tokens"),
            "refusal" => Some("content_filter"),
            reason => Some(reason),
        }
    }

    fn value(&self, status: &str, fields: Value) -> Value {
        let mut value = json!({
            "id": self.id, "object": "response", "created_at": CREATED, "status": status, "model": self.model,
            "background": false, "error": null, "incomplete_details": null, "instructions": null,
            "max_output_tokens": null, "metadata": {}, "output": [], "parallel_tool_calls": true,
            "previous_response_id": null, "reasoning": { "effort": null, "summary": null }, "store": false,
            "temperature": 1.0, "text": { "format": { "type": "text" } }, "tool_choice": "auto", "tools": [],
            "top_p": 1.0, "truncation": "disabled", "usage": null, "user": null,
        });
        insert(&mut value, fields);
        value
    }

    fn usage(&self) -> Value {
        let tokens = Tokens::of(&self.answer);
        json!({
            "input_tokens": tokens.input,
            "input_tokens_details": { "cached_tokens": tokens.cached },
            "output_tokens": tokens.output,
            "output_tokens_details": { "reasoning_tokens": tokens.reasoning },
            "total_tokens": tokens.total(),
        })
    }
}

fn insert(value: &mut Value, fields: Value) {
    if let (Value::Object(value), Value::Object(mut fields)) = (value, fields) {
        value.append(&mut fields);
    }
}
