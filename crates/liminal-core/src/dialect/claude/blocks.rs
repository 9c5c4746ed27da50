//! The blocks of the model's messages. Owns how the parts of a block and the line that repeats it as a whole
//! become one item, also when a stream breaks and the same answer comes again under another message id.
//!
//! A text is finished only when something follows its whole line: after an interruption the same line tells no
//! more than what had been streamed, and nothing but the marker and the result follow.

use std::collections::BTreeMap;

use super::PROVIDER_ID;
use super::calls::Calls;
use super::wire::{Block, Call, Part};
use crate::dialect::{Step, TurnWriter};
use crate::event::{CancelReason, FinalItem, ItemKind, MessageItem, Origin, ReasoningItem};
use crate::ids::{CallId, ItemId};

type Index = u64;

#[derive(Debug, Default)]
pub(super) struct Blocks {
    stream: Option<Message>,
    /// Parts of a stream that broke; the blocks of the same answer, asked again, take their places.
    broken: BTreeMap<Index, OpenBlock>,
    /// A message that comes in whole lines only, and how many of them have come.
    whole: Option<(String, Index)>,
}

/// The message that is being streamed.
#[derive(Debug)]
struct Message {
    id: String,
    open: BTreeMap<Index, OpenBlock>,
}

#[derive(Debug)]
enum OpenBlock {
    Text(OpenText),
    Call(CallId),
}

#[derive(Debug)]
struct OpenText {
    kind: TextKind,
    /// Absent until there is something to show: an empty block is no item.
    item_id: Option<ItemId>,
    streamed: usize,
    whole: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Message,
    Thinking,
}

/// Where blocks leave their traces.
#[derive(Debug)]
pub(super) struct Desk<'a, 'b> {
    pub(super) writer: &'a mut TurnWriter,
    pub(super) calls: &'a mut Calls,
    pub(super) step: &'a mut Step<'b>,
}

impl Blocks {
    /// A part of a message while it is written.
    pub(super) fn part(&mut self, part: &Part<'_>, desk: &mut Desk<'_, '_>) {
        match part.kind.as_ref() {
            "message_start" => {
                let Some(message) = &part.message else { return };
                self.finish_texts(desk);
                self.drop_open(desk);
                self.stream = Some(Message { id: message.id.clone(), open: BTreeMap::new() });
            }
            "content_block_start" => {
                let Some(block) = &part.content_block else { return };
                self.finish_texts(desk);
                self.start(part.index, &Block::read(block), desk);
            }
            "content_block_delta" => {
                let added = part.delta.as_ref().map(super::wire::Delta::added).unwrap_or_default();
                self.grow(part.index, added, desk);
            }
            _ => self.finish_texts(desk),
        }
    }

    /// A whole block of the main agent's message.
    pub(super) fn whole(&mut self, message_id: &str, block: Block, desk: &mut Desk<'_, '_>) {
        self.finish_texts(desk);
        let place = match &mut self.stream {
            Some(message) if message.id == message_id => message.place_of(&block),
            _ => {
                self.break_stream();
                self.broken_place(message_id, &block)
            }
        };
        match (block, place) {
            (Block::Text(text), place) => self.settle(place, TextKind::Message, text, desk),
            (Block::Thinking(text), place) => self.settle(place, TextKind::Thinking, text, desk),
            (Block::Call(call), place) => Self::settle_call(call, place, desk),
            (Block::Result(_) | Block::Unknown(_), _) => {}
        }
    }

    /// Finishes the texts that are known as a whole.
    pub(super) fn finish_texts(&mut self, desk: &mut Desk<'_, '_>) {
        let Some(message) = &mut self.stream else { return };
        message.open.retain(|_, block| {
            let OpenBlock::Text(text) = block else { return true };
            let Some(whole) = text.whole.take() else { return true };
            finish_text(text.kind, text.item_id.as_ref(), whole, None, desk);
            false
        });
    }

    /// Gives up what is open: it was asked again, or never finished.
    pub(super) fn drop_open(&mut self, desk: &mut Desk<'_, '_>) {
        self.break_stream();
        for block in std::mem::take(&mut self.broken).into_values() {
            match block {
                OpenBlock::Text(OpenText { item_id: Some(item_id), .. }) => {
                    desk.writer.cancel(&item_id, None, desk.step);
                }
                OpenBlock::Text(_) => {}
                OpenBlock::Call(id) => desk.calls.cancel(&id, None, desk.writer, desk.step),
            }
        }
    }

    /// The user stopped the turn: texts stay as far as they came.
    pub(super) fn stop(&mut self, desk: &mut Desk<'_, '_>) {
        let Some(message) = self.stream.take() else { return };
        for block in message.open.into_values() {
            match block {
                OpenBlock::Text(text) => text.stop(desk),
                OpenBlock::Call(id) => {
                    desk.calls.cancel(&id, Some(CancelReason::UserCancel), desk.writer, desk.step);
                }
            }
        }
    }

    fn start(&mut self, index: Index, block: &Block, desk: &mut Desk<'_, '_>) {
        let Some(message) = &mut self.stream else { return };
        let (kind, text) = match block {
            Block::Text(text) => (TextKind::Message, text),
            Block::Thinking(text) => (TextKind::Thinking, text),
            Block::Call(call) => {
                if desk.calls.announce(call, desk.writer, desk.step).is_some() {
                    message.open.insert(index, OpenBlock::Call(call.id.clone()));
                }
                return;
            }
            Block::Result(_) | Block::Unknown(_) => return,
        };
        let mut open = OpenText { kind, item_id: None, streamed: 0, whole: None };
        open.grow(text, desk);
        message.open.insert(index, OpenBlock::Text(open));
    }

    fn grow(&mut self, index: Index, added: &str, desk: &mut Desk<'_, '_>) {
        match self.stream.as_mut().and_then(|message| message.open.get_mut(&index)) {
            Some(OpenBlock::Text(text)) => text.grow(added, desk),
            Some(OpenBlock::Call(id)) if !added.is_empty() => {
                desk.calls.grow(id, added, desk.writer, desk.step);
            }
            Some(OpenBlock::Call(_)) | None => {}
        }
    }

    fn settle(
        &mut self,
        place: Option<(Index, OpenBlock)>,
        kind: TextKind,
        whole: String,
        desk: &mut Desk<'_, '_>,
    ) {
        match place {
            // Of the stream that goes on: it is finished when something follows.
            Some((index, OpenBlock::Text(text))) if self.is_streaming() => {
                let open = OpenBlock::Text(OpenText { whole: Some(whole), ..text });
                if let Some(message) = &mut self.stream {
                    message.open.insert(index, open);
                }
            }
            Some((_, OpenBlock::Text(text))) => finish_text(kind, text.item_id.as_ref(), whole, None, desk),
            Some((_, OpenBlock::Call(_))) | None => finish_text(kind, None, whole, None, desk),
        }
    }

    fn settle_call(call: Call, place: Option<(Index, OpenBlock)>, desk: &mut Desk<'_, '_>) {
        if let Some((_, OpenBlock::Call(announced))) = place
            && announced != call.id
        {
            desk.calls.replace(&announced, &call.id);
        }
        desk.calls.call(call, None, desk.writer, desk.step);
    }

    const fn is_streaming(&self) -> bool {
        self.stream.is_some()
    }

    /// The stream is over; what it left open waits for the answer that is asked again.
    fn break_stream(&mut self) {
        if let Some(message) = self.stream.take() {
            self.broken.extend(message.open);
        }
    }

    fn broken_place(&mut self, message_id: &str, block: &Block) -> Option<(Index, OpenBlock)> {
        let index = match &mut self.whole {
            Some((id, count)) if id == message_id => {
                *count += 1;
                *count
            }
            _ => {
                self.whole = Some((message_id.to_owned(), 0));
                0
            }
        };
        self.broken.get(&index).filter(|open| open.fits(block))?;
        self.broken.remove(&index).map(|open| (index, open))
    }
}

impl Message {
    /// Takes the first open block that this line can be the whole of.
    fn place_of(&mut self, block: &Block) -> Option<(Index, OpenBlock)> {
        let index = *self.open.iter().find(|(_, open)| open.is_start_of(block))?.0;
        self.open.remove(&index).map(|open| (index, open))
    }
}

impl OpenBlock {
    fn is_start_of(&self, block: &Block) -> bool {
        match (self, block) {
            (Self::Call(id), Block::Call(call)) => *id == call.id,
            (Self::Text(_), _) => self.fits(block),
            (Self::Call(_), _) => false,
        }
    }

    /// Whether they are of the same kind.
    const fn fits(&self, block: &Block) -> bool {
        match (self, block) {
            (Self::Text(text), Block::Text(_)) => matches!(text.kind, TextKind::Message),
            (Self::Text(text), Block::Thinking(_)) => matches!(text.kind, TextKind::Thinking),
            (Self::Call(_), Block::Call(_)) => true,
            (Self::Text(_) | Self::Call(_), _) => false,
        }
    }
}

impl OpenText {
    fn grow(&mut self, added: &str, desk: &mut Desk<'_, '_>) {
        if added.is_empty() {
            return;
        }
        self.streamed += added.len();
        let item_id =
            self.item_id.get_or_insert_with(|| desk.writer.start(self.kind.started(), None, desk.step));
        desk.writer.delta(item_id, added, desk.step);
    }

    /// Shows what only the whole line told, and leaves the item unfinished.
    fn stop(mut self, desk: &mut Desk<'_, '_>) {
        let Some(whole) = self.whole.take() else { return };
        if let Some(rest) = whole.get(self.streamed..) {
            self.grow(rest, desk);
        }
    }
}

impl TextKind {
    const fn started(self) -> ItemKind {
        match self {
            Self::Message => ItemKind::Message,
            Self::Thinking => ItemKind::Reasoning,
        }
    }

    fn finished(self, content: String) -> FinalItem {
        match self {
            Self::Message => FinalItem::Message(MessageItem { content, origin: Origin::Agent }),
            Self::Thinking => {
                FinalItem::Reasoning(ReasoningItem { content, provider_id: PROVIDER_ID.to_owned() })
            }
        }
    }
}

/// A block of a sub-agent, which comes whole.
pub(super) fn nested(block: Block, parent: &CallId, desk: &mut Desk<'_, '_>) {
    match block {
        Block::Text(text) => finish_text(TextKind::Message, None, text, Some(parent), desk),
        Block::Thinking(text) => finish_text(TextKind::Thinking, None, text, Some(parent), desk),
        Block::Call(call) => desk.calls.call(call, Some(parent), desk.writer, desk.step),
        Block::Result(_) | Block::Unknown(_) => {}
    }
}

fn finish_text(
    kind: TextKind,
    item_id: Option<&ItemId>,
    whole: String,
    parent: Option<&CallId>,
    desk: &mut Desk<'_, '_>,
) {
    let item_id = match (item_id, parent) {
        (Some(item_id), _) => item_id.clone(),
        (None, _) if whole.is_empty() => return,
        // The start is where the parent is told.
        (None, Some(_)) => desk.writer.start(kind.started(), parent, desk.step),
        (None, None) => desk.writer.next_item(desk.step),
    };
    desk.writer.done(&item_id, kind.finished(whole), desk.step);
}
