//! Reads a Messages request and finds the prompt in it.
//!
//! Agents wrap the prompt in reminders, repeat the whole history, and fold several messages into one. All
//! that is known about it is here.

use serde::Deserialize;

use crate::answer::Refusal;
use crate::api;
use crate::conversation::Conversation;
use crate::history::{Entry, History};
use crate::wrapping;

/// How Claude Code passes on what its user types while tools run: as a message of the system.
const INTERJECTION_START: &str = "The user sent a new message while you were working:\n";
const INTERJECTION_END: &str = "\n\nIMPORTANT: After completing your current task";

pub(super) fn read(body: &[u8]) -> Result<Conversation, Refusal> {
    api::read_json(body).map(Request::into_conversation)
}

/// The part of the request body that matters to a script.
#[derive(Deserialize)]
struct Request {
    model: String,
    messages: Vec<Message>,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    system: Content,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize, Default)]
struct Metadata {
    user_id: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    role: Role,
    content: Content,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
    System,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default)]
        content: Content,
    },
    #[serde(other)]
    Other,
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl Request {
    fn into_conversation(self) -> Conversation {
        let history: History = self.messages.iter().flat_map(Message::entries).collect();
        let prompt = history.prompt().to_owned();
        Conversation {
            turn: history.turn(),
            results: history.results(),
            identity: self.identity(&prompt),
            system: self.system.texts().join("\n"),
            prompt,
            model: self.model,
            stream: self.stream,
            errand: None,
        }
    }

    /// A retry repeats the request; the next request of a session is longer, and sessions name themselves.
    fn identity(&self, prompt: &str) -> String {
        let session = self.metadata.user_id.as_deref().unwrap_or_default();
        format!("{session} {} {prompt}", self.messages.len())
    }
}

impl Message {
    fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.content.blocks().iter().filter_map(Block::entry).collect();
        match self.role {
            Role::User => entries.push(Entry::said(newest_prompt(&self.content.texts()))),
            Role::System => {
                entries.extend(self.content.texts().into_iter().find_map(interjection).map(Entry::Prompt));
            }
            Role::Assistant => entries.push(Entry::Speech),
        }
        entries
    }
}

impl Content {
    fn blocks(&self) -> &[Block] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }

    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Blocks(blocks) => blocks.iter().filter_map(Block::text).collect(),
        }
    }
}

impl Block {
    fn entry(&self) -> Option<Entry> {
        match self {
            Self::ToolUse { id, name } => Some(Entry::Call { id: id.clone(), tool: name.clone() }),
            Self::ToolResult { tool_use_id, content } => Some(Entry::Result {
                call: tool_use_id.clone(),
                tool: None,
                text: content.texts().join("\n"),
            }),
            Self::Text { .. } | Self::Other => None,
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::ToolUse { .. } | Self::ToolResult { .. } | Self::Other => None,
        }
    }
}

/// The newest prompt among the texts of one message.
///
/// Claude Code folds prompts without an answer in between, such as after an error or an interrupt, into one
/// message and ends each but the last with a line break. Texts of one prompt have none.
fn newest_prompt(texts: &[&str]) -> Option<String> {
    let mut newest: Vec<String> = Vec::new();
    for text in texts.iter().rev() {
        let ends_earlier_prompt = text.ends_with('\n') && !newest.is_empty();
        if ends_earlier_prompt {
            break;
        }
        if let Some(spoken) = wrapping::spoken_in(text) {
            newest.insert(0, spoken);
        }
    }
    Some(newest.join("\n")).filter(|prompt| !prompt.is_empty())
}

fn interjection(text: &str) -> Option<String> {
    let (_, text) = text.split_once(INTERJECTION_START)?;
    let prompt = text.split_once(INTERJECTION_END).map_or(text, |(prompt, _)| prompt);
    Some(prompt.to_owned())
}

#[cfg(test)]
mod tests;
