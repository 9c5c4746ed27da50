//! Outputs on their way into a log. Owns their encoding: each is written as JSON once, and these bytes are what is
//! stored and what every client gets.

use bytes::Bytes;
use liminal_core::ids::TurnId;
use liminal_core::processor::{Emission, Sink, TurnChange, TurnRef};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertStatus};

use super::Key;
use super::text;

/// An output without a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What it replaces.
    pub key: Key,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Whether more states of an item are to come.
    pub is_open: bool,
    /// The payload.
    pub bytes: Bytes,
    /// Where the growing text begins in the payload.
    pub text_start: Option<usize>,
}

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

    pub(super) fn into_records(self) -> Vec<Record> {
        self.0
    }

    /// Whether it holds the end of a turn.
    #[must_use]
    pub fn ends_turn(&self) -> bool {
        self.0.iter().any(|record| matches!(record.key, Key::TurnEnded(_)))
    }
}

/// Gathers a processor's outputs as records.
#[derive(Debug, Default)]
pub struct Encoder {
    batch: Batch,
    /// Kept between outputs, so that each costs one allocation of its exact size.
    scratch: Vec<u8>,
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
                (Key::TurnEnded(turn_id.clone()), turn_id)
            }
        };
        let bytes = Bytes::copy_from_slice(&self.scratch);
        self.batch.0.push(Record { key, turn: turn.clone(), is_open: false, bytes, text_start: None });
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
            bytes: Bytes::copy_from_slice(&self.scratch),
            text_start: text::start(head, &self.scratch),
        });
    }
}

impl Sink for Encoder {
    fn item(&mut self, emission: Emission<'_>) {
        self.scratch.clear();
        emission.write_json(&mut self.scratch);
        self.push_item(emission.head());
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.turn_event(&change.into_event(turn));
    }
}
