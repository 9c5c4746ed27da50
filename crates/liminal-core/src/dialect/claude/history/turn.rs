//! A turn while it is read. Owns what is known of it so far; how it becomes events is the writer's business.

use std::collections::BTreeMap;

use serde_json::Value;

use super::line::Line;
use crate::error::ErrorInfo;
use crate::event::{FunctionCallItem, FunctionCallOutputItem, MessageItem, Origin, Plan, Usage};
use crate::ids::{CallId, TurnId};
use crate::time::Timestamp;

/// One prompt and all it caused.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) id: TurnId,
    pub(super) started: Timestamp,
    /// When the last line that belongs to it was written.
    pub(super) touched: Timestamp,
    pub(super) model: Option<String>,
    pub(super) entries: Vec<Entry>,
    /// By message, because each block of a message repeats what the message cost.
    usages: BTreeMap<String, Usage>,
    pub(super) finish_reason: Option<String>,
    pub(super) ending: Option<Ending>,
    pub(super) asked: bool,
    pub(super) answered: bool,
}

/// Something that happened in a turn, in the order of the file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) at: Timestamp,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Message(MessageItem),
    Reasoning(String),
    Plan(Plan),
    Call(FunctionCallItem),
    Output(FunctionCallOutputItem),
    /// A call goes into the background.
    Launch(CallId),
    /// A sub-agent that had ended continues by itself, as this call shows.
    Continued(CallId),
}

/// How a turn ended, where a line tells it.
#[derive(Debug)]
pub(super) enum Ending {
    /// The person stopped it.
    Cancelled,
    /// The agent's process ended before it could answer.
    Abandoned,
    /// The model's API refused.
    Failed(ErrorInfo),
}

impl What {
    pub(super) fn message(origin: Origin, content: impl Into<String>) -> Self {
        Self::Message(MessageItem::new(content.into(), origin))
    }
}

impl Turn {
    pub(super) const fn new(id: TurnId, started: Timestamp) -> Self {
        Self {
            id,
            started,
            touched: started,
            model: None,
            entries: Vec::new(),
            usages: BTreeMap::new(),
            finish_reason: None,
            ending: None,
            asked: false,
            answered: false,
        }
    }

    pub(super) const fn is_open(&self) -> bool {
        self.ending.is_none()
    }

    pub(super) fn add(&mut self, at: Timestamp, what: What) {
        self.touch(at);
        add(&mut self.entries, Entry { at, what });
    }

    /// Ends the turn, unless it has ended before.
    pub(super) fn end(&mut self, at: Timestamp, ending: Ending) {
        if self.is_open() {
            self.touch(at);
            self.ending = Some(ending);
        }
    }

    /// Takes over what an answering line tells of the answer as a whole.
    pub(super) fn account(&mut self, line: &Line) {
        self.answered = true;
        if self.model.is_none() {
            self.model = line.model().map(str::to_owned);
        }
        if let Some(reason) = line.message_text("stop_reason") {
            self.finish_reason = Some(reason.to_owned());
        }
        if let Some(usage) = line.message("usage").and_then(usage) {
            let message = line.message_text("id").or_else(|| line.text("uuid")).unwrap_or_default();
            self.usages.insert(message.to_owned(), usage);
        }
    }

    /// What all messages cost together.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.usages.values().copied().reduce(|sum, next| Usage {
            input_tokens: sum.input_tokens.saturating_add(next.input_tokens),
            output_tokens: sum.output_tokens.saturating_add(next.output_tokens),
            cache_read_input_tokens: sum_of(sum.cache_read_input_tokens, next.cache_read_input_tokens),
            cache_creation_input_tokens: sum_of(
                sum.cache_creation_input_tokens,
                next.cache_creation_input_tokens,
            ),
            cost_usd: None,
        })
    }

    fn touch(&mut self, at: Timestamp) {
        if at.instant() > self.touched.instant() {
            self.touched = at;
        }
    }
}

fn usage(value: &Value) -> Option<Usage> {
    let tokens = |field: &str| value.get(field).and_then(Value::as_u64);
    Some(Usage {
        input_tokens: tokens("input_tokens")?,
        output_tokens: tokens("output_tokens")?,
        cache_read_input_tokens: tokens("cache_read_input_tokens"),
        cache_creation_input_tokens: tokens("cache_creation_input_tokens"),
        cost_usd: None,
    })
}

/// Adds an entry. A task list replaces the one before, in its place.
pub(super) fn add(entries: &mut Vec<Entry>, entry: Entry) {
    let is_plan = |entry: &Entry| matches!(entry.what, What::Plan(_));
    match entries.iter_mut().find(|before| is_plan(before) && is_plan(&entry)) {
        Some(before) => before.what = entry.what,
        None => entries.push(entry),
    }
}

fn sum_of(sum: Option<u64>, next: Option<u64>) -> Option<u64> {
    match (sum, next) {
        (Some(sum), Some(next)) => Some(sum.saturating_add(next)),
        (known, None) | (None, known) => known,
    }
}
