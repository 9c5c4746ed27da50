//! Sessions of browsers. Owns what is kept of one and for how long; where it is kept is the store's business.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;
use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};

use super::lock;
use super::secret::Digest;

/// A browser that was not seen for so long must be let in again.
const LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How exactly it is known when a browser was last seen; finer would be a write per request.
const PRECISION: SignedDuration = SignedDuration::from_hours(1);
/// People have a handful of browsers; what fills this is a fault.
const MOST: usize = 256;

/// A browser that was let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrowserSession {
    /// Of the cookie's value.
    pub cookie: Digest,
    /// Of the key.
    pub key: Digest,
    /// When it last did something, to the hour.
    pub seen: Timestamp,
}

impl BrowserSession {
    /// Whether it still counts.
    #[must_use]
    pub fn is_current(&self, now: Timestamp) -> bool {
        now.duration_since(self.seen) < LIFETIME
    }

    /// Whether it is worth writing down that it was seen again.
    pub(super) fn is_stale(&self, now: Timestamp) -> bool {
        now.duration_since(self.seen) >= PRECISION
    }
}

/// Why sessions cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("browser sessions cannot be read or written: {0}")]
pub struct StoreFault(#[source] pub Box<dyn Error + Send + Sync>);

/// Where sessions are kept. Asked with every request, so an answer must come from memory.
pub trait BrowserSessions: Debug + Send + Sync {
    /// Keeps a new one.
    fn add(&self, session: BrowserSession) -> Result<(), StoreFault>;
    /// The one with this cookie.
    fn find(&self, cookie: &Digest) -> Result<Option<BrowserSession>, StoreFault>;
    /// Notes that it was seen.
    fn seen(&self, cookie: &Digest, at: Timestamp) -> Result<(), StoreFault>;
    /// Forgets all.
    fn remove_all(&self) -> Result<(), StoreFault>;
}

/// Sessions that end with the server.
#[derive(Debug, Default)]
pub struct InMemory(Mutex<BTreeMap<Digest, BrowserSession>>);

impl BrowserSessions for InMemory {
    fn add(&self, session: BrowserSession) -> Result<(), StoreFault> {
        let mut sessions = lock(&self.0);
        if sessions.len() >= MOST {
            let oldest = sessions.values().min_by_key(|session| session.seen).map(|session| session.cookie);
            oldest.and_then(|cookie| sessions.remove(&cookie));
        }
        sessions.insert(session.cookie, session);
        Ok(())
    }

    fn find(&self, cookie: &Digest) -> Result<Option<BrowserSession>, StoreFault> {
        Ok(lock(&self.0).get(cookie).copied())
    }

    fn seen(&self, cookie: &Digest, at: Timestamp) -> Result<(), StoreFault> {
        if let Some(session) = lock(&self.0).get_mut(cookie) {
            session.seen = at;
        }
        Ok(())
    }

    fn remove_all(&self) -> Result<(), StoreFault> {
        lock(&self.0).clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_that_was_away_longest_makes_room() {
        let store = InMemory::default();
        let session = |number: i64| {
            let cookie = Digest::of(&number.to_string());
            BrowserSession { cookie, key: cookie, seen: Timestamp::from_second(number).unwrap() }
        };
        for number in 0..=i64::try_from(MOST).unwrap() {
            store.add(session(number)).unwrap();
        }
        assert_eq!(store.find(&session(0).cookie).unwrap(), None);
        assert_eq!(store.find(&session(1).cookie).unwrap(), Some(session(1)));
        assert_eq!(store.0.lock().unwrap().len(), MOST);
    }
}
