//! Messages that wait for their turn. Owns the order in which they are sent, and that everybody sees the same queue.

use std::sync::Arc;

use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{EditQueued, MessageAccepted, Queue, QueuedMessage};

use super::sending::Letter;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::attachments::Use;

impl Sessions {
    /// The messages that wait.
    pub async fn queue(&self, id: &SessionId) -> Result<Queue, Failure> {
        let slot = self.slot(id).await?;
        Ok(Queue { queue: slot.board.now().view.queue })
    }

    /// Changes or moves a message that waits. One that could not be sent is tried again.
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
        self.attend_queue(&slot);
        Ok(queue)
    }

    /// Removes a message that waits.
    pub async fn remove_queued(&self, id: &SessionId, queued: &str) -> Result<Queue, Failure> {
        let slot = self.slot(id).await?;
        let removed = self.0.parts.store.remove_queued(id, queued).await?.ok_or_else(no_such_message)?;
        self.mark(id, &removed.attachments, Use::GivenUp(removed.id)).await?;
        let queue = self.show_queue(&slot).await?;
        // It may have been one that could not be sent, and held up those behind it.
        self.attend_queue(&slot);
        Ok(queue)
    }

    /// Stops the running turn and sends this message next. Which turn it begins is told by the stream.
    pub async fn send_queued_now(&self, id: &SessionId, queued: &str) -> Result<MessageAccepted, Failure> {
        let slot = self.slot(id).await?;
        let view = slot.board.now().view;
        // Saying the same again forgets why it could not be sent before.
        let message = view.queue.into_iter().find(|waiting| waiting.id == queued);
        let message = message.ok_or_else(no_such_message)?.message;
        let first = EditQueued { message: Some(message), position: Some(0) };
        if !self.0.parts.store.edit_queued(id, queued, first).await? {
            return Err(no_such_message());
        }
        let queue = self.show_queue(&slot).await?.queue;
        // A turn that began since then may be this message's own.
        if view.turn.is_some() && slot.board.now().view.turn == view.turn {
            self.cancel(id).await?;
        }
        self.attend_queue(&slot);
        Ok(MessageAccepted { turn_id: None, queued: queue.into_iter().next() })
    }

    pub(super) async fn show_queue(&self, slot: &Slot) -> Result<Queue, Failure> {
        let queue = self.0.parts.store.queue(&slot.id).await?;
        slot.board.queue(queue.clone());
        Ok(Queue { queue })
    }

    /// Sends the first message that waits, if nothing runs. One that cannot be sent stays, with the reason.
    pub(super) async fn send_next(&self, slot: &Arc<Slot>) -> Result<(), Failure> {
        let _door = slot.door.lock().await;
        let view = slot.board.now().view;
        let next = view.queue.first().filter(|next| next.failure.is_none() && view.turn.is_none());
        let Some(next) = next.cloned() else { return Ok(()) };
        let result = self.deliver(slot, Letter::of(&next), Some(next.id.clone())).await;
        if let Err(failure) = result.as_ref().map(drop)
            && !matches!(failure.code, ErrorCode::TurnInProgress | ErrorCode::QueuedNotFound)
        {
            let failed = QueuedMessage { failure: Some(failure.info()), ..next };
            self.0.parts.store.put_back(&slot.id, failed, 0, None).await?;
        }
        self.show_queue(slot).await.map(drop)
    }
}

pub(super) fn no_such_message() -> Failure {
    Failure::new(
        ErrorCode::QueuedNotFound,
        "no such message waits; it may have been sent or removed meanwhile",
    )
}
