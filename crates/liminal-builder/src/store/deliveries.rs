//! Messages on their way to agents. Owns that a message is either in the queue or on its way, never both and never
//! neither.

use jiff::Timestamp;
use liminal_core::event::Attachment;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::wire::rest::MessageAccepted;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Store, bodies, queue, receipts, text, timestamp};
use crate::log::LogError;
use crate::log::sqlite::records::DELIVERIES;

/// A message on its way to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The turn it begins.
    pub turn_id: TurnId,
    /// Its session.
    pub session_id: SessionId,
    /// What it says.
    pub message: String,
    /// The sender's own id of it.
    #[serde(default)]
    pub client_message_id: Option<String>,
    /// The files that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// When it was sent.
    #[serde(with = "timestamp")]
    pub at: Timestamp,
}

/// Those of a session whose turns have ended in its log.
const ARRIVED: &str =
    "session = ?1 AND EXISTS (SELECT 1 FROM entry JOIN session ON session.id = entry.session
    WHERE session.name = delivery.session AND entry.key = 'end:' || delivery.turn)";

impl Store {
    /// Notes that a message is about to be sent, and takes it out of the queue if it waited there. `false`, and nothing
    /// is noted, if it does not wait there any more or says something else now.
    pub async fn begin_delivery(
        &self,
        delivery: Delivery,
        take_from_queue: Option<String>,
    ) -> Result<bool, LogError> {
        self.synced(move |connection| {
            if let Some(id) = take_from_queue {
                let waiting = queue::find(connection, &delivery.session_id, &id)?;
                if waiting.is_none_or(|record| record.body.message != delivery.message) {
                    return Ok(false);
                }
                queue::take(connection, &delivery.session_id, &id)?;
            }
            forget_arrived(connection, &delivery.session_id)?;
            let keys = vec![text(&delivery.turn_id), text(&delivery.session_id)];
            DELIVERIES.put(connection, keys, &delivery)?;
            Ok(true)
        })
        .await
    }

    /// Certainly nobody has to be told of it any more. One that an agent took is forgotten with the next one, when the
    /// log holds all of its turn: until then it may be all that is left of the message.
    pub async fn end_delivery(&self, turn: &TurnId) -> Result<(), LogError> {
        let turn = turn.clone();
        self.grouped(move |connection| DELIVERIES.delete(connection, "turn = ?1", [turn.as_str()]).map(drop))
            .await
    }

    /// Messages of which nobody knows whether they arrived, in the order in which they were sent. Of use at a start
    /// only, while none is being sent.
    pub async fn unfinished_deliveries(&self) -> Result<Vec<Delivery>, LogError> {
        self.read(|connection| Ok(bodies(DELIVERIES.select(connection, "ORDER BY rowid", [])?))).await
    }
}

/// A request whose answer could not be kept is answered by the turn that came of it, or it would be done again.
fn forget_arrived(connection: &Connection, session: &SessionId) -> Result<(), LogError> {
    let arrived = DELIVERIES.select(connection, &format!("WHERE {ARRIVED}"), [session.as_str()])?;
    for Delivery { turn_id, client_message_id, .. } in bodies(arrived) {
        let answer = MessageAccepted { turn_id: Some(turn_id), queued: None };
        if let Some(key) = client_message_id {
            receipts::finish_unfinished(connection, session.as_str(), &key, json!(answer))?;
        }
    }
    DELIVERIES.delete(connection, ARRIVED, [session.as_str()]).map(drop)
}
