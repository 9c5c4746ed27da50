//! Where the sessions stand that somebody watches. Owns the verdict on news that come in any order: by channel, and with
//! every read.
//!
//! Redis tells a change before or after a read that knows of it already, and lives of a log have no order. So what
//! contradicts what is known counts only if it was asked for after that was learned; otherwise it is asked again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use liminal_core::ids::SessionId;
use tokio::sync::watch;

use super::super::Head;

#[derive(Debug)]
struct Watched {
    head: watch::Sender<Head>,
    events: watch::Sender<()>,
    /// The head is that of a log; otherwise that of the log there will be, if it begins here.
    is_stored: bool,
    /// Grows with everything that is learned.
    version: u64,
}

/// When something was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket(Option<u64>);

#[derive(Debug, Default)]
pub(super) struct Watches(Mutex<BTreeMap<SessionId, Watched>>);

impl Watches {
    /// Watches a session; tells whether nobody did before.
    pub(super) fn watch(&self, session: &SessionId) -> (watch::Receiver<Head>, bool) {
        self.with(session, |watched| watched.head.subscribe())
    }

    /// The same for canonical events.
    pub(super) fn follow(&self, session: &SessionId) -> (watch::Receiver<()>, bool) {
        self.with(session, |watched| watched.events.subscribe())
    }

    fn with<T>(&self, session: &SessionId, take: impl FnOnce(&Watched) -> T) -> (T, bool) {
        let mut sessions = self.lock();
        let is_new = !sessions.contains_key(session);
        let watched = sessions.entry(session.clone()).or_insert_with(Watched::new);
        (take(watched), is_new)
    }

    /// Everybody that is watched.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        self.lock().keys().cloned().collect()
    }

    /// Forgets those that nobody watches any more, and tells which they were.
    pub(super) fn forget_idle(&self) -> Vec<SessionId> {
        let mut sessions = self.lock();
        let idle: Vec<_> =
            sessions.iter().filter(|(_, watched)| watched.is_idle()).map(|(id, _)| id.clone()).collect();
        idle.iter().for_each(|session| drop(sessions.remove(session)));
        idle
    }

    /// To be taken before Redis is asked.
    pub(super) fn ticket(&self, session: &SessionId) -> Ticket {
        Ticket(self.lock().get(session).map(|watched| watched.version))
    }

    /// The life that a log begins with if there is none.
    pub(super) fn epoch_to_begin(&self, session: &SessionId) -> Head {
        let sessions = self.lock();
        let promised = sessions.get(session).filter(|watched| !watched.is_stored);
        promised.map_or_else(Head::begin, |watched| watched.head.borrow().clone())
    }

    /// Takes what Redis answered. Gives the head to answer with, or none if it has to be asked again.
    pub(super) fn learn(&self, session: &SessionId, found: Option<Head>, ticket: Ticket) -> Option<Head> {
        let mut sessions = self.lock();
        let Some(watched) = sessions.get_mut(session) else {
            return Some(found.unwrap_or_else(Head::begin));
        };
        let is_current = ticket.0 == Some(watched.version);
        let known = watched.head.borrow().clone();
        match found {
            Some(found) if watched.is_stored && found.epoch == known.epoch => {
                if is_current || found.seq >= known.seq && found.floor >= known.floor {
                    watched.set(found.clone());
                }
                Some(found)
            }
            None if !watched.is_stored => Some(known),
            _ if !is_current => None,
            Some(found) => {
                watched.is_stored = true;
                watched.set(found.clone());
                Some(found)
            }
            None => {
                watched.is_stored = false;
                let begun = Head::begin();
                watched.set(begun.clone());
                Some(begun)
            }
        }
    }

    /// Takes what a channel tells. False if Redis has to be asked what it means.
    pub(super) fn hear(&self, session: &SessionId, told: Head) -> bool {
        let mut sessions = self.lock();
        let Some(watched) = sessions.get_mut(session) else { return true };
        let known = watched.head.borrow().clone();
        if told.epoch != known.epoch {
            watched.version += 1;
            return false;
        }
        watched.is_stored = true;
        if told.seq >= known.seq && told.floor >= known.floor {
            watched.set(told);
        }
        true
    }

    /// There are more events.
    pub(super) fn hear_events(&self, session: &SessionId) {
        if let Some(watched) = self.lock().get(session) {
            watched.events.send_replace(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    fn new() -> Self {
        let (head, events) = (watch::Sender::new(Head::begin()), watch::Sender::new(()));
        Self { head, events, is_stored: false, version: 0 }
    }

    fn is_idle(&self) -> bool {
        self.head.receiver_count() == 0 && self.events.receiver_count() == 0
    }

    fn set(&mut self, head: Head) {
        self.version += 1;
        self.head.send_if_modified(|known| {
            let is_other = *known != head;
            *known = head;
            is_other
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(epoch: &str, seq: u64) -> Head {
        Head { epoch: epoch.into(), seq, floor: 0 }
    }

    #[test]
    fn what_is_older_than_what_is_known_changes_nothing() {
        let (watches, session) = (Watches::default(), SessionId::from("s"));
        let (receiver, is_new) = watches.watch(&session);
        assert!(is_new);
        let asked = watches.ticket(&session);
        assert_eq!(watches.learn(&session, Some(head("a", 3)), asked), Some(head("a", 3)));
        assert!(watches.hear(&session, head("a", 5)));
        assert!(watches.hear(&session, head("a", 4)), "told late");
        assert_eq!(*receiver.borrow(), head("a", 5));
        assert_eq!(watches.learn(&session, Some(head("a", 4)), asked), Some(head("a", 4)));
        assert_eq!(*receiver.borrow(), head("a", 5), "asked before it was heard of");
        assert_eq!(watches.learn(&session, Some(head("b", 1)), asked), None, "nobody knows which is newer");
    }

    #[test]
    fn what_was_asked_for_last_counts_whatever_it_says() {
        let (watches, session) = (Watches::default(), SessionId::from("s"));
        let (receiver, _) = watches.watch(&session);
        for found in [head("a", 9), head("a", 5), head("b", 1)] {
            let asked = watches.ticket(&session);
            watches.learn(&session, Some(found.clone()), asked);
            assert_eq!(*receiver.borrow(), found);
        }
        assert!(!watches.hear(&session, head("c", 1)), "has to be asked");
        let asked = watches.ticket(&session);
        let begun = watches.learn(&session, None, asked).unwrap();
        assert_eq!((begun.seq, &*receiver.borrow()), (0, &begun));
        assert_eq!(watches.epoch_to_begin(&session).epoch, begun.epoch);
        assert!(watches.hear(&session, Head { seq: 1, ..begun }), "it began here");
    }
}
