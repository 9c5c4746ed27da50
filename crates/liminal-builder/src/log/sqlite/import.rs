//! A session's log taken over from elsewhere, with the places it has there. Owns how it replaces what was here.

use bytes::Bytes;
use liminal_core::ids::{SessionId, TurnId};
use rusqlite::{Connection, params};
use serde::Deserialize;

use super::super::window::Window;
use super::super::{Entry, Head, Key, LogError};
use super::reader::session_row;
use super::writer::Writer;
use super::{events, indexing, opening, rows, tracked};

/// A part of a log on its way.
#[derive(Debug, Clone)]
pub struct Import {
    /// Whose log it is.
    pub session: SessionId,
    /// Where the log stands with this part, and its life.
    pub head: Head,
    /// Whether it replaces what is here; otherwise it comes behind the part before.
    pub starts_over: bool,
    /// States.
    pub entries: Vec<Entry>,
    /// Canonical events, with their numbers.
    pub events: Vec<(u64, Bytes)>,
}

impl Writer {
    pub(super) fn import(&mut self, import: &Import) -> Result<(), LogError> {
        self.syncer.settle();
        let window = self.windows.get(&import.session);
        let head = self.transaction(|writer| writer.take_over(import, &window))?;
        window.adopt(head);
        self.indexing.restart();
        self.syncer.tail();
        Ok(())
    }

    fn take_over(&mut self, import: &Import, window: &Window) -> Result<Head, LogError> {
        self.tracked(&import.session, window)?;
        let tracked = self.sessions.remove(&import.session);
        let found = session_row(&self.connection, &import.session)?;
        let row = match found.filter(|row| !import.starts_over && row.head.epoch == import.head.epoch) {
            Some(row) => row,
            None => {
                tracked.map_or(Ok(()), |tracked| tracked.remove(&self.connection))?;
                let begun = Head { seq: 0, floor: 0, ..import.head.clone() };
                tracked::insert(&self.connection, &import.session, begun)?
            }
        };
        write(&self.connection, row.id, import)?;
        let newest = import.entries.last().map_or(row.head.seq, |entry| entry.seq);
        let head = Head { seq: newest.max(import.head.floor), ..import.head.clone() };
        save(&self.connection, row.id, &import.session, &head)?;
        Ok(head)
    }
}

fn write(connection: &Connection, id: i64, import: &Import) -> Result<(), LogError> {
    for entry in &import.entries {
        rows::write(connection, id, entry, None)?;
        note(connection, id, entry)?;
    }
    events::import(connection, id, &import.events)
}

fn note(connection: &Connection, id: i64, entry: &Entry) -> Result<(), LogError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Origin {
        turn_id: TurnId,
    }
    match &entry.key {
        Key::TurnEnded(turn) => tracked::close_turn(connection, id, turn),
        Key::TurnStarted(turn) => tracked::open_turn(connection, id, turn),
        Key::Item(_) if entry.is_open => {
            let origin: Origin = serde_json::from_slice(&entry.bytes)
                .map_err(|error| LogError::Damaged(format!("entry {}: {error}", entry.seq)))?;
            tracked::open_turn(connection, id, &origin.turn_id)
        }
        Key::Item(_) => indexing::note(connection, rows::place(id, entry.first_seq)),
    }
}

fn save(connection: &Connection, id: i64, session: &SessionId, head: &Head) -> Result<(), LogError> {
    let (seq, floor) = (rows::number(head.seq), rows::number(head.floor));
    let sum = opening::session_sum(id, session.as_str(), &head.epoch, floor);
    connection.execute(
        "UPDATE session SET head = ?2, floor = ?3, checksum = ?4 WHERE id = ?1",
        params![id, seq, floor, sum],
    )?;
    Ok(())
}
