//! How a turn ends whose server is gone. Owns the outputs that end it: every open item fails with what it had, then the
//! turn.

use std::collections::BTreeSet;

use liminal_core::error::ErrorInfo;
use liminal_core::event::{PermissionOutcome, SettledBy};
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody, UpsertStatus};

use super::{Batch, Encoder, Entry, Key, LogError};

/// The turns of a whole log that have not ended, and what ends them.
pub fn endings(
    session: &SessionId,
    entries: &[Entry],
    reason: &ErrorInfo,
    now: jiff::Timestamp,
) -> Result<(Vec<TurnId>, Batch), LogError> {
    let (mut turns, mut ended) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        match &entry.key {
            Key::TurnStarted(turn) => drop(turns.insert(turn.clone())),
            Key::TurnEnded(turn) => drop(ended.insert(turn.clone())),
            Key::Item(_) if entry.is_open => drop(turns.insert(state(session, entry)?.turn_id)),
            Key::Item(_) => {}
        }
    }
    let open: Vec<TurnId> = turns.difference(&ended).cloned().collect();
    let batch = end(session, &open, entries.iter().filter(|entry| entry.is_open), reason, now)?;
    Ok((open, batch))
}

/// What ends certain turns, given the items that are open.
pub(super) fn end<'a>(
    session: &SessionId,
    turns: &[TurnId],
    items: impl IntoIterator<Item = &'a Entry>,
    reason: &ErrorInfo,
    now: jiff::Timestamp,
) -> Result<Batch, LogError> {
    let mut encoder = Encoder::default();
    for entry in items {
        let state = state(session, entry)?;
        // The items of a cancelled turn stay as they are, without an end.
        if turns.contains(&state.turn_id) {
            encoder.upsert(&failed(state, reason, now));
        }
    }
    for turn in turns {
        encoder.turn_event(&TurnEvent::TurnError {
            turn_id: turn.clone(),
            session_id: session.clone(),
            error_code: reason.code.clone(),
            error_message: reason.message.clone(),
            usage: None,
        });
    }
    Ok(encoder.take())
}

fn failed(mut state: Upsert, reason: &ErrorInfo, now: jiff::Timestamp) -> Upsert {
    if let UpsertBody::Permission(asked) = &mut state.body {
        asked.outcome = Some(PermissionOutcome::unanswered(SettledBy::Restart, reason.message.clone()));
    }
    Upsert {
        status: UpsertStatus::Error,
        error_code: Some(reason.code.clone()),
        error_message: Some(reason.message.clone()),
        emitted_at: now.into(),
        ..state
    }
}

fn state(session: &SessionId, entry: &Entry) -> Result<Upsert, LogError> {
    serde_json::from_slice(&entry.bytes)
        .map_err(|error| LogError::Damaged(format!("an item of {session}: {error}")))
}
