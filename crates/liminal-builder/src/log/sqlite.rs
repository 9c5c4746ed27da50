//! The log in one file, which is the default. Owns the threads and connections of the database and the order in which
//! memory and disk are asked; how rows look is its modules' business.
//!
//! One thread writes, in groups. What is committed is shown to readers from memory; whoever is further behind than
//! memory reaches reads the disk on another connection. So no reader ever waits for a writer.

mod checksum;
mod error;
mod events;
mod followers;
mod hands;
mod import;
mod indexing;
mod meta;
mod opening;
mod packing;
mod plain_text;
mod reader;
pub(crate) mod records;
mod renewal;
mod restart;
mod room;
mod rows;
mod salvage;
mod search;
mod syncer;
mod tracked;
mod writer;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use liminal_core::error::ErrorInfo;
use liminal_core::ids::{SessionId, TurnId};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use super::window::{Window, Windows};
use super::{
    Batch, Cursor, Durability, Entry, EventLog, Events, Head, Key, Limit, LogError, Page, Pending, StreamLog,
};
use crate::asking::ask;
use followers::Followers;
pub use hands::Hands;
pub use import::Import;
use indexing::Indexing;
pub use opening::{MovedAside, OLDEST_SQLITE};
use packing::Packing;
use reader::{Place, Readers};
pub use salvage::{Salvaged, Tally};
pub use search::{FOUND_END, FOUND_START, Hit};
use syncer::Syncer;
use writer::{Append, Job, Reply, Work, Writer};

/// Batches that wait for the writer; more make their sessions wait.
const JOBS_WAITING: usize = 1024;

/// How much is kept where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// States of one session in memory.
    pub session_bytes: usize,
    /// States of all sessions in memory.
    pub memory_bytes: usize,
    /// Sessions that are remembered without a reader.
    pub sessions_in_memory: usize,
    /// Canonical events of one session on disk.
    pub event_rows: usize,
    /// Their size.
    pub event_bytes: usize,
    /// The size at which the database counts as full; without it the disk decides.
    pub largest_bytes: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            session_bytes: 8 << 20,
            memory_bytes: 64 << 20,
            sessions_in_memory: 1024,
            event_rows: 100_000,
            event_bytes: 32 << 20,
            largest_bytes: None,
        }
    }
}

/// A log in a SQLite database.
#[derive(Debug)]
pub struct SqliteLog {
    jobs: mpsc::Sender<Job>,
    windows: Arc<Windows>,
    readers: Readers,
    followers: Followers,
    is_full: watch::Sender<bool>,
}

impl SqliteLog {
    /// Opens the log in a file, which is made if there is none. A file that is of no use is moved aside; that is told.
    /// Blocks while the file is checked.
    pub fn open(path: &Path, settings: Settings) -> Result<(Self, Option<MovedAside>), LogError> {
        let (connection, moved_aside) = opened(path, settings)?;
        let (log, writer, received) =
            Self::around(path, connection, settings, Syncer::start(path)?, Place::Threads);
        std::thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run(received))
            .map_err(|error| LogError::Failed(error.to_string()))?;
        Ok((log, moved_aside))
    }

    /// The same without threads, for a simulation: nothing is written and nothing synced unless the hands do it, and
    /// what is read is read at once.
    pub fn by_hand(path: &Path, settings: Settings) -> Result<(Self, Hands), LogError> {
        let (connection, _) = opened(path, settings)?;
        let (syncer, disk) = Syncer::by_hand(path)?;
        let (log, writer, received) = Self::around(path, connection, settings, syncer, Place::Here);
        Ok((log, Hands::new(writer, received, disk)))
    }

    fn around(
        path: &Path,
        connection: Connection,
        settings: Settings,
        syncer: Syncer,
        place: Place,
    ) -> (Self, Writer, mpsc::Receiver<Job>) {
        let windows = Arc::new(Windows::default());
        let mut indexing = Indexing::default();
        indexing.wake();
        let (sessions, shared) = (HashMap::new(), Arc::clone(&windows));
        let (packing, is_full) = (Packing::default(), watch::Sender::new(false));
        let told = is_full.clone();
        let writer =
            Writer { connection, windows: shared, settings, syncer, sessions, indexing, packing, is_full };
        let (jobs, received) = mpsc::channel(JOBS_WAITING);
        let readers = Readers::new(path.to_owned(), place);
        (Self { jobs, windows, readers, followers: Followers::default(), is_full: told }, writer, received)
    }

    /// Writes what waits and leaves one whole file. Whatever is asked afterwards is [`LogError::Closed`].
    pub async fn close(&self) -> Result<(), LogError> {
        self.readers.close();
        self.ask(|reply| Job::Close { reply }).await
    }

    /// Finished items of one session, or of all, that hold all of the words, the newest first.
    pub async fn search(
        &self,
        query: &str,
        session: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<Hit>, LogError> {
        let (query, session) = (query.to_owned(), session.cloned());
        let search =
            move |connection: &Connection| search::search(connection, &query, session.as_ref(), limit);
        self.readers.run(search).await
    }

    /// Finished items of one session, or of all, that a search does not find yet.
    pub async fn not_indexed(&self, session: Option<&SessionId>) -> Result<u64, LogError> {
        let session = session.cloned();
        self.readers.run(move |connection| search::not_indexed(connection, session.as_ref())).await
    }

    /// The newest place of every session's log.
    pub async fn heads(&self) -> Result<BTreeMap<SessionId, u64>, LogError> {
        self.readers.run(reader::heads).await
    }

    /// Waits until every finished item can be found.
    pub async fn indexed(&self) -> Result<(), LogError> {
        self.ask(|reply| Job::Index { reply }).await
    }

    /// Waits until everything that was asked before is done, also what nobody waits for any more.
    pub(crate) async fn caught_up(&self) -> Result<(), LogError> {
        self.write(Durability::Grouped, |_| Ok(())).await
    }

    /// Turns that have outputs and no end, or calls in the background. While no agent runs, these were cut off by the end of
    /// a server.
    pub async fn open_turns(&self) -> Result<Vec<(SessionId, TurnId)>, LogError> {
        let unfinished = self.readers.run(restart::unfinished).await?;
        Ok(unfinished.into_iter().flat_map(pairs).collect())
    }

    /// What ends every open turn: open items fail with what they had, then the turn does. By session, with its turns.
    pub async fn endings_of_open_turns(
        &self,
        reason: &ErrorInfo,
        now: jiff::Timestamp,
    ) -> Result<Vec<(SessionId, Vec<TurnId>, Batch)>, LogError> {
        let unfinished = self.readers.run(restart::unfinished).await?;
        let ending = |session: restart::Unfinished| {
            let batch = session.endings(reason, now)?;
            Ok((session.session, session.turns, batch))
        };
        unfinished.into_iter().map(ending).collect()
    }

    /// Takes over a part of a session's log with the places it has elsewhere: all of it or nothing. Parts come in order
    /// of `seq`; nobody may append meanwhile.
    pub async fn import(&self, import: Import) -> Result<(), LogError> {
        self.ask(|reply| Job::Import { import, reply }).await
    }

    /// Changes what is kept beside the streams, in one transaction: all of it or nothing.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        let (keep, mut kept) = oneshot::channel();
        // It can be kept unless nobody waits any more.
        let work = Work(Box::new(move |connection| work(connection).map(|done| drop(keep.send(done)))));
        self.ask(|reply| Job::Write { work, durability, reply }).await?;
        kept.try_recv().map_err(|_| LogError::Closed)
    }

    /// The same for what may be lost: nobody waits for it, and it is dropped when too much waits already.
    pub(crate) fn write_if_idle(
        &self,
        work: impl FnOnce(&Connection) -> Result<(), LogError> + Send + 'static,
    ) {
        let (reply, _) = oneshot::channel();
        let work = Work(Box::new(work));
        self.jobs.try_send(Job::Write { work, durability: Durability::Grouped, reply }).ok();
    }

    /// Reads what is kept beside the streams, as it was at one moment.
    pub(crate) async fn read_with<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        self.readers.run(read).await
    }

    async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T, LogError> {
        ask(&self.jobs, job).await.ok_or(LogError::Closed)?
    }

    /// The session's window, which knows the head.
    async fn window(&self, session: &SessionId) -> Result<Arc<Window>, LogError> {
        let window = self.windows.get(session);
        if window.known().is_none() {
            let head = self.readers.head(session.clone()).await?;
            window.learn(head.as_ref());
        }
        Ok(window)
    }
}

fn opened(path: &Path, settings: Settings) -> Result<(Connection, Option<MovedAside>), LogError> {
    let (connection, moved_aside) = opening::open(path)?;
    meta::enter(&connection)?;
    configure(&connection, settings)?;
    Ok((connection, moved_aside))
}

fn pairs(unfinished: restart::Unfinished) -> impl Iterator<Item = (SessionId, TurnId)> {
    let restart::Unfinished { session, turns, with_background, .. } = unfinished;
    turns.into_iter().chain(with_background).map(move |turn| (session.clone(), turn))
}

/// Commits without a sync of their own: see [`syncer`]. The writer copies its log into the database itself only when it
/// has grown to 16 MB, because the syncer could not keep up.
fn configure(connection: &Connection, settings: Settings) -> Result<(), LogError> {
    const PAGE_BYTES: u64 = 4096;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 4194304;
            PRAGMA temp_store = MEMORY;",
    )?;
    if let Some(bytes) = settings.largest_bytes {
        connection.pragma_update(None, "max_page_count", rows::number(bytes / PAGE_BYTES))?;
    }
    Ok(())
}

impl StreamLog for SqliteLog {
    fn append<'a>(
        &'a self,
        session: &'a SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Pending<'a, Cursor> {
        let session = session.clone();
        Box::pin(self.ask(move |reply| Job::Append(Append { session, batch, durability, reply })))
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            match self.window(session).await?.read(after, limit) {
                Ok(page) => Ok(page),
                Err(head) => self.readers.changes(session.clone(), after, head, limit).await,
            }
        })
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            match self.window(session).await?.history(before, limit) {
                Ok(page) => Ok(page),
                Err(head) => self.readers.history(session.clone(), before, head, limit).await,
            }
        })
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            match self.window(session).await?.later(after, limit) {
                Ok(page) => Ok(page),
                Err(head) => self.readers.later(session.clone(), after, head, limit).await,
            }
        })
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        Box::pin(async move {
            match self.window(session).await?.entry(key) {
                Some(entry) => Ok(Some(entry)),
                None => self.readers.entry(session.clone(), key.clone()).await,
            }
        })
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        // Dropped only when somebody watches: until then the window might be forgotten.
        Box::pin(async move { Ok(self.window(session).await?.subscribe()) })
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        let session = session.clone();
        Box::pin(self.ask(move |reply| Job::Trim { session, through, reply }))
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        let session = session.clone();
        Box::pin(self.ask(move |reply| Job::Remove { session, reply }))
    }
}

impl EventLog for SqliteLog {
    fn record<'a>(&'a self, session: &'a SessionId, events: Vec<Bytes>) -> Pending<'a, ()> {
        Box::pin(async move {
            self.ask(|reply| Job::Events { session: session.clone(), events, reply }).await?;
            self.followers.tell(session);
            Ok(())
        })
    }

    fn events<'a>(&'a self, session: &'a SessionId, after: u64, limit: usize) -> Events<'a> {
        let session = session.clone();
        let read = move |connection: &Connection| match reader::session_row(connection, &session)? {
            Some(row) => events::read(connection, row.id, after, limit),
            None => Ok(Vec::new()),
        };
        Box::pin(self.readers.run(read))
    }

    fn follow(&self, session: &SessionId) -> watch::Receiver<()> {
        self.followers.add(session)
    }
}

#[cfg(test)]
mod tests;
