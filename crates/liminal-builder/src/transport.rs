//! Owns the pipe of frames between a session and its agent: framing, queueing, and how the pipe ends.
//! May not know what a frame means, which agent speaks, or what a session does with it.

pub mod http_sse;
mod lines;
mod outgoing;
mod stdio;
mod writer;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::process::{ExitReport, StopLadder};

pub use lines::{Frame, LineFramer};
pub(crate) use outgoing::Outgoing;
pub use stdio::{StdioLimits, StdioTransport};
pub use writer::{FrameSender, SendError};

/// A future that can be kept, because pipes are chosen at run time.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A pipe of frames to whatever serves one session: a process of its own, or a share in one.
pub trait AgentPipe: Send + Debug {
    /// A way to send that does not borrow the pipe, so that a slow send never blocks receiving.
    fn sender(&self) -> Arc<dyn SendFrame>;

    /// Waits for a frame and returns all that are there. Cancel-safe; once the pipe has ended it says so every time.
    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>>;

    /// The process that serves the session, if one of this machine does.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Ends what serves the session, as far as it serves nobody else.
    fn close(self: Box<Self>, ladder: StopLadder) -> Later<'static, ExitReport>;
}

/// The sending half of a pipe.
pub trait SendFrame: Send + Sync + Debug {
    /// Sends one line and waits until the pipe has taken it.
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>>;
}

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
