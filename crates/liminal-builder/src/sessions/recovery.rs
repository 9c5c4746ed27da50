//! What a server finds that was not stopped well. Owns that every turn of its predecessor ends, and that a message
//! whose fate is unknown is told as such and never sent again by itself.

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::Origin;
use liminal_core::ids::{ItemId, SessionId};
use liminal_core::time::Timestamp;
use liminal_core::upsert::{MessageBody, TurnEvent, Upsert, UpsertBody, UpsertStatus};

use super::{Failure, Sessions};
use crate::log::{Batch, Durability, Encoder};
use crate::store::Delivery;

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
        let parts = &self.0.parts;
        let reason = ErrorInfo::new(ErrorCode::ServerRestart, "the server was stopped inside the turn");
        let turns = parts.database.close_open_turns(&reason, self.now()).await?;
        let deliveries = parts.store.unfinished_deliveries().await?;
        let mut messages = 0;
        for delivery in deliveries {
            let is_cut_off = turns.iter().any(|(_, turn)| *turn == delivery.turn_id);
            if !is_cut_off {
                parts.log.append(&delivery.session_id, self.unknown(&delivery), Durability::Synced).await?;
                messages += 1;
            }
            parts.store.end_delivery(&delivery.turn_id).await?;
        }
        parts.store.forget_old_receipts(self.now() - RECEIPTS_KEPT).await?;
        Ok(Recovered { turns: turns.len(), messages })
    }

    /// Queues of sessions that were idle when the server stopped go on when somebody opens them.
    pub async fn waiting(&self) -> Result<Vec<SessionId>, Failure> {
        Ok(self.0.parts.store.sessions_with_queue().await?)
    }

    /// The message as the user wrote it, failed, in a turn that failed.
    fn unknown(&self, delivery: &Delivery) -> Batch {
        let message =
            "the server stopped while this message was on its way; nobody knows whether the agent got it";
        let code = ErrorCode::DeliveryUnknown.as_str().to_owned();
        let mut encoder = Encoder::default();
        encoder.upsert(&Upsert {
            turn_id: delivery.turn_id.clone(),
            session_id: delivery.session_id.clone(),
            item_id: ItemId::from(format!("{}/message", delivery.turn_id)),
            source_timestamp: Timestamp::from(delivery.at),
            emitted_at: Timestamp::from(self.now()),
            status: UpsertStatus::Error,
            error_code: Some(code.clone()),
            error_message: Some(message.to_owned()),
            parent_call_id: None,
            body: UpsertBody::Message(MessageBody {
                origin: Origin::User,
                content: delivery.message.clone(),
            }),
        });
        encoder.turn_event(&TurnEvent::TurnError {
            turn_id: delivery.turn_id.clone(),
            session_id: delivery.session_id.clone(),
            error_code: code,
            error_message: message.to_owned(),
        });
        encoder.take()
    }
}
