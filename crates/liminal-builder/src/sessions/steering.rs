//! Messages that are taken into a turn that runs. Owns that such a message is either taken or waits on, never both and
//! never neither.

use std::time::Duration;

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{MessageAccepted, QueuedMessage, SessionState};
use tokio::time::timeout;

use super::queue::no_such_message;
use super::sending::Letter;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::log::Durability;
use crate::session::SessionHandle;
use crate::store::Delivery;

/// Agents answer at once; one that does not holds up whoever wants to send something.
const PATIENCE: Duration = Duration::from_secs(15);

impl Sessions {
    /// Takes a message that waits into the turn that runs. One that cannot be taken waits on.
    pub async fn steer(&self, id: &SessionId, queued: &str) -> Result<MessageAccepted, Failure> {
        let (sessions, id, queued) = (self.clone(), id.clone(), queued.to_owned());
        self.finish(async move { sessions.steer_once(&id, &queued).await }).await
    }

    async fn steer_once(&self, id: &SessionId, queued: &str) -> Result<MessageAccepted, Failure> {
        let slot = self.slot(id).await?;
        let _door = slot.door.lock().await;
        let queue = slot.board.now().view.queue;
        let place = queue.iter().position(|waiting| waiting.id == queued).ok_or_else(no_such_message)?;
        let waiting = queue.into_iter().nth(place).ok_or_else(no_such_message)?;
        let handle = steerable(&slot)?;
        let letter = Letter::of(&waiting);
        let message = self.written(&slot, &letter).await?;
        let begun = self.begin_delivery(&slot, letter, Some(waiting.id.clone())).await;
        if begun.is_err() {
            // A disk that did not sync may have taken it out all the same.
            self.show_queue(&slot).await.ok();
        }
        let delivery = begun?;
        match timeout(PATIENCE, handle.steer(delivery.turn_id.clone(), message)).await {
            Ok(Ok(turn)) => {
                self.take_back(&delivery).await?;
                self.show_queue(&slot).await?;
                self.acted(&slot).await;
                Ok(MessageAccepted { turn_id: Some(turn), queued: None })
            }
            Ok(Err(error)) => {
                self.wait_on(&slot, &delivery, waiting, place).await?;
                Err(not_steerable(&error.info().message))
            }
            Err(_) => Err(self.unknown_steering(&slot, &delivery).await?),
        }
    }

    /// The message did not reach the agent: it waits where it waited.
    async fn wait_on(
        &self,
        slot: &Slot,
        delivery: &Delivery,
        waiting: QueuedMessage,
        place: usize,
    ) -> Result<(), Failure> {
        let on_its_way = Some(delivery.turn_id.clone());
        self.0.parts.store.put_back(&slot.id, waiting, place, on_its_way).await?;
        self.take_back(delivery).await?;
        self.show_queue(slot).await?;
        Ok(())
    }

    /// Nobody knows whether the agent got it; it is shown as that, and not sent again by itself.
    async fn unknown_steering(&self, slot: &Slot, delivery: &Delivery) -> Result<Failure, Failure> {
        let problem = "the agent did not say whether it took the message; look at the session, and send it again if not";
        let reason = ErrorInfo::new(ErrorCode::DeliveryUnknown, problem);
        self.0.parts.log.append(&slot.id, self.unknown(delivery, &reason), Durability::Synced).await?;
        self.take_back(delivery).await?;
        self.show_queue(slot).await?;
        Ok(Failure::new(ErrorCode::DeliveryUnknown, problem))
    }
}

fn steerable(slot: &Slot) -> Result<SessionHandle, Failure> {
    let view = slot.board.now().view;
    let is_running = matches!(view.state, SessionState::Running | SessionState::Waiting);
    match slot.handle().filter(|_| is_running) {
        Some(handle) if view.agent.abilities.steer => Ok(handle),
        Some(_) => Err(not_steerable("this kind of agent takes no message into a turn that runs")),
        None => Err(not_steerable("no turn runs that it could be taken into")),
    }
}

fn not_steerable(problem: &str) -> Failure {
    Failure::new(ErrorCode::NotSteerable, format!("{problem}; the message waits for its own turn"))
}
