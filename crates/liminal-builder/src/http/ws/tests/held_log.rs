//! A log whose reads of one session can be held.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use liminal_core::ids::SessionId;
use tokio::sync::watch;

use crate::log::sqlite::SqliteLog;
use crate::log::{Batch, Cursor, Durability, Entry, Head, Key, Limit, Page, Pending, StreamLog};

/// Which read is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    Head,
    History,
}

#[derive(Debug)]
pub(super) struct HeldLog {
    log: Arc<SqliteLog>,
    held: Mutex<BTreeMap<(SessionId, Read), watch::Receiver<()>>>,
}

/// Reads go on when this is dropped.
pub(super) struct Held(#[expect(dead_code, reason = "its drop is what counts")] watch::Sender<()>);

impl HeldLog {
    pub(super) fn new(log: Arc<SqliteLog>) -> Self {
        Self { log, held: Mutex::default() }
    }

    pub(super) fn hold_head(&self, session: &SessionId) -> Held {
        self.hold(session, Read::Head)
    }

    pub(super) fn hold_history(&self, session: &SessionId) -> Held {
        self.hold(session, Read::History)
    }

    fn hold(&self, session: &SessionId, read: Read) -> Held {
        let (sender, receiver) = watch::channel(());
        self.held.lock().unwrap().insert((session.clone(), read), receiver);
        Held(sender)
    }

    async fn pass(&self, session: &SessionId, read: Read) {
        let held = self.held.lock().unwrap().get(&(session.clone(), read)).cloned();
        if let Some(mut held) = held {
            // It ends when the sender is dropped.
            while held.changed().await.is_ok() {}
        }
    }
}

impl StreamLog for HeldLog {
    fn append<'a>(
        &'a self,
        session: &'a SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Pending<'a, Cursor> {
        self.log.append(session, batch, durability)
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        self.log.read(session, after, limit)
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            self.pass(session, Read::History).await;
            self.log.history(session, before, limit).await
        })
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        self.log.later(session, after, limit)
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        self.log.entry(session, key)
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        Box::pin(async move {
            self.pass(session, Read::Head).await;
            self.log.head(session).await
        })
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        self.log.trim(session, through)
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.log.remove(session)
    }
}
