//! Sessions that come to this server, and those that leave it. Owns that what is kept here is all of a session or
//! nothing.

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;

use super::pausing::Attention;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::cluster::{Cluster, Kept, Record};
use crate::log::{Durability, Limit, StreamLog, endings};
use crate::store::{Adopted, SessionChange, SessionRow};

impl Sessions {
    /// Takes a session that was just claimed. If that does not work out, nobody has it.
    pub(super) async fn adopt(
        &self,
        cluster: &Cluster,
        slot: &Slot,
        token: u64,
        goes_on: bool,
    ) -> Result<(), Failure> {
        let adopted = self.take_in(cluster, slot, token, goes_on).await;
        if let Err(failure) = &adopted {
            tracing::warn!(session = %slot.id, %failure, "cannot take a session");
            self.disown(&slot.id);
            cluster.release(&slot.id).await.ok();
        }
        adopted
    }

    async fn take_in(
        &self,
        cluster: &Cluster,
        slot: &Slot,
        token: u64,
        goes_on: bool,
    ) -> Result<(), Failure> {
        self.own(&slot.id, token).await?;
        let record = if goes_on { None } else { cluster.refresh(&slot.id).await? };
        match record {
            Some(record) => self.take_records(cluster, &record, token).await?,
            None => drop(self.0.parts.store.change_session(&slot.id, SessionChange::Token(token)).await?),
        }
        self.show_at_rest(slot).await?;
        let Some(slot) = self.slots().get(&slot.id).cloned() else { return Ok(()) };
        self.herald(&slot);
        self.publish(&slot).await;
        Ok(())
    }

    /// What another server kept of a session is kept here.
    async fn take_records(&self, cluster: &Cluster, record: &Record, token: u64) -> Result<(), Failure> {
        let Kept { receipts, deliveries } = cluster.kept(record.session(), self.now()).await?;
        // The file of the agent is another one here, or has grown meanwhile.
        let (queue, queue_paused) = (record.view.queue.clone(), record.view.queue_paused);
        let timed_out = record.view.timed_out;
        let row =
            SessionRow { token: Some(token), stamp: None, queue_paused, timed_out, ..record.row.clone() };
        Ok(self.0.parts.store.adopt(Adopted { row, queue, deliveries, receipts }).await?)
    }

    async fn show_at_rest(&self, slot: &Slot) -> Result<(), Failure> {
        let Some(row) = self.0.parts.store.session(&slot.id).await? else { return Ok(()) };
        let queue = self.0.parts.store.queue(&slot.id).await?;
        let mut attention = slot.attention.lock().await;
        *attention = Attention::of(&row);
        let Attention { queue_paused, timed_out } = *attention;
        let resting = Record::new(row, slot.board.now(), None, 0).at_rest();
        slot.set_known_bytes(None);
        slot.board.change(|live| {
            resting.show(live);
            live.view.timed_out = timed_out;
            live.restore_queue(queue, queue_paused);
        });
        Ok(())
    }

    /// Ends what a server that is gone left open in a session that is this server's now.
    pub(super) async fn end_abandoned(&self, id: &SessionId) -> Result<(), Failure> {
        let reason = ErrorInfo::new(
            ErrorCode::ServerLost,
            "the server that ran this turn is gone; what its agent did meanwhile is not known here",
        );
        self.end_turns_of(id, &reason).await?;
        self.recover_messages(Some(id)).await?;
        Ok(())
    }

    /// Ends whatever is open in a session's log.
    pub(super) async fn end_turns_of(&self, id: &SessionId, reason: &ErrorInfo) -> Result<(), Failure> {
        let log = &self.0.parts.log;
        let page = log.history(id, None, Limit::NONE).await?;
        let (turns, batch) = endings(id, &page.entries, reason, self.now())?;
        if !batch.is_empty() {
            log.append(id, batch, Durability::Synced).await?;
        }
        self.tell_broken_off(turns.into_iter().map(|turn| (id.clone(), turn)), reason);
        Ok(())
    }

    /// Another server has the session: its agent is ended here, and what is kept of it is forgotten.
    pub(super) async fn lose(&self, id: &SessionId) {
        let Some(cluster) = self.cluster() else { return };
        if cluster.drop_claim(id).is_none() {
            return;
        }
        tracing::warn!(session = %id, "another server has taken a session over");
        self.0.metrics.lost_session();
        let slot = self.slots().get(id).cloned();
        if let Some(slot) = &slot
            && let Some(handle) = slot.handle()
        {
            let problem = "another server has taken this session over; its agent here was ended";
            handle.end(ErrorInfo::new(ErrorCode::SessionTakenOver, problem)).await;
            slot.set_handle(None);
        }
        self.forget_copy(id).await;
        if let (Some(slot), Ok(Some(record))) = (slot, cluster.refresh(id).await) {
            slot.board.change(|live| record.show(live));
        }
        self.announce_all();
    }

    /// Nothing of a session is kept here any more; others have it.
    pub(super) async fn forget_copy(&self, id: &SessionId) {
        self.disown(id);
        let parts = &self.0.parts;
        // A copy that cannot be removed is not read: it is not this server's.
        parts.database.remove(id).await.ok();
        parts.store.remove_session(id).await.ok();
        parts.attachments.forget(id).await.ok();
    }

    pub(super) async fn own(&self, id: &SessionId, token: u64) -> Result<(), Failure> {
        let Some(membership) = &self.0.parts.cluster else { return Ok(()) };
        membership.log.own(id, token).await?;
        Ok(())
    }

    pub(super) fn disown(&self, id: &SessionId) {
        if let Some(membership) = &self.0.parts.cluster {
            membership.log.disown(id);
        }
    }
}
