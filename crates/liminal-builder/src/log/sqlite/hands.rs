//! The work at the log, done by hand where its threads would be in the way. Owns what was asked and not done yet; when
//! it is done, and whether it succeeds, is the business of whoever simulates the disk.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio::sync::mpsc;

use super::super::LogError;
use super::syncer::{self, Request};
use super::writer::{Job, Writer};

/// Works at a log that has no threads.
pub struct Hands {
    /// Gone once the file was left.
    writer: Option<Writer>,
    jobs: mpsc::Receiver<Job>,
    next: Option<Job>,
    disk: syncer::Work,
    unsynced: Vec<Request>,
}

impl std::fmt::Debug for Hands {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Hands").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Hands {
    pub(super) const fn new(writer: Writer, jobs: mpsc::Receiver<Job>, disk: syncer::Work) -> Self {
        Self { writer: Some(writer), jobs, next: None, disk, unsynced: Vec::new() }
    }

    /// Waits until something is to be written; `false` if nobody can ask for it any more. Cancel-safe.
    pub async fn asked(&mut self) -> bool {
        if self.next.is_none() && self.writer.is_some() {
            self.next = self.jobs.recv().await;
        }
        self.next.is_some()
    }

    /// Writes what was asked first, and what can be written with it.
    pub fn write(&mut self) {
        let (Some(job), Some(writer)) = (self.next.take(), &mut self.writer) else { return };
        if matches!(job, Job::Trim { .. } | Job::Remove { .. } | Job::Close { .. }) {
            self.unsynced.extend(self.disk.waiting());
            syncer::answer(std::mem::take(&mut self.unsynced), &Ok(()));
        }
        match writer.serve(job, &mut self.jobs) {
            ControlFlow::Continue(next) => self.next = next,
            ControlFlow::Break(closing) => {
                let result = self.writer.take().map_or(Ok(()), Writer::close);
                // Whoever closes may have stopped waiting.
                closing.send(result).ok();
            }
        }
    }

    /// Refuses what was asked first.
    pub fn refuse(&mut self, error: LogError) {
        if let Some(job) = self.next.take() {
            job.refuse(error);
        }
    }

    /// Whether something was written since the last sync.
    pub fn is_unsynced(&mut self) -> bool {
        self.unsynced.extend(self.disk.waiting());
        !self.unsynced.is_empty()
    }

    /// Tells those who wait for a sync how it went.
    pub fn synced(&mut self, result: &Result<(), LogError>) {
        syncer::answer(std::mem::take(&mut self.unsynced), result);
    }

    /// How soon the thread would sync: at once if somebody waits for it, and not at all if nothing was written.
    pub fn sync_within(&mut self) -> Option<Duration> {
        let is_tail = self.is_unsynced().then(|| {
            let is_waited_for = |request: &Request| !matches!(request, Request::Tail);
            !self.unsynced.iter().any(is_waited_for)
        })?;
        Some(if is_tail { syncer::TAIL } else { Duration::ZERO })
    }

    /// Syncs the file as the thread does, and copies a long log into the database.
    pub fn sync(&mut self) {
        let result = self.disk.sync();
        self.synced(&result);
        self.disk.checkpoint();
    }

    /// Does a piece of what the writer does while nothing is asked; `false` if there is none.
    pub fn rest(&mut self) -> bool {
        self.writer.as_mut().is_some_and(Writer::rest)
    }

    /// How many rows were written, changed and removed so far.
    #[must_use]
    pub fn rows_changed(&self) -> u64 {
        self.writer.as_ref().map_or(0, |writer| writer.connection.total_changes())
    }
}
