//! Owns the life of an agent's process and of every process that stems from it.
//! May not know what is said over its pipes, nor which session or provider asked for it.
//!
//! An agent runs in a session of its own with three pipes and no other descriptor. However it ends
//! (by itself, stopped, or dropped) nothing of its tree outlives it; `kinship` says how the tree is
//! found. No parent-death signal is used: it is tied to the thread that forked, and ours come and go.

mod confinement;
mod detached;
mod environment;
mod kinship;
mod orphans;
mod output;
mod spawn;
mod spec;
mod stderr;
mod stop;
mod sweep;
mod tree;

use std::io;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::JoinSet;
use tokio::time::timeout;

pub use crate::platform::ProcessIdentity;
pub use confinement::{Confinement, Wrapper, WrapperMissing};
pub use detached::start_detached;
pub use environment::Environment;
pub use orphans::OrphanReaper;
pub use output::{ShortRun, run_for_output};
pub use spawn::SpawnError;
pub use spec::{InstanceId, InvalidTag, ProcessSpec, SessionTag};
pub use stop::{Exit, ExitReport, StopLadder, StopStep};
pub use sweep::{ProcessRecord, SweepReport, sweep_leftovers};

use crate::platform::{self, Signal};
use spawn::Spawned;
use stderr::Tail;
use tree::{Killed, Tree};

// A process that inherited stderr may hold it open for ever.
const STDERR_GRACE: Duration = Duration::from_millis(500);
const UNDERTAKER_PATIENCE: Duration = Duration::from_secs(5);

/// A running agent; dropping it kills it and all its descendants at once.
#[derive(Debug)]
pub struct AgentProcess {
    child: Child,
    identity: ProcessIdentity,
    tree: Tree,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Tail,
    stderr_task: JoinSet<()>,
    exit: Option<Exit>,
    cleared: Option<Killed>,
}

impl AgentProcess {
    /// Starts the process; must be called on a tokio runtime, and blocks until the program runs.
    pub fn spawn(spec: &ProcessSpec) -> Result<Self, SpawnError> {
        let Spawned { mut child, identity, tag } = spawn::spawn(spec)?;
        let stderr = Tail::default();
        let mut stderr_task = JoinSet::new();
        if let Some(pipe) = child.stderr.take() {
            stderr_task.spawn(stderr.clone().follow(pipe));
        }
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let tree = Tree::of(identity, tag);
        Ok(Self { child, identity, tree, stdin, stdout, stderr, stderr_task, exit: None, cleared: None })
    }

    /// Names the process for as long as the machine runs.
    pub fn identity(&self) -> ProcessIdentity {
        self.identity
    }

    /// What to store before the first write to stdin, for [`sweep_leftovers`] of a later life.
    pub fn record(&self) -> io::Result<ProcessRecord> {
        Ok(ProcessRecord { boot: platform::boot_id()?, identity: self.identity })
    }

    /// Hands out the pipe to the process, once; dropping it is the end of its input.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Hands out the pipe from the process, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// The last 64 KiB the process wrote to stderr so far.
    pub fn stderr_tail(&self) -> Bytes {
        self.stderr.bytes()
    }

    /// Waits until the process itself has ended; its descendants may live on. Cancel-safe.
    pub async fn wait(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let status = self.child.wait().await;
        self.note_exit(status)
    }

    /// Goes down the ladder until the whole tree is gone: close stdin, SIGTERM, SIGKILL.
    ///
    /// Dropping the future kills the tree at once. A caller that took stdin closes it first.
    pub async fn stop(mut self, ladder: &StopLadder) -> ExitReport {
        let step = self.descend(ladder).await;
        self.clear(ladder.kill).await;
        self.exited_within(ladder.kill).await;
        self.report(step).await
    }

    /// Tells whether the process itself has ended, without waiting for the runtime to notice.
    pub(crate) fn has_exited(&mut self) -> bool {
        if self.exit.is_none()
            && let Some(status) = self.child.try_wait().transpose()
        {
            self.note_exit(status);
        }
        self.exit.is_some()
    }

    /// Looks who belongs to the process: whoever loses its parent later is then known already.
    pub(crate) async fn observe(&mut self) {
        let mut tree = self.tree.clone();
        let observe = tokio::task::spawn_blocking(move || {
            tree.observe();
            tree
        });
        if let Ok(tree) = observe.await {
            self.tree = tree;
        }
    }

    /// Kills what is left of the tree after the process itself has ended. Cancel-safe.
    pub(crate) async fn clear(&mut self, patience: Duration) {
        if self.cleared.is_some() {
            return;
        }
        let mut tree = self.tree.clone();
        let kill = tokio::task::spawn_blocking(move || tree.kill(patience));
        // A runtime that is shutting down runs no blocking work any more.
        self.cleared = Some(kill.await.unwrap_or_else(|_| self.tree.kill(patience)));
    }

    /// Tells how the process ended, once it has and the tree is cleared. Cancel-safe.
    pub(crate) async fn report(&mut self, step: StopStep) -> ExitReport {
        drop(timeout(STDERR_GRACE, self.stderr_task.join_next()).await);
        let Killed { mut killed, survivors } = self.cleared.clone().unwrap_or_default();
        killed.remove(&self.identity);
        ExitReport {
            exit: self.exit.unwrap_or(Exit::Unknown),
            step,
            stderr_tail: self.stderr_tail(),
            leftovers_killed: killed.len(),
            survivors,
        }
    }

    async fn descend(&mut self, ladder: &StopLadder) -> StopStep {
        if self.has_exited() {
            return StopStep::Itself;
        }
        if self.ends_by_closed_stdin(ladder.close_stdin).await {
            return StopStep::StdinClosed;
        }
        if self.ends_by_termination(ladder.terminate).await {
            return StopStep::Terminated;
        }
        StopStep::Killed
    }

    async fn ends_by_closed_stdin(&mut self, patience: Duration) -> bool {
        if patience.is_zero() {
            return false;
        }
        self.observe().await;
        drop(self.stdin.take());
        self.exited_within(patience).await
    }

    async fn ends_by_termination(&mut self, patience: Duration) -> bool {
        if patience.is_zero() || self.has_exited() {
            return self.exit.is_some();
        }
        self.observe().await;
        drop(platform::signal_group(self.identity, Signal::TERM));
        self.exited_within(patience).await
    }

    async fn exited_within(&mut self, patience: Duration) -> bool {
        self.has_exited() || timeout(patience, self.wait()).await.is_ok()
    }

    fn note_exit(&mut self, status: io::Result<ExitStatus>) -> Exit {
        orphans::forget_leader(self.identity);
        *self.exit.insert(Exit::from(status))
    }

    /// Leaves descendants alone after the process itself has ended.
    fn let_go(mut self) {
        self.cleared.get_or_insert_default();
    }

    fn is_over(&self) -> bool {
        self.exit.is_some() && self.cleared.as_ref().is_some_and(|killed| killed.survivors.is_empty())
    }
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        if self.is_over() {
            return;
        }
        // At once and on this thread, because the program may be about to end; the deaths are
        // awaited elsewhere. The process itself is reaped by tokio, which owns it.
        self.tree.strike();
        let mut tree = self.tree.clone();
        let undertaker = move || drop(tree.kill(UNDERTAKER_PATIENCE));
        drop(thread::Builder::new().name("undertaker".to_owned()).spawn(undertaker));
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
