//! Turns that the agent no longer remembers, because its history was cut, rewound or compacted outside. Owns the note
//! that says so.

use super::additions::Ids;
use super::rows::{is_work_of_agent, prompt};
use super::turns::LogTurn;
use crate::envelope::StreamEventEnvelope;
use crate::event::{FinalItem, ItemDone, MessageItem, Origin, StreamEvent};
use crate::ids::{EventId, ItemId, SessionId};
use crate::time::Timestamp;
use crate::upsert::{TurnEvent, TurnStatus};

/// As much of a prompt as names a turn.
const LONGEST_NAME: usize = 60;

/// The note on turns of the log that the history lacks; nothing if there are none, or if they have their note.
pub(super) fn note(
    missing: &[&LogTurn<'_>],
    session: &SessionId,
    ids: &Ids,
    now: Timestamp,
) -> Option<StreamEventEnvelope> {
    let forgotten: Vec<&LogTurn<'_>> = missing.iter().copied().filter(|turn| was_remembered(turn)).collect();
    let (first, last) = (forgotten.first()?, forgotten.last()?);
    let item_id = ItemId::from(format!("{}/forgotten-since-{}", last.id, first.id));
    if ids.has_item(&item_id) {
        return None;
    }
    let message = MessageItem::new(text(first, forgotten.len()), Origin::System);
    Some(StreamEventEnvelope {
        event_id: EventId::from(item_id.as_str()),
        timestamp: now,
        turn_id: last.id.clone(),
        session_id: session.clone(),
        trace_context: None,
        payload: StreamEvent::ItemDone(ItemDone { item_id, final_item: FinalItem::Message(message) }),
    })
}

/// Agents keep turns that a model answered to its end. Failed ones and local commands they may never have kept.
fn was_remembered(turn: &LogTurn<'_>) -> bool {
    let is_answered = match turn.end {
        Some(TurnEvent::TurnComplete { status: TurnStatus::Completed, usage, .. }) => {
            usage.is_none_or(|usage| usage.output_tokens > 0)
        }
        Some(
            TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. }
            | TurnEvent::TurnError { .. }
            | TurnEvent::TurnStarted { .. },
        )
        | None => false,
    };
    is_answered && turn.rows.iter().any(|row| is_work_of_agent(row))
}

fn text(first: &LogTurn<'_>, count: usize) -> String {
    let name = prompt(first.rows.first().copied()).map(|prompt| shortened(&prompt.content));
    match (count, name) {
        (1, Some(name)) => format!("The agent no longer remembers the turn \"{name}\". It is kept here."),
        (1, None) => "The agent no longer remembers one of the turns above. It is kept here.".to_owned(),
        (_, Some(name)) => format!(
            "The agent no longer remembers {count} of the turns above, starting with \"{name}\". They are kept here."
        ),
        (_, None) => format!("The agent no longer remembers {count} of the turns above. They are kept here."),
    }
}

fn shortened(prompt: &str) -> String {
    let line = prompt.trim().lines().next().unwrap_or_default();
    let mut name: String = line.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
    if name.len() < prompt.trim().len() {
        name.push('…');
    }
    name
}
