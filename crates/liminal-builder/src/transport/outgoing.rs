//! Owns the frames on their way to an agent: the one that is being written and those behind it, so that an agent that
//! does not read never keeps anybody from listening to it. May not know what they say.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;

use super::{Later, SendError, SendFrame};

/// More than the few frames a turn takes; an agent that leaves this many unread does not read.
const FRAMES_WAITING: usize = 256;

pub(crate) struct Outgoing {
    sender: Arc<dyn SendFrame>,
    waiting: VecDeque<Vec<u8>>,
    sending: Option<Later<'static, Result<(), SendError>>>,
}

impl Outgoing {
    pub(crate) const fn new(sender: Arc<dyn SendFrame>) -> Self {
        Self { sender, waiting: VecDeque::new(), sending: None }
    }

    pub(crate) fn push(&mut self, frame: Vec<u8>) -> Result<(), SendError> {
        if self.waiting.len() == FRAMES_WAITING {
            return Err(SendError::AgentNotReading { begun: true });
        }
        self.waiting.push_back(frame);
        Ok(())
    }

    /// Writes frame after frame; comes back only with an error. Cancel-safe: what was begun goes on at the next call.
    pub(crate) async fn write(&mut self) -> SendError {
        loop {
            if self.sending.is_none() {
                self.sending = self.waiting.pop_front().map(|frame| self.sender.send(frame));
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
