//! One line of a rollout file, read so that no shape of it is an error. Owns what the lines of each version mean for
//! a list; knows nothing of their order.

use serde::Deserialize;
use serde_json::Value;

use super::directory;
use crate::time::Timestamp;

/// A line that is an object of the known outer shape.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) timestamp: Option<Timestamp>,
    pub(super) told: Told,
}

/// What a line tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// How the session began.
    Opening(Opening),
    /// What a turn runs with.
    Turn { directory: Option<String>, model: Option<String> },
    /// What a person wrote.
    Prompt(String),
    /// A text for the model in the user's place: a prompt, or context that the program added.
    UserText(String),
    /// What the model said.
    Answer,
    /// How the session is set up now; written whenever somebody opens it.
    Settings,
    /// Anything else, and anything unknown.
    Other,
}

/// How a session began.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) id: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) model_provider: Option<String>,
    pub(super) is_internal: bool,
}

/// A reviewer of commands uses the session's turns, but is not what the user talks to.
const REVIEWER: &str = "codex-auto-review";
/// The outer fields come first; this is more than they need.
const OUTER: usize = 128;
const TURN_MARK: &[u8] = b"\"turn_context\"";

/// Whether a line seems to tell of a turn, without reading it.
pub(super) fn looks_like_turn(bytes: &[u8]) -> bool {
    let outer = bytes.get(..OUTER).unwrap_or(bytes);
    outer.windows(TURN_MARK.len()).any(|window| window == TURN_MARK)
}

impl Line {
    /// Reads a line; `None` is a line to be skipped.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let Outer { timestamp, kind, payload } = serde_json::from_slice(bytes).ok()?;
        let timestamp = timestamp.as_str().and_then(Timestamp::parse);
        Some(Self { timestamp, told: payload.told(kind.as_str()?) })
    }
}

#[derive(Deserialize)]
struct Outer {
    #[serde(default)]
    timestamp: Value,
    #[serde(rename = "type")]
    kind: Value,
    payload: Payload,
}

/// The fields that matter, of any type. All others are skipped without being kept, as some are very long.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Payload {
    #[serde(rename = "type")]
    inner: Value,
    id: Value,
    cwd: Value,
    source: Value,
    thread_source: Value,
    model_provider: Value,
    model: Value,
    role: Value,
    content: Value,
    message: Value,
    kind: Value,
    item: Value,
}

impl Payload {
    fn told(&self, outer: &str) -> Told {
        match (outer, self.inner.as_str().unwrap_or_default()) {
            ("session_meta", _) => Told::Opening(self.opening()),
            ("turn_context", _) => Told::Turn { directory: self.directory(), model: self.model() },
            ("response_item", "message") => self.message(),
            ("event_msg", "user_message") => self.user_message(),
            ("event_msg", "item_completed") => self.item(),
            ("event_msg", "agent_message") => Told::Answer,
            ("event_msg", "thread_settings_applied") => Told::Settings,
            _ => Told::Other,
        }
    }

    fn opening(&self) -> Opening {
        Opening {
            id: text(&self.id),
            directory: self.directory(),
            model_provider: text(&self.model_provider),
            is_internal: is_internal(&self.source) || is_internal(&self.thread_source),
        }
    }

    fn directory(&self) -> Option<String> {
        directory::path(self.cwd.as_str()?)
    }

    fn model(&self) -> Option<String> {
        text(&self.model).filter(|model| model != REVIEWER)
    }

    fn message(&self) -> Told {
        match self.role.as_str() {
            Some("user") => Told::UserText(texts(&self.content)),
            Some("assistant") => Told::Answer,
            _ => Told::Other,
        }
    }

    /// Versions of 2025 told the context that they added in the same way, and of which kind it is.
    fn user_message(&self) -> Told {
        match self.kind.as_str() {
            None | Some("plain") => Told::Prompt(self.message.as_str().unwrap_or_default().to_owned()),
            Some(_) => Told::Other,
        }
    }

    fn item(&self) -> Told {
        let field = |name: &str| self.item.get(name).unwrap_or(&Value::Null);
        match field("type").as_str() {
            Some("UserMessage") => Told::Prompt(texts(field("content"))),
            Some("AgentMessage") => Told::Answer,
            _ => Told::Other,
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The texts among blocks; images have none.
fn texts(blocks: &Value) -> String {
    let texts = blocks.as_array().into_iter().flatten().filter_map(|block| block.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// A source is a word, or an object with one field that is the word.
fn is_internal(source: &Value) -> bool {
    let field = source.as_object().and_then(|fields| fields.keys().next()).map(String::as_str);
    matches!(source.as_str().or(field), Some("subagent" | "internal" | "memory_consolidation"))
}
