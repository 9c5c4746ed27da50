//! What others are told of this server's sessions. Owns one task per session in use: it tells the newest state, and
//! never an older one after it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use liminal_core::ids::SessionId;
use tokio::sync::watch;
use tokio::time::timeout;

use super::slot::Slot;
use super::{Failure, Sessions, Shared};
use crate::cluster::{Record, SharedProject};
use crate::session::Live;
use crate::store::SessionRow;

/// Between two states: nobody sees more of them.
const PAUSE: Duration = Duration::from_millis(20);

impl Sessions {
    /// Begins to tell others what a session of this server does, unless that is being done.
    pub(super) fn herald(&self, slot: &Arc<Slot>) {
        if self.cluster().is_none() || !slot.begin_herald() {
            return;
        }
        let (sessions, live, slot) = (Arc::downgrade(&self.0), slot.board.watch(), Arc::downgrade(slot));
        self.tasks().spawn(run(sessions, slot, live));
    }

    /// Tells others what a session is and does now. They hear it later if Redis does not answer.
    pub(super) async fn publish(&self, slot: &Slot) {
        let Some(cluster) = self.answering_cluster().filter(|cluster| cluster.holds(&slot.id)) else {
            return;
        };
        let _telling = slot.telling.lock().await;
        match self.record_of(&slot.id, slot.board.now()).await {
            Ok(Some(record)) => match cluster.publish(record).await {
                Ok(true) | Err(_) => {}
                Ok(false) => self.lose(&slot.id).await,
            },
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "cannot tell others of a session"),
        }
    }

    /// What others must know of a session.
    pub(super) async fn record_of(&self, id: &SessionId, live: Live) -> Result<Option<Record>, Failure> {
        let parts = &self.0.parts;
        let Some(row) = parts.store.session(id).await? else { return Ok(None) };
        let seq = parts.log.head(id).await?.borrow().seq;
        let project = self.project_of(&row).await?;
        Ok(Some(Record::new(row, live, project, seq)))
    }

    async fn project_of(&self, row: &SessionRow) -> Result<Option<SharedProject>, Failure> {
        let Some(id) = &row.project_id else { return Ok(None) };
        let project = self.0.parts.store.project(id).await?;
        Ok(project.map(|project| SharedProject { id: project.id, path: project.path, name: project.name }))
    }
}

async fn run(sessions: Weak<Shared>, slot: Weak<Slot>, mut live: watch::Receiver<Live>) {
    loop {
        let Some((sessions, slot)) = sessions.upgrade().zip(slot.upgrade()) else { return };
        let sessions = Sessions(sessions);
        if sessions.is_ours(&slot.id) {
            live.borrow_and_update();
            sessions.publish(&slot).await;
        }
        timeout(PAUSE, std::future::pending::<()>()).await.ok();
        // The slot is forgotten with the last one who uses it, and this one does not.
        let news = Arc::clone(&slot.news);
        drop((sessions, slot));
        tokio::select! {
            changed = live.changed() => if changed.is_err() { return },
            () = news.notified() => {}
        }
    }
}
