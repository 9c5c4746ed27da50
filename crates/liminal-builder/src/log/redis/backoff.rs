//! How long to wait before another attempt. Owns the doubling and the chance in it.

use std::time::Duration;

use tokio::time::timeout;

use crate::clock;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);

/// Waits longer every time.
#[derive(Debug)]
pub(in crate::log) struct Backoff {
    next: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl Backoff {
    /// The next wait: at least half of what it could be, so that servers that lost Redis at once do not come back at
    /// once.
    pub(in crate::log) fn next(&mut self) -> Duration {
        let [chance] = clock::random_bytes();
        let half = self.next / 2;
        self.next = (self.next * 2).min(LONGEST);
        half + half.mul_f64(f64::from(chance) / 255.0)
    }

    pub(in crate::log) async fn pause(&mut self) {
        timeout(self.next(), std::future::pending::<()>()).await.ok();
    }

    pub(in crate::log) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..12).map(|_| backoff.next()).collect();
        assert!(waits[0] >= FIRST / 2 && waits[0] <= FIRST, "{waits:?}");
        assert!(waits[11] >= LONGEST / 2 && waits.iter().all(|wait| *wait <= LONGEST), "{waits:?}");
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }
}
