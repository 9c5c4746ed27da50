//! What was said in a session before this program knew it. Owns how it gets into the log: once, by the same way as what
//! is said now.

use std::time::Duration;

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::processor::Config;
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::wire::rest::{LoadSession, SessionOpened, SessionState};
use tokio::sync::watch;
use tokio::time::timeout;

use super::reloading::Lack;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::log::{Batch, Durability, Encoder};
use crate::provider::OpenError;
use crate::session::Live;

/// Events that are handed on together.
const EVENTS_AT_ONCE: usize = 1024;
/// How long a disk may take for all that an agent has told.
const HEARING_PATIENCE: Duration = Duration::from_secs(30);

impl Sessions {
    /// Opens a session: afterwards its log holds all that was said. Its agent starts with the next message, unless
    /// only the agent knows the past, or it is asked for now.
    pub async fn load(&self, id: &SessionId, request: LoadSession) -> Result<SessionOpened, Failure> {
        let slot = self.slot(id).await?;
        let _door = slot.door.lock().await;
        match self.lack(&slot).await? {
            Lack::Everything => {
                self.learn_past(&slot).await?;
                slot.board.change(|live| live.view.is_diverged = false);
            }
            Lack::Additions => self.reload(&slot).await?,
            Lack::Nothing => {
                if let Err(failure) = self.catch_up(&slot).await {
                    tracing::warn!(session = %slot.id, %failure, "cannot read the agent's own history");
                }
            }
        }
        self.revive(&slot).await?;
        if request.start {
            self.start_agent(&slot).await?;
        }
        self.announce_of(&slot);
        Ok(SessionOpened { session_id: id.clone(), cli_type: slot.cli_type.clone() })
    }

    /// Starts the agent of a session and waits until it is ready. The door must be held.
    async fn start_agent(&self, slot: &Slot) -> Result<(), Failure> {
        let live = slot.board.watch();
        self.agent(slot).await?;
        until_told(live).await;
        let view = slot.board.now().view;
        if view.is_alive {
            return Ok(());
        }
        let why = view.failure.map_or_else(|| "it ended at once".to_owned(), |failure| failure.message);
        Err(Failure::new(ErrorCode::ProcessCrash, format!("the agent did not start: {why}")))
    }

    /// Fills an empty log with what the agent remembers.
    async fn learn_past(&self, slot: &Slot) -> Result<(), Failure> {
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        match provider.past(slot.directory.clone(), slot.id.clone()).await {
            Ok(Some(events)) => self.keep_past(slot, events).await,
            Ok(None) if self.was_made_here(slot).await? => Ok(()),
            Ok(None) => self.hear_past(slot, Lack::Everything).await,
            // Nothing was said yet, so the agent has kept nothing.
            Err(OpenError::SessionNotFound(_)) if self.was_made_here(slot).await? => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The agent tells what was said; its log holds it when the session has come to rest.
    pub(super) async fn hear_past(&self, slot: &Slot, lack: Lack) -> Result<(), Failure> {
        let live = slot.board.watch();
        self.agent_with(slot, lack).await?;
        until_told(live).await;
        Ok(())
    }

    pub(super) async fn keep_past(
        &self,
        slot: &Slot,
        events: Vec<StreamEventEnvelope>,
    ) -> Result<(), Failure> {
        let parts = &self.0.parts;
        let batch = outputs(&events, parts.settings.batching.clone());
        parts.log.append(&slot.id, batch, Durability::Synced).await?;
        for events in events.chunks(EVENTS_AT_ONCE) {
            let encoded = events.iter().filter_map(|event| serde_json::to_vec(event).ok());
            parts.events.record(&slot.id, encoded.map(Into::into).collect()).await?;
        }
        Ok(())
    }

    pub(super) async fn is_new(&self, slot: &Slot) -> Result<bool, Failure> {
        let head = self.0.parts.log.head(&slot.id).await?;
        let seq = head.borrow().seq;
        Ok(seq == 0)
    }

    pub(super) async fn was_made_here(&self, slot: &Slot) -> Result<bool, Failure> {
        let row = self.0.parts.store.session(&slot.id).await?;
        Ok(row.is_some_and(|row| row.is_made))
    }
}

/// Waits until the log of a session holds what its agent has told at its start.
pub(super) async fn until_told(mut live: watch::Receiver<Live>) {
    let is_told = |live: &Live| live.view.state != SessionState::Starting;
    // A disk that takes nothing is told by others.
    timeout(HEARING_PATIENCE, live.wait_for(is_told)).await.ok();
}

fn outputs(events: &[StreamEventEnvelope], config: Config) -> Batch {
    let (mut turns, mut encoder) = (Turns::new(config), Encoder::default());
    for event in events {
        turns.handle_event(event, Now::at(event.timestamp.instant()), &mut encoder);
    }
    encoder.take()
}
