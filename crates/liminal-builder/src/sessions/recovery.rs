//! What a server finds that was not stopped well. Owns that every turn of its predecessor ends, and that a message
//! whose fate is unknown is told as such and never sent again by itself.

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::Origin;
use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::time::Timestamp;
use liminal_core::upsert::{MessageBody, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::rest::MessageAccepted;
use serde_json::{Value, json};

use super::slot::Slot;
use super::{Failure, Sessions, identity};
use crate::log::{Batch, Durability, Encoder, Key};
use crate::session::SessionHandle;
use crate::store::Delivery;

/// Kept in place of an answer: the turn that tells of a message of which nobody knows whether it arrived.
pub(super) const UNKNOWN_TURN: &str = "unknownTurn";

/// Answers are repeated for so long; clients that come later than this have given up.
const RECEIPTS_KEPT: jiff::SignedDuration = jiff::SignedDuration::from_hours(48);

/// What was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Turns that were cut off.
    pub turns: usize,
    /// Messages of which nobody knows whether the agent got them.
    pub messages: usize,
}

impl Sessions {
    /// Ends what a server left open. To be called before anything else, while no agent runs.
    pub async fn recover(&self) -> Result<Recovered, Failure> {
        let reason = ErrorInfo::new(
            ErrorCode::ServerRestart,
            "the server was stopped while this turn ran; ask again for what is missing",
        );
        let turns = self.end_open_turns(&reason).await?;
        let count = turns.len();
        self.tell_broken_off(turns, &reason);
        let messages = self.recover_messages(None).await?;
        self.recall_timed_out().await?;
        self.0.parts.store.forget_old_receipts(self.now() - RECEIPTS_KEPT).await?;
        Ok(Recovered { turns: count, messages })
    }

    /// Tells programs outside that turns have ended. Whoever ends one tells it.
    pub(super) fn tell_broken_off(
        &self,
        turns: impl IntoIterator<Item = (SessionId, TurnId)>,
        reason: &ErrorInfo,
    ) {
        if let Some(feeds) = &self.0.parts.stream_b {
            feeds.broken_off(turns, reason, self.now());
        }
    }

    async fn end_open_turns(&self, reason: &ErrorInfo) -> Result<Vec<(SessionId, TurnId)>, Failure> {
        let parts = &self.0.parts;
        let mut endings = parts.database.endings_of_open_turns(reason, self.now()).await?;
        endings.retain(|(session, ..)| self.is_ours(session));
        let count = endings.len();
        let mut turns = Vec::new();
        for (index, (session, open, batch)) in endings.into_iter().enumerate() {
            // One sync for all: the last batch cannot be on disk without those before it.
            let durability = if index + 1 == count { Durability::Synced } else { Durability::Grouped };
            parts.log.append(&session, batch, durability).await?;
            turns.extend(open.into_iter().map(|turn| (session.clone(), turn)));
        }
        Ok(turns)
    }

    /// Tells what became of messages that were on their way, in one session or in all. To be called while nothing is
    /// sent there, and no turn is open any more.
    pub(super) async fn recover_messages(&self, only: Option<&SessionId>) -> Result<usize, Failure> {
        let parts = &self.0.parts;
        let mut deliveries = parts.store.unfinished_deliveries().await?;
        deliveries.retain(|delivery| only.is_none_or(|only| delivery.session_id == *only));
        deliveries.retain(|delivery| self.is_ours(&delivery.session_id));
        self.recover_receipts(&deliveries, only).await?;
        let mut messages = 0;
        for delivery in deliveries {
            let problem =
                "the server stopped while this message was on its way; nobody knows whether the agent got it";
            messages += usize::from(self.tell_if_unknown(&delivery, problem).await?);
            parts.store.end_delivery(&delivery.turn_id).await?;
        }
        Ok(messages)
    }

    /// Tells of a message that the log knows nothing of; whether it was one.
    async fn tell_if_unknown(&self, delivery: &Delivery, problem: &str) -> Result<bool, Failure> {
        if self.has_arrived(delivery).await? {
            return Ok(false);
        }
        let reason = ErrorInfo::new(ErrorCode::DeliveryUnknown, problem);
        let batch = self.unknown(delivery, &reason);
        self.0.parts.log.append(&delivery.session_id, batch, Durability::Synced).await?;
        self.tell_broken_off([(delivery.session_id.clone(), delivery.turn_id.clone())], &reason);
        Ok(true)
    }

    /// Waits for all that is still written of an agent that has ended, and ends what the log did not take of it. To be
    /// called while the door is held and there is no other agent.
    pub(super) async fn see_off(&self, slot: &Slot, agent: Option<SessionHandle>) -> Result<(), Failure> {
        let Some(agent) = agent else { return Ok(()) };
        agent.gone().await;
        self.0.parts.database.caught_up().await?;
        let problem = "the end of this turn could not be stored; what the agent said last may be missing";
        let reason = ErrorInfo::new(ErrorCode::Internal, problem);
        let open = self.0.parts.database.open_turns().await?;
        if open.iter().any(|(session, _)| *session == slot.id) {
            self.end_turns_of(&slot.id, &reason).await?;
        }
        for delivery in self.0.parts.store.deliveries_of(&slot.id).await? {
            self.tell_if_unknown(&delivery, "what became of this message could not be stored").await?;
        }
        Ok(())
    }

    /// Whether the log tells what became of a message. To be asked when no turn is open any more.
    async fn has_arrived(&self, delivery: &Delivery) -> Result<bool, Failure> {
        let end = Key::TurnEnded(delivery.turn_id.clone());
        Ok(self.0.parts.log.entry(&delivery.session_id, &end).await?.is_some())
    }

    /// Answers that were not given any more: a message that arrived was accepted, and one that was never on its way can
    /// be sent again. Of any other nobody knows.
    async fn recover_receipts(
        &self,
        deliveries: &[Delivery],
        only: Option<&SessionId>,
    ) -> Result<(), Failure> {
        let store = &self.0.parts.store;
        for (scope, key) in store.unfinished_receipts().await? {
            let session = SessionId::from(scope.as_str());
            if identity::parts(&session).is_none() || only.is_some_and(|only| *only != session) {
                continue;
            }
            let is_it = |delivery: &&Delivery| {
                delivery.session_id == session && delivery.client_message_id.as_ref() == Some(&key)
            };
            let answer = match deliveries.iter().find(is_it) {
                Some(delivery) if self.has_arrived(delivery).await? => Some(in_turn(&delivery.turn_id)),
                Some(delivery) => Some(json!({ UNKNOWN_TURN: delivery.turn_id })),
                None => self.in_queue(&session, &key).await?,
            };
            store.finish_receipt(&scope, &key, answer).await?;
        }
        Ok(())
    }

    /// The answer to a message that waits for its turn.
    async fn in_queue(&self, session: &SessionId, key: &str) -> Result<Option<Value>, Failure> {
        let queue = self.0.parts.store.queue(session).await?;
        let queued = queue.into_iter().find(|queued| queued.client_message_id.as_deref() == Some(key));
        Ok(queued.map(|queued| json!(MessageAccepted { turn_id: None, queued: Some(queued) })))
    }

    /// The message as the user wrote it, failed, in a turn that failed.
    pub(super) fn unknown(&self, delivery: &Delivery, reason: &ErrorInfo) -> Batch {
        let ErrorInfo { code, message } = reason;
        let mut encoder = Encoder::default();
        let body = UpsertBody::Message(MessageBody {
            origin: Origin::User,
            attachments: delivery.attachments.clone(),
            content: delivery.message.clone(),
        });
        let (session, turn) = (delivery.session_id.clone(), delivery.turn_id.clone());
        let item = ItemId::from(format!("{turn}/message"));
        encoder.upsert(&Upsert {
            emitted_at: Timestamp::from(self.now()),
            status: UpsertStatus::Error,
            error_code: Some(code.clone()),
            error_message: Some(message.clone()),
            ..Upsert::finished(session, turn, item, Timestamp::from(delivery.at), body)
        });
        encoder.turn_event(&TurnEvent::TurnError {
            turn_id: delivery.turn_id.clone(),
            session_id: delivery.session_id.clone(),
            error_code: code.clone(),
            error_message: message.clone(),
            usage: None,
        });
        encoder.take()
    }
}

fn in_turn(turn: &TurnId) -> Value {
    json!(MessageAccepted { turn_id: Some(turn.clone()), queued: None })
}
