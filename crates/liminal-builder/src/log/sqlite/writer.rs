//! The only writer of the database. Owns its connection and thread: takes what waits, writes it as one transaction and
//! acknowledges it.
//!
//! Nobody waits for a group to fill: it is whatever came while the last one was committed. A commit is tens of
//! microseconds, so a lone batch leaves at once, and under load groups grow by themselves.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use super::super::window::{Window, Windows};
use super::super::{Batch, Cursor, Durability, LogError};
use super::Settings;
use super::import::Import;
use super::indexing::Indexing;
use super::packing::{BLOCK_BYTES, Packing};
use super::syncer::{Publication, Syncer};
use super::tracked::Tracked;
use super::{events, meta};

/// A transaction of more batches would keep its first one waiting.
const LARGEST_GROUP: usize = 256;

/// Whatever the writer is asked.
#[derive(Debug)]
pub(super) enum Job {
    Append(Append),
    Events {
        session: SessionId,
        events: Vec<Bytes>,
        reply: Reply<()>,
    },
    Trim {
        session: SessionId,
        through: u64,
        reply: Reply<()>,
    },
    Remove {
        session: SessionId,
        reply: Reply<()>,
    },
    Import {
        import: Import,
        reply: Reply<()>,
    },
    /// Something beside the streams.
    Write {
        work: Work,
        durability: Durability,
        reply: Reply<()>,
    },
    /// Comes back when every finished item can be found.
    Index {
        reply: Reply<()>,
    },
    /// The last one.
    Close {
        reply: Reply<()>,
    },
}

impl Job {
    /// Answers with an error, and nothing was done.
    pub(super) fn refuse(self, error: LogError) {
        match self {
            Self::Append(Append { reply, .. }) => drop(reply.send(Err(error))),
            Self::Events { reply, .. }
            | Self::Trim { reply, .. }
            | Self::Remove { reply, .. }
            | Self::Import { reply, .. }
            | Self::Write { reply, .. }
            | Self::Index { reply }
            | Self::Close { reply } => drop(reply.send(Err(error))),
        }
    }
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, LogError>>;

/// What to do in one transaction; whatever it does counts only if it succeeds.
pub(super) struct Work(pub(super) Box<Transaction>);

type Transaction = dyn FnOnce(&Connection) -> Result<(), LogError> + Send;

impl fmt::Debug for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Work(…)")
    }
}

#[derive(Debug)]
pub(super) struct Append {
    pub(super) session: SessionId,
    pub(super) batch: Batch,
    pub(super) durability: Durability,
    pub(super) reply: Reply<Cursor>,
}

pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) windows: Arc<Windows>,
    pub(super) settings: Settings,
    pub(super) syncer: Syncer,
    pub(super) sessions: HashMap<SessionId, Tracked>,
    pub(super) indexing: Indexing,
    pub(super) packing: Packing,
    /// Whether the last write found no room.
    pub(super) is_full: watch::Sender<bool>,
}

impl Writer {
    /// Writes until nobody is left who could ask for more, then leaves a whole file.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut next = None;
        while let Some(job) = next.take().or_else(|| self.wait(&mut jobs)) {
            match self.serve(job, &mut jobs) {
                ControlFlow::Continue(other) => next = other,
                ControlFlow::Break(closing) => return drop(closing.send(self.close())),
            }
        }
        drop(self.close());
    }

    /// Does what is asked; gives back a job that was found behind it, or whoever wants the file to be left.
    pub(super) fn serve(
        &mut self,
        job: Job,
        jobs: &mut mpsc::Receiver<Job>,
    ) -> ControlFlow<Reply<()>, Option<Job>> {
        match job {
            Job::Append(append) => return ControlFlow::Continue(self.append(append, jobs)),
            Job::Events { session, events, reply } => drop(reply.send(self.events(&session, &events))),
            Job::Trim { session, through, reply } => drop(reply.send(self.trim(&session, through))),
            Job::Remove { session, reply } => drop(reply.send(self.remove(&session))),
            Job::Import { import, reply } => drop(reply.send(self.import(&import))),
            Job::Write { work, durability, reply } => self.work(work, durability, reply),
            Job::Index { reply } => drop(reply.send(self.index_all())),
            Job::Close { reply } => return ControlFlow::Break(reply),
        }
        ControlFlow::Continue(None)
    }

    /// Packs and indexes while nothing else is to do.
    fn wait(&mut self, jobs: &mut mpsc::Receiver<Job>) -> Option<Job> {
        loop {
            match jobs.try_recv() {
                Ok(job) => return Some(job),
                Err(mpsc::error::TryRecvError::Disconnected) => return None,
                Err(mpsc::error::TryRecvError::Empty) => {}
            }
            if !self.rest() {
                return jobs.blocking_recv();
            }
        }
    }

    /// Does a piece of what can wait; `false` if there is none.
    pub(super) fn rest(&mut self) -> bool {
        // A full disk is told to those who append; the index catches up later.
        self.pack_one() || self.index_one().unwrap_or(false)
    }

    /// Writes a batch and those behind it; gives back the first job that is something else.
    fn append(&mut self, first: Append, jobs: &mut mpsc::Receiver<Job>) -> Option<Job> {
        let (mut group, mut other) = (vec![first], None);
        while group.len() < LARGEST_GROUP {
            match jobs.try_recv() {
                Ok(Job::Append(append)) => group.push(append),
                Ok(job) => other = Some(job),
                Err(_) => {}
            }
            if other.is_some() || jobs.is_empty() {
                break;
            }
        }
        self.commit(group);
        self.windows.shrink(self.settings.memory_bytes, self.settings.sessions_in_memory);
        other
    }

    fn commit(&mut self, group: Vec<Append>) {
        let (mut placed, mut replies) = (Vec::with_capacity(group.len()), Vec::with_capacity(group.len()));
        let mut batches = Vec::with_capacity(group.len());
        for Append { session, batch, durability, reply } in group {
            replies.push(reply);
            batches.push((session, batch, durability));
        }
        let result = self.transaction(|writer| writer.write(batches, &mut placed));
        match result {
            Ok(()) => {
                self.publish(placed, replies);
                self.indexing.wake();
            }
            Err(error) => replies.into_iter().for_each(|reply| drop(reply.send(Err(error.clone())))),
        }
    }

    fn write(
        &mut self,
        batches: Vec<(SessionId, Batch, Durability)>,
        placed: &mut Vec<Placed>,
    ) -> Result<(), LogError> {
        let mut touched: Vec<SessionId> = Vec::new();
        for (session, batch, durability) in batches {
            let window = self.windows.get(&session);
            let (connection, tracked) = self.tracked(&session, &window)?;
            let entries = tracked.place(connection, batch)?;
            placed.push(Placed { window, entries, cursor: tracked.cursor(), durability });
            touched.push(session);
        }
        touched.sort_unstable();
        touched.dedup();
        for session in &touched {
            if let Some(tracked) = self.sessions.get_mut(session) {
                tracked.flush(&self.connection)?;
            }
        }
        if self.sessions.len() > self.settings.sessions_in_memory {
            self.sessions.retain(|session, _| touched.binary_search(session).is_ok());
        }
        Ok(())
    }

    fn publish(&self, placed: Vec<Placed>, replies: Vec<Reply<Cursor>>) {
        let mut waiting = Vec::new();
        for (placed, reply) in placed.into_iter().zip(replies) {
            let Placed { window, entries, cursor, durability } = placed;
            let must_wait = window.must_wait(durability == Durability::Synced);
            let window_bytes = self.settings.session_bytes;
            let publication = Publication { window, entries, window_bytes, cursor, reply };
            if must_wait { waiting.push(publication) } else { publication.complete(Ok(())) }
        }
        if !waiting.is_empty() {
            self.syncer.publish(waiting);
        }
        self.syncer.tail();
    }

    fn events(&mut self, session: &SessionId, events: &[Bytes]) -> Result<(), LogError> {
        let limits = self.settings;
        let (id, lying) = self.alone(session, |connection, tracked| {
            Ok((tracked.id(), events::write(connection, tracked.id(), events, limits)?))
        })?;
        self.packing.grew(id, lying);
        Ok(())
    }

    fn trim(&mut self, session: &SessionId, through: u64) -> Result<(), LogError> {
        self.syncer.settle();
        let through =
            self.alone(session, |connection, tracked| tracked.trim(connection, session, through))?;
        self.windows.get(session).trim(through);
        self.indexing.restart();
        Ok(())
    }

    fn remove(&mut self, session: &SessionId) -> Result<(), LogError> {
        self.syncer.settle();
        let window = self.windows.get(session);
        self.transaction(|writer| {
            writer.tracked(session, &window)?;
            let tracked = writer.sessions.remove(session);
            tracked.map_or(Ok(()), |tracked| tracked.remove(&writer.connection))
        })?;
        window.restart();
        self.indexing.restart();
        self.syncer.tail();
        Ok(())
    }

    fn work(&mut self, Work(work): Work, durability: Durability, reply: Reply<()>) {
        let result = self.transaction(|writer| work(&writer.connection));
        match durability {
            Durability::Synced if result.is_ok() => self.syncer.sync(reply),
            Durability::Synced | Durability::Grouped => {
                reply.send(result).ok();
                self.syncer.tail();
            }
        }
    }

    /// Does something with one session, in a transaction of its own.
    fn alone<T>(
        &mut self,
        session: &SessionId,
        work: impl FnOnce(&Connection, &mut Tracked) -> Result<T, LogError>,
    ) -> Result<T, LogError> {
        let window = self.windows.get(session);
        let result = self.transaction(|writer| {
            let (connection, tracked) = writer.tracked(session, &window)?;
            work(connection, tracked)
        });
        self.syncer.tail();
        result
    }

    pub(super) fn tracked(
        &mut self,
        session: &SessionId,
        window: &Window,
    ) -> Result<(&Connection, &mut Tracked), LogError> {
        if !self.sessions.contains_key(session) {
            let tracked = Tracked::load(&self.connection, session, window)?;
            self.sessions.insert(session.clone(), tracked);
        }
        let tracked = self.sessions.get_mut(session).ok_or(LogError::Closed)?;
        // Before anything is committed, so that nobody who reads the disk meanwhile knows more than was shown.
        window.learn(Some(tracked.head()));
        Ok((&self.connection, tracked))
    }

    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, LogError>,
    ) -> Result<T, LogError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let result =
            work(self).and_then(|done| Ok(self.connection.execute_batch("COMMIT").map(|()| done)?));
        if let Err(error) = &result {
            if *error == LogError::Full {
                self.is_full.send_if_modified(|is_full| !std::mem::replace(is_full, true));
            }
            // What is known of the sessions may be ahead of the disk now; it is read again.
            self.sessions.clear();
            if !self.connection.is_autocommit() {
                self.connection.execute_batch("ROLLBACK").ok();
            }
        }
        result
    }

    /// Whether there was something to pack. What cannot be read or has no room stays as it is.
    fn pack_one(&mut self) -> bool {
        let Some(session) = self.packing.next() else { return false };
        let more = self.transaction(|writer| events::pack(&writer.connection, session));
        if more.unwrap_or(false) {
            self.packing.grew(session, BLOCK_BYTES);
        }
        true
    }

    fn index_one(&mut self) -> Result<bool, LogError> {
        if self.indexing.is_idle() {
            return Ok(false);
        }
        let mut indexing = std::mem::take(&mut self.indexing);
        let result = self.transaction(|writer| indexing.step(&writer.connection));
        self.indexing = indexing;
        result
    }

    fn index_all(&mut self) -> Result<(), LogError> {
        while self.pack_one() || self.index_one()? {}
        Ok(())
    }

    pub(super) fn close(self) -> Result<(), LogError> {
        self.syncer.close();
        meta::leave(self.connection)
    }
}

/// A batch with its places, not yet shown.
struct Placed {
    window: Arc<Window>,
    entries: Vec<super::super::Entry>,
    cursor: Cursor,
    durability: Durability,
}
