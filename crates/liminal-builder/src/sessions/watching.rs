//! What happens to sessions outside this program. Owns the regular look at what agents have on disk: lists follow it,
//! and a session that another program went on with is marked.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use jiff::SignedDuration;
use liminal_core::ids::{ProjectId, SessionId};
use tokio::time::timeout;

use super::slot::Slot;
use super::{Failure, Sessions, Shared};
use crate::store::{ProjectRow, SessionChange};

/// How often to look while somebody follows; people who switch windows are slower.
const EVERY: Duration = Duration::from_secs(3);
/// What an agent of ours writes after its turn is its own.
const GRACE: SignedDuration = SignedDuration::from_secs(10);

/// The stored size of a diverged session's file. No file has it, so the next server finds the divergence again.
const DIVERGED: &str = "0";

/// How large each session's file was.
type Sizes = BTreeMap<SessionId, u64>;

impl Sessions {
    /// Looks again and again, until the server stops.
    pub fn watch(&self) {
        let shared = Arc::downgrade(&self.0);
        self.tasks().spawn(look_on(shared));
    }

    /// One look at every project. Tells of which the list changed, and of those it sees for the first time: lists
    /// were answered before, and nobody knows what was on disk then.
    async fn look(&self, seen: &mut BTreeMap<ProjectId, Sizes>) -> Result<(), Failure> {
        for project in self.0.parts.store.projects().await? {
            self.recall(&project);
            let sizes = self.sizes(&project).await;
            self.compare(&sizes).await?;
            let before = seen.insert(project.id.clone(), sizes.clone());
            if before.is_none_or(|before| before != sizes) {
                self.announce(Some(project.id));
            }
        }
        Ok(())
    }

    async fn sizes(&self, project: &ProjectRow) -> Sizes {
        let mut sizes = Sizes::new();
        for provider in self.0.parts.providers.all() {
            let found = provider.found(project.path.clone()).await.unwrap_or_default().sessions;
            let kind = provider.cli_type();
            sizes.extend(found.iter().map(|found| (format!("{kind}:{}", found.id).into(), found.bytes)));
        }
        sizes
    }

    async fn compare(&self, sizes: &Sizes) -> Result<(), Failure> {
        let slots: Vec<Arc<Slot>> = self.slots().values().cloned().collect();
        for slot in slots {
            // What others' agents write here is theirs to judge.
            if let Some(bytes) = sizes.get(&slot.id).filter(|_| self.is_ours(&slot.id)) {
                self.compare_one(&slot, *bytes).await?;
            }
        }
        Ok(())
    }

    /// A file that grew while no agent of ours was at work was written by somebody else.
    pub(super) async fn compare_one(&self, slot: &Slot, bytes: u64) -> Result<(), Failure> {
        let known = slot.known_bytes();
        if known == Some(bytes) {
            return Ok(());
        }
        slot.set_known_bytes(Some(bytes));
        let is_ours = slot.is_at_work(self.now(), GRACE);
        if known.is_some() && !is_ours {
            slot.board.change(|live| live.view.is_diverged = true);
        }
        let stamp = if slot.board.now().view.is_diverged {
            Some(DIVERGED.to_owned())
        } else {
            // While an agent of ours lives, what a stop would leave is not known.
            slot.handle().is_none().then(|| bytes.to_string())
        };
        self.0.parts.store.change_session(&slot.id, SessionChange::Stamp(stamp)).await?;
        Ok(())
    }
}

async fn look_on(sessions: Weak<Shared>) {
    let mut seen = BTreeMap::new();
    loop {
        timeout(EVERY, std::future::pending::<()>()).await.ok();
        let Some(shared) = sessions.upgrade() else { return };
        let sessions = Sessions(shared);
        if sessions.0.changes.receiver_count() > 0
            && let Err(error) = sessions.look(&mut seen).await
        {
            tracing::warn!(%error, "cannot look for sessions on disk");
        }
    }
}
