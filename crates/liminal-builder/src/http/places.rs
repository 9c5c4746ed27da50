//! Places for connections. Owns how many there may be, and that clients which have shown no credentials cannot keep
//! the others out; what is said over a connection is not known here.
//!
//! A connection is a guest until a request on it was authenticated. Guests share a small number of places, and one that
//! has had its time leaves when somebody waits. So a new client always gets a place soon, and with credentials keeps it.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::limits::Limits;

/// What an idle guest is given before it may have to leave: enough to send a request.
const IDLE: Duration = Duration::from_millis(250);
/// What a guest is given in all: requests without credentials are short.
const LONGEST: Duration = Duration::from_secs(2);

/// The places of a server; clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    most: usize,
    most_guests: usize,
    taken: Mutex<Taken>,
    /// A place may be free.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    members: usize,
    /// In the order in which they came.
    guests: BTreeMap<u64, Arc<Inner>>,
    arrivals: u64,
}

/// A connection's place, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place(Standing);

/// What is known of a connection that has a place; clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Standing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    places: Arc<Shared>,
    number: u64,
    is_member: AtomicBool,
    is_dismissed: watch::Sender<bool>,
    progress: Mutex<Progress>,
}

#[derive(Debug, Clone, Copy)]
struct Progress {
    connected: Instant,
    /// When what the connection does now began.
    since: Instant,
    /// A request is being answered.
    is_busy: bool,
}

impl Places {
    pub(super) fn new(limits: Limits) -> Self {
        let (taken, freed) = (Mutex::default(), Notify::new());
        Self(Arc::new(Shared { most: limits.connections, most_guests: limits.guests(), taken, freed }))
    }

    /// A place for a connection that waits; a guest that has had its time makes room. Cancel-safe.
    pub(super) async fn take(&self) -> Place {
        loop {
            let mut freed = pin!(self.0.freed.notified());
            freed.as_mut().enable();
            match self.0.take(Instant::now()) {
                Ok(place) => return place,
                Err(Some(next)) => drop(timeout_at(next, freed).await),
                Err(None) => freed.await,
            }
        }
    }

    /// Has all guests leave that have had their time, because the system is short of something that they hold.
    pub(super) fn relieve(&self) {
        let now = Instant::now();
        lock(&self.0.taken).guests.values().filter(|guest| guest.leaves_at() <= now).for_each(|guest| {
            guest.is_dismissed.send_replace(true);
        });
    }
}

impl Shared {
    /// A place; or when the next guest will have had its time, if somebody has to wait for that.
    fn take(self: &Arc<Self>, now: Instant) -> Result<Place, Option<Instant>> {
        let mut taken = lock(&self.taken);
        let guests = taken.guests.len();
        if guests >= self.most_guests || guests + taken.members >= self.most {
            return Err(taken.dismiss(now));
        }
        taken.arrivals += 1;
        let progress = Mutex::new(Progress { connected: now, since: now, is_busy: false });
        let inner = Arc::new(Inner {
            places: Arc::clone(self),
            number: taken.arrivals,
            is_member: AtomicBool::new(false),
            is_dismissed: watch::Sender::new(false),
            progress,
        });
        taken.guests.insert(inner.number, Arc::clone(&inner));
        Ok(Place(Standing(inner)))
    }
}

impl Taken {
    /// Has the guest leave whose time was over first, unless one is leaving. Returns when the time of the first one is
    /// over, if none is.
    fn dismiss(&self, now: Instant) -> Option<Instant> {
        if self.guests.values().any(|guest| *guest.is_dismissed.borrow()) {
            return None;
        }
        let (leaves_at, first) =
            self.guests.values().map(|guest| (guest.leaves_at(), guest)).min_by_key(|(at, _)| *at)?;
        if leaves_at > now {
            return Some(leaves_at);
        }
        first.is_dismissed.send_replace(true);
        None
    }
}

impl Place {
    pub(super) fn standing(&self) -> Standing {
        self.0.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Inner { places, number, .. } = &*self.0.0;
        let mut taken = lock(&places.taken);
        if taken.guests.remove(number).is_none() {
            taken.members -= 1;
        }
        drop(taken);
        places.freed.notify_one();
    }
}

impl Standing {
    /// A request on the connection was authenticated: it keeps its place from here on.
    pub(super) fn admit(&self) {
        let Inner { places, number, is_member, .. } = &*self.0;
        if is_member.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut taken = lock(&places.taken);
        if taken.guests.remove(number).is_some() {
            taken.members += 1;
        }
        drop(taken);
        places.freed.notify_one();
    }

    /// A request is being answered from here on.
    pub(super) fn busy(&self) {
        self.progress(|progress, now| (progress.is_busy, progress.since) = (true, now));
    }

    /// The client is waited for from here on.
    pub(super) fn idle(&self) {
        self.progress(|progress, now| (progress.is_busy, progress.since) = (false, now));
    }

    /// The client has taken something.
    pub(super) fn advanced(&self) {
        self.progress(|progress, now| progress.since = now);
    }

    /// Resolves when the connection has to leave at once.
    pub(super) async fn dismissed(&self) {
        let mut dismissed = self.0.is_dismissed.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        dismissed.wait_for(|is_dismissed| *is_dismissed).await.ok();
        if self.0.is_member.load(Ordering::Acquire) {
            // Its credentials came in time.
            std::future::pending::<()>().await;
        }
    }

    /// Only of a guest is kept what it does.
    fn progress(&self, change: impl FnOnce(&mut Progress, Instant)) {
        if !self.0.is_member.load(Ordering::Acquire) {
            change(&mut lock(&self.0.progress), Instant::now());
        }
    }
}

impl Inner {
    /// When this guest has had its time.
    fn leaves_at(&self) -> Instant {
        let Progress { connected, since, is_busy } = *lock(&self.progress);
        let longest = connected + LONGEST;
        if is_busy { longest } else { longest.min(since + IDLE) }
    }
}

/// What is behind these locks is whole between any two statements, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
