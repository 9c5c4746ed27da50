//! What readers see without touching a disk. Owns the newest states of the sessions in use and the news that there are
//! more; who stores the rest is not known here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use liminal_core::ids::SessionId;
use tokio::sync::watch;

use super::{Entry, Head, Key, Limit, Page};

/// Every session in use.
#[derive(Debug, Default)]
pub(super) struct Windows {
    sessions: Mutex<BTreeMap<SessionId, Arc<Window>>>,
    /// Counts uses, to tell what was used last.
    uses: AtomicU64,
    bytes: Arc<AtomicUsize>,
}

impl Windows {
    /// The window of a session, made now if there was none.
    pub(super) fn get(&self, session: &SessionId) -> Arc<Window> {
        let fresh = || Arc::new(Window::new(Arc::clone(&self.bytes)));
        let window = Arc::clone(lock(&self.sessions).entry(session.clone()).or_insert_with(fresh));
        window.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        window
    }

    /// Keeps the states of all sessions within a size, and windows that nobody looks through within a number. Those
    /// used last stay.
    pub(super) fn shrink(&self, bytes: usize, count: usize) {
        let mut sessions = lock(&self.sessions);
        let is_within = |sessions: &BTreeMap<_, _>| {
            self.bytes.load(Ordering::Relaxed) <= bytes && sessions.len() <= count
        };
        if is_within(&sessions) {
            return;
        }
        let mut oldest: Vec<_> =
            sessions.iter().map(|(session, window)| (window.used(), session.clone())).collect();
        oldest.sort_unstable();
        for (_, session) in oldest {
            if is_within(&sessions) {
                return;
            }
            let Some(window) = sessions.get(&session) else { continue };
            window.clear();
            if Arc::strong_count(window) == 1 && window.head.receiver_count() == 0 {
                sessions.remove(&session);
            }
        }
    }
}

/// The newest states of one session.
#[derive(Debug)]
pub(super) struct Window {
    states: Mutex<States>,
    head: watch::Sender<Head>,
    used: AtomicU64,
    /// The size of all windows together.
    total: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct States {
    /// The head is the log's, and not only a beginning.
    is_known: bool,
    by_key: BTreeMap<Key, Entry>,
    by_seq: BTreeMap<u64, Key>,
    /// Everything that changed after this place is here.
    complete_after: u64,
    bytes: usize,
    /// So many batches wait for the disk before they are shown.
    waiting: usize,
}

impl Window {
    fn new(total: Arc<AtomicUsize>) -> Self {
        let head = watch::Sender::new(Head::begin());
        Self { states: Mutex::default(), head, used: AtomicU64::new(0), total }
    }

    /// Tells the log's head, unless it is known already. Gives the head that is known now.
    pub(super) fn learn(&self, head: Option<&Head>) -> Head {
        let mut states = lock(&self.states);
        if let Some(head) = head.filter(|_| !states.is_known) {
            states.complete_after = head.seq;
            self.head.send_replace(head.clone());
        }
        states.is_known = true;
        self.head.borrow().clone()
    }

    pub(super) fn known(&self) -> Option<Head> {
        let states = lock(&self.states);
        states.is_known.then(|| self.head.borrow().clone())
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Head> {
        self.head.subscribe()
    }

    /// Tells whether a batch has to wait for the disk before it is shown: because it asks for it, or because one
    /// before it does.
    pub(super) fn must_wait(&self, asks_for_it: bool) -> bool {
        let mut states = lock(&self.states);
        let must_wait = asks_for_it || states.waiting > 0;
        states.waiting += usize::from(must_wait);
        must_wait
    }

    /// A batch that had to wait is shown now.
    pub(super) fn waited(&self) {
        let mut states = lock(&self.states);
        states.waiting = states.waiting.saturating_sub(1);
    }

    /// Shows entries to readers, and keeps at most so many bytes of states.
    pub(super) fn publish(&self, entries: Vec<Entry>, limit: usize) {
        let Some(seq) = entries.last().map(|entry| entry.seq) else { return };
        let mut states = lock(&self.states);
        let before = states.bytes;
        entries.into_iter().for_each(|entry| states.put(entry));
        while states.bytes > limit && states.by_seq.len() > 1 {
            states.drop_oldest();
        }
        self.account(before, states.bytes);
        self.head.send_modify(|head| head.seq = seq);
    }

    /// Entries after a place, unless some of them are not here.
    pub(super) fn read(&self, after: u64, limit: Limit) -> Result<Page, Head> {
        let states = lock(&self.states);
        let head = self.head.borrow().clone();
        if after < states.complete_after {
            return Err(head);
        }
        let after = after.min(head.seq);
        let keys = states.by_seq.range(after + 1..).map(|(_, key)| key);
        let (entries, is_cut) = take(keys.filter_map(|key| states.by_key.get(key)), limit);
        let last = entries.last().map(|entry| entry.seq).filter(|_| is_cut);
        Ok(Page { through: last.unwrap_or(head.seq), entries, head })
    }

    /// Entries by their first place, unless some of them are not here.
    pub(super) fn history(&self, before: Option<u64>, limit: Limit) -> Result<Page, Head> {
        let states = lock(&self.states);
        let head = self.whole(&states)?;
        let is_wanted = |entry: &&Entry| before.is_none_or(|before| entry.first_seq < before);
        let mut wanted: Vec<_> = states.by_key.values().filter(is_wanted).collect();
        wanted.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.first_seq));
        let (mut entries, _) = take(wanted.into_iter(), limit);
        entries.reverse();
        Ok(Page { through: head.seq, entries, head })
    }

    /// Entries that first appeared after a place, unless some of them are not here.
    pub(super) fn later(&self, after: u64, limit: Limit) -> Result<Page, Head> {
        let states = lock(&self.states);
        let head = self.whole(&states)?;
        let mut wanted: Vec<_> = states.by_key.values().filter(|entry| entry.first_seq > after).collect();
        wanted.sort_unstable_by_key(|entry| entry.first_seq);
        let (entries, is_cut) = take(wanted.into_iter(), limit);
        Ok(Page::later(entries, is_cut, head))
    }

    /// The head of a log that is here from its beginning; of another one it is the error.
    fn whole(&self, states: &States) -> Result<Head, Head> {
        let head = self.head.borrow().clone();
        if states.complete_after > head.floor { Err(head) } else { Ok(head) }
    }

    /// The state of a key, if it is here.
    pub(super) fn entry(&self, key: &Key) -> Option<Entry> {
        lock(&self.states).by_key.get(key).cloned()
    }

    /// The first place of a key whose state is here.
    pub(super) fn first_seq(&self, key: &Key) -> Option<u64> {
        lock(&self.states).by_key.get(key).map(|entry| entry.first_seq)
    }

    pub(super) fn trim(&self, through: u64) {
        let mut states = lock(&self.states);
        let before = states.bytes;
        while states.by_seq.first_key_value().is_some_and(|(seq, _)| *seq <= through) {
            states.drop_oldest();
        }
        states.complete_after = states.complete_after.max(through);
        self.account(before, states.bytes);
        self.head.send_modify(|head| head.floor = head.floor.max(through));
    }

    /// Begins a new life of the log.
    pub(super) fn restart(&self) -> Head {
        let mut states = lock(&self.states);
        self.account(states.bytes, 0);
        *states = States { is_known: true, ..States::default() };
        self.head.send_replace(Head::begin());
        self.head.borrow().clone()
    }

    /// Goes on with a log that was written to the disk past this window.
    pub(super) fn adopt(&self, head: Head) {
        let mut states = lock(&self.states);
        self.account(states.bytes, 0);
        *states = States { is_known: true, complete_after: head.seq, ..States::default() };
        self.head.send_replace(head);
    }

    /// Leaves all states to the disk.
    fn clear(&self) {
        let mut states = lock(&self.states);
        self.account(states.bytes, 0);
        let complete_after = self.head.borrow().seq;
        let (is_known, waiting) = (states.is_known, states.waiting);
        *states = States { is_known, waiting, complete_after, ..States::default() };
    }

    fn account(&self, before: usize, after: usize) {
        self.total.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
    }

    fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

impl States {
    fn put(&mut self, entry: Entry) {
        self.bytes += size(&entry);
        self.by_seq.insert(entry.seq, entry.key.clone());
        if let Some(before) = self.by_key.insert(entry.key.clone(), entry) {
            self.bytes -= size(&before);
            self.by_seq.remove(&before.seq);
        }
    }

    fn drop_oldest(&mut self) {
        let Some((seq, key)) = self.by_seq.pop_first() else { return };
        self.complete_after = self.complete_after.max(seq);
        if let Some(entry) = self.by_key.remove(&key) {
            self.bytes -= size(&entry);
        }
    }
}

/// An entry's share of memory: its payload and about as much as the maps take for it.
fn size(entry: &Entry) -> usize {
    const MAPS: usize = 256;
    entry.bytes.len() + MAPS
}

/// As many entries as the limit allows, and whether there are more.
fn take<'a>(entries: impl Iterator<Item = &'a Entry>, limit: Limit) -> (Vec<Entry>, bool) {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    for entry in entries {
        if !taken.is_empty() && limit.is_reached(taken.len(), bytes) {
            return (taken, true);
        }
        bytes += entry.bytes.len();
        taken.push(entry.clone());
    }
    (taken, false)
}

/// A panic while the lock was held cannot leave half a change: every change is whole before the next call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
