//! Outputs on their way into a log. Owns their encoding: each is written as JSON once, and these bytes are what is
//! stored and what every client gets.

use bytes::Bytes;
use liminal_core::event::PermissionOutcome;
use liminal_core::ids::TurnId;
use liminal_core::processor::{Emission, Sink, TurnChange, TurnRef};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody, UpsertStatus};

use super::Key;
use super::starts::Starts;
use super::text;

/// An output without a place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else about the output")]
pub struct Record {
    /// What it replaces.
    pub key: Key,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Whether more states of an item are to come.
    pub is_open: bool,
    /// Whether it says that the item is new.
    pub is_first: bool,
    /// Whether it is a call in the background, which the end of its turn leaves open.
    pub is_detached: bool,
    /// Whether it is a person's answer to a request.
    pub is_answer: bool,
    /// The payload.
    pub bytes: Bytes,
    /// Where the growing text begins in the payload.
    pub text_start: Option<usize>,
}

impl Record {
    fn is_overtaken_by(&self, newer: &Self) -> bool {
        self.is_open && newer.is_open && !self.is_first && self.key == newer.key
    }
}

/// How far back an overtaken state is looked for; what grows has grown lately.
const REACH: usize = 64;

/// Outputs in order, to be appended together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch(Vec<Record>);

impl Batch {
    /// The outputs.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.0
    }

    /// Whether there is nothing to append.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds outputs behind these. A state of an item that is to be replaced anyway never gets a place of its own: the
    /// newer one takes that of the older. That an item is new, and how it ended, is always told in order.
    pub fn extend(&mut self, newer: Self) {
        for record in newer.0 {
            match self.0.iter_mut().rev().take(REACH).find(|held| held.is_overtaken_by(&record)) {
                Some(held) => *held = record,
                None => self.0.push(record),
            }
        }
    }

    /// How much is in it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|record| record.bytes.len()).sum()
    }

    pub(super) fn into_records(self) -> Vec<Record> {
        self.0
    }

    /// Whether it holds what must not be lost once somebody has seen it: the end of a turn or of work in the background,
    /// or the answer to a request.
    #[must_use]
    pub fn settles(&self) -> bool {
        let is_end = |record: &Record| match record.key {
            Key::TurnEnded(_) => true,
            Key::Item(_) => record.is_answer || record.is_detached && !record.is_open,
            Key::TurnStarted(_) => false,
        };
        self.0.iter().any(is_end)
    }
}

/// Whether a state is one of a call in the background.
pub(super) const fn is_detached(state: &Upsert) -> bool {
    matches!(&state.body, UpsertBody::ToolCall(call) if call.detached)
}

fn is_answer(state: &Upsert) -> bool {
    let UpsertBody::Permission(request) = &state.body else { return false };
    request.outcome.as_ref().is_some_and(PermissionOutcome::is_answered)
}

/// Gathers a processor's outputs as records.
#[derive(Debug, Default)]
pub struct Encoder {
    batch: Batch,
    /// Kept between outputs, so that each costs one allocation of its exact size.
    scratch: Vec<u8>,
    starts: Starts,
}

/// More room than nearly every payload needs; more is given back after use.
const SCRATCH_KEPT: usize = 64 * 1024;

impl Encoder {
    /// What has gathered.
    pub fn take(&mut self) -> Batch {
        self.scratch.shrink_to(SCRATCH_KEPT);
        std::mem::take(&mut self.batch)
    }

    /// Adds an item's state that no processor made.
    pub fn upsert(&mut self, upsert: &Upsert) {
        self.write(upsert);
        self.push_item(upsert);
    }

    /// Adds a turn's milestone.
    pub fn turn_event(&mut self, event: &TurnEvent) {
        self.write(event);
        let (key, turn) = match event {
            TurnEvent::TurnStarted { turn_id, .. } => (Key::TurnStarted(turn_id.clone()), turn_id),
            TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. } => {
                self.starts.forget(turn_id);
                (Key::TurnEnded(turn_id.clone()), turn_id)
            }
        };
        let bytes = Bytes::copy_from_slice(&self.scratch);
        self.batch.0.push(Record {
            key,
            turn: turn.clone(),
            is_open: false,
            is_first: false,
            is_detached: false,
            is_answer: false,
            bytes,
            text_start: None,
        });
    }

    #[expect(
        clippy::expect_used,
        reason = "memory takes every byte, and no type of ours has keys that are not text"
    )]
    fn write(&mut self, value: &impl serde::Serialize) {
        self.scratch.clear();
        serde_json::to_writer(&mut self.scratch, value).expect("a value of ours is JSON");
    }

    fn push_item(&mut self, head: &Upsert) {
        self.batch.0.push(Record {
            key: Key::Item(head.item_id.clone()),
            turn: head.turn_id.clone(),
            is_open: matches!(head.status, UpsertStatus::Create | UpsertStatus::Update),
            is_first: head.status == UpsertStatus::Create,
            is_detached: is_detached(head),
            is_answer: is_answer(head),
            bytes: Bytes::copy_from_slice(&self.scratch),
            text_start: text::start(head, &self.scratch),
        });
    }
}

impl Sink for Encoder {
    fn item(&mut self, emission: Emission<'_>) {
        let started = self.starts.of(emission.head());
        let emission = emission.started(started);
        self.scratch.clear();
        emission.write_json(&mut self.scratch);
        self.push_item(emission.head());
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.turn_event(&change.into_event(turn));
    }
}
