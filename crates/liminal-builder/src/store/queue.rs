//! Messages that wait for their turn. Owns their order and how many may wait.

use liminal_core::ids::{SessionId, TurnId};
use liminal_core::wire::rest::{EditQueued, QueuedMessage};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::{Store, bodies, text};
use crate::log::LogError;
use crate::log::sqlite::records::{DELIVERIES, QUEUED, Record};

impl Store {
    /// The messages of a session that wait, the next one first.
    pub async fn queue(&self, session: &SessionId) -> Result<Vec<QueuedMessage>, LogError> {
        let session = session.clone();
        self.read(move |connection| Ok(bodies(waiting(connection, &session)?))).await
    }

    /// Adds a message behind the others; `false` if so many wait already.
    pub async fn enqueue(
        &self,
        session: &SessionId,
        message: QueuedMessage,
        most: usize,
    ) -> Result<bool, LogError> {
        let session = session.clone();
        self.synced(move |connection| {
            let (count, last): (i64, i64) = connection
                .prepare_cached("SELECT count(*), coalesce(max(position), 0) FROM queued WHERE session = ?1")?
                .query_row([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if usize::try_from(count).is_ok_and(|count| count >= most) {
                return Ok(false);
            }
            let keys = vec![text(&session), text(&message.id), Value::Integer(last + 1)];
            QUEUED.put(connection, keys, &message)?;
            Ok(true)
        })
        .await
    }

    /// A message waits in this place, whether it was taken out or not; a place behind the last is the last. In the same
    /// step it is not on its way any more, if it was.
    pub async fn put_back(
        &self,
        session: &SessionId,
        message: QueuedMessage,
        place: usize,
        delivery: Option<TurnId>,
    ) -> Result<(), LogError> {
        let session = session.clone();
        self.synced(move |connection| {
            if let Some(turn) = delivery {
                DELIVERIES.delete(connection, "turn = ?1", [turn.as_str()])?;
            }
            take(connection, &session, &message.id)?;
            let mut waiting = bodies(waiting(connection, &session)?);
            waiting.insert(place.min(waiting.len()), message);
            QUEUED.delete(connection, "session = ?1", [session.as_str()])?;
            for (message, position) in waiting.iter().zip(1..) {
                let keys = vec![text(&session), text(&message.id), Value::Integer(position)];
                QUEUED.put(connection, keys, message)?;
            }
            Ok(())
        })
        .await
    }

    /// Changes what a message says, which also forgets why it was not sent, or where it stands; a place behind the
    /// last is the last. `false` if it does not wait.
    pub async fn edit_queued(
        &self,
        session: &SessionId,
        id: &str,
        edit: EditQueued,
    ) -> Result<bool, LogError> {
        let (session, id) = (session.clone(), id.to_owned());
        self.synced(move |connection| {
            let before = waiting(connection, &session)?;
            let Some(from) = before.iter().position(|record| record.body.id == id) else { return Ok(false) };
            for (keys, message) in rearranged(&before, from, edit) {
                QUEUED.put(connection, keys, &message)?;
            }
            Ok(true)
        })
        .await
    }

    /// Forgets why messages were not sent, because they are tried again.
    pub async fn forget_failures(&self, session: &SessionId) -> Result<(), LogError> {
        let session = session.clone();
        self.synced(move |connection| {
            for Record { keys, body } in waiting(connection, &session)? {
                if body.failure.is_some() {
                    QUEUED.put(connection, keys, &QueuedMessage { failure: None, ..body })?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Takes a message out.
    pub async fn remove_queued(
        &self,
        session: &SessionId,
        id: &str,
    ) -> Result<Option<QueuedMessage>, LogError> {
        let (session, id) = (session.clone(), id.to_owned());
        self.synced(move |connection| take(connection, &session, &id)).await
    }

    /// How many messages wait in all sessions.
    pub async fn queued_messages(&self) -> Result<usize, LogError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT count(*) FROM queued")?;
            let count: i64 = statement.query_row([], |row| row.get(0))?;
            Ok(usize::try_from(count).unwrap_or_default())
        })
        .await
    }
}

pub(super) fn take(
    connection: &Connection,
    session: &SessionId,
    id: &str,
) -> Result<Option<QueuedMessage>, LogError> {
    let found = find(connection, session, id)?;
    QUEUED.delete(connection, "session = ?1 AND id = ?2", params![session.as_str(), id])?;
    Ok(found.map(|record| record.body))
}

pub(super) fn find(
    connection: &Connection,
    session: &SessionId,
    id: &str,
) -> Result<Option<Record<QueuedMessage>>, LogError> {
    let identity = params![session.as_str(), id];
    Ok(QUEUED.select(connection, "WHERE session = ?1 AND id = ?2", identity)?.pop())
}

fn waiting(connection: &Connection, session: &SessionId) -> Result<Vec<Record<QueuedMessage>>, LogError> {
    QUEUED.select(connection, "WHERE session = ?1 ORDER BY position", [session.as_str()])
}

/// The records that an edit changes, and only those: the messages between its two places change theirs.
fn rearranged(
    before: &[Record<QueuedMessage>],
    from: usize,
    edit: EditQueued,
) -> Vec<(Vec<Value>, QueuedMessage)> {
    let mut after: Vec<QueuedMessage> = before.iter().map(|record| record.body.clone()).collect();
    let mut edited = after.remove(from);
    if let Some(message) = edit.message {
        edited = QueuedMessage { message, failure: None, ..edited };
    }
    let to = edit.position.map_or(from, |position| position as usize).min(after.len());
    after.insert(to, edited);
    let changed = before.iter().zip(after).filter(|(record, message)| record.body != *message);
    let keys = |record: &Record<QueuedMessage>, message: &QueuedMessage| {
        record
            .keys
            .iter()
            .cloned()
            .enumerate()
            .map(|(column, key)| if column == 1 { text(&message.id) } else { key })
            .collect()
    };
    changed.map(|(record, message)| (keys(record, &message), message)).collect()
}
