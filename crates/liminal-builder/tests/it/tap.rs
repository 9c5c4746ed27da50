//! A log that hands on whatever is written to it, one output after another. Whoever listens slowly makes the session
//! wait, as a slow disk does.

use std::sync::Arc;

use liminal_builder::log::memory::MemoryLog;
use liminal_builder::log::{
    Batch, Cursor, Durability, Entry, Head, Key, Kind, Limit, LogError, Page, Pending, Record, StreamLog,
};
use liminal_builder::session::Outlet;
use liminal_core::ids::SessionId;
use liminal_core::upsert::Output;
use tokio::sync::{mpsc, watch};

#[derive(Debug)]
struct Tap {
    inner: MemoryLog,
    outputs: mpsc::Sender<Output>,
}

/// An outlet, and what comes out of it.
pub(crate) fn tap(waiting: usize) -> (Outlet, mpsc::Receiver<Output>) {
    let (outputs, received) = mpsc::channel(waiting);
    (Outlet::new(Arc::new(Tap { inner: MemoryLog::default(), outputs })), received)
}

fn output(record: &Record) -> Result<Output, LogError> {
    let output = match record.key.kind() {
        Kind::Upsert => serde_json::from_slice(&record.bytes).map(Output::Upsert),
        Kind::Turn => serde_json::from_slice(&record.bytes).map(Output::Turn),
    };
    output.map_err(|error| LogError::Damaged(error.to_string()))
}

impl StreamLog for Tap {
    fn append<'a>(
        &'a self,
        session: &'a SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Pending<'a, Cursor> {
        Box::pin(async move {
            for record in batch.records() {
                self.outputs.send(output(record)?).await.map_err(|_| LogError::Closed)?;
            }
            self.inner.append(session, batch, durability).await
        })
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        self.inner.read(session, after, limit)
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        self.inner.history(session, before, limit)
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        self.inner.later(session, after, limit)
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        self.inner.entry(session, key)
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        self.inner.head(session)
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        self.inner.trim(session, through)
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.inner.remove(session)
    }
}
