//! Owns the conversation with an agent over its stdin and stdout, one frame a line.
//! May not know what the frames mean; it neither parses nor decides.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;
use tokio::task::consume_budget;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::writer::Writer;
use super::{AgentPipe, CloseReason, Closed, Frame, FrameSender, Later, LineFramer, SendError, SendFrame};
use crate::process::{AgentProcess, ExitReport, ProcessIdentity, ProcessRecord, StopLadder, StopStep};

const FRAMES_PER_BATCH: usize = 64;
const CHUNK_BYTES: usize = 64 * 1024;
/// The most a pipe can hold without privileges, so that nothing the agent wrote is missed.
const LATE_BYTES: usize = 1024 * 1024;
const CLEAR_PATIENCE: Duration = Duration::from_secs(1);

/// The bounds of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdioLimits {
    /// A longer line is dropped and reported as [`Frame::TooLong`].
    pub line_bytes: usize,
    /// How long a frame may wait to be taken by the agent.
    pub send_patience: Duration,
    /// How long to read on after the agent's end, and to wait for its end after the last byte.
    pub end_grace: Duration,
}

impl Default for StdioLimits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { line_bytes: 16 * 1024 * 1024, send_patience: seconds(10), end_grace: seconds(2) }
    }
}

/// A running agent as a pipe of frames; dropping it kills the agent and all its descendants.
#[derive(Debug)]
pub struct StdioTransport {
    process: AgentProcess,
    writer: Writer,
    sender: FrameSender,
    stdout: ChildStdout,
    chunk: Vec<u8>,
    framer: LineFramer,
    frames: VecDeque<Frame>,
    phase: Phase,
    closed: Option<Closed>,
    end_grace: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Running,
    /// The agent has ended; `late` counts bytes read after the deadline.
    Draining {
        until: Instant,
        late: usize,
    },
    /// Nothing more will be read.
    Ended {
        reason: CloseReason,
        until: Instant,
    },
}

impl StdioTransport {
    /// Takes over a process whose pipes nobody has taken; must be called on a tokio runtime.
    pub fn new(mut process: AgentProcess, limits: &StdioLimits) -> io::Result<Self> {
        let (Some(stdin), Some(stdout)) = (process.take_stdin(), process.take_stdout()) else {
            return Err(io::Error::other("the pipes of this agent are already in use"));
        };
        let (writer, sender) = Writer::start(stdin, limits.send_patience);
        Ok(Self {
            process,
            writer,
            sender,
            stdout,
            chunk: vec![0; CHUNK_BYTES],
            framer: LineFramer::new(limits.line_bytes),
            frames: VecDeque::new(),
            phase: Phase::Running,
            closed: None,
            end_grace: limits.end_grace,
        })
    }

    /// Names the agent's process.
    pub fn identity(&self) -> ProcessIdentity {
        self.process.identity()
    }

    /// What to store of the process before the first frame is sent.
    pub fn record(&self) -> io::Result<ProcessRecord> {
        self.process.record()
    }

    /// The last 64 KiB the agent wrote to stderr so far.
    pub fn stderr_tail(&self) -> Bytes {
        self.process.stderr_tail()
    }

    /// A way to send that does not borrow the transport, so that a slow send never blocks receiving.
    pub fn sender(&self) -> FrameSender {
        self.sender.clone()
    }

    /// Sends one line; see [`FrameSender::send`].
    pub async fn send(&self, frame: Vec<u8>) -> Result<(), SendError> {
        self.sender.send(frame).await
    }

    /// Waits for a frame and returns all that are there, at most 64. Cancel-safe.
    ///
    /// Once the pipe has ended it says so every time. If the agent ended by itself, what it left
    /// behind has been killed by then.
    pub async fn recv_ready(&mut self) -> Result<Vec<Frame>, Closed> {
        // Thousands of tiny lines come out of one read; the task still has to let others run.
        consume_budget().await;
        while self.frames.is_empty() {
            self.advance().await?;
        }
        self.take_available().await;
        let count = self.frames.len().min(FRAMES_PER_BATCH);
        Ok(self.frames.drain(..count).collect())
    }

    /// Stops the agent and everything it started. What it still writes meanwhile is thrown away.
    pub async fn close(self, ladder: &StopLadder) -> ExitReport {
        let Self { mut process, mut writer, mut stdout, .. } = self;
        if !ladder.close_stdin.is_zero() {
            process.observe().await;
            writer.finish();
        }
        tokio::select! {
            report = process.stop(ladder) => report,
            never = discard(&mut stdout) => match never {},
        }
    }

    async fn advance(&mut self) -> Result<(), Closed> {
        if let Some(closed) = &self.closed {
            return Err(closed.clone());
        }
        match self.phase {
            Phase::Running => self.run().await,
            Phase::Draining { until, .. } => self.drain(until).await,
            Phase::Ended { reason, until } => self.conclude(reason, until).await,
        }
        Ok(())
    }

    async fn run(&mut self) {
        tokio::select! {
            read = self.stdout.read(&mut self.chunk) => self.accept(&read),
            _ = self.process.wait() => self.start_draining(),
        }
    }

    async fn drain(&mut self, until: Instant) {
        // Also lets go of the pipe whoever inherited it.
        self.process.clear(CLEAR_PATIENCE).await;
        tokio::select! {
            biased;
            read = self.stdout.read(&mut self.chunk) => self.accept(&read),
            () = sleep_until(until) => self.end(CloseReason::ExitedWithOutputHeld),
        }
    }

    async fn conclude(&mut self, reason: CloseReason, until: Instant) {
        let closed = if timeout_at(until, self.process.wait()).await.is_ok() {
            self.process.clear(CLEAR_PATIENCE).await;
            Closed { reason, exit: Some(self.process.report(StopStep::Itself).await) }
        } else {
            Closed { reason: reason.while_alive(), exit: None }
        };
        self.closed = Some(closed);
    }

    async fn take_available(&mut self) {
        while self.frames.len() < FRAMES_PER_BATCH && !matches!(self.phase, Phase::Ended { .. }) {
            tokio::select! {
                biased;
                read = self.stdout.read(&mut self.chunk) => self.accept(&read),
                () = future::ready(()) => return,
            }
        }
    }

    fn accept(&mut self, read: &io::Result<usize>) {
        match *read {
            Ok(0) => self.end(CloseReason::Exited),
            Ok(length) => {
                self.frames.extend(self.framer.feed(self.chunk.get(..length).unwrap_or_default()));
                self.limit_reading(length);
            }
            Err(_) => self.end(CloseReason::ReadFailed),
        }
    }

    // Whoever holds the pipe may write into it for ever, also after the agent's end, and as long as
    // there is something to read the runtime need not tell us of that end.
    fn limit_reading(&mut self, length: usize) {
        match &mut self.phase {
            Phase::Running if self.process.has_exited() => self.start_draining(),
            Phase::Draining { until, late } if Instant::now() >= *until => {
                *late += length;
                if *late >= LATE_BYTES {
                    self.end(CloseReason::ExitedWithOutputHeld);
                }
            }
            Phase::Running | Phase::Draining { .. } | Phase::Ended { .. } => {}
        }
    }

    fn start_draining(&mut self) {
        self.phase = Phase::Draining { until: Instant::now() + self.end_grace, late: 0 };
    }

    fn end(&mut self, reason: CloseReason) {
        self.frames.extend(self.framer.finish());
        self.phase = Phase::Ended { reason, until: Instant::now() + self.end_grace };
    }
}

impl AgentPipe for StdioTransport {
    fn sender(&self) -> Arc<dyn SendFrame> {
        Arc::new(self.sender.clone())
    }

    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>> {
        Box::pin(Self::recv_ready(self))
    }

    fn pid(&self) -> Option<u32> {
        Some(self.identity().pid)
    }

    fn close(self: Box<Self>, ladder: StopLadder) -> Later<'static, ExitReport> {
        Box::pin(async move { Self::close(*self, &ladder).await })
    }
}

impl CloseReason {
    fn while_alive(self) -> Self {
        match self {
            Self::Exited | Self::ExitedWithOutputHeld | Self::OutputEnded => Self::OutputEnded,
            Self::ReadFailed => Self::ReadFailed,
        }
    }
}

// An agent that ends its turn on the way out must not block on a full pipe.
async fn discard(stdout: &mut ChildStdout) -> Infallible {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(1..) = stdout.read(&mut chunk).await {}
    future::pending().await
}

#[cfg(test)]
mod tests;
