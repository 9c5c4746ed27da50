//! The real log, with every append looked at. Owns the laws of what is written: places are dense, and what is read is
//! what was written last.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use liminal_builder::log::sqlite::SqliteLog;
use liminal_builder::log::{Batch, Cursor, Durability, Entry, Head, Key, Limit, Page, Pending, StreamLog};
use liminal_core::ids::SessionId;
use tokio::sync::watch;

use super::world::World;

#[derive(Debug)]
pub(super) struct WatchedLog {
    log: Arc<SqliteLog>,
    world: World,
    written: Mutex<BTreeMap<SessionId, Written>>,
}

/// What was written of a session in this life of the server.
#[derive(Debug, Default)]
struct Written {
    /// The last place; unknown while something is appended, and after that failed or was given up: it may be there all
    /// the same.
    head: Option<u64>,
    /// The last state of every key, unless an append of it failed.
    states: BTreeMap<Key, Option<Bytes>>,
}

impl WatchedLog {
    pub(super) fn new(log: Arc<SqliteLog>, world: World) -> Self {
        Self { log, world, written: Mutex::default() }
    }

    /// Whether a whole state is the sum of what was written.
    pub(super) fn check(&self, session: &SessionId, entries: &[Entry]) {
        let written = self.written.lock().unwrap();
        let Some(Written { states, .. }) = written.get(session) else { return };
        let stored: BTreeMap<&Key, &Bytes> = entries.iter().map(|entry| (&entry.key, &entry.bytes)).collect();
        for (key, state) in states.iter().filter_map(|(key, state)| Some((key, state.as_ref()?))) {
            self.world
                .must(stored.get(key) == Some(&state), || format!("{key} is not what was written last"));
        }
    }

    /// What an append that nobody waits for to its end leaves is not known.
    fn begin(&self, session: &SessionId, batch: &Batch) -> Option<u64> {
        let mut written = self.written.lock().unwrap();
        let written = written.entry(session.clone()).or_default();
        written.states.extend(batch.records().iter().map(|record| (record.key.clone(), None)));
        written.head.take()
    }

    fn end(&self, session: &SessionId, batch: &Batch, before: Option<u64>, cursor: &Cursor) {
        let mut written = self.written.lock().unwrap();
        let written = written.entry(session.clone()).or_default();
        let states = batch.records().iter().map(|record| (record.key.clone(), Some(record.bytes.clone())));
        written.states.extend(states);
        written.head = Some(cursor.seq);
        let count = batch.records().len() as u64;
        let is_dense = before.is_none_or(|before| before + count == cursor.seq);
        self.world.must(is_dense, || format!("{count} more than {before:?} are {}", cursor.seq));
    }
}

impl StreamLog for WatchedLog {
    fn append<'a>(
        &'a self,
        session: &'a SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Pending<'a, Cursor> {
        Box::pin(async move {
            let before = self.begin(session, &batch);
            let cursor = self.log.append(session, batch.clone(), durability).await?;
            self.end(session, &batch, before, &cursor);
            Ok(cursor)
        })
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        self.log.read(session, after, limit)
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        self.log.history(session, before, limit)
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        self.log.later(session, after, limit)
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        self.log.entry(session, key)
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        self.log.head(session)
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        self.log.trim(session, through)
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.log.remove(session)
    }
}
