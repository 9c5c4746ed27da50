//! When a client is pinged, and when its silence means that it is gone. Owns the schedule, which outgoing frames do
//! not move; reads no clock and knows nothing of sockets.

use std::time::Duration;

use tokio::time::Instant;

/// Between two pings.
const INTERVAL: Duration = Duration::from_secs(15);
/// A client that shows no sign of life for this long after a ping is gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// What to do when a beat is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beat {
    Ping,
    Gone,
}

#[derive(Debug)]
pub(super) struct Heartbeat {
    next: Instant,
    /// When the first ping was sent after the last sign of life. Silence counts from here: a client that was not
    /// pinged has nothing to answer.
    unanswered_since: Option<Instant>,
}

impl Heartbeat {
    pub(super) fn new(now: Instant) -> Self {
        Self { next: now + INTERVAL, unanswered_since: None }
    }

    /// When the next beat is due.
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// The client sent something, or made room for more.
    pub(super) const fn alive(&mut self) {
        self.unanswered_since = None;
    }

    pub(super) fn beat(&mut self, now: Instant) -> Beat {
        self.next = now + INTERVAL;
        let since = *self.unanswered_since.get_or_insert(now);
        if now.duration_since(since) < PATIENCE { Beat::Ping } else { Beat::Gone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the schedule for `count` beats; returns the seconds at which something was due.
    fn beats(count: usize, mut hear: impl FnMut(&mut Heartbeat)) -> Vec<(u64, Beat)> {
        let begun = Instant::now();
        let mut heartbeat = Heartbeat::new(begun);
        let mut beat = || {
            let now = heartbeat.next();
            let beat = heartbeat.beat(now);
            hear(&mut heartbeat);
            (now.duration_since(begun).as_secs(), beat)
        };
        (0..count).map(|_| beat()).collect()
    }

    #[test]
    fn pings_at_a_fixed_interval_while_the_client_answers() {
        let beats = beats(10, Heartbeat::alive);
        assert_eq!(beats, (1..=10).map(|number| (number * 15, Beat::Ping)).collect::<Vec<_>>());
    }

    #[test]
    fn gives_a_silent_client_up_thirty_seconds_after_the_first_unanswered_ping() {
        assert_eq!(beats(3, |_| {}), [(15, Beat::Ping), (30, Beat::Ping), (45, Beat::Gone)]);
    }

    #[test]
    fn a_client_that_was_not_pinged_for_a_while_is_pinged_before_it_is_given_up() {
        let begun = Instant::now();
        let mut heartbeat = Heartbeat::new(begun);
        assert_eq!(heartbeat.beat(begun + Duration::from_secs(300)), Beat::Ping);
    }
}
