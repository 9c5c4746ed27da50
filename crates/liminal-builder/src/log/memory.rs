//! A log in memory, for tests and for servers that are to keep nothing. Owns the order of the sessions' outputs; ends
//! with the process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use liminal_core::ids::SessionId;
use tokio::sync::watch;

use super::sequence::Sequence;
use super::window::Windows;
use super::{Batch, Cursor, Durability, Entry, Head, Key, Limit, LogError, Page, Pending, StreamLog};

/// Keeps every session's latest states as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryLog {
    windows: Windows,
    sequences: Mutex<HashMap<SessionId, Sequence>>,
}

impl MemoryLog {
    fn append_now(&self, session: &SessionId, batch: Batch) -> Result<Cursor, LogError> {
        let window = self.windows.get(session);
        let mut sequences = self.sequences.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = sequences.entry(session.clone()).or_default();
        let records = batch.into_records().into_iter();
        let placed = records.map(|record| sequence.place(record, |key| Ok(window.first_seq(key))));
        let entries = placed.collect::<Result<Vec<_>, _>>()?;
        // Still under the lock, so that places become visible in their order.
        window.publish(entries, usize::MAX);
        let head = window.learn(None);
        drop(sequences);
        Ok(head.cursor())
    }

    fn trim_now(&self, session: &SessionId, through: u64) {
        let mut sequences = self.sequences.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = sequences.entry(session.clone()).or_default();
        let through = through.min(sequence.head());
        sequence.trim(through);
        self.windows.get(session).trim(through);
    }

    fn remove_now(&self, session: &SessionId) {
        let mut sequences = self.sequences.lock().unwrap_or_else(PoisonError::into_inner);
        sequences.remove(session);
        self.windows.get(session).restart();
    }
}

/// Everything is at hand at once; only a window whose oldest states were left to a disk says otherwise.
fn at_hand(page: Result<Page, Head>) -> Page {
    page.unwrap_or_else(|head| Page { entries: Vec::new(), through: head.seq, head })
}

impl StreamLog for MemoryLog {
    fn append<'a>(&'a self, session: &'a SessionId, batch: Batch, _: Durability) -> Pending<'a, Cursor> {
        Box::pin(async move { self.append_now(session, batch) })
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move { Ok(at_hand(self.windows.get(session).read(after, limit))) })
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move { Ok(at_hand(self.windows.get(session).history(before, limit))) })
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move { Ok(at_hand(self.windows.get(session).later(after, limit))) })
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        Box::pin(async move { Ok(self.windows.get(session).entry(key)) })
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        Box::pin(async move { Ok(self.windows.get(session).subscribe()) })
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        Box::pin(async move {
            self.trim_now(session, through);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        Box::pin(async move {
            self.remove_now(session);
            Ok(())
        })
    }
}
