//! A look inside, for debugging and tests. Owns nothing; changes nothing.

use std::time::Duration;

use super::UpsertProcessor;
use super::growing::GrowingText;
use super::items::{ItemState, OpenItem};
use crate::ids::ItemId;

/// What a processor holds of one open item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferInfo {
    /// The item.
    pub item_id: ItemId,
    /// What it is, as canonical events call it.
    pub item_type: &'static str,
    /// Tokens so far.
    pub token_count: u64,
    /// Characters so far.
    pub content_length: usize,
    /// Position in the list of thresholds.
    pub batch_index: usize,
    /// Whether it waits until it is done.
    pub is_held: bool,
    /// Whether its `item_done` has come, and it is open because something else is awaited: a call waits for its output.
    pub is_complete: bool,
    /// When what is unemitted goes out.
    pub deadline: Option<Duration>,
}

impl UpsertProcessor {
    /// The open items, in the order of their start.
    #[must_use]
    pub fn buffers(&self) -> Vec<BufferInfo> {
        self.items.iter().map(BufferInfo::of).collect()
    }
}

impl BufferInfo {
    fn of(item: &OpenItem) -> Self {
        let (item_type, is_held, growing) = match &item.state {
            ItemState::Text(text) => (text.kind.as_str(), text.held, Some(&text.growing)),
            ItemState::Output(output) => ("function_call_output", false, Some(&output.growing)),
            ItemState::Call(_) => ("function_call", false, None),
            ItemState::Plan(_) => ("plan", false, None),
            ItemState::Permission(_) => ("permission", false, None),
        };
        Self {
            item_id: item.id.clone(),
            item_type,
            token_count: growing.map_or(0, GrowingText::token_count),
            content_length: growing.map_or(0, |growing| growing.text().to_plain().chars().count()),
            batch_index: growing.map_or(0, GrowingText::batch_index),
            is_held,
            is_complete: matches!(&item.state, ItemState::Call(call) if call.arguments.is_some()),
            deadline: growing.filter(|growing| growing.queued).and_then(GrowingText::deadline),
        }
    }
}
