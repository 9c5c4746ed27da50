//! Who did what, for whoever looks into it later: one JSON object a line, in files that only grow. Owns the file and its
//! one writer; what an action means is told by whoever does it. Nothing is ever taken away: a full file is set aside as
//! `audit-<n>.log`.

mod entry;
mod syslog;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use crate::asking::ask;
use crate::clock::Clock;
pub use entry::{Action, Actor, Entry};
use writer::{Job, Writer};

/// More than these wait for a disk that hangs; whoever acts then waits too.
const WAITING: usize = 1024;

/// Why something was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The file cannot be written.
    #[error("cannot write the audit log: {0}; free some space or make it writable")]
    Write(String),
    /// The server is stopping.
    #[error("the audit log is closed because the server is stopping")]
    Closed,
}

/// The audit log. Clones are the same; when the last one is dropped, the file is closed.
#[derive(Debug, Clone)]
pub struct Audit {
    jobs: mpsc::Sender<Job>,
    clock: Clock,
    thread: Arc<Thread>,
}

impl Audit {
    /// Opens `audit.log` in a directory; the system's log gets a copy if its socket is named.
    pub fn open(directory: &Path, syslog: Option<PathBuf>, clock: Clock) -> io::Result<Self> {
        Self::start(Writer::open(directory, syslog)?, clock)
    }

    fn start(writer: Writer, clock: Clock) -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let thread = std::thread::Builder::new().name("audit".to_owned());
        let timer = writer::timer()?;
        let thread = thread.spawn(move || writer.run(waiting, &timer))?;
        Ok(Self { jobs, clock, thread: Arc::new(Thread(Some(thread))) })
    }

    /// Records something; resolves when the entry is on its way. While the disk fails, entries are kept in memory up to
    /// a number, and the server's log says so.
    pub async fn note(&self, entry: Entry) {
        let line = entry.line(self.clock.now().wall);
        // Nobody is left to record it only when the server stops.
        drop(self.jobs.send(Job { line, reply: None }).await);
    }

    /// Records something if there is room for it at once; for whoever cannot wait.
    pub fn note_at_once(&self, entry: &Entry) {
        let line = entry.line(self.clock.now().wall);
        if self.jobs.try_send(Job { line, reply: None }).is_err() {
            tracing::warn!("the audit log is behind, and an entry is missing in it");
        }
    }

    /// Records something and comes back when it has survived a power failure. Whoever lets an agent act waits for this.
    pub async fn settle(&self, entry: Entry) -> Result<(), AuditError> {
        let line = entry.line(self.clock.now().wall);
        let settled = ask(&self.jobs, |reply| Job { line, reply: Some(reply) }).await;
        settled.unwrap_or(Err(AuditError::Closed))
    }

    /// Lets go of the log; if this was the last one, everything is written when it comes back.
    pub async fn close(self) {
        let Self { jobs, thread, .. } = self;
        drop(jobs);
        if let Some(thread) = Arc::into_inner(thread).and_then(|mut thread| thread.0.take()) {
            // A panic of the writer was told when it happened.
            drop(tokio::task::spawn_blocking(move || drop(thread.join())).await);
        }
    }
}

/// The writer's thread ends by itself when nobody can send any more.
#[derive(Debug)]
struct Thread(Option<JoinHandle<()>>);

#[cfg(test)]
mod tests;
