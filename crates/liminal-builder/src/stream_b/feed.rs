//! What one session says, as Stream B messages. Owns the processors of that profile, which are given the same events as
//! those of every other client; the timer is the session's.

use std::time::Duration;

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::ErrorInfo;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::processor::{Config, Emission, Sink, TurnChange, TurnRef};
use liminal_core::stream_b::Encoder;
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::UpsertStatus;

use super::{Letter, Outbox};

/// Opens a feed for each session: where its messages go, and how they are batched.
#[derive(Debug, Clone)]
pub struct Feeds {
    outbox: Outbox,
    config: Config,
}

impl Feeds {
    /// Feeds into this outbox.
    #[must_use]
    pub const fn new(outbox: Outbox, config: Config) -> Self {
        Self { outbox, config }
    }

    /// A feed for a session of which nothing was said yet.
    #[must_use]
    pub fn open(&self) -> Feed {
        let turns = Turns::new(self.config.clone());
        Feed { turns, gathered: Gathered::default(), outbox: self.outbox.clone() }
    }

    /// Tells the end of turns whose server was stopped inside them, or is gone.
    pub fn broken_off(
        &self,
        turns: impl IntoIterator<Item = (SessionId, TurnId)>,
        reason: &ErrorInfo,
        now: jiff::Timestamp,
    ) {
        for (session_id, turn_id) in turns {
            let turn =
                TurnRef { turn_id: &turn_id, session_id: &session_id, emitted_at: now, trace_context: None };
            let message = Encoder::of_successor().turn(&turn, TurnChange::Broken(reason.clone()));
            self.outbox.put(Letter { message, item: None, is_update: false });
        }
    }
}

/// One session's way into the outbox.
#[derive(Debug)]
pub struct Feed {
    turns: Turns,
    gathered: Gathered,
    outbox: Outbox,
}

impl Feed {
    /// Takes what happened.
    pub fn note(&mut self, events: &[StreamEventEnvelope], now: Now) {
        for event in events {
            self.turns.handle_event(event, now, &mut self.gathered);
        }
        self.pass_on();
    }

    /// When to come back with [`timeout`](Self::timeout).
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        self.turns.next_deadline()
    }

    /// Gives out what has waited long enough.
    pub fn timeout(&mut self, now: Duration) {
        self.turns.handle_timeout(now, &mut self.gathered);
        self.pass_on();
    }

    /// Ends every turn that has no end yet.
    pub fn finish(&mut self, reason: &ErrorInfo) {
        self.turns.finish(reason, None, &mut self.gathered);
        self.pass_on();
    }

    fn pass_on(&mut self) {
        for letter in self.gathered.letters.drain(..) {
            self.outbox.put(letter);
        }
    }
}

#[derive(Debug, Default)]
struct Gathered {
    encoder: Encoder,
    letters: Vec<Letter>,
}

impl Sink for Gathered {
    fn item(&mut self, emission: Emission<'_>) {
        let item = Some(emission.head().item_id.clone());
        let is_update = emission.head().status == UpsertStatus::Update;
        self.letters.push(Letter { message: self.encoder.item(emission), item, is_update });
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        let message = self.encoder.turn(turn, change);
        self.letters.push(Letter { message, item: None, is_update: false });
    }
}

#[cfg(test)]
mod tests {
    use liminal_core::envelope;

    use super::*;
    use crate::config::Redis;

    fn event(kind: &str, fields: &str) -> StreamEventEnvelope {
        let line = format!(
            r#"{{"eventId":"e","timestamp":"1970-01-01T00:00:05Z","turnId":"t","sessionId":"s","type":"{kind}","payload":{{"type":"{kind}","itemId":"i",{fields}}}}}"#
        );
        envelope::read(&line).unwrap().event().unwrap()
    }

    #[test]
    fn a_feed_batches_as_it_is_set() {
        let redis =
            Redis { stream_b_batch_gradient: vec![2], stream_b_batch_timeout_ms: 7, ..Redis::default() };
        let outbox = Outbox::default();
        let mut feed = Feeds::new(outbox.clone(), redis.stream_b_processor()).open();
        let start = event("item_start", r#""itemType":"message""#);
        let two_tokens = event("item_delta", r#""deltaContent":"12345678""#);
        let now = Now::at(start.timestamp.instant());
        feed.note(&[start, two_tokens], now);
        assert_eq!((outbox.len(), feed.next_deadline()), (0, Some(now.mono + Duration::from_millis(7))));
        feed.note(&[event("item_delta", r#""deltaContent":"9""#)], now);
        assert_eq!(outbox.len(), 1);
    }
}
