//! Delivery of Stream B messages. Owns when a failed delivery is tried again and when it is given up; where
//! messages go is the publisher's business.

use std::fmt;
use std::time::Duration;

use liminal_core::stream_b::StreamBMessage;

/// Where messages go.
pub trait Publisher {
    /// Why a delivery failed.
    type Error: fmt::Display;

    /// Delivers one message.
    fn publish(&mut self, message: &StreamBMessage) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// How often a delivery is tried again, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries after the first one.
    pub attempts: u32,
    /// The wait before the first of them; each later one doubles it.
    pub base: Duration,
    /// The longest wait.
    pub max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 3, base: Duration::from_secs(1), max: Duration::from_secs(10) }
    }
}

impl RetryPolicy {
    /// The wait after the `attempt`-th failure, counted from 0.
    #[must_use]
    pub fn delay(&self, attempt: u32) -> Duration {
        let factor = 2_u32.checked_pow(attempt).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.max)
    }
}

/// A message that could not be delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a message of turn {turn_id} could not be delivered in {attempts} attempts: {reason}")]
pub struct EmitError {
    /// The turn it belongs to.
    pub turn_id: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Why the last one failed.
    pub reason: String,
}

/// Delivers messages in order, each until it is through or given up.
#[derive(Debug)]
pub struct Emitter<P> {
    publisher: P,
    policy: RetryPolicy,
}

impl<P: Publisher> Emitter<P> {
    /// An emitter to this publisher.
    pub const fn new(publisher: P, policy: RetryPolicy) -> Self {
        Self { publisher, policy }
    }

    /// Delivers one message.
    #[expect(clippy::disallowed_methods, reason = "the emitter owns the wait between its attempts")]
    pub async fn emit(&mut self, message: &StreamBMessage) -> Result<(), EmitError> {
        let mut failures = 0;
        loop {
            let Err(error) = self.publisher.publish(message).await else { return Ok(()) };
            if failures == self.policy.attempts {
                let turn_id = message.turn_id.to_string();
                return Err(EmitError { turn_id, attempts: failures + 1, reason: error.to_string() });
            }
            tokio::time::sleep(self.policy.delay(failures)).await;
            failures += 1;
        }
    }
}
