//! A response as the numbered events of a stream.

use serde_json::{Map, Value, json};

use super::item::{Item, ItemKind, summary_part, text_part};
use super::response::Response;
use crate::answer::Block;
use crate::openai::DEFAULT_ERROR;
use crate::pacing::Beat;
use crate::timeline::{self, Moment};

pub(super) fn beats(response: &Response) -> Vec<Beat> {
    let mut writer = Writer { response, sequence: 0, frames: String::new() };
    timeline::beats(response.answer(), |moment| writer.write(moment))
}

struct Writer<'a> {
    response: &'a Response,
    /// The number of the next event.
    sequence: u64,
    frames: String,
}

impl Writer<'_> {
    fn write(&mut self, moment: Moment<'_>) -> String {
        match moment {
            Moment::Open => {
                self.event("response.created", json!({ "response": self.response.begun() }));
                self.event("response.in_progress", json!({ "response": self.response.begun() }));
            }
            Moment::BlockStart { index, block } => self.start(index, block),
            Moment::Piece { index, text, .. } => self.piece(index, text),
            Moment::BlockEnd { index, block } => self.end(index, block),
            Moment::Close => {
                let name = match self.response.incomplete_reason() {
                    None => "response.completed",
                    Some(_) => "response.incomplete",
                };
                self.event(name, json!({ "response": self.response.ended() }));
            }
            Moment::Error { kind, message } => self.fail(kind.unwrap_or(DEFAULT_ERROR), message),
        }
        std::mem::take(&mut self.frames)
    }

    fn start(&mut self, index: usize, block: &Block) {
        let Some(item) = self.response.item(index) else { return };
        self.event("response.output_item.added", json!({ "output_index": index, "item": item.begun(block) }));
        match item.kind {
            ItemKind::Message => {
                let fields = json!({ "content_index": 0, "part": text_part("") });
                self.item_event("response.content_part.added", index, item, fields);
            }
            ItemKind::Reasoning => {
                let fields = json!({ "summary_index": 0, "part": summary_part("") });
                self.item_event("response.reasoning_summary_part.added", index, item, fields);
            }
            ItemKind::Function { .. } | ItemKind::Custom { .. } | ItemKind::LocalShell => {}
            ItemKind::WebSearch => {
                self.item_event("response.web_search_call.in_progress", index, item, json!({}));
                self.item_event("response.web_search_call.searching", index, item, json!({}));
            }
        }
    }

    fn piece(&mut self, index: usize, text: &str) {
        let Some(item) = self.response.item(index) else { return };
        let (name, fields) = match item.kind {
            ItemKind::Message => {
                ("response.output_text.delta", json!({ "content_index": 0, "delta": text, "logprobs": [] }))
            }
            ItemKind::Reasoning => {
                ("response.reasoning_summary_text.delta", json!({ "summary_index": 0, "delta": text }))
            }
            ItemKind::Function { .. } => ("response.function_call_arguments.delta", json!({ "delta": text })),
            ItemKind::Custom { .. } => ("response.custom_tool_call_input.delta", json!({ "delta": text })),
            ItemKind::LocalShell | ItemKind::WebSearch => return,
        };
        self.item_event(name, index, item, fields);
    }

    fn end(&mut self, index: usize, block: &Block) {
        let Some(item) = self.response.item(index) else { return };
        let content = block.content();
        match item.kind {
            ItemKind::Message => {
                let fields = json!({ "content_index": 0, "text": content, "logprobs": [] });
                self.item_event("response.output_text.done", index, item, fields);
                let fields = json!({ "content_index": 0, "part": text_part(&content) });
                self.item_event("response.content_part.done", index, item, fields);
            }
            ItemKind::Reasoning => {
                let fields = json!({ "summary_index": 0, "text": content });
                self.item_event("response.reasoning_summary_text.done", index, item, fields);
                let fields = json!({ "summary_index": 0, "part": summary_part(&content) });
                self.item_event("response.reasoning_summary_part.done", index, item, fields);
            }
            ItemKind::Function { .. } => {
                let fields = json!({ "arguments": content });
                self.item_event("response.function_call_arguments.done", index, item, fields);
            }
            ItemKind::Custom { .. } => {
                let fields = json!({ "input": content });
                self.item_event("response.custom_tool_call_input.done", index, item, fields);
            }
            ItemKind::LocalShell => {}
            ItemKind::WebSearch => {
                self.item_event("response.web_search_call.completed", index, item, json!({}));
            }
        }
        self.event("response.output_item.done", json!({ "output_index": index, "item": item.done(block) }));
    }

    /// The API tells of an error twice, and clients read one or the other.
    fn fail(&mut self, code: &str, message: &str) {
        self.event("error", json!({ "code": code, "message": message, "param": null }));
        self.event("response.failed", json!({ "response": self.response.failed(code, message) }));
    }

    fn item_event(&mut self, name: &str, index: usize, item: &Item, fields: Value) {
        let mut fields = fields;
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("item_id".into(), json!(item.id));
            fields.insert("output_index".into(), json!(index));
        }
        self.event(name, fields);
    }

    fn event(&mut self, name: &str, fields: Value) {
        let mut event = Map::new();
        event.insert("type".into(), name.into());
        event.insert("sequence_number".into(), self.sequence.into());
        if let Value::Object(mut fields) = fields {
            event.append(&mut fields);
        }
        self.sequence += 1;
        self.frames += &format!("event: {name}\ndata: {}\n\n", Value::Object(event));
    }
}
