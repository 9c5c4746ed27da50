//! The only reader of time. Owns the two clocks; everything else is given a [`Now`].

use std::time::{Duration, Instant};

use liminal_core::time::Now;

/// A monotonic clock for deadlines and a wall clock for people.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock whose monotonic time begins here.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// The instant that lies `mono` after the clock's beginning, for whoever sleeps.
    #[must_use]
    pub fn instant(&self, mono: Duration) -> Instant {
        self.origin + mono
    }

    /// This moment. Wall time is told in milliseconds, as everything that reads it does.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn now(&self) -> Now {
        let wall = jiff::Timestamp::from_millisecond(jiff::Timestamp::now().as_millisecond());
        Now { mono: self.origin.elapsed(), wall: wall.unwrap_or_default() }
    }
}
