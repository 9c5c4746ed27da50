//! Owns the pipe of frames between a session and its agent: framing, queueing, and how the pipe ends.
//! May not know what a frame means, which agent speaks, or what a session does with it.

mod lines;
mod stdio;
mod writer;

use crate::process::ExitReport;

pub use lines::{Frame, LineFramer};
pub use stdio::{StdioLimits, StdioTransport};
pub use writer::{FrameSender, SendError};

/// The pipe has ended: nothing more will be received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    pub reason: CloseReason,
    /// How the agent ended, unless it lives on without its output.
    pub exit: Option<ExitReport>,
}

/// Why the pipe has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The agent ended, and all it wrote has been received.
    Exited,
    /// The agent ended, but some other process kept its output open; what that wrote later is not read.
    ExitedWithOutputHeld,
    /// The agent closed its output and lives on.
    OutputEnded,
    /// The output could not be read.
    ReadFailed,
}
