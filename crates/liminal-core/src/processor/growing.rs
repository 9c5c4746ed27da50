//! One text that grows by deltas and goes out in batches. Owns what is unemitted, how much, and until when it
//! may wait; knows nothing of items, turns or outputs.

use std::time::Duration;

use super::escaped::EscapedText;
use super::gradient::Level;
use super::limits::Fit;
use super::rules::{Config, Rules};
use super::tokens::TokenCounter;
use crate::item_limit::beginning;
use crate::upsert::UpsertStatus;

/// A text between its first delta and its end.
#[derive(Debug, Clone)]
pub(super) struct GrowingText {
    text: EscapedText,
    /// How many bytes still fit; none once something did not.
    room: Option<usize>,
    tokens: TokenCounter,
    level: Level,
    emitted_tokens: u64,
    /// Decided by bytes, not tokens: half a word or a line break is news too.
    unemitted: bool,
    created: bool,
    idle_at: Duration,
    first_at: Option<Duration>,
    /// Whether the table of deadlines has an entry for this text.
    pub(super) queued: bool,
}

impl GrowingText {
    pub(super) fn new(config: &Config, rules: Rules) -> Self {
        Self {
            text: EscapedText::default(),
            room: Some(config.item_bytes),
            tokens: TokenCounter::new(rules.tokens),
            level: Level::new(&config.gradient),
            emitted_tokens: 0,
            unemitted: false,
            created: false,
            idle_at: Duration::ZERO,
            first_at: None,
            queued: false,
        }
    }

    /// Adds what fits.
    pub(super) fn push(&mut self, delta: &str, at: Duration, config: &Config) -> Fit {
        let Some(room) = self.room else { return Fit::Not };
        let fitting = beginning(delta, room);
        self.append(fitting, at, config);
        self.room = (fitting.len() == delta.len()).then(|| room - fitting.len());
        if self.room.is_some() { Fit::Whole } else { Fit::Cut }
    }

    /// Adds a word of our own, whether or not it fits.
    pub(super) fn append(&mut self, delta: &str, at: Duration, config: &Config) {
        self.idle_at = at.saturating_add(config.idle_timeout);
        if delta.is_empty() {
            return;
        }
        if self.text.is_empty() {
            self.first_at = config.first_emission.map(|within| at.saturating_add(within));
        }
        self.text.push_str(delta);
        self.tokens.push(delta);
        self.unemitted = true;
    }

    pub(super) const fn is_due(&self, rules: Rules) -> bool {
        self.level.is_exceeded(rules.thresholds, self.tokens.total(), self.emitted_tokens)
    }

    /// Until when what is unemitted may wait.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let first = self.first_at.filter(|_| !self.created);
        self.unemitted.then(|| first.map_or(self.idle_at, |first| first.min(self.idle_at)))
    }

    /// Notes that everything so far goes out, and tells as what.
    pub(super) fn emit(&mut self, config: &Config, rules: Rules) -> UpsertStatus {
        let total = self.tokens.total();
        self.level.advance(rules.thresholds, &config.gradient, total, self.emitted_tokens);
        self.emitted_tokens = total;
        self.unemitted = false;
        if std::mem::replace(&mut self.created, true) { UpsertStatus::Update } else { UpsertStatus::Create }
    }

    pub(super) const fn text(&self) -> &EscapedText {
        &self.text
    }

    pub(super) const fn has_unemitted(&self) -> bool {
        self.unemitted
    }

    pub(super) const fn is_created(&self) -> bool {
        self.created
    }

    pub(super) const fn token_count(&self) -> u64 {
        self.tokens.total()
    }

    pub(super) const fn batch_index(&self) -> usize {
        self.level.index()
    }
}
