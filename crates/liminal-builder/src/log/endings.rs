//! How a turn ends whose server is gone. Owns the outputs that end it: every open item fails with what it had, then the
//! turn. What ran in the background ends too, also if its turn had ended.

use std::collections::BTreeSet;

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::{PermissionOutcome, SettledBy};
use liminal_core::ids::{CallId, ItemId, SessionId, TurnId};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody, UpsertStatus};

use super::batch::is_detached;
use super::{Batch, Encoder, Entry, Key, LogError};

/// The turns of a whole log that have not ended, and what ends them and whatever runs in the background.
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

/// What ends certain turns and everything in the background, given the items that are open.
pub(super) fn end<'a>(
    session: &SessionId,
    turns: &[TurnId],
    items: impl IntoIterator<Item = &'a Entry>,
    reason: &ErrorInfo,
    now: jiff::Timestamp,
) -> Result<Batch, LogError> {
    let states = items.into_iter().map(|entry| state(session, entry)).collect::<Result<Vec<_>, _>>()?;
    let background = in_background(&states);
    let ended = background_error(reason);
    let mut encoder = Encoder::default();
    for state in states {
        if background.contains(&state.item_id) {
            encoder.upsert(&failed(state, &ended, now));
        } else if turns.contains(&state.turn_id) {
            encoder.upsert(&failed(state, reason, now));
        }
        // The items of a cancelled turn stay as they are, without an end.
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

fn background_error(reason: &ErrorInfo) -> ErrorInfo {
    let message = if reason.code == ErrorCode::ServerRestart.as_str() {
        "the server was stopped while this ran in the background; ask again for what is missing".to_owned()
    } else {
        format!("this ran in the background, and how it ended is not known: {}", reason.message)
    };
    ErrorInfo::new(ErrorCode::BackgroundEnded, message)
}

/// The open calls in the background, and the open items that belong to them.
fn in_background(states: &[Upsert]) -> BTreeSet<ItemId> {
    let mut found: BTreeSet<ItemId> = BTreeSet::new();
    let mut calls: BTreeSet<CallId> = BTreeSet::new();
    loop {
        let known = found.len();
        for state in states {
            let is_below = state.parent_call_id.as_ref().is_some_and(|parent| calls.contains(parent));
            if is_detached(state) || is_below {
                found.insert(state.item_id.clone());
                calls.extend(call_of(state));
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

fn call_of(state: &Upsert) -> Option<CallId> {
    match &state.body {
        UpsertBody::ToolCall(call) => Some(call.call_id.clone()),
        UpsertBody::Message(_)
        | UpsertBody::Thinking(_)
        | UpsertBody::Plan(_)
        | UpsertBody::Permission(_) => None,
    }
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
