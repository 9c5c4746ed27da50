//! Whoever listens to a session. Owns the outputs that wait to be taken, so that a listener who is slow makes the agent
//! wait, and never keeps the session from hearing its user.

use std::collections::VecDeque;

use liminal_core::upsert::Output;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// More than this waiting, and the agent is not listened to until it is taken.
const WAITING: usize = 256;

pub(super) struct Audience {
    outputs: mpsc::Sender<Output>,
    waiting: VecDeque<Output>,
}

impl Audience {
    pub(super) const fn new(outputs: mpsc::Sender<Output>) -> Self {
        Self { outputs, waiting: VecDeque::new() }
    }

    /// Hands on what can be taken now; the rest waits.
    pub(super) fn tell(&mut self, outputs: Vec<Output>) {
        self.waiting.extend(outputs);
        while let Some(output) = self.waiting.pop_front() {
            match self.outputs.try_send(output) {
                Ok(()) => {}
                Err(TrySendError::Full(output)) => return self.waiting.push_front(output),
                // Nobody wants to know any more.
                Err(TrySendError::Closed(_)) => self.waiting.clear(),
            }
        }
    }

    pub(super) fn is_waited_for(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn is_far_behind(&self) -> bool {
        self.waiting.len() > WAITING
    }

    /// Comes back when something can be taken. Cancel-safe.
    pub(super) async fn room(&self) {
        // Both a free place and a listener who left are reasons to go on.
        drop(self.outputs.reserve().await);
    }

    /// Hands on everything, however long it takes.
    pub(super) async fn tell_rest(self) {
        for output in self.waiting {
            if self.outputs.send(output).await.is_err() {
                return;
            }
        }
    }
}
