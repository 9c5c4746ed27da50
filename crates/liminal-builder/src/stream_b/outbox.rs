//! Messages that wait for the Redis. Owns what becomes of them when it is slow or gone: a newer state takes the place of an
//! older one of its item, and beyond a size the oldest are given up, so that an outage of any length costs the same memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use liminal_core::ids::ItemId;
use liminal_core::stream_b::StreamBMessage;
use tokio::sync::Notify;

/// Messages that wait at most; most are small, and this many are some minutes of many sessions.
const MOST: usize = 4096;
/// Their size; a state repeats its whole text, so that a few may be large.
const MOST_BYTES: usize = 16 << 20;
/// What a message takes beside its payload.
const ENVELOPE_BYTES: usize = 256;

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The message.
    pub message: StreamBMessage,
    /// The item whose state it is, if it is one.
    pub item: Option<ItemId>,
    /// Whether it is neither the first nor the last state of its item.
    pub is_update: bool,
}

impl Letter {
    fn is_overtaken_by(&self, newer: &Self) -> bool {
        self.is_update
            && newer.is_update
            && self.item == newer.item
            && self.message.turn_id == newer.message.turn_id
    }

    fn size(&self) -> usize {
        let trace = self.message.trace_context.as_ref();
        let trace = trace
            .map_or(0, |trace| trace.traceparent.len() + trace.tracestate.as_ref().map_or(0, String::len));
        self.message.payload.len() + trace + ENVELOPE_BYTES
    }
}

/// Messages that wait, of all sessions; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    letters: VecDeque<Letter>,
    bytes: usize,
    /// Given up since somebody asked.
    given_up: u64,
    is_closed: bool,
}

impl Outbox {
    /// Adds a message. Never waits.
    pub fn put(&self, letter: Letter) {
        self.lock().put(letter);
        self.0.changed.notify_one();
    }

    /// The next message, when there is one; none once it is closed and empty. Cancel-safe.
    pub async fn next(&self) -> Option<Letter> {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut waiting = self.lock();
                if let Some(letter) = waiting.take() {
                    return Some(letter);
                }
                if waiting.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// No more will come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.0.changed.notify_one();
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().letters.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many were given up for want of room since this was asked last.
    #[must_use]
    pub fn given_up(&self) -> u64 {
        std::mem::take(&mut self.lock().given_up)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Every change is whole before the lock is given back.
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn put(&mut self, letter: Letter) {
        self.bytes += letter.size();
        match self.letters.iter_mut().rev().find(|held| held.is_overtaken_by(&letter)) {
            Some(held) => {
                self.bytes -= held.size();
                *held = letter;
            }
            None => self.letters.push_back(letter),
        }
        while self.letters.len() > MOST || (self.bytes > MOST_BYTES && self.letters.len() > 1) {
            self.give_up_one();
        }
    }

    /// A state that another will follow is missed least.
    fn give_up_one(&mut self) {
        let index = self.letters.iter().position(|letter| letter.is_update).unwrap_or(0);
        if let Some(letter) = self.letters.remove(index) {
            self.bytes -= letter.size();
            self.given_up += 1;
        }
    }

    fn take(&mut self) -> Option<Letter> {
        let letter = self.letters.pop_front()?;
        self.bytes -= letter.size();
        Some(letter)
    }
}

#[cfg(test)]
mod tests {
    use liminal_core::stream_b::PayloadType;

    use super::*;

    fn letter(item: &str, is_update: bool, payload: impl Into<String>) -> Letter {
        let message = StreamBMessage {
            event_id: String::new(),
            timestamp: 0,
            turn_id: "t".into(),
            payload_type: PayloadType::ItemUpsert,
            payload: payload.into(),
            trace_context: None,
        };
        Letter { message, item: Some(item.into()), is_update }
    }

    fn payloads(outbox: &Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.lock().take()).map(|letter| letter.message.payload).collect()
    }

    #[test]
    fn a_state_that_waits_is_overtaken_by_a_newer_one_of_its_item() {
        let outbox = Outbox::default();
        for (item, is_update, payload) in [
            ("a", false, "a created"),
            ("a", true, "a 1"),
            ("b", true, "b 1"),
            ("a", true, "a 2"),
            ("a", false, "a completed"),
        ] {
            outbox.put(letter(item, is_update, payload));
        }
        assert_eq!(payloads(&outbox), ["a created", "a 2", "b 1", "a completed"]);
        assert_eq!((outbox.given_up(), outbox.lock().bytes), (0, 0));
    }

    #[test]
    fn what_waits_is_bounded_and_the_rest_is_counted() {
        let outbox = Outbox::default();
        for number in 0..MOST + 10 {
            outbox.put(letter(&number.to_string(), number == 20, number.to_string()));
        }
        assert_eq!((outbox.len(), outbox.given_up(), outbox.given_up()), (MOST, 10, 0));
        let kept = payloads(&outbox);
        assert!(!kept.contains(&"20".to_owned()), "an update goes first");
        assert_eq!(kept.first().map(String::as_str), Some("9"));
        for number in 0..40 {
            outbox.put(letter(&number.to_string(), false, "x".repeat(1 << 20)));
        }
        assert!(outbox.lock().bytes <= MOST_BYTES && !outbox.is_empty());
        outbox.put(letter("large", false, "x".repeat(2 * MOST_BYTES)));
        assert_eq!(outbox.len(), 1, "one is always kept");
    }

    #[tokio::test]
    async fn a_closed_outbox_gives_out_its_rest() {
        let outbox = Outbox::default();
        outbox.put(letter("a", false, "a"));
        outbox.close();
        assert!(outbox.next().await.is_some());
        assert_eq!(outbox.next().await, None);
    }
}
