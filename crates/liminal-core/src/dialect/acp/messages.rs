//! The texts of a turn. Owns where one ends and the next begins: by id where the agent gives ids, and else by
//! what comes between.

use crate::dialect::{Step, TurnWriter};
use crate::error::ErrorInfo;
use crate::event::{FinalItem, ItemKind, MessageItem, Origin, ReasoningItem};
use crate::ids::ItemId;
use crate::item_limit::keep;

/// The code of a text that a later one replaces.
const SUPERSEDED: &str = "superseded";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Message,
    Thought,
}

/// A piece of a text.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    pub(super) kind: TextKind,
    /// One message's thoughts and answer may share it.
    pub(super) message_id: Option<&'a str>,
    pub(super) text: &'a str,
}

#[derive(Debug)]
pub(super) struct Texts {
    provider_id: String,
    open: Option<OpenText>,
    /// What goes between two pieces of one thought: a live one is cut anywhere, a replayed one between its parts.
    thought_break: &'static str,
}

#[derive(Debug)]
struct OpenText {
    kind: TextKind,
    message_id: Option<String>,
    item_id: ItemId,
    content: String,
    part: Part,
}

/// The newest part of a thought: where it begins, and in how many pieces it came.
#[derive(Debug, Default, Clone, Copy)]
struct Part {
    begin: usize,
    pieces: usize,
}

impl Texts {
    pub(super) const fn new(provider_id: String) -> Self {
        Self { provider_id, open: None, thought_break: "" }
    }

    pub(super) const fn of_history(provider_id: String) -> Self {
        Self { provider_id, open: None, thought_break: "\n\n" }
    }

    pub(super) fn chunk(&mut self, chunk: &Chunk<'_>, writer: &mut TurnWriter, step: &mut Step<'_>) {
        if let Some(open) = self.open.as_mut().filter(|open| open.continues(chunk)) {
            if open.is_repeated_by(chunk) {
                return;
            }
            let text = match chunk.kind {
                TextKind::Thought => format!("{}{}", self.thought_break, chunk.text),
                TextKind::Message => chunk.text.to_owned(),
            };
            open.push(&text);
            return writer.delta(&open.item_id, &text, step);
        }
        // Line breaks at the beginning of a thought part it from one before, and there is none.
        let text = match chunk.kind {
            TextKind::Message => chunk.text,
            TextKind::Thought => chunk.text.trim_start_matches('\n'),
        };
        if text.is_empty() {
            return;
        }
        self.finish(writer, step);
        let item_id = writer.start(chunk.kind.started(), None, step);
        writer.delta(&item_id, text, step);
        let message_id = chunk.message_id.map(str::to_owned);
        let part = Part { begin: 0, pieces: 1 };
        self.open = Some(OpenText { kind: chunk.kind, message_id, item_id, content: text.to_owned(), part });
    }

    /// The model has answered. A text with an id may go on; one without has no other end.
    pub(super) fn answered(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        if self.open.as_ref().is_some_and(|open| open.message_id.is_none()) {
            self.finish(writer, step);
        }
    }

    /// Something else begins.
    pub(super) fn finish(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let Some(open) = self.open.take() else { return };
        let done = open.kind.finished(open.content, &self.provider_id);
        writer.done(&open.item_id, done, step);
    }

    /// The model begins anew; what it had written does not count.
    pub(super) fn supersede(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        if let Some(open) = self.open.take() {
            let message = "the model's answer broke off and was begun anew".to_owned();
            writer.fail(&open.item_id, ErrorInfo { code: SUPERSEDED.to_owned(), message }, step);
        }
    }
}

impl OpenText {
    fn continues(&self, chunk: &Chunk<'_>) -> bool {
        self.kind == chunk.kind && self.message_id.as_deref() == chunk.message_id
    }

    fn push(&mut self, text: &str) {
        keep(&mut self.content, text);
        self.part = if text.trim_start_matches('\n').is_empty() {
            Part { begin: self.content.len(), pieces: 0 }
        } else {
            Part { pieces: self.part.pieces + 1, ..self.part }
        };
    }

    /// One agent that gives no ids tells the last part of a thought piece by piece, and then once more as a whole.
    fn is_repeated_by(&self, chunk: &Chunk<'_>) -> bool {
        self.kind == TextKind::Thought
            && self.message_id.is_none()
            && self.part.pieces > 1
            && self.content.get(self.part.begin..) == Some(chunk.text)
    }
}

impl TextKind {
    const fn started(self) -> ItemKind {
        match self {
            Self::Message => ItemKind::Message,
            Self::Thought => ItemKind::Reasoning,
        }
    }

    fn finished(self, content: String, provider_id: &str) -> FinalItem {
        match self {
            Self::Message => FinalItem::Message(MessageItem::new(content, Origin::Agent)),
            Self::Thought => {
                FinalItem::Reasoning(ReasoningItem { content, provider_id: provider_id.to_owned() })
            }
        }
    }
}
