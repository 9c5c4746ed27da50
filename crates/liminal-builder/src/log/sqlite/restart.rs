//! Turns that a stop of the server left open. Owns how they are found.

use std::collections::BTreeMap;

use liminal_core::error::ErrorInfo;
use liminal_core::ids::{SessionId, TurnId};
use rusqlite::Connection;

use super::super::{Batch, Entry, LogError, endings};
use super::rows;

/// What a session was stopped in.
#[derive(Debug, Clone)]
pub(super) struct Unfinished {
    pub(super) session: SessionId,
    pub(super) turns: Vec<TurnId>,
    items: Vec<Entry>,
}

/// Every session with turns that have not ended.
pub(super) fn unfinished(connection: &Connection) -> Result<Vec<Unfinished>, LogError> {
    let mut statement = connection.prepare(
        "SELECT session.id, session.name, open_turn.turn FROM open_turn
            JOIN session ON session.id = open_turn.session ORDER BY session.id, open_turn.turn",
    )?;
    let mut rows = statement.query([])?;
    let mut turns: BTreeMap<i64, (SessionId, Vec<TurnId>)> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (id, name, turn): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        turns.entry(id).or_insert_with(|| (name.into(), Vec::new())).1.push(turn.into());
    }
    let with_items = turns.into_iter().map(|(id, (session, turns))| {
        Ok(Unfinished { session, turns, items: rows::open_items(connection, id)? })
    });
    with_items.collect()
}

impl Unfinished {
    /// The outputs that end it.
    pub(super) fn endings(&self, reason: &ErrorInfo, now: jiff::Timestamp) -> Result<Batch, LogError> {
        endings::end(&self.session, &self.turns, &self.items, reason, now)
    }
}
