//! Frames on their way to the agent. Owns the one that is being written and those behind it, so that an agent that
//! does not read never keeps the session from listening to it.

use std::collections::VecDeque;
use std::future::{Future, pending};
use std::pin::Pin;

use crate::transport::{FrameSender, SendError};

/// More than the few frames a turn takes; an agent that leaves this many unread does not read.
const FRAMES_WAITING: usize = 256;

type Sending = Pin<Box<dyn Future<Output = Result<(), SendError>> + Send>>;

pub(super) struct Outgoing {
    sender: FrameSender,
    waiting: VecDeque<Vec<u8>>,
    sending: Option<Sending>,
}

impl Outgoing {
    pub(super) const fn new(sender: FrameSender) -> Self {
        Self { sender, waiting: VecDeque::new(), sending: None }
    }

    pub(super) fn push(&mut self, frame: Vec<u8>) -> Result<(), SendError> {
        if self.waiting.len() == FRAMES_WAITING {
            return Err(SendError::AgentNotReading { begun: true });
        }
        self.waiting.push_back(frame);
        Ok(())
    }

    /// Writes frame after frame; comes back only with an error. Cancel-safe: what was begun goes on at the next call.
    pub(super) async fn write(&mut self) -> SendError {
        loop {
            if self.sending.is_none() {
                self.sending = self.waiting.pop_front().map(|frame| sending(self.sender.clone(), frame));
            }
            let Some(sending) = &mut self.sending else { return pending().await };
            let result = sending.await;
            self.sending = None;
            if let Err(error) = result {
                return error;
            }
        }
    }
}

fn sending(sender: FrameSender, frame: Vec<u8>) -> Sending {
    Box::pin(async move { sender.send(frame).await })
}
