//! Sessions of browsers. Owns what is kept of one and for how long; where it is kept is the store's business.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::lock;
use super::secret::Digest;

/// A browser that was not seen for so long must be let in again.
const LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How exactly it is known when a browser was last seen; finer would be a write per request.
const PRECISION: SignedDuration = SignedDuration::from_hours(1);
/// People have a handful of browsers; what fills this is a fault.
const MOST: usize = crate::cluster::MOST_LOGINS;

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
pub enum StoreFault {
    /// They are not kept, or cannot be read.
    #[error("browser sessions cannot be read or written: {0}")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    /// Those of other servers cannot be asked for, or they cannot be told.
    #[error("browser sessions are shared through Redis, which does not answer")]
    Unreachable,
    /// Another server has ended all of them meanwhile.
    #[error("everybody was logged out meanwhile")]
    LoggedOut,
}

/// A boxed future, because the place where sessions are kept is chosen at run time.
pub type Pending<'a> = Pin<Box<dyn Future<Output = Result<(), StoreFault>> + Send + 'a>>;

/// Where sessions are kept. Asked with every request, so an answer must come from memory.
pub trait BrowserSessions: Debug + Send + Sync {
    /// Keeps a new one. What the disk does not accept is valid all the same, and [`unsaved`](Self::unsaved).
    fn add(&self, session: BrowserSession) -> Pending<'_>;
    /// The one with this cookie.
    fn find(&self, cookie: &Digest) -> Option<BrowserSession>;
    /// Asks other servers for those that are not known here; [`find`](Self::find) tells of them then.
    fn look<'a>(&'a self, _cookies: &'a [Digest]) -> Pending<'a> {
        Box::pin(ready(Ok(())))
    }
    /// Tells others what they do not know, and hears whether they have ended all.
    fn catch_up(&self) -> Pending<'_> {
        Box::pin(ready(Ok(())))
    }
    /// How many wait to be saved; none where nothing is saved.
    fn unsaved(&self) -> Option<watch::Receiver<usize>> {
        None
    }
    /// Saves those that wait.
    fn save(&self) -> Pending<'_> {
        Box::pin(ready(Ok(())))
    }
    /// Tells whenever another server has ended all; none if there is no other.
    fn ended(&self) -> Option<watch::Receiver<()>> {
        None
    }
    /// Notes that it was seen; that may be forgotten when the server ends.
    fn seen(&self, cookie: &Digest, at: Timestamp);
    /// Forgets all; none lets in any more from the moment of the call, and none is kept when this resolves.
    fn remove_all(&self) -> Pending<'_>;
}

/// The sessions in memory, the same for every place where they are kept.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<BTreeMap<Digest, BrowserSession>>);

impl Known {
    pub(super) fn find(&self, cookie: &Digest) -> Option<BrowserSession> {
        lock(&self.0).get(cookie).copied()
    }

    /// Notes that one was seen; gives it back as it is now.
    pub(super) fn seen(&self, cookie: &Digest, at: Timestamp) -> Option<BrowserSession> {
        let mut sessions = lock(&self.0);
        let session = sessions.get_mut(cookie)?;
        session.seen = at;
        Some(*session)
    }

    /// The one that has to make room for another.
    pub(super) fn surplus(&self) -> Option<Digest> {
        let sessions = lock(&self.0);
        let oldest = sessions.values().min_by_key(|session| session.seen);
        oldest.filter(|_| sessions.len() >= MOST).map(|session| session.cookie)
    }

    pub(super) fn replace(&self, surplus: Option<Digest>, session: BrowserSession) {
        let mut sessions = lock(&self.0);
        if let Some(cookie) = surplus {
            sessions.remove(&cookie);
        }
        sessions.insert(session.cookie, session);
    }

    pub(super) fn all(&self) -> Vec<BrowserSession> {
        lock(&self.0).values().copied().collect()
    }

    pub(super) fn clear(&self) {
        lock(&self.0).clear();
    }
}

/// Sessions that end with the server.
#[derive(Debug, Default)]
pub struct InMemory(Known);

impl BrowserSessions for InMemory {
    fn add(&self, session: BrowserSession) -> Pending<'_> {
        self.0.replace(self.0.surplus(), session);
        Box::pin(ready(Ok(())))
    }

    fn find(&self, cookie: &Digest) -> Option<BrowserSession> {
        self.0.find(cookie)
    }

    fn seen(&self, cookie: &Digest, at: Timestamp) {
        self.0.seen(cookie, at);
    }

    fn remove_all(&self) -> Pending<'_> {
        self.0.clear();
        Box::pin(ready(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_browser_that_was_away_longest_makes_room() {
        let store = InMemory::default();
        let session = |number: i64| {
            let cookie = Digest::of(&number.to_string());
            BrowserSession { cookie, key: cookie, seen: Timestamp::from_second(number).unwrap() }
        };
        for number in 0..=i64::try_from(MOST).unwrap() {
            store.add(session(number)).await.unwrap();
        }
        assert_eq!(store.find(&session(0).cookie), None);
        assert_eq!(store.find(&session(1).cookie), Some(session(1)));
        assert_eq!(store.0.0.lock().unwrap().len(), MOST);
    }
}
