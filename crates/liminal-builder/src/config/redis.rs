//! `[redis]`: its settings, including those of Stream B, and the types that the rest of the program reads.

use std::time::Duration;

use liminal_core::processor::{self, ExtraItems, Profile};
use serde_json::Value;
use toml::de::DeValue;

use super::reading::{KeyPrefix, Readable};
use super::redis_url::RedisUrl;
use crate::emitter::RetryPolicy;

const PLAN: &str = "plan";
const PERMISSION: &str = "permission";

/// `[redis]`: the Redis that is shared with other servers and programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redis {
    /// Its address; without it there is none, and this server is on its own.
    pub url: Option<RedisUrl>,
    /// What the keys begin with that servers share.
    pub prefix: KeyPrefix,
    /// Milliseconds after which a server that has not been heard of counts as gone.
    pub lease_ms: u64,
    /// Whether the messages of every turn are written there for other programs.
    pub publish_stream_b: bool,
    /// Minutes for which they stay there, after the last one of the turn.
    pub stream_b_minutes: u64,
    /// Tokens by which a text must grow for its 1st, 2nd, … message; the last repeats.
    pub stream_b_batch_gradient: Vec<u64>,
    /// Milliseconds of silence after which what a text has gathered goes out.
    pub stream_b_batch_timeout_ms: u64,
    /// How often a message is tried again that the Redis does not take.
    pub stream_b_retry_attempts: u64,
    /// Milliseconds before the first of these attempts; each later one waits twice as long.
    pub stream_b_retry_base_ms: u64,
    /// Milliseconds that an attempt waits at most.
    pub stream_b_retry_max_ms: u64,
    /// Items that go out beyond messages, thoughts, tools and errors.
    pub stream_b_extra_items: ExtraItems,
}

impl Default for Redis {
    fn default() -> Self {
        Self {
            url: None,
            prefix: KeyPrefix::default(),
            lease_ms: 10_000,
            publish_stream_b: false,
            stream_b_minutes: 24 * 60,
            stream_b_batch_gradient: Profile::StreamB.default_gradient().to_vec(),
            stream_b_batch_timeout_ms: 1000,
            stream_b_retry_attempts: 3,
            stream_b_retry_base_ms: 1000,
            stream_b_retry_max_ms: 10_000,
            stream_b_extra_items: ExtraItems::default(),
        }
    }
}

impl Redis {
    /// How long a server counts as there that was not heard of.
    #[must_use]
    pub const fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms)
    }

    /// How long the messages of a turn stay.
    #[must_use]
    pub const fn stream_b_kept(&self) -> Duration {
        Duration::from_secs(self.stream_b_minutes * 60)
    }

    /// How the messages of turns are batched, and which items they show.
    #[must_use]
    pub fn stream_b_processor(&self) -> processor::Config {
        processor::Config::new(Profile::StreamB)
            .with_gradient(&self.stream_b_batch_gradient)
            .with_idle_timeout(Duration::from_millis(self.stream_b_batch_timeout_ms))
            .with_extra_items(self.stream_b_extra_items)
    }

    /// How a message is tried again that the Redis does not take.
    #[must_use]
    pub fn stream_b_retry(&self) -> RetryPolicy {
        RetryPolicy {
            attempts: u32::try_from(self.stream_b_retry_attempts).unwrap_or(u32::MAX),
            base: Duration::from_millis(self.stream_b_retry_base_ms),
            max: Duration::from_millis(self.stream_b_retry_max_ms),
        }
    }
}

impl Readable for ExtraItems {
    const EXPECTED: &'static str = "a list of `plan` and `permission`";

    fn of_text(text: &str) -> Option<Self> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(Some).try_fold(Self::default(), with_item)
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        let words = value.as_array()?.iter().map(|word| word.get_ref().as_str());
        words.into_iter().try_fold(Self::default(), with_item)
    }

    fn show(&self) -> Value {
        let words = [(self.plans, PLAN), (self.permissions, PERMISSION)];
        words.into_iter().filter_map(|(is_shown, word)| is_shown.then_some(word)).collect()
    }
}

fn with_item(items: ExtraItems, word: Option<&str>) -> Option<ExtraItems> {
    match word? {
        PLAN => Some(ExtraItems { plans: true, ..items }),
        PERMISSION => Some(ExtraItems { permissions: true, ..items }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_their_owners() {
        let defaults = Redis::default();
        assert_eq!(defaults.stream_b_retry(), RetryPolicy::default());
        let (found, expected) = (defaults.stream_b_processor(), processor::Config::new(Profile::StreamB));
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    }
}
