//! What background commands write while nothing else is heard of them. Owns when their files are read: to their end before
//! what the agent says next and before its own end, so that a command's whole output comes before its end, and regularly.

use std::time::Duration;

use liminal_core::dialect::{Input, Notice};

use super::SessionTask;
use crate::recording::Said;
use crate::session::output_files::{OutputFiles, Written};

/// How often the files are read.
const EVERY: Duration = Duration::from_millis(250);

/// The files that are followed, and when to read them next.
#[derive(Debug, Default)]
pub(super) struct Following {
    files: OutputFiles,
    read_at: Duration,
    /// Whether a file was added since the last time.
    is_grown: bool,
}

impl Following {
    /// When to read the files next, if any is followed.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        (!self.files.is_empty()).then_some(self.read_at)
    }

    /// Takes what an agent tells of such files.
    pub(super) fn hear(&mut self, notice: &Notice) {
        if let Notice::FollowOutput { task, path } = notice {
            self.files.follow(task.clone(), path);
            self.is_grown = true;
        }
        if let Notice::UnfollowOutput { task } = notice {
            self.files.unfollow(task);
        }
    }

    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.next_deadline().is_some_and(|at| at <= now)
    }

    /// Whether a file was added since the files were read.
    pub(super) const fn is_grown(&self) -> bool {
        self.is_grown
    }

    async fn read(&mut self, now: Duration) -> Vec<Written> {
        self.read_at = now + EVERY;
        self.is_grown = false;
        let mut files = std::mem::take(&mut self.files);
        let read = tokio::task::spawn_blocking(move || (files.read(), files)).await;
        let Ok((written, files)) = read else { return Vec::new() };
        self.files = files;
        written
    }
}

impl SessionTask {
    /// Passes on a piece of what background commands have written since the last time. Tells whether there was any.
    pub(super) async fn follow_outputs(&mut self) -> bool {
        if self.following.next_deadline().is_none() {
            return false;
        }
        let written = self.following.read(self.clock.now().mono).await;
        for Written { task, text } in &written {
            self.record(&Said::Written { task, text });
            drop(self.pass(Input::TaskOutput { task, text }));
        }
        !written.is_empty()
    }

    /// Passes on all that background commands have written. It ends, because only a bounded part of a file is shown.
    pub(super) async fn catch_up_outputs(&mut self) {
        while self.follow_outputs().await {}
    }
}
