//! Sessions of browsers that outlive the server. Owns that memory and the store agree; how long a session counts is not
//! decided here.

use jiff::Timestamp;
use tokio::sync::Mutex;

use super::secret::Digest;
use super::sessions::{BrowserSession, BrowserSessions, Known, Pending, StoreFault};
use crate::log::LogError;
use crate::store::{Browser, Store};

/// Sessions in the store, with a copy in memory that answers.
#[derive(Debug)]
pub struct BrowserLogins {
    known: Known,
    store: Store,
    /// Held while both are changed, so that a session that is added while all are removed is not in one of them only.
    change: Mutex<()>,
}

impl BrowserLogins {
    /// Reads what an earlier start kept.
    pub async fn load(store: Store) -> Result<Self, LogError> {
        let known = Known::default();
        for browser in store.browsers().await? {
            if let Some(session) = session(&browser) {
                known.replace(known.surplus(), session);
            }
        }
        Ok(Self { known, store, change: Mutex::default() })
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<BrowserSession> {
        self.known.all()
    }

    /// None lets in any more.
    pub(super) fn clear(&self) {
        self.known.clear();
    }

    /// Those there are belong to a life that is shared with others.
    pub(super) async fn begin(&self, life: u64) -> Result<(), StoreFault> {
        self.store.set_login_life(life).await.map_err(fault)
    }

    pub(super) async fn keep(&self, session: BrowserSession) -> Result<(), StoreFault> {
        let _alone = self.change.lock().await;
        let surplus = self.known.surplus();
        self.store.add_browser(browser(&session), surplus.map(Digest::to_text)).await.map_err(fault)?;
        self.known.replace(surplus, session);
        Ok(())
    }

    pub(super) async fn forget_all(&self, next: Option<u64>) -> Result<(), StoreFault> {
        let _alone = self.change.lock().await;
        // Again, for one that was added before the lock was had.
        self.known.clear();
        self.store.remove_browsers(next).await.map_err(fault)
    }
}

impl BrowserSessions for BrowserLogins {
    fn add(&self, session: BrowserSession) -> Pending<'_> {
        Box::pin(self.keep(session))
    }

    fn find(&self, cookie: &Digest) -> Option<BrowserSession> {
        self.known.find(cookie)
    }

    fn seen(&self, cookie: &Digest, at: Timestamp) {
        if let Some(session) = self.known.seen(cookie, at) {
            self.store.note_browser(browser(&session));
        }
    }

    fn remove_all(&self) -> Pending<'_> {
        self.known.clear();
        Box::pin(self.forget_all(None))
    }
}

pub(super) fn browser(session: &BrowserSession) -> Browser {
    Browser { cookie: session.cookie.to_text(), key: session.key.to_text(), seen: session.seen }
}

pub(super) fn session(browser: &Browser) -> Option<BrowserSession> {
    let (cookie, key) = (Digest::from_text(&browser.cookie)?, Digest::from_text(&browser.key)?);
    Some(BrowserSession { cookie, key, seen: browser.seen })
}

fn fault(error: LogError) -> StoreFault {
    StoreFault::Failed(error.into())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::log::sqlite::{Settings, SqliteLog};

    fn open(directory: &Path) -> Arc<SqliteLog> {
        let (log, _) = SqliteLog::open(&directory.join("liminal.db"), Settings::default()).unwrap();
        Arc::new(log)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn login(name: &str, second: i64) -> BrowserSession {
        BrowserSession { cookie: Digest::of(name), key: Digest::of("key"), seen: at(second) }
    }

    async fn load(directory: &Path) -> (Arc<SqliteLog>, BrowserLogins) {
        let log = open(directory);
        let logins = BrowserLogins::load(Store::new(Arc::clone(&log))).await.unwrap();
        (log, logins)
    }

    #[tokio::test]
    async fn a_login_outlives_the_server_and_a_rotation_does_too() {
        let directory = tempfile::tempdir().unwrap();
        let (log, logins) = load(directory.path()).await;
        logins.add(login("one", 1)).await.unwrap();
        logins.add(login("other", 2)).await.unwrap();
        logins.seen(&Digest::of("one"), at(9000));
        logins.seen(&Digest::of("nobody"), at(9000));
        log.close().await.unwrap();

        let (log, logins) = load(directory.path()).await;
        assert_eq!(logins.find(&Digest::of("one")), Some(login("one", 9000)));
        assert_eq!(logins.find(&Digest::of("other")), Some(login("other", 2)));
        assert_eq!(logins.find(&Digest::of("nobody")), None);
        // Nobody is let in from the moment of the call, whether or not anybody waits for its end.
        let removal = logins.remove_all();
        assert_eq!(logins.find(&Digest::of("one")), None);
        removal.await.unwrap();
        logins.seen(&Digest::of("one"), at(9999));
        log.close().await.unwrap();

        let (log, logins) = load(directory.path()).await;
        assert_eq!(logins.find(&Digest::of("one")), None);
        assert_eq!(logins.find(&Digest::of("other")), None);
        log.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_login_that_cannot_be_kept_lets_nobody_in() {
        let directory = tempfile::tempdir().unwrap();
        let (log, logins) = load(directory.path()).await;
        log.close().await.unwrap();
        logins.add(login("late", 1)).await.unwrap_err();
        assert_eq!(logins.find(&Digest::of("late")), None);
    }
}
