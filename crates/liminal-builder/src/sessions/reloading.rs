//! Sessions that another program continued. Owns when a log is behind the agent's own history, and that it catches up
//! without losing a row: permissions, answers and costs exist nowhere but in the log.

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::merge::merge;
use liminal_core::time::Timestamp;
use liminal_core::upsert::Output;

use super::slot::Slot;
use super::{Failure, Sessions, identity};
use crate::log::{Entry, Kind, Limit, LogError};
use crate::provider::OpenError;
use crate::session::History;
use crate::store::SessionChange;

/// What the log of a session lacks of its agent's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// All of it: the log is empty.
    Everything,
    /// What another program added.
    Additions,
    /// Nothing that is known of.
    Nothing,
}

impl Lack {
    /// What a session's task has to do about it. Additions are merged before the task starts.
    pub(super) const fn history(self) -> History {
        match self {
            Self::Everything => History::Tell,
            Self::Additions | Self::Nothing => History::Skip,
        }
    }
}

impl Sessions {
    pub(super) async fn lack(&self, slot: &Slot) -> Result<Lack, Failure> {
        if self.is_new(slot).await? {
            return Ok(Lack::Everything);
        }
        Ok(if slot.board.now().view.is_diverged { Lack::Additions } else { Lack::Nothing })
    }

    /// Adds to the log what another program added to the session. The door must be held. An agent of ours that still
    /// runs does not know of it and is ended.
    pub(super) async fn reload(&self, slot: &Slot) -> Result<(), Failure> {
        self.end_agent(slot).await?;
        let bytes = self.bytes_on_disk(slot).await?;
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        match provider.past(slot.directory.clone(), slot.id.clone()).await {
            Ok(Some(history)) => {
                self.merge_history(slot, &history).await?;
                self.note_bytes(slot, bytes).await
            }
            Ok(None) => self.hear_past(slot, Lack::Additions).await,
            // Nothing was said yet, so the agent has kept nothing.
            Err(OpenError::SessionNotFound(_)) if self.was_made_here(slot).await? => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The same for a session at rest that nobody watched. It costs no more than a look at the size of a file unless
    /// that has changed. An agent is not started: if only the agent can read its history, the session is marked as
    /// diverged.
    pub(super) async fn catch_up(&self, slot: &Slot) -> Result<(), Failure> {
        let found = self.bytes_on_disk(slot).await?.filter(|_| slot.handle().is_none());
        let Some(bytes) = found.filter(|bytes| slot.known_bytes() != Some(*bytes)) else { return Ok(()) };
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        let Some(history) = provider.past(slot.directory.clone(), slot.id.clone()).await? else {
            return self.compare_one(slot, bytes).await;
        };
        self.see_off(slot, slot.last_handle()).await?;
        self.merge_history(slot, &history).await?;
        self.note_bytes(slot, Some(bytes)).await
    }

    /// Appends the events of an agent's history that the log lacks.
    pub(super) async fn merge_history(
        &self,
        slot: &Slot,
        history: &[StreamEventEnvelope],
    ) -> Result<(), Failure> {
        let page = self.0.parts.log.history(&slot.id, None, Limit::NONE).await?;
        let log = page.entries.iter().map(output).collect::<Result<Vec<_>, _>>()?;
        let now = Timestamp::from(self.now());
        let added = merge(&log, history, &self.0.parts.settings.batching, now);
        if !added.is_empty() {
            self.keep_past(slot, added).await?;
        }
        slot.board.change(|live| live.view.is_diverged = false);
        Ok(())
    }

    async fn end_agent(&self, slot: &Slot) -> Result<(), Failure> {
        if let Some(handle) = slot.handle() {
            handle.kill().await;
        }
        self.see_off(slot, slot.last_handle()).await?;
        slot.set_handle(None);
        Ok(())
    }

    /// How large the agent's own file of a session is.
    async fn bytes_on_disk(&self, slot: &Slot) -> Result<Option<u64>, Failure> {
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        let Some((_, own)) = identity::parts(&slot.id) else { return Ok(None) };
        let projects = self.0.parts.store.projects().await?;
        let project = projects.into_iter().find(|project| Some(&project.id) == slot.project.as_ref());
        let directory = project.map_or_else(|| slot.directory.clone(), |project| project.path);
        let found = provider.found(directory).await?.sessions;
        Ok(found.iter().find(|found| found.id == own).map(|found| found.bytes).filter(|bytes| *bytes > 0))
    }

    /// The log has all that the file had at this size.
    async fn note_bytes(&self, slot: &Slot, bytes: Option<u64>) -> Result<(), Failure> {
        slot.set_known_bytes(bytes);
        let stamp = SessionChange::Stamp(bytes.map(|bytes| bytes.to_string()));
        self.0.parts.store.change_session(&slot.id, stamp).await?;
        Ok(())
    }
}

fn output(entry: &Entry) -> Result<Output, LogError> {
    let damaged = |error| LogError::Damaged(format!("entry {}: {error}", entry.seq));
    match entry.kind() {
        Kind::Upsert => serde_json::from_slice(&entry.bytes).map(Output::Upsert).map_err(damaged),
        Kind::Turn => serde_json::from_slice(&entry.bytes).map(Output::Turn).map_err(damaged),
    }
}
