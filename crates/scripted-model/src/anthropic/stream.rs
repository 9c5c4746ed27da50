//! A message as the events of a stream.

use super::error::ErrorDetail;
use super::event::{Delta, Event, StopDelta};
use super::message::{Message, empty_block};
use crate::answer::Block;
use crate::pacing::Beat;
use crate::timeline::{self, Moment};

const DEFAULT_ERROR: &str = "overloaded_error";

pub(super) fn beats(message: &Message) -> Vec<Beat> {
    timeline::beats(message.answer(), |moment| frames(message, moment))
}

fn frames(message: &Message, moment: Moment<'_>) -> String {
    match moment {
        Moment::Open => Event::MessageStart { message: message.head() }.frame() + &Event::Ping.frame(),
        Moment::BlockStart { index, block } => block_start(index, block),
        Moment::Piece { index, block, text } => piece(index, block, text),
        Moment::BlockEnd { index, block } => block_end(index, block),
        Moment::Close => close(message),
        Moment::Error { kind, message } => {
            Event::Error { error: ErrorDetail { r#type: kind.unwrap_or(DEFAULT_ERROR), message } }.frame()
        }
    }
}

/// The input of a tool opens with an empty piece, as in real answers.
fn block_start(index: usize, block: &Block) -> String {
    let start = Event::ContentBlockStart { index, content_block: empty_block(block) }.frame();
    match block {
        Block::Text(_) | Block::Thinking { .. } => start,
        Block::ToolUse(_) => start + &piece(index, block, ""),
    }
}

fn piece(index: usize, block: &Block, text: &str) -> String {
    let delta = match block {
        Block::Text(_) => Delta::Text { text },
        Block::Thinking { .. } => Delta::Thinking { thinking: text },
        Block::ToolUse(_) => Delta::InputJson { partial_json: text },
    };
    Event::ContentBlockDelta { index, delta }.frame()
}

fn block_end(index: usize, block: &Block) -> String {
    let stop = Event::ContentBlockStop { index }.frame();
    match block {
        Block::Text(_) | Block::ToolUse(_) => stop,
        Block::Thinking { signature, .. } => {
            Event::ContentBlockDelta { index, delta: Delta::Signature { signature } }.frame() + &stop
        }
    }
}

fn close(message: &Message) -> String {
    let delta = StopDelta { stop_reason: message.stop_reason(), stop_sequence: None };
    Event::MessageDelta { delta, usage: message.final_usage() }.frame() + &Event::MessageStop.frame()
}
