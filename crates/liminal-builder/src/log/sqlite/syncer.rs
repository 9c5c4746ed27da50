//! From the system's memory to the disk. Owns the thread that syncs the write-ahead log, so that streams that can wait
//! for nobody's sync do not wait for somebody else's.
//!
//! The writer commits with `synchronous = NORMAL`: the frames are in the file, and survive this process. A sync of that
//! file afterwards is exactly what `FULL` would do within the commit. SQLite holds no locks on this file, so opening it
//! a second time is harmless.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::super::window::Window;
use super::super::{Cursor, Entry, LogError};
use super::error::inaccessible;
use super::opening;
use super::writer::Reply;

/// How much of a streamed tail a power failure may take.
pub(super) const TAIL: Duration = Duration::from_millis(20);
/// A log of this size is copied into the database.
const CHECKPOINT_BYTES: u64 = 4 << 20;

/// A committed batch on its way to its readers.
#[derive(Debug)]
pub(super) struct Publication {
    pub(super) window: Arc<Window>,
    pub(super) entries: Vec<Entry>,
    pub(super) window_bytes: usize,
    pub(super) cursor: Cursor,
    pub(super) reply: oneshot::Sender<Result<Cursor, LogError>>,
}

impl Publication {
    /// Shows the batch and acknowledges it.
    pub(super) fn complete(self, result: Result<(), LogError>) {
        self.window.publish(self.entries, self.window_bytes);
        // Whoever appended may have stopped waiting.
        self.reply.send(result.map(|()| self.cursor)).ok();
    }
}

#[derive(Debug)]
pub(super) enum Request {
    /// Something was committed that a sync is to follow soon.
    Tail,
    /// These wait for a sync.
    Publish(Vec<Publication>),
    /// Somebody waits for a sync who has nothing to show.
    Sync(Reply<()>),
    /// Somebody waits until everything before has been shown.
    Barrier(Sender<()>),
}

/// The way to whoever syncs.
#[derive(Debug)]
pub(super) struct Syncer {
    requests: Sender<Request>,
    tail: Arc<AtomicBool>,
    /// None where it is done by hand.
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    /// Starts the thread for the log of a database that was written to.
    pub(super) fn start(path: &Path) -> Result<Self, LogError> {
        let (syncer, work) = Self::by_hand(path)?;
        let thread = std::thread::Builder::new()
            .name("log-syncer".to_owned())
            .spawn(move || work.run())
            .map_err(|error| LogError::Failed(error.to_string()))?;
        Ok(Self { thread: Some(thread), ..syncer })
    }

    /// The same without a thread: nothing is synced unless somebody does the work.
    pub(super) fn by_hand(path: &Path) -> Result<(Self, Work), LogError> {
        let wal = opening::with_ending(path, "-wal");
        let file = File::options().write(true).open(&wal).map_err(|error| inaccessible(&wal, &error))?;
        let connection = Connection::open(path).map_err(|error| super::error::opening(path, &error))?;
        let (requests, received) = channel();
        let tail = Arc::new(AtomicBool::new(false));
        let work = Work { file, connection, tail: Arc::clone(&tail), requests: received };
        Ok((Self { requests, tail, thread: None }, work))
    }

    /// Syncs soon.
    pub(super) fn tail(&self) {
        if !self.tail.swap(true, Ordering::AcqRel) {
            drop(self.requests.send(Request::Tail));
        }
    }

    /// Syncs at once, then shows the batches.
    pub(super) fn publish(&self, publications: Vec<Publication>) {
        let Err(unsent) = self.requests.send(Request::Publish(publications)) else { return };
        let Request::Publish(publications) = unsent.0 else { return };
        publications.into_iter().for_each(|publication| publication.complete(Err(LogError::Closed)));
    }

    /// Syncs at once, then acknowledges.
    pub(super) fn sync(&self, reply: Reply<()>) {
        let Err(unsent) = self.requests.send(Request::Sync(reply)) else { return };
        let Request::Sync(reply) = unsent.0 else { return };
        reply.send(Err(LogError::Closed)).ok();
    }

    /// Waits until everything published before has been shown. Whoever works by hand has seen to that.
    pub(super) fn settle(&self) {
        if self.thread.is_none() {
            return;
        }
        let (passed, wait) = channel();
        if self.requests.send(Request::Barrier(passed)).is_ok() {
            // Either it is told or the thread is gone: both mean that nothing waits any more.
            wait.recv().ok();
        }
    }

    /// Finishes what waits.
    pub(super) fn close(self) {
        drop(self.requests);
        drop(self.thread.map(JoinHandle::join));
    }
}

/// What there is to sync.
#[derive(Debug)]
pub(super) struct Work {
    file: File,
    connection: Connection,
    tail: Arc<AtomicBool>,
    requests: Receiver<Request>,
}

impl Work {
    fn run(&self) {
        let mut has_tail = false;
        loop {
            let received = if has_tail {
                self.requests.recv_timeout(TAIL)
            } else {
                self.requests.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match received {
                Ok(Request::Tail) => has_tail = true,
                Ok(Request::Barrier(passed)) => passed.send(()).unwrap_or_default(),
                Ok(first @ (Request::Publish(_) | Request::Sync(_))) => {
                    let waiting = std::iter::once(first).chain(self.requests.try_iter()).collect();
                    answer(waiting, &self.sync());
                    has_tail = false;
                }
                Err(RecvTimeoutError::Timeout) => {
                    // A failure shows at the next batch that asks for a sync; this tail was promised to nobody.
                    drop(self.sync());
                    has_tail = false;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.checkpoint();
        }
    }

    /// Everything that waits for a sync, for whoever does it by hand.
    pub(super) fn waiting(&self) -> Vec<Request> {
        let waiting: Vec<_> = self.requests.try_iter().collect();
        if !waiting.is_empty() {
            self.tail.store(false, Ordering::Release);
        }
        waiting
    }

    pub(super) fn sync(&self) -> Result<(), LogError> {
        // First, so that a commit during the sync asks for another.
        self.tail.store(false, Ordering::Release);
        // Never as full, whatever the reason: what was committed is there, and trying again would double it.
        self.file.sync_data().map_err(|error| LogError::Failed(format!("the disk did not sync: {error}")))
    }

    /// Beside the writer, which goes on; what it adds meanwhile is for the next time.
    pub(super) fn checkpoint(&self) {
        let is_large = self.file.metadata().is_ok_and(|metadata| metadata.len() >= CHECKPOINT_BYTES);
        if is_large {
            // A log that cannot be copied now is copied later; nothing is lost meanwhile.
            self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).ok();
        }
    }
}

/// One sync for all that wait.
pub(super) fn answer(waiting: Vec<Request>, result: &Result<(), LogError>) {
    let mut passed = Vec::new();
    for request in waiting {
        match request {
            Request::Publish(publications) => publish(publications, result),
            // Whoever wrote may have stopped waiting.
            Request::Sync(reply) => drop(reply.send(result.clone())),
            Request::Barrier(barrier) => passed.push(barrier),
            Request::Tail => {}
        }
    }
    for barrier in passed {
        barrier.send(()).ok();
    }
}

fn publish(publications: Vec<Publication>, result: &Result<(), LogError>) {
    for publication in publications {
        let window = Arc::clone(&publication.window);
        publication.complete(result.clone());
        window.waited();
    }
}
