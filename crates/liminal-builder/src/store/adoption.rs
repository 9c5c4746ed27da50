//! Sessions that come from another server, and those that go to one. Owns that all of one is here, or nothing.

use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::wire::rest::QueuedMessage;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::{Delivery, KeptReceipt, ProjectRow, SessionRow, Store, bodies, sessions, text};
use crate::log::LogError;
use crate::log::sqlite::records::{DELIVERIES, PROJECTS, QUEUED, SESSIONS};

/// All that is kept of a session beside its log.
#[derive(Debug, Clone)]
pub struct Adopted {
    /// The session.
    pub row: SessionRow,
    /// Messages that wait.
    pub queue: Vec<QueuedMessage>,
    /// Messages on their way.
    pub deliveries: Vec<Delivery>,
    /// Requests by their keys.
    pub receipts: Vec<KeptReceipt>,
}

impl Store {
    /// Keeps a session that another server had, in place of whatever was known of it.
    pub async fn adopt(&self, adopted: Adopted) -> Result<(), LogError> {
        self.synced(move |connection| {
            let id = adopted.row.session_id.clone();
            sessions::remove(connection, &id)?;
            sessions::put(connection, &adopted.row)?;
            for (position, message) in (1..).zip(&adopted.queue) {
                let keys = vec![text(&id), text(&message.id), Value::Integer(position)];
                QUEUED.put(connection, keys, message)?;
            }
            for delivery in &adopted.deliveries {
                DELIVERIES.put(connection, vec![text(&delivery.turn_id), text(&id)], delivery)?;
            }
            adopted.receipts.into_iter().try_for_each(|receipt| receipt.put(connection, id.as_str()))
        })
        .await
    }

    /// Every session that is kept.
    pub async fn all_sessions(&self) -> Result<Vec<SessionRow>, LogError> {
        self.read(|connection| Ok(bodies(SESSIONS.select(connection, "ORDER BY session", [])?))).await
    }

    /// The messages of a session of which nobody knows whether they arrived.
    pub async fn deliveries_of(&self, session: &SessionId) -> Result<Vec<Delivery>, LogError> {
        let session = session.clone();
        self.read(move |connection| {
            let records =
                DELIVERIES.select(connection, "WHERE session = ?1 ORDER BY rowid", [session.as_str()])?;
            Ok(bodies(records))
        })
        .await
    }

    /// Calls a project as other servers do, and its sessions' project too.
    pub async fn rename_project(&self, from: &ProjectId, to: &ProjectId) -> Result<(), LogError> {
        let (from, to) = (from.clone(), to.clone());
        self.synced(move |connection| rename(connection, &from, &to)).await
    }
}

fn rename(connection: &Connection, from: &ProjectId, to: &ProjectId) -> Result<(), LogError> {
    for mut record in PROJECTS.select::<ProjectRow>(connection, "WHERE id = ?1", [from.as_str()])? {
        PROJECTS.delete(connection, "id = ?1", [from.as_str()])?;
        if let Some(id) = record.keys.first_mut() {
            *id = text(to);
        }
        PROJECTS.put(connection, record.keys, &ProjectRow { id: to.clone(), ..record.body })?;
    }
    let rows: Vec<SessionRow> = bodies(SESSIONS.select(connection, "WHERE project = ?1", [from.as_str()])?);
    for row in rows {
        sessions::put(connection, &SessionRow { project_id: Some(to.clone()), ..row })?;
    }
    Ok(())
}
