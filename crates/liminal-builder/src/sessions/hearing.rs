//! What other servers tell of their sessions. Owns how it becomes the view that readers have here.

use std::sync::{Arc, Weak};

use liminal_core::ids::SessionId;
use tokio::sync::mpsc;

use super::slot::Slot;
use super::{Failure, Sessions, Shared};
use crate::cluster::{News, Record};

impl Sessions {
    /// A session that others have, or that nobody has.
    pub(super) async fn slot_of_others(&self, id: &SessionId) -> Result<Option<Arc<Slot>>, Failure> {
        let Some(cluster) = self.cluster().filter(|cluster| !cluster.holds(id)) else { return Ok(None) };
        match cluster.look(id).await {
            Ok(record) => Ok(record.map(|record| self.enter_record(&record))),
            // Whatever is kept here may be all there is.
            Err(_) if self.0.parts.store.session(id).await?.is_some() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn enter_record(&self, record: &Record) -> Arc<Slot> {
        let slot = self.enter(&record.row, Vec::new());
        slot.board.change(|live| record.show(live));
        slot
    }

    fn hear(&self, news: &News) {
        let (id, project) = match news {
            News::Session(record) => (record.session().clone(), record.row.project_id.clone()),
            News::Gone(id) => (id.clone(), None),
            News::Projects => return self.announce_all(),
        };
        if self.is_ours(&id) {
            return;
        }
        let slot = self.slots().get(&id).cloned();
        match (news, slot) {
            (News::Session(record), Some(slot)) => slot.board.change(|live| record.show(live)),
            (News::Gone(id), Some(_)) => drop(self.slots().remove(id)),
            (News::Session(_) | News::Gone(_) | News::Projects, _) => {}
        }
        self.announce(project);
    }
}

/// Hears what others tell until the server stops.
pub(super) async fn listen(sessions: Weak<Shared>, mut news: mpsc::Receiver<News>) {
    while let Some(news) = news.recv().await {
        let Some(shared) = sessions.upgrade() else { return };
        Sessions(shared).hear(&news);
    }
}
