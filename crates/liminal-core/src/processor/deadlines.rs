//! Which item must be looked at next, and when. Owns one entry per waiting item.
//!
//! A delta moves an item's deadline on. Moving its entry every time would cost a search per delta, so the entry
//! stays where it is and is put right when its time comes: an entry may be early, never late.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::growing::GrowingText;
use super::items::Ordinal;

#[derive(Debug, Default)]
pub(super) struct Deadlines(BinaryHeap<Reverse<(Duration, Ordinal)>>);

impl Deadlines {
    /// Sees to it that a waiting text has an entry.
    pub(super) fn watch(&mut self, item: Ordinal, growing: &mut GrowingText) {
        if growing.queued {
            return;
        }
        let Some(deadline) = growing.deadline() else { return };
        growing.queued = true;
        self.0.push(Reverse((deadline, item)));
    }

    pub(super) fn next(&self) -> Option<Duration> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes the earliest entry that is not after `now`.
    pub(super) fn pop_until(&mut self, now: Duration) -> Option<Ordinal> {
        if self.next()? > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, item))| item)
    }
}
