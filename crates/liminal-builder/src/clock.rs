//! The only reader of time and maker of ids. Owns the two clocks and the one source of chance; everything else is
//! given a [`Now`] or an id.

use std::time::Duration;

use liminal_core::ids::TurnId;
use liminal_core::time::Now;
use tokio::time::Instant;
use uuid::Uuid;

/// A monotonic clock for deadlines and a wall clock for people. The monotonic one is the runtime's, so that whoever
/// sleeps and whoever asks how late it is agree also where time is simulated.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock whose monotonic time begins here.
    #[must_use]
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

/// A new turn's id; later ones sort behind earlier ones.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the clock")]
pub fn new_turn_id() -> TurnId {
    Uuid::now_v7().to_string().into()
}

/// A new session's id, in the form in which agents take it.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the source of chance")]
pub fn new_session_uuid() -> String {
    Uuid::new_v4().to_string()
}

/// Bytes that nobody can guess, from the system.
#[must_use]
#[expect(clippy::expect_used, reason = "a server that cannot make secrets must not run")]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}
