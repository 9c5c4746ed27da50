//! Sessions of browsers that outlive the server. Owns that memory and the store agree, also after the store could not
//! be written; how long a session counts is not decided here.

use jiff::Timestamp;
use tokio::sync::{Mutex, watch};

use super::lock;
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
    /// Cookies of sessions that the store did not accept; changed only while `change` is held.
    unsaved: std::sync::Mutex<Vec<Unsaved>>,
    unsaved_count: watch::Sender<usize>,
}

/// A session that is in memory only.
#[derive(Debug, Clone, Copy)]
struct Unsaved {
    cookie: Digest,
    /// The one whose place it took.
    instead_of: Option<Digest>,
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
        let (unsaved, unsaved_count) = (std::sync::Mutex::default(), watch::Sender::default());
        Ok(Self { known, store, change: Mutex::default(), unsaved, unsaved_count })
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
        let kept = self.store.add_browser(browser(&session), surplus.map(Digest::to_text)).await;
        match kept {
            Ok(()) => {}
            Err(error @ LogError::Closed) => return Err(fault(error)),
            Err(error) => {
                tracing::warn!(%error, "cannot save a login; it is valid, and saved when the disk accepts it");
                self.note_unsaved(Unsaved { cookie: session.cookie, instead_of: surplus });
            }
        }
        self.known.replace(surplus, session);
        Ok(())
    }

    /// No more of them than there are sessions.
    fn note_unsaved(&self, new: Unsaved) {
        self.change_unsaved(|unsaved| {
            unsaved.retain(|earlier| self.known.find(&earlier.cookie).is_some());
            unsaved.push(new);
        });
    }

    fn change_unsaved(&self, change: impl FnOnce(&mut Vec<Unsaved>)) {
        let mut unsaved = lock(&self.unsaved);
        change(&mut unsaved);
        self.unsaved_count.send_replace(unsaved.len());
    }

    /// How many sessions wait to be saved.
    pub(super) fn unsaved(&self) -> watch::Receiver<usize> {
        self.unsaved_count.subscribe()
    }

    /// Saves the sessions that wait for it, up to the first that the store does not accept.
    pub(super) async fn save(&self) -> Result<(), StoreFault> {
        let _alone = self.change.lock().await;
        let unsaved = lock(&self.unsaved).clone();
        for Unsaved { cookie, instead_of } in unsaved {
            if let Some(session) = self.known.find(&cookie) {
                let instead_of = instead_of.map(Digest::to_text);
                self.store.add_browser(browser(&session), instead_of).await.map_err(fault)?;
            }
            self.change_unsaved(|unsaved| unsaved.retain(|waiting| waiting.cookie != cookie));
        }
        Ok(())
    }

    pub(super) async fn forget_all(&self, next: Option<u64>) -> Result<(), StoreFault> {
        let _alone = self.change.lock().await;
        // Again, for one that was added before the lock was had.
        self.known.clear();
        self.change_unsaved(Vec::clear);
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

    fn unsaved(&self) -> Option<watch::Receiver<usize>> {
        Some(self.unsaved())
    }

    fn save(&self) -> Pending<'_> {
        Box::pin(self.save())
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
    use std::pin::pin;
    use std::sync::Arc;

    use super::*;
    use crate::log::sqlite::{Hands, Settings, SqliteLog};

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

    /// Writes what is asked until the work is done; the disk is full for the first `full` writes.
    async fn with_full_disk<T>(hands: &mut Hands, mut full: usize, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                true = hands.asked() => {}
            }
            if full > 0 {
                full -= 1;
                hands.refuse(LogError::Full);
            } else {
                hands.write();
                if hands.is_unsynced() {
                    hands.synced(&Ok(()));
                }
            }
        }
    }

    async fn stored(store: &Store) -> usize {
        store.browsers().await.unwrap().len()
    }

    #[tokio::test]
    async fn a_login_on_a_full_disk_is_valid_and_saved_when_there_is_room() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("liminal.db");
        let (log, mut hands) = SqliteLog::by_hand(&path, Settings::default()).unwrap();
        let store = Store::new(Arc::new(log));
        let logins = BrowserLogins::load(store.clone()).await.unwrap();
        let unsaved = logins.unsaved();
        for name in ["one", "other"] {
            with_full_disk(&mut hands, 1, logins.add(login(name, 1))).await.unwrap();
        }
        assert_eq!(logins.find(&Digest::of("one")), Some(login("one", 1)));
        assert_eq!((stored(&store).await, *unsaved.borrow()), (0, 2));
        with_full_disk(&mut hands, 1, logins.save()).await.unwrap_err();
        assert_eq!(*unsaved.borrow(), 2);
        with_full_disk(&mut hands, 0, logins.save()).await.unwrap();
        assert_eq!((stored(&store).await, *unsaved.borrow()), (2, 0));
    }

    #[tokio::test]
    async fn a_login_that_was_not_saved_does_not_outlive_a_rotation() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("liminal.db");
        let (log, mut hands) = SqliteLog::by_hand(&path, Settings::default()).unwrap();
        let store = Store::new(Arc::new(log));
        let logins = BrowserLogins::load(store.clone()).await.unwrap();
        with_full_disk(&mut hands, 1, logins.add(login("one", 1))).await.unwrap();
        with_full_disk(&mut hands, 0, logins.remove_all()).await.unwrap();
        with_full_disk(&mut hands, 0, logins.save()).await.unwrap();
        assert_eq!((stored(&store).await, logins.find(&Digest::of("one"))), (0, None));
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
