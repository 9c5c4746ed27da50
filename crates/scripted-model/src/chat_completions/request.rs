//! Reads a Chat Completions request and reduces its messages to a history.

use serde::Deserialize;
use serde_json::Value;

use super::{Request, Usage};
use crate::answer::Refusal;
use crate::api;
use crate::history::{Entry, History};
use crate::openai::{Content, Told};
use crate::wrapping;

pub(super) fn read(body: &[u8]) -> Result<Request, Refusal> {
    api::read_json(body).map(Fields::into_request)
}

/// The part of the request body that matters to a script.
#[derive(Deserialize)]
struct Fields {
    model: String,
    messages: Vec<Message>,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    stream_options: StreamOptions,
    #[serde(default)]
    response_format: ResponseFormat,
    prompt_cache_key: Option<String>,
}

#[derive(Deserialize, Default)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Deserialize, Default)]
struct ResponseFormat {
    json_schema: Option<NamedSchema>,
}

#[derive(Deserialize)]
struct NamedSchema {
    schema: Value,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: Option<Content>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    #[serde(default)]
    tool_call_id: String,
}

#[derive(Deserialize)]
struct ToolCall {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
}

impl Fields {
    fn into_request(self) -> Request {
        let system = self.messages.iter().filter(|message| message.is_system());
        let system = system.flat_map(Message::texts).collect::<Vec<_>>().join("\n");
        let history: History = self.messages.iter().flat_map(Message::entries).collect();
        let told = Told {
            model: self.model,
            stream: self.stream,
            system,
            schema: self.response_format.json_schema.map(|named| named.schema),
            session: self.prompt_cache_key,
        };
        let wishes = Usage { is_included: self.stream_options.include_usage };
        Request { conversation: told.with(&history), wishes }
    }
}

impl Message {
    fn is_system(&self) -> bool {
        matches!(self.role.as_str(), "system" | "developer")
    }

    fn texts(&self) -> Vec<&str> {
        self.content.as_ref().map(Content::texts).unwrap_or_default()
    }

    fn entries(&self) -> Vec<Entry> {
        match self.role.as_str() {
            "user" => vec![Entry::said(wrapping::spoken(&self.texts()))],
            "tool" => vec![self.result()],
            "assistant" => {
                let calls = self.tool_calls.iter().map(ToolCall::entry);
                calls.chain([Entry::Speech]).collect()
            }
            _ => Vec::new(),
        }
    }

    fn result(&self) -> Entry {
        Entry::Result { call: self.tool_call_id.clone(), tool: None, text: self.texts().join("\n") }
    }
}

impl ToolCall {
    fn entry(&self) -> Entry {
        Entry::Call { id: self.id.clone(), tool: self.function.name.clone() }
    }
}

#[cfg(test)]
mod tests;
