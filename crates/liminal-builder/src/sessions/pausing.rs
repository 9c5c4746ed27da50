//! What of a session waits for a person: a paused queue, and requests that timed out. Owns that both survive a restart.
//! When a queue pauses is decided by [`liminal_core::queue_gate`].

use liminal_core::ids::SessionId;
use liminal_core::queue_gate::QueueEvent;
use liminal_core::wire::rest::{Queue, SessionStatus};
use liminal_core::wire::view::{QueuePause, SessionView};

use super::slot::Slot;
use super::{Failure, Sessions};
use crate::store::{SessionChange, SessionRow};

/// What is stored of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attention {
    pub(super) queue_paused: Option<QueuePause>,
    pub(super) timed_out: bool,
}

impl Attention {
    pub(super) const fn of(row: &SessionRow) -> Self {
        Self { queue_paused: row.queue_paused, timed_out: row.timed_out }
    }

    const fn shown(view: &SessionView) -> Self {
        Self { queue_paused: view.queue_paused, timed_out: view.timed_out }
    }
}

impl Sessions {
    /// Resumes a paused queue; its next message is sent as soon as no turn runs.
    pub async fn resume_queue(&self, id: &SessionId) -> Result<Queue, Failure> {
        let slot = self.slot(id).await?;
        self.0.parts.store.forget_failures(id).await?;
        slot.board.queue_event(QueueEvent::Resumed);
        let queue = self.show_queue(&slot).await?;
        self.acted(&slot).await;
        self.attend_queue(&slot);
        Ok(queue)
    }

    /// A person has looked at the session.
    pub async fn seen(&self, id: &SessionId) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        self.acted(&slot).await;
        Ok(self.status_of(&slot).await)
    }

    /// A person acted in the session, and so has seen what timed out.
    pub(super) async fn acted(&self, slot: &Slot) {
        if slot.board.now().view.timed_out {
            slot.board.acted();
            self.announce_of(slot);
        }
        self.keep_attention(slot).await;
    }

    /// Stores what waits for a person, if that has changed. A failure is not reported to the caller: a restarted server
    /// pauses every queue that has messages, and then only the reason is less precise.
    pub(super) async fn keep_attention(&self, slot: &Slot) {
        let mut stored = slot.attention.lock().await;
        let shown = Attention::shown(&slot.board.now().view);
        if *stored == shown {
            return;
        }
        let Attention { queue_paused, timed_out } = shown;
        let change = SessionChange::Attention { queue_paused, timed_out };
        match self.0.parts.store.change_session(&slot.id, change).await {
            Ok(_) => *stored = shown,
            Err(error) => tracing::warn!(session = %slot.id, %error, "cannot store why a queue is paused"),
        }
    }

    /// Brings sessions into memory in which a request timed out under an earlier server, so that they are listed.
    pub(super) async fn recall_timed_out(&self) -> Result<(), Failure> {
        let rows = self.0.parts.store.all_sessions().await?;
        for row in rows.iter().filter(|row| row.timed_out && self.is_ours(&row.session_id)) {
            self.slot(&row.session_id).await?;
        }
        Ok(())
    }

    /// The server is about to stop. Turns that end because of it must not be taken for turns that a person stopped.
    pub(super) fn pause_queues(&self) {
        for slot in self.slots().values().filter(|slot| self.is_ours(&slot.id)) {
            slot.board.queue_event(QueueEvent::Restarted);
        }
    }
}
