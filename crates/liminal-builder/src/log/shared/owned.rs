//! The sessions that are written here, and which of them Redis does not have yet. Owns the order in which they are
//! copied; holds no states, so it is as small as their number.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_core::ids::SessionId;
use tokio::sync::{Notify, watch};

use super::super::{Cursor, Head};

/// What is known of Redis' copy of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// It has to be asked for.
    Unknown,
    /// There is none.
    Nothing,
    /// It stands here.
    At(Head),
}

impl Known {
    /// Whether Redis has what was appended up to a place, or the log it belongs to is gone.
    pub(super) fn has(&self, cursor: &Cursor) -> bool {
        match self {
            Self::Unknown | Self::Nothing => false,
            Self::At(head) => head.epoch != cursor.epoch || head.seq >= cursor.seq,
        }
    }
}

/// What is to be done for a session.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) token: u64,
    pub(super) known: Known,
    /// The newest event Redis has; none if all are to be replaced.
    pub(super) event: Option<u64>,
    pub(super) has_events: bool,
    pub(super) is_removed: bool,
}

#[derive(Debug)]
struct Owned {
    token: u64,
    known: watch::Sender<Known>,
    event: Option<u64>,
    has_events: bool,
    is_removed: bool,
}

#[derive(Debug, Default)]
struct State {
    owned: BTreeMap<SessionId, Owned>,
    /// Since when each session waits, whether it is being copied or not.
    pending: BTreeMap<SessionId, Duration>,
    queue: VecDeque<SessionId>,
    busy: BTreeSet<SessionId>,
    /// Changed while they were being copied.
    again: BTreeSet<SessionId>,
    /// Could not be copied, for a reason of their own.
    aside: BTreeSet<SessionId>,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Sessions {
    state: Mutex<State>,
    /// How many wait.
    waiting: watch::Sender<usize>,
    pub(super) marked: Notify,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { state: Mutex::default(), waiting: watch::Sender::new(0), marked: Notify::new() }
    }
}

impl Sessions {
    pub(super) fn own(&self, session: &SessionId, token: u64, known: Known, event: Option<u64>) {
        let known = watch::Sender::new(known);
        let owned = Owned { token, known, event, has_events: true, is_removed: false };
        self.lock().owned.insert(session.clone(), owned);
    }

    /// Tells whether it was ours, with this token if one is named.
    pub(super) fn disown(&self, session: &SessionId, token: Option<u64>) -> bool {
        let mut state = self.lock();
        let is_meant = |owned: &Owned| token.is_none_or(|token| owned.token == token);
        if !state.owned.get(session).is_some_and(is_meant) {
            return false;
        }
        state.owned.remove(session);
        if !state.busy.contains(session) {
            state.pending.remove(session);
            state.aside.remove(session);
            state.queue.retain(|waiting| waiting != session);
        }
        self.count(&state);
        true
    }

    pub(super) fn is_ours(&self, session: &SessionId) -> bool {
        self.lock().owned.contains_key(session)
    }

    /// Tells what Redis has of a session of ours.
    pub(super) fn watch(&self, session: &SessionId) -> Option<watch::Receiver<Known>> {
        self.lock().owned.get(session).map(|owned| owned.known.subscribe())
    }

    pub(super) fn waiting(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }

    /// Since when the oldest one waits.
    pub(super) fn oldest(&self) -> Option<Duration> {
        self.lock().pending.values().min().copied()
    }

    /// Something has changed that Redis does not have.
    pub(super) fn mark(&self, session: &SessionId, now: Duration, change: Change) {
        let mut state = self.lock();
        let Some(owned) = state.owned.get_mut(session) else { return };
        match change {
            Change::States => {}
            Change::Events => owned.has_events = true,
            Change::Removed => (owned.is_removed, owned.event) = (true, Some(0)),
        }
        state.put(session, now);
        self.count(&state);
        drop(state);
        self.marked.notify_one();
    }

    /// What Redis has of any session has to be asked for.
    pub(super) fn doubt_all(&self, now: Duration) {
        let mut state = self.lock();
        let sessions: Vec<_> = state.owned.keys().cloned().collect();
        for session in sessions {
            if let Some(owned) = state.owned.get_mut(&session) {
                owned.known.send_replace(Known::Unknown);
                owned.has_events = true;
            }
            state.put(&session, now);
        }
        self.count(&state);
    }

    /// The one that waits longest and is not being copied.
    pub(super) fn next(&self) -> Option<SessionId> {
        let mut state = self.lock();
        let session = state.queue.pop_front()?;
        state.busy.insert(session.clone());
        Some(session)
    }

    /// It is not being copied any more. What changed meanwhile, or was not finished, waits again.
    pub(super) fn release(&self, session: &SessionId, is_finished: bool, now: Duration) {
        let mut state = self.lock();
        state.busy.remove(session);
        let since = state.pending.remove(session);
        let is_again = state.again.remove(session);
        if state.owned.contains_key(session) && (is_again || !is_finished) {
            let since = since.filter(|_| !is_finished).unwrap_or(now);
            state.put(session, since);
        }
        self.count(&state);
    }

    /// It is not being copied any more, and is not to keep others from it.
    pub(super) fn put_aside(&self, session: &SessionId) {
        let mut state = self.lock();
        state.busy.remove(session);
        state.again.remove(session);
        state.aside.insert(session.clone());
    }

    /// Those put aside wait again.
    pub(super) fn try_again(&self) {
        let mut state = self.lock();
        let aside = std::mem::take(&mut state.aside);
        let State { owned, queue, .. } = &mut *state;
        queue.extend(aside.into_iter().filter(|session| owned.contains_key(session)));
        if !state.queue.is_empty() {
            self.marked.notify_one();
        }
    }

    /// None is being copied any more, and none was finished.
    pub(super) fn release_all(&self, now: Duration) {
        let busy = self.lock().busy.clone();
        busy.iter().for_each(|session| self.release(session, false, now));
    }

    pub(super) fn task(&self, session: &SessionId) -> Option<Task> {
        let state = self.lock();
        let owned = state.owned.get(session)?;
        Some(Task {
            token: owned.token,
            known: owned.known.borrow().clone(),
            event: owned.event,
            has_events: owned.has_events,
            is_removed: owned.is_removed,
        })
    }

    /// Notes what became of a part of a task, unless the session has another owner or another life by now.
    pub(super) fn note(&self, session: &SessionId, token: u64, done: Done) {
        let mut state = self.lock();
        let Some(owned) = state.owned.get_mut(session).filter(|owned| owned.token == token) else { return };
        match done {
            Done::Known(known) => drop(owned.known.send_replace(known)),
            Done::Events(event) => owned.event = event,
            Done::AllEvents => owned.has_events = false,
            Done::Removed => {
                owned.is_removed = false;
                owned.known.send_replace(Known::Nothing);
            }
        }
    }

    fn count(&self, state: &State) {
        let waiting = state.pending.len();
        self.waiting.send_if_modified(|count| std::mem::replace(count, waiting) != waiting);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put(&mut self, session: &SessionId, since: Duration) {
        if self.busy.contains(session) {
            self.again.insert(session.clone());
        } else if !self.pending.contains_key(session) {
            self.queue.push_back(session.clone());
        }
        self.pending.entry(session.clone()).or_insert(since);
    }
}

/// What has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    States,
    Events,
    Removed,
}

/// What was done.
#[derive(Debug)]
pub(super) enum Done {
    Known(Known),
    Events(Option<u64>),
    AllEvents,
    Removed,
}
