//! The blocks of the model's messages. Owns how the parts of a block and the line that repeats it as a whole
//! become one item, also when a stream breaks and the same answer comes again under another message id.
//!
//! A text is finished only when something follows its whole line: after an interruption the same line tells no
//! more than what had been streamed, and nothing but the marker and the result follow.

mod broken;

use std::collections::BTreeMap;

use super::PROVIDER_ID;
use super::calls::Calls;
use super::wire::{Block, Call, Part};
use crate::dialect::{Step, TurnWriter};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{CancelReason, FinalItem, ItemKind, MessageItem, Origin, ReasoningItem};
use crate::ids::{CallId, ItemId};
use broken::Broken;

type Index = u64;

const ASKED_AGAIN: &str = "The model's answer broke off, and is asked for again.";

#[derive(Debug, Default)]
pub(super) struct Blocks {
    stream: Option<Message>,
    broken: Broken,
}

/// The message that is being streamed.
#[derive(Debug)]
struct Message {
    id: String,
    open: BTreeMap<Index, OpenBlock>,
    /// Whether a block of it is finished. That one stays, whatever becomes of the rest.
    has_finished: bool,
    /// The model said why it stopped, so nothing of this is asked again.
    is_over: bool,
}

/// Where a whole block belongs.
#[derive(Debug)]
enum Place {
    /// In the stream that goes on.
    Streaming(Index, OpenBlock),
    /// In the place of what an earlier stream left unfinished.
    Broken(OpenBlock),
    /// It was not told in parts.
    New,
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
                self.begin_after(&message.id, desk);
                self.stream = Some(Message::new(&message.id));
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
            _ => {
                self.finish_texts(desk);
                let has_stopped = part.delta.as_ref().is_some_and(super::wire::Delta::has_stopped);
                if let Some(message) = self.stream.as_mut().filter(|_| has_stopped) {
                    message.is_over = true;
                }
            }
        }
    }

    /// A whole block of the main agent's message.
    pub(super) fn whole(&mut self, message_id: &str, block: Block, desk: &mut Desk<'_, '_>) {
        self.finish_texts(desk);
        if self.stream.as_ref().is_none_or(|message| message.id != message_id) {
            self.begin_after(message_id, desk);
        }
        let place = self.place_of(&block);
        match block {
            Block::Text(text) => self.settle(place, TextKind::Message, text, desk),
            Block::Thinking(text) => self.settle(place, TextKind::Thinking, text, desk),
            Block::Call(call) => Self::settle_call(call, place, desk),
            Block::Result(_) | Block::Unknown(_) => {}
        }
    }

    /// Finishes the texts that are known as a whole.
    pub(super) fn finish_texts(&mut self, desk: &mut Desk<'_, '_>) {
        let Some(message) = &mut self.stream else { return };
        message.open.retain(|_, block| {
            let OpenBlock::Text(text) = block else { return true };
            let Some(whole) = text.whole.take() else { return true };
            finish_text(text.kind, text.item_id.as_ref(), whole, None, desk);
            message.has_finished = true;
            false
        });
    }

    /// Gives up what is open: the turn ends, and nothing was told in its place.
    pub(super) fn give_up_open(&mut self, desk: &mut Desk<'_, '_>) {
        self.break_stream(desk);
        self.broken.give_up(desk);
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
        // Its deltas would grow on what is shown of the broken one, so only its whole line is told.
        if self.broken.has_place_for(block) {
            return;
        }
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

    fn settle(&mut self, place: Place, kind: TextKind, whole: String, desk: &mut Desk<'_, '_>) {
        match place {
            // It is finished when something follows.
            Place::Streaming(index, OpenBlock::Text(text)) => {
                let open = OpenBlock::Text(OpenText { whole: Some(whole), ..text });
                if let Some(message) = &mut self.stream {
                    message.open.insert(index, open);
                }
            }
            Place::Broken(OpenBlock::Text(text)) => {
                finish_text(kind, text.item_id.as_ref(), whole, None, desk);
            }
            Place::Streaming(_, OpenBlock::Call(_)) | Place::Broken(OpenBlock::Call(_)) | Place::New => {
                finish_text(kind, None, whole, None, desk);
            }
        }
    }

    fn settle_call(call: Call, place: Place, desk: &mut Desk<'_, '_>) {
        if let Place::Broken(OpenBlock::Call(announced)) = place {
            desk.calls.replace(&announced, &call.id);
        }
        desk.calls.call(call, None, desk.writer, desk.step);
    }

    /// Another message begins. Of one that broke what is whole stays, and would seem to be said twice.
    fn begin_after(&mut self, message_id: &str, desk: &mut Desk<'_, '_>) {
        if self.stream.as_ref().is_some_and(|message| message.has_finished && !message.is_over) {
            desk.writer.message(ASKED_AGAIN.to_owned(), Origin::System, desk.step);
        }
        self.break_stream(desk);
        self.broken.is_asked_again_as(message_id, desk);
    }

    /// The stream is over; what it left open waits for the answer that is asked again.
    fn break_stream(&mut self, desk: &mut Desk<'_, '_>) {
        let Some(message) = self.stream.take() else { return };
        let left = message.open.into_values().filter(OpenBlock::is_shown);
        if message.is_over {
            left.for_each(|block| block.give_up(desk));
        } else {
            self.broken.extend(left);
        }
    }

    fn place_of(&mut self, block: &Block) -> Place {
        let streaming = self.stream.as_mut().and_then(|message| message.place_of(block));
        match streaming {
            Some((index, open)) => Place::Streaming(index, open),
            None => self.broken.take_place_for(block).map_or(Place::New, Place::Broken),
        }
    }
}

impl Message {
    fn new(id: &str) -> Self {
        Self { id: id.to_owned(), open: BTreeMap::new(), has_finished: false, is_over: false }
    }

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

    /// Whether it is an item already.
    const fn is_shown(&self) -> bool {
        match self {
            Self::Text(text) => text.item_id.is_some(),
            Self::Call(_) => true,
        }
    }

    /// Ends the item of a block that never became whole.
    fn give_up(self, desk: &mut Desk<'_, '_>) {
        let error = ErrorInfo::new(ErrorCode::StreamEnded, "the model broke off before this was finished");
        match self {
            Self::Text(OpenText { item_id: Some(item_id), .. }) => {
                desk.writer.fail(&item_id, error, desk.step);
            }
            Self::Text(_) => {}
            Self::Call(id) => desk.calls.fail(&id, &error, desk.writer, desk.step),
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
            Self::Message => FinalItem::Message(MessageItem::new(content, Origin::Agent)),
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
