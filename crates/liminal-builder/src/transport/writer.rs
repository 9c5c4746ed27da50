//! Owns the way of a frame into the agent's stdin: a bounded queue and the one task that writes.
//! May not know who reads on the other side, nor touch what comes back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Later, SendFrame};

const QUEUE_BYTES: usize = 1024 * 1024;
const QUEUE_FRAMES: usize = 16;

/// Why a frame was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The agent left the frame in the pipe for too long. If its writing has `begun`, the agent may
    /// still read it later; otherwise it never will.
    #[error("the agent does not read its input; wait for it or stop it")]
    AgentNotReading { begun: bool },
    #[error("the agent has closed its input; start it again")]
    Closed,
    /// A line break inside a frame would make two of it.
    #[error("the message contains a line break; encode it and send it again")]
    NotOneLine,
}

/// Queues frames for the agent; clones share the queue.
#[derive(Clone, Debug)]
pub struct FrameSender {
    queue: mpsc::Sender<Queued>,
    room: Arc<Semaphore>,
    patience: Duration,
}

impl FrameSender {
    /// Sends one line and waits until the pipe has taken it.
    ///
    /// Dropping the future takes the frame back, unless its writing has begun. Frames sent one after
    /// the other arrive in that order.
    pub async fn send(&self, frame: Vec<u8>) -> Result<(), SendError> {
        let frame = one_line(frame)?;
        let price = price(&frame);
        let draft = Draft(Arc::new(Mutex::new(Some(frame))));
        match timeout(self.patience, self.deliver(&draft, price)).await {
            Ok(delivery) => delivery.ok_or(SendError::Closed),
            Err(_) => Err(SendError::AgentNotReading { begun: take(&draft.0).is_none() }),
        }
    }

    async fn deliver(&self, draft: &Draft, price: u32) -> Option<()> {
        let room = Arc::clone(&self.room).acquire_many_owned(price).await.ok()?;
        let (written, confirmation) = oneshot::channel();
        self.queue.send(Queued { slot: Arc::clone(&draft.0), written, _room: room }).await.ok()?;
        confirmation.await.ok()
    }
}

impl SendFrame for FrameSender {
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>> {
        let sender = self.clone();
        Box::pin(async move { Self::send(&sender, frame).await })
    }
}

/// The task that writes; dropping it closes the pipe at once.
#[derive(Debug)]
pub(super) struct Writer {
    finish: Option<oneshot::Sender<()>>,
    _task: JoinSet<()>,
}

impl Writer {
    pub(super) fn start(
        pipe: impl AsyncWrite + Unpin + Send + 'static,
        patience: Duration,
    ) -> (Self, FrameSender) {
        let (queue, frames) = mpsc::channel(QUEUE_FRAMES);
        let (finish, finished) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(write_all(pipe, frames, finished));
        let room = Arc::new(Semaphore::new(QUEUE_BYTES));
        (Self { finish: Some(finish), _task: task }, FrameSender { queue, room, patience })
    }

    /// Accepts no more frames; closes the pipe once those already queued are written.
    pub(super) fn finish(&mut self) {
        drop(self.finish.take());
    }
}

async fn write_all(
    mut pipe: impl AsyncWrite + Unpin,
    mut frames: mpsc::Receiver<Queued>,
    mut finished: oneshot::Receiver<()>,
) {
    loop {
        let queued = tokio::select! {
            biased;
            queued = frames.recv() => queued,
            _ = &mut finished, if !frames.is_closed() => {
                frames.close();
                continue;
            }
        };
        let Some(queued) = queued else { return };
        let Some(frame) = take(&queued.slot) else { continue };
        if pipe.write_all(&frame).await.is_err() {
            return;
        }
        // The sender may have stopped waiting.
        queued.written.send(()).ok();
    }
}

#[derive(Debug)]
struct Queued {
    slot: Slot,
    written: oneshot::Sender<()>,
    _room: OwnedSemaphorePermit,
}

/// A frame between its sender and the writer: whoever takes it first decides its fate.
type Slot = Arc<Mutex<Option<Vec<u8>>>>;

fn take(slot: &Slot) -> Option<Vec<u8>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The sender's hold on a frame; letting go takes back what the writer has not begun.
#[derive(Debug)]
struct Draft(Slot);

impl Drop for Draft {
    fn drop(&mut self) {
        drop(take(&self.0));
    }
}

// One currency for both bounds: a frame costs its size, but at least a sixteenth of the queue, and
// one larger than the queue gets in when it is empty.
fn price(frame: &[u8]) -> u32 {
    let bytes = frame.len().clamp(QUEUE_BYTES / QUEUE_FRAMES, QUEUE_BYTES);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn one_line(mut frame: Vec<u8>) -> Result<Vec<u8>, SendError> {
    if frame.last() != Some(&b'\n') {
        frame.push(b'\n');
    }
    match memchr::memchr(b'\n', &frame) {
        Some(at) if at + 1 == frame.len() => Ok(frame),
        _ => Err(SendError::NotOneLine),
    }
}

#[cfg(test)]
mod tests;
