//! Owns the words for how an agent is stopped and how it ended.
//! May not signal anything itself.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::dialect::Closed;
use liminal_core::error::ErrorInfo;

use crate::platform::ProcessIdentity;

/// How long each step of stopping may take; a step of zero is skipped.
///
/// A polite interrupt in the agent's own protocol comes before and is the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopLadder {
    /// Wait for the exit after closing stdin.
    pub close_stdin: Duration,
    /// Wait for the exit after SIGTERM to the process group.
    pub terminate: Duration,
    /// Wait for the deaths after SIGKILL to every process of the tree.
    pub kill: Duration,
}

impl Default for StopLadder {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { close_stdin: seconds(2), terminate: seconds(3), kill: seconds(2) }
    }
}

impl StopLadder {
    /// Goes straight to SIGKILL.
    pub fn at_once() -> Self {
        Self { close_stdin: Duration::ZERO, terminate: Duration::ZERO, ..Self::default() }
    }
}

/// The step of the ladder that ended the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopStep {
    /// It ended before it was asked to.
    Itself,
    StdinClosed,
    Terminated,
    Killed,
}

/// What the operating system said about the end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// Not learnt: it survived even SIGKILL for now, or its status was lost.
    Unknown,
}

/// How an agent ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    pub exit: Exit,
    pub step: StopStep,
    /// The last 64 KiB of its stderr.
    pub stderr_tail: Bytes,
    /// How many processes it left behind that had to be killed.
    pub leftovers_killed: usize,
    /// Processes that could not be killed: stuck in the kernel, or another user's.
    pub survivors: Vec<ProcessIdentity>,
}

impl ExitReport {
    /// The end of something that has no process of its own.
    #[must_use]
    pub fn without_process() -> Self {
        Self {
            exit: Exit::Unknown,
            step: StopStep::Itself,
            stderr_tail: Bytes::new(),
            leftovers_killed: 0,
            survivors: Vec::new(),
        }
    }

    /// The end as dialects are told of it; `reason` is why our side ended it, if it did.
    #[must_use]
    pub fn as_closed(&self, reason: Option<ErrorInfo>) -> Closed {
        let (code, signal) = match self.exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
            Exit::Unknown => (None, None),
        };
        Closed { code, signal, stderr_tail: String::from_utf8_lossy(&self.stderr_tail).into_owned(), reason }
    }
}

impl From<io::Result<ExitStatus>> for Exit {
    fn from(status: io::Result<ExitStatus>) -> Self {
        let Ok(status) = status else { return Self::Unknown };
        let code = status.code().map(Self::Code);
        code.or(status.signal().map(Self::Signal)).unwrap_or(Self::Unknown)
    }
}
