//! Ending a session's agent by force. Owns that this works whatever the disk does: the agent ends first, and the mark
//! that the session was killed is kept in memory until it is stored.

use std::sync::Arc;
use std::time::Duration;

use liminal_core::ids::SessionId;
use liminal_core::queue_gate::QueueEvent;
use liminal_core::wire::rest::{SessionState, SessionStatus};
use tokio::time::timeout;

use super::slot::Slot;
use super::{Failure, Sessions};
use crate::log::LogError;
use crate::store::SessionChange;

/// Between two attempts to store the mark.
const TRY_AGAIN: Duration = Duration::from_secs(1);

impl Sessions {
    /// Ends the agent and all it started. The session stays, among those that are not active, and can be loaded again.
    pub async fn kill(&self, id: &SessionId) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        // Before the agent ends: what waits in the queue must not start the next one.
        slot.kill_mark.set();
        slot.board.queue_event(QueueEvent::Stopped);
        if let Some(handle) = slot.handle() {
            handle.kill().await;
            slot.set_handle(None);
            slot.works(self.now());
        }
        slot.board.change(|live| {
            (live.view.state, live.view.failure, live.view.is_alive) = (SessionState::Closed, None, false);
            live.has_failed = false;
        });
        self.keep_kill(&slot).await;
        self.acted(&slot).await;
        self.announce_of(&slot);
        Ok(self.status_of(&slot).await)
    }

    /// A session that was killed may be used again.
    pub(super) async fn revive(&self, slot: &Slot) -> Result<(), Failure> {
        let _storing = slot.kill_mark.storing.lock().await;
        let was_set = slot.kill_mark.take();
        let revived = self.0.parts.store.change_session(&slot.id, SessionChange::Killed(false)).await;
        if revived.is_err() && was_set {
            slot.kill_mark.set();
        }
        revived?;
        slot.board.change(|live| {
            if live.view.state == SessionState::Closed {
                (live.view.state, live.view.failure) = (SessionState::Idle, None);
            }
        });
        Ok(())
    }

    pub(super) async fn was_killed(&self, slot: &Slot) -> Result<bool, Failure> {
        if slot.kill_mark.is_set() {
            return Ok(true);
        }
        let row = self.0.parts.store.session(&slot.id).await?;
        Ok(row.is_some_and(|row| row.was_killed))
    }

    /// Stores the mark, now or when the disk accepts it again.
    async fn keep_kill(&self, slot: &Arc<Slot>) {
        let Err(error) = self.store_kill(slot).await else { return };
        tracing::warn!(session = %slot.id, %error, "cannot store that a session was killed; trying again until it is");
        if !slot.kill_mark.begin_retrying() {
            return;
        }
        // The task holds the slot, so that it is not forgotten meanwhile.
        let (sessions, slot) = (Arc::downgrade(&self.0), Arc::clone(slot));
        self.tasks().spawn(async move {
            loop {
                timeout(TRY_AGAIN, std::future::pending::<()>()).await.ok();
                let Some(shared) = sessions.upgrade() else { return };
                if Self(shared).store_kill(&slot).await.is_ok() {
                    return slot.kill_mark.end_retrying();
                }
            }
        });
    }

    async fn store_kill(&self, slot: &Slot) -> Result<(), LogError> {
        let _storing = slot.kill_mark.storing.lock().await;
        if slot.kill_mark.is_set() {
            self.0.parts.store.change_session(&slot.id, SessionChange::Killed(true)).await?;
            slot.kill_mark.take();
            self.announce_of(slot);
        }
        Ok(())
    }

    /// The last attempt to store marks, when the server stops.
    pub(super) async fn store_kills(&self) {
        let slots: Vec<_> = self.slots().values().filter(|slot| slot.kill_mark.is_set()).cloned().collect();
        for slot in slots {
            if let Err(error) = self.store_kill(&slot).await {
                tracing::error!(session = %slot.id, %error, "cannot store that a session was killed");
            }
        }
    }
}
