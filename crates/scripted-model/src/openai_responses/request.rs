//! Reads a Responses request and reduces its items to a history.

use serde::Deserialize;
use serde_json::Value;

use super::Request;
use super::tool_kinds::{Tool, ToolKinds};
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
    input: Input,
    #[serde(default)]
    stream: bool,
    instructions: Option<String>,
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    text: TextOptions,
    prompt_cache_key: Option<String>,
}

#[derive(Deserialize, Default)]
struct TextOptions {
    format: Option<Format>,
}

#[derive(Deserialize)]
struct Format {
    schema: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    Text(String),
    Items(Vec<Item>),
}

/// All kinds of items in one: new kinds come often, and only some fields matter.
#[derive(Deserialize, Default)]
struct Item {
    r#type: Option<String>,
    role: Option<String>,
    content: Option<Content>,
    #[serde(default)]
    call_id: String,
    #[serde(default)]
    name: String,
    output: Option<Content>,
    #[serde(default)]
    tools: Vec<Tool>,
}

impl Fields {
    fn into_request(self) -> Request {
        let items = self.input.into_items();
        let mut tool_kinds = ToolKinds::default();
        tool_kinds.add(&self.tools);
        items.iter().for_each(|item| tool_kinds.add(&item.tools));

        let system: Vec<&str> =
            self.instructions.iter().map(String::as_str).chain(system_texts(&items)).collect();
        let system = system.join("\n");
        let history: History = items.iter().filter_map(Item::entry).collect();
        let told = Told {
            model: self.model,
            stream: self.stream,
            system,
            schema: self.text.format.and_then(|format| format.schema),
            session: self.prompt_cache_key,
        };
        Request { conversation: told.with(&history), wishes: tool_kinds }
    }
}

fn system_texts(items: &[Item]) -> impl Iterator<Item = &str> {
    let items = items.iter().filter(|item| matches!(item.role.as_deref(), Some("developer" | "system")));
    items.filter_map(|item| item.content.as_ref()).flat_map(Content::texts)
}

impl Input {
    fn into_items(self) -> Vec<Item> {
        match self {
            Self::Items(items) => items,
            Self::Text(text) => vec![Item {
                role: Some("user".into()),
                content: Some(Content::Text(text)),
                ..Item::default()
            }],
        }
    }
}

impl Item {
    fn entry(&self) -> Option<Entry> {
        match self.r#type.as_deref().unwrap_or("message") {
            "message" => self.message(),
            "reasoning" | "web_search_call" => Some(Entry::Speech),
            "local_shell_call" => Some(self.call("local_shell")),
            kind if kind.ends_with("_call") => Some(self.call(&self.name)),
            kind if kind.ends_with("_output") => Some(self.result()),
            _ => None,
        }
    }

    fn message(&self) -> Option<Entry> {
        match self.role.as_deref()? {
            "user" => Some(Entry::said(wrapping::spoken(&self.content.as_ref()?.texts()))),
            "assistant" => Some(Entry::Speech),
            _ => None,
        }
    }

    fn call(&self, tool: &str) -> Entry {
        Entry::Call { id: self.call_id.clone(), tool: tool.to_owned() }
    }

    fn result(&self) -> Entry {
        let text = self.output.as_ref().map(|output| output.texts().join("\n")).unwrap_or_default();
        Entry::Result { call: self.call_id.clone(), tool: None, text }
    }
}

#[cfg(test)]
mod tests;
