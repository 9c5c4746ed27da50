//! Reads a Messages request and finds the prompt in it.
//!
//! Agents wrap the prompt in reminders, repeat the whole history, and fold several messages into one. All
//! that is known about it is here.

use axum::http::StatusCode;
use serde::Deserialize;

use super::error::ApiError;
use crate::conversation::{Conversation, ToolResult};

/// Text in these tags is written by the agent, not by its user.
const AGENT_TAGS: [&str; 7] = [
    "system-reminder",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "command-name",
    "command-message",
    "command-args",
];

/// How Claude Code passes on what its user types while tools run: as a message of the system.
const INTERJECTION_START: &str = "The user sent a new message while you were working:\n";
const INTERJECTION_END: &str = "\n\nIMPORTANT: After completing your current task";

pub(super) fn read(body: &[u8]) -> Result<Conversation, ApiError> {
    let request: Request = serde_json::from_slice(body)
        .map_err(|error| ApiError::new(StatusCode::BAD_REQUEST, error.to_string()))?;
    Ok(request.into_conversation())
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
        let found = self.messages.iter().enumerate().rev().find_map(|(index, message)| {
            let prompt = message.prompt()?;
            Some((index, prompt))
        });
        let (index, prompt) = found.unwrap_or_default();
        Conversation {
            turn: self.turns_after(index),
            results: self.newest_results(),
            identity: self.identity(&prompt),
            system: self.system.texts().join("\n"),
            prompt,
            model: self.model,
            stream: self.stream,
        }
    }

    /// How often the assistant spoke after the message at `index`; messages in a row are one turn.
    fn turns_after(&self, index: usize) -> usize {
        let after = self.messages.iter().skip(index + 1).map(|message| message.role);
        let mut speakers = vec![Role::User];
        speakers.extend(after.filter(|role| *role != Role::System));
        speakers.windows(2).filter(|pair| matches!(pair, [Role::User, Role::Assistant])).count()
    }

    /// In the order of the calls: agents send results as they come in, which differs from run to run.
    fn newest_results(&self) -> Vec<ToolResult> {
        let newest = self.messages.iter().rev().take_while(|message| message.role != Role::Assistant);
        let blocks = newest.flat_map(|message| message.content.blocks());
        let mut results: Vec<(Option<usize>, ToolResult)> =
            blocks.filter_map(|block| self.tool_result(block)).collect();
        results.sort_by_key(|(call, _)| *call);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// A result and the number of its call in the history, if it is there.
    fn tool_result(&self, block: &Block) -> Option<(Option<usize>, ToolResult)> {
        let Block::ToolResult { tool_use_id, content } = block else { return None };
        let call = self.calls().enumerate().find(|(_, (id, _))| id == tool_use_id);
        let tool = call.map_or_else(String::new, |(_, (_, name))| name.to_owned());
        let number = call.map(|(number, _)| number);
        Some((number, ToolResult { tool, text: content.texts().join("\n") }))
    }

    /// The identifier and the tool of every call.
    fn calls(&self) -> impl Iterator<Item = (&str, &str)> {
        let blocks = self.messages.iter().flat_map(|message| message.content.blocks());
        blocks.filter_map(|block| match block {
            Block::ToolUse { id, name } => Some((id.as_str(), name.as_str())),
            Block::Text { .. } | Block::ToolResult { .. } | Block::Other => None,
        })
    }

    /// A retry repeats the request; the next request of a session is longer, and sessions name themselves.
    fn identity(&self, prompt: &str) -> String {
        let session = self.metadata.user_id.as_deref().unwrap_or_default();
        format!("{session} {} {prompt}", self.messages.len())
    }
}

impl Message {
    /// What the user says in this message, if anything.
    fn prompt(&self) -> Option<String> {
        match self.role {
            Role::User => newest_prompt(&self.content.texts()),
            Role::System => self.content.texts().into_iter().find_map(interjection),
            Role::Assistant => None,
        }
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
        let spoken = without_agent_tags(text);
        if !spoken.trim().is_empty() {
            newest.insert(0, spoken.trim().to_owned());
        }
    }
    Some(newest.join("\n")).filter(|prompt| !prompt.is_empty())
}

fn interjection(text: &str) -> Option<String> {
    let (_, text) = text.split_once(INTERJECTION_START)?;
    let prompt = text.split_once(INTERJECTION_END).map_or(text, |(prompt, _)| prompt);
    Some(prompt.to_owned())
}

fn without_agent_tags(text: &str) -> String {
    AGENT_TAGS.iter().fold(text.to_owned(), |text, tag| without_tag(&text, tag))
}

fn without_tag(text: &str, tag: &str) -> String {
    let (start, end) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(&start) {
        let Some((_, after)) = inside.split_once(&end) else { break };
        kept.push_str(before);
        rest = after;
    }
    kept + rest
}

#[cfg(test)]
mod tests;
