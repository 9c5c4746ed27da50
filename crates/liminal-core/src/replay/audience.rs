//! Who watches a replay: somebody who wants the events, or somebody who wants what clients would see. Owns the
//! lines both write.

use crate::dialect::Notice;
use crate::envelope::StreamEventEnvelope;
use crate::error::{ErrorCode, ErrorInfo};
use crate::json;
use crate::ndjson::Lines;
use crate::processor::{Config, Profile};
use crate::time::Now;
use crate::turns::Turns;

/// Takes what a replay gives.
pub trait Audience {
    /// Time goes on to here, and nothing else happened until then.
    fn advance(&mut self, now: Now);

    /// An event happened.
    fn event(&mut self, event: &StreamEventEnvelope, now: Now);

    /// The session learned something that no item shows.
    fn notice(&mut self, _: &Notice) {}

    /// The replay is over.
    fn end(&mut self, now: Now);
}

/// Writes the events as lines of JSON.
#[derive(Debug, Default)]
pub struct EventLines {
    bytes: Vec<u8>,
}

impl EventLines {
    /// What was written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Audience for EventLines {
    fn advance(&mut self, _: Now) {}

    fn event(&mut self, event: &StreamEventEnvelope, _: Now) {
        json::append(&mut self.bytes, event);
        self.bytes.push(b'\n');
    }

    fn end(&mut self, _: Now) {}
}

/// Writes the outputs of the processor as lines of JSON.
#[derive(Debug)]
pub struct UpsertLines {
    turns: Turns,
    lines: Lines,
}

impl UpsertLines {
    /// Outputs in the words of a profile.
    #[must_use]
    pub fn new(config: Config, profile: Profile) -> Self {
        Self { turns: Turns::new(config), lines: Lines::new(profile) }
    }

    /// What was written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.lines.bytes()
    }

    /// The turns behind the lines.
    #[must_use]
    pub const fn turns(&self) -> &Turns {
        &self.turns
    }
}

impl Audience for UpsertLines {
    fn advance(&mut self, now: Now) {
        self.turns.handle_timeout(now.mono, &mut self.lines);
    }

    fn event(&mut self, event: &StreamEventEnvelope, now: Now) {
        self.turns.handle_event(event, now, &mut self.lines);
    }

    fn end(&mut self, now: Now) {
        let ended = ErrorInfo::new(ErrorCode::StreamEnded, "the recording ended before the turn did");
        self.turns.finish(&ended, Some(now), &mut self.lines);
    }
}
