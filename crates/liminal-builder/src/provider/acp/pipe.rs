//! One session's share in an agent process. Owns the session's end of it; to the session it is a pipe like any other.

use std::sync::Arc;
use std::time::Duration;

use liminal_core::dialect::acp::Channel;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::connection::{Heard, Request, Share};
use crate::asking::ask;
use crate::process::{ExitReport, StopLadder};
use crate::transport::{AgentPipe, CloseReason, Closed, Frame, Later, SendError, SendFrame};

const FRAMES_PER_BATCH: usize = 64;

/// A share in a process; dropping it gives it back.
#[derive(Debug)]
pub(super) struct SharedPipe {
    channel: Channel,
    pid: Option<u32>,
    requests: mpsc::Sender<Request>,
    heard: mpsc::Receiver<Heard>,
    closed: Option<Closed>,
    patience: Duration,
}

impl SharedPipe {
    pub(super) fn new(share: Share, requests: mpsc::Sender<Request>, patience: Duration) -> Self {
        let Share { channel, pid, heard } = share;
        Self { channel, pid, requests, heard, closed: None, patience }
    }

    async fn receive(&mut self) -> Result<Vec<Frame>, Closed> {
        if let Some(closed) = &self.closed {
            return Err(closed.clone());
        }
        let mut heard = Vec::new();
        self.heard.recv_many(&mut heard, FRAMES_PER_BATCH).await;
        let mut frames = Vec::with_capacity(heard.len());
        for heard in heard {
            match heard {
                Heard::Frame(frame) => frames.push(frame),
                Heard::Closed(closed) => self.closed = Some(closed),
            }
        }
        if frames.is_empty() { Err(self.closed.get_or_insert_with(gone).clone()) } else { Ok(frames) }
    }
}

impl AgentPipe for SharedPipe {
    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn sender(&self) -> Arc<dyn SendFrame> {
        let Self { channel, requests, patience, .. } = self;
        Arc::new(SharedSender { channel: *channel, requests: requests.clone(), patience: *patience })
    }

    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>> {
        Box::pin(self.receive())
    }

    /// The process lives on for the others.
    fn close(self: Box<Self>, _: StopLadder) -> Later<'static, ExitReport> {
        Box::pin(async move {
            self.closed
                .as_ref()
                .and_then(|closed| closed.exit.clone())
                .unwrap_or_else(ExitReport::without_process)
        })
    }
}

impl Drop for SharedPipe {
    fn drop(&mut self) {
        // A full queue means a process that does not read; its end gives back everything.
        drop(self.requests.try_send(Request::Close { channel: self.channel }));
    }
}

#[derive(Debug)]
struct SharedSender {
    channel: Channel,
    requests: mpsc::Sender<Request>,
    patience: Duration,
}

impl SendFrame for SharedSender {
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>> {
        let (channel, requests, patience) = (self.channel, self.requests.clone(), self.patience);
        Box::pin(async move {
            let deliver = ask(&requests, |reply| Request::Send { channel, frame, reply });
            match timeout(patience, deliver).await {
                Ok(taken) => taken.unwrap_or(Err(SendError::Closed)),
                Err(_) => Err(SendError::AgentNotReading { begun: true }),
            }
        })
    }
}

/// The process ended without a word to us.
fn gone() -> Closed {
    Closed { reason: CloseReason::Exited, exit: Some(ExitReport::without_process()) }
}
