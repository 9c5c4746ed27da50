//! Servers that are gone without a word. Owns that their turns end: whoever claims a session first looks after it, and
//! then nobody has it.

use std::sync::Weak;

use liminal_core::ids::SessionId;

use super::{Failure, Sessions, Shared};
use crate::cluster::{Claim, Claimed, Cluster, ServerId};

impl Sessions {
    /// Looks once for servers that are gone.
    async fn look_after_others(&self, cluster: &Cluster) -> Result<(), Failure> {
        for server in cluster.gone().await? {
            tracing::warn!(%server, "a server is gone; its turns are ended");
            for session in cluster.sessions_of(&server).await? {
                if let Err(failure) = self.look_after(cluster, &server, &session).await {
                    tracing::warn!(%session, %failure, "cannot end what a server left open");
                }
            }
            if cluster.sessions_of(&server).await?.is_empty() {
                cluster.forget(&server).await?;
            }
        }
        Ok(())
    }

    async fn look_after(&self, cluster: &Cluster, gone: &ServerId, id: &SessionId) -> Result<(), Failure> {
        let Ok(slot) = self.slot(id).await else {
            return Ok(cluster.unlist(gone, id).await?);
        };
        let _moving = slot.moving.lock().await;
        let claim = Claim { is_capable: true, from: Some(gone.clone()), ..Claim::default() };
        let Claimed::Ours { token, goes_on, .. } = cluster.claim(id, claim).await? else {
            return Ok(cluster.unlist(gone, id).await?);
        };
        self.0.metrics.taken_over();
        self.adopt(cluster, &slot, token, goes_on).await?;
        let ended = self.end_abandoned(id).await;
        self.hand_back(cluster, id).await;
        ended
    }

    /// Gives a session back with everything that others need to go on.
    pub(super) async fn hand_back(&self, cluster: &Cluster, id: &SessionId) {
        let slot = self.slots().get(id).cloned();
        let live = match slot {
            Some(slot) => Ok(Some(slot.board.now())),
            None => self.resting(id).await,
        };
        if let Ok(Some(live)) = live
            && let Ok(Some(record)) = self.record_of(id, live).await
        {
            cluster.publish_at_rest(record).await.ok();
        }
        self.disown(id);
        cluster.release(id).await.ok();
    }
}

/// Says again and again that this server is there, and looks whether the others are.
pub(super) async fn keep_watch(sessions: Weak<Shared>) {
    loop {
        let Some(shared) = sessions.upgrade() else { return };
        let sessions = Sessions(shared);
        let Some(cluster) = sessions.cluster().cloned() else { return };
        sessions.renew(&cluster).await;
        if let Err(failure) = sessions.look_after_others(&cluster).await {
            tracing::debug!(%failure, "cannot look for other servers");
        }
        drop(sessions);
        cluster.until_renewal().await;
    }
}

/// Hears of sessions whose log another server writes now.
pub(super) async fn hear_losses(
    sessions: Weak<Shared>,
    mut lost: tokio::sync::mpsc::UnboundedReceiver<SessionId>,
) {
    while let Some(id) = lost.recv().await {
        let Some(shared) = sessions.upgrade() else { return };
        Sessions(shared).lose(&id).await;
    }
}
