//! Reading what is not in memory. Owns the connections for it; they see whole transactions and never hold up the
//! writer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use liminal_core::ids::SessionId;
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::Semaphore;

use super::super::{Entry, Head, Key, Limit, LogError, Page};
use super::{opening, rows};

/// More would only fight over the disk.
const CONNECTIONS: usize = 4;

/// Where reads are done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// On threads that may block.
    Threads,
    /// Where they are asked for, at once.
    Here,
}

/// Runs reads.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    place: Place,
    admission: Semaphore,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, place: Place) -> Self {
        Self { path, place, admission: Semaphore::new(CONNECTIONS), idle: Arc::default() }
    }

    /// Runs a read in one transaction.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        let _admitted = self.admission.acquire().await.map_err(|_| LogError::Closed)?;
        let (idle, path) = (Arc::clone(&self.idle), self.path.clone());
        let work = move || {
            let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = kept.map_or_else(|| opening::open_reader(&path), Ok)?;
            connection.execute_batch("BEGIN")?;
            let result = read(&connection);
            if connection.execute_batch("COMMIT").is_ok() {
                idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            }
            result
        };
        match self.place {
            Place::Threads => tokio::task::spawn_blocking(work)
                .await
                .map_err(|error| LogError::Failed(error.to_string()))?,
            Place::Here => work(),
        }
    }

    /// Closes the connections, so that the file can be left whole.
    pub(super) fn close(&self) {
        self.admission.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) async fn head(&self, session: SessionId) -> Result<Option<Head>, LogError> {
        self.run(move |connection| Ok(session_row(connection, &session)?.map(|row| row.head))).await
    }

    pub(super) async fn entry(&self, session: SessionId, key: Key) -> Result<Option<Entry>, LogError> {
        self.run(move |connection| {
            let Some(row) = session_row(connection, &session)? else { return Ok(None) };
            match rows::first_seq(connection, row.id, &key)? {
                Some(first_seq) => rows::at(connection, rows::place(row.id, first_seq)),
                None => Ok(None),
            }
        })
        .await
    }

    pub(super) async fn changes(
        &self,
        session: SessionId,
        after: u64,
        head: Head,
        limit: Limit,
    ) -> Result<Page, LogError> {
        self.page(session, head, move |connection, id, head| {
            let (entries, is_cut) = rows::changes(connection, id, (after, head.seq), limit)?;
            let last = entries.last().map(|entry| entry.seq).filter(|_| is_cut);
            Ok(Page { through: last.unwrap_or(head.seq), entries, head })
        })
        .await
    }

    pub(super) async fn history(
        &self,
        session: SessionId,
        before: Option<u64>,
        head: Head,
        limit: Limit,
    ) -> Result<Page, LogError> {
        self.page(session, head, move |connection, id, head| {
            let mut entries = rows::history(connection, id, (before, head.seq), limit)?;
            entries.reverse();
            Ok(Page { through: head.seq, entries, head })
        })
        .await
    }

    pub(super) async fn later(
        &self,
        session: SessionId,
        after: u64,
        head: Head,
        limit: Limit,
    ) -> Result<Page, LogError> {
        self.page(session, head, move |connection, id, head| {
            let (entries, is_cut) = rows::later(connection, id, (after, head.seq), limit)?;
            Ok(Page::later(entries, is_cut, head))
        })
        .await
    }

    /// A page of the life that `head` is of; an empty one, if that is over.
    async fn page(
        &self,
        session: SessionId,
        head: Head,
        read: impl FnOnce(&Connection, i64, Head) -> Result<Page, LogError> + Send + 'static,
    ) -> Result<Page, LogError> {
        self.run(move |connection| match current(connection, &session, &head)? {
            Some(row) => read(connection, row.id, head),
            None => Ok(Page { entries: Vec::new(), through: head.seq, head }),
        })
        .await
    }
}

/// The newest place of every session.
pub(super) fn heads(connection: &Connection) -> Result<BTreeMap<SessionId, u64>, LogError> {
    let mut statement = connection.prepare_cached("SELECT name, head FROM session")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    rows.map(|row| row.map(|(name, head)| (name.into(), head.cast_unsigned())).map_err(LogError::from))
        .collect()
}

/// A session as it is stored.
#[derive(Debug, Clone)]
pub(super) struct SessionRow {
    pub(super) id: i64,
    pub(super) head: Head,
}

pub(super) fn session_row(
    connection: &Connection,
    session: &SessionId,
) -> Result<Option<SessionRow>, LogError> {
    let mut statement =
        connection.prepare_cached("SELECT id, epoch, head, floor FROM session WHERE name = ?1")?;
    let row = statement.query_row([session.as_str()], |row| {
        let epoch: String = row.get(1)?;
        let (seq, floor): (i64, i64) = (row.get(2)?, row.get(3)?);
        let head = Head { epoch: epoch.into(), seq: seq.cast_unsigned(), floor: floor.cast_unsigned() };
        Ok(SessionRow { id: row.get(0)?, head })
    });
    Ok(row.optional()?)
}

/// The session, unless its log was rebuilt since its head was read: the reader is told by the new head.
fn current(
    connection: &Connection,
    session: &SessionId,
    head: &Head,
) -> Result<Option<SessionRow>, LogError> {
    Ok(session_row(connection, session)?.filter(|row| row.head.epoch == head.epoch))
}
