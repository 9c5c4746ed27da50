//! Messages that wait for their turn. Owns the order in which they are sent, and that everybody sees the same queue.

use std::sync::Arc;

use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::queue_gate::QueueEvent;
use liminal_core::wire::rest::{EditQueued, MessageAccepted, Queue, QueuedMessage};

use super::sending::Letter;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::attachments::Use;

impl Sessions {
    /// The messages that wait.
    pub async fn queue(&self, id: &SessionId) -> Result<Queue, Failure> {
        let slot = self.slot(id).await?;
        let view = slot.board.now().view;
        Ok(Queue { queue: view.queue, queue_paused: view.queue_paused })
    }

    /// Changes or moves a message that waits.
    pub async fn edit_queued(
        &self,
        id: &SessionId,
        queued: &str,
        edit: EditQueued,
    ) -> Result<Queue, Failure> {
        if edit.message.as_ref().is_some_and(|message| message.trim().is_empty()) {
            return Err(Failure::new(ErrorCode::InvalidRequest, "message: expected something to say"));
        }
        let slot = self.slot(id).await?;
        if !self.0.parts.store.edit_queued(id, queued, edit).await? {
            return Err(no_such_message());
        }
        let queue = self.show_queue(&slot).await?;
        self.acted(&slot).await;
        // Sending the earlier version may just have been given up.
        self.attend_queue(&slot);
        Ok(queue)
    }

    /// Removes a message that waits.
    pub async fn remove_queued(&self, id: &SessionId, queued: &str) -> Result<Queue, Failure> {
        let slot = self.slot(id).await?;
        let removed = self.0.parts.store.remove_queued(id, queued).await?.ok_or_else(no_such_message)?;
        self.mark(id, &removed.attachments, Use::GivenUp(removed.id)).await?;
        let queue = self.show_queue(&slot).await?;
        self.acted(&slot).await;
        self.attend_queue(&slot);
        Ok(queue)
    }

    /// Stops the running turn and sends this message next, whether or not the queue is paused; the others stay as they
    /// are. The stream reports which turn it begins.
    pub async fn send_queued_now(&self, id: &SessionId, queued: &str) -> Result<MessageAccepted, Failure> {
        let slot = self.slot(id).await?;
        let view = slot.board.now().view;
        // Replacing the text clears the failure of an earlier attempt.
        let message = view.queue.into_iter().find(|waiting| waiting.id == queued);
        let message = message.ok_or_else(no_such_message)?.message;
        let first = EditQueued { message: Some(message), position: Some(0) };
        if !self.0.parts.store.edit_queued(id, queued, first).await? {
            return Err(no_such_message());
        }
        let queue = self.show_queue(&slot).await?.queue;
        slot.board.queue_event(QueueEvent::Urgent(queued));
        // A turn that began since then may be this message's own.
        if view.turn.is_some() && slot.board.now().view.turn == view.turn {
            self.interrupt(&slot).await;
        }
        self.acted(&slot).await;
        self.attend_queue(&slot);
        Ok(MessageAccepted { turn_id: None, queued: queue.into_iter().next() })
    }

    pub(super) async fn show_queue(&self, slot: &Slot) -> Result<Queue, Failure> {
        let queue = self.0.parts.store.queue(&slot.id).await?;
        slot.board.queue(queue.clone());
        self.keep_attention(slot).await;
        Ok(Queue { queue, queue_paused: slot.board.now().view.queue_paused })
    }

    /// Sends the next message, if no turn runs and the queue is not paused. One that cannot be sent stays, with the
    /// reason, and the queue is paused.
    pub(super) async fn send_next(&self, slot: &Arc<Slot>) -> Result<(), Failure> {
        let _door = slot.door.lock().await;
        let Some(next) = slot.board.now().next_queued().cloned() else { return Ok(()) };
        let result = self.deliver(slot, Letter::of(&next), Some(next.id.clone())).await;
        if let Err(failure) = result.as_ref().map(drop)
            && is_final(failure.code)
        {
            slot.board.queue_event(QueueEvent::NotSent);
            let failed = QueuedMessage { failure: Some(failure.info()), ..next };
            self.0.parts.store.put_back(&slot.id, failed, 0, None).await?;
        }
        self.show_queue(slot).await.map(drop)
    }
}

/// Whether a message that was not sent for this reason waits for a person.
const fn is_final(code: ErrorCode) -> bool {
    !matches!(code, ErrorCode::TurnInProgress | ErrorCode::QueuedNotFound | ErrorCode::ShuttingDown)
}

pub(super) fn no_such_message() -> Failure {
    Failure::new(
        ErrorCode::QueuedNotFound,
        "no such message waits; it may have been sent or removed meanwhile",
    )
}
