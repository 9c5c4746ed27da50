//! Turns that a stop of the server left open, or left with work in the background. Owns how they are found.

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
    /// Turns that have ended and left calls in the background.
    pub(super) with_background: Vec<TurnId>,
    items: Vec<Entry>,
}

/// Every session with turns that have not ended, or have left work in the background.
pub(super) fn unfinished(connection: &Connection) -> Result<Vec<Unfinished>, LogError> {
    let mut statement = connection.prepare(
        "SELECT session.id, session.name, open_turn.turn, EXISTS (SELECT 1 FROM entry
                WHERE entry.session = open_turn.session AND entry.key = 'end:' || open_turn.turn)
            FROM open_turn JOIN session ON session.id = open_turn.session ORDER BY session.id, open_turn.turn",
    )?;
    let mut rows = statement.query([])?;
    let mut found: BTreeMap<i64, Unfinished> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (id, name, turn): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let unfinished = found.entry(id).or_insert_with(|| Unfinished::of(name.into()));
        let has_ended: bool = row.get(3)?;
        let turns = if has_ended { &mut unfinished.with_background } else { &mut unfinished.turns };
        turns.push(turn.into());
    }
    for (id, unfinished) in &mut found {
        unfinished.items = rows::open_items(connection, *id)?;
    }
    Ok(found.into_values().collect())
}

impl Unfinished {
    const fn of(session: SessionId) -> Self {
        Self { session, turns: Vec::new(), with_background: Vec::new(), items: Vec::new() }
    }

    /// The outputs that end it.
    pub(super) fn endings(&self, reason: &ErrorInfo, now: jiff::Timestamp) -> Result<Batch, LogError> {
        endings::end(&self.session, &self.turns, &self.items, reason, now)
    }
}
