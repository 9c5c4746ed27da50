//! Turns that a stop of the server left open. Owns how they end: every open item fails with what it had, then the turn.

use std::collections::BTreeMap;

use liminal_core::error::ErrorInfo;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertStatus};
use rusqlite::Connection;

use super::super::{Batch, Encoder, Entry, LogError};
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
        let mut encoder = Encoder::default();
        for entry in &self.items {
            let state: Upsert = serde_json::from_slice(&entry.bytes)
                .map_err(|error| LogError::Damaged(format!("an item of {}: {error}", self.session)))?;
            // The items of a cancelled turn stay as they are, without an end.
            if !self.turns.contains(&state.turn_id) {
                continue;
            }
            encoder.upsert(&Upsert {
                status: UpsertStatus::Error,
                error_code: Some(reason.code.clone()),
                error_message: Some(reason.message.clone()),
                emitted_at: now.into(),
                ..state
            });
        }
        for turn in &self.turns {
            encoder.turn_event(&TurnEvent::TurnError {
                turn_id: turn.clone(),
                session_id: self.session.clone(),
                error_code: reason.code.clone(),
                error_message: reason.message.clone(),
                usage: None,
            });
        }
        Ok(encoder.take())
    }
}
