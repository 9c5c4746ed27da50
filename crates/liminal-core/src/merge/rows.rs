//! Which rows of the log and of an agent's history are the same. Owns what is compared: the two sides give rows
//! different ids, and describe them differently in the details.

use crate::dialect::claude::history::INTERRUPTED;
use crate::error::ErrorCode;
use crate::event::Origin;
use crate::upsert::{MessageBody, ToolCallBody, Upsert, UpsertBody, UpsertStatus};

/// The errors of rows whose source was cut off.
const CUT_OFF: [ErrorCode; 5] = [
    ErrorCode::BackgroundEnded,
    ErrorCode::ProcessCrash,
    ErrorCode::ProcessExitNoResult,
    ErrorCode::ServerLost,
    ErrorCode::ServerRestart,
];

/// Whether a row of the log is this row of the agent's history, in the same turn.
pub(super) fn is_same(logged: &Upsert, remembered: &Upsert) -> bool {
    if logged.parent_call_id != remembered.parent_call_id {
        return false;
    }
    match &remembered.body {
        UpsertBody::Message(message) => text_of_message(logged).is_some_and(|text| {
            is_same_text(text, &message.content) || is_beginning(logged, text, &message.content)
        }),
        UpsertBody::Thinking(thinking) => text_of_thinking(logged).is_some_and(|text| {
            is_same_text(text, &thinking.content) || is_beginning(logged, text, &thinking.content)
        }),
        UpsertBody::ToolCall(call) => call_of(logged).is_some_and(|logged| is_same_call(logged, call)),
        UpsertBody::Plan(_) => matches!(logged.body, UpsertBody::Plan(_)),
        // Agents do not remember what they asked.
        UpsertBody::Permission(_) => false,
    }
}

/// Whether a row of the log is this row of the agent's history, whatever their turns are.
pub(super) fn is_same_elsewhere(logged: &Upsert, remembered: &Upsert) -> bool {
    let has_same_call = match (call_of(logged), call_of(remembered)) {
        (Some(logged), Some(remembered)) => logged.call_id == remembered.call_id,
        (Some(_), None) | (None, Some(_)) | (None, None) => true,
    };
    has_same_call && is_same(logged, remembered)
}

/// Whether an agent that remembers the turn remembers this row. Not if it is one of ours, or one that changes.
pub(super) fn is_comparable(row: &Upsert) -> bool {
    match &row.body {
        UpsertBody::Message(message) => message.origin != Origin::System,
        UpsertBody::Thinking(_) | UpsertBody::ToolCall(_) => true,
        UpsertBody::Plan(_) | UpsertBody::Permission(_) => false,
    }
}

/// Whether the row misses its rest because somebody crashed.
pub(super) fn is_cut_off(row: &Upsert) -> bool {
    let is_cut_off =
        |code: &String| code == INTERRUPTED || CUT_OFF.iter().any(|cut_off| cut_off.as_str() == code);
    row.status == UpsertStatus::Error && row.error_code.as_ref().is_some_and(is_cut_off)
}

/// Whether the row shows what an agent did.
pub(super) fn is_work_of_agent(row: &Upsert) -> bool {
    match &row.body {
        UpsertBody::Message(message) => message.origin == Origin::Agent,
        UpsertBody::Thinking(_) | UpsertBody::ToolCall(_) => true,
        UpsertBody::Plan(_) | UpsertBody::Permission(_) => false,
    }
}

/// What began a turn: the user's message, or a note of the program.
pub(super) fn prompt(first: Option<&Upsert>) -> Option<&MessageBody> {
    let message = message_of(first?)?;
    Some(message).filter(|message| message.origin != Origin::Agent)
}

pub(super) const fn call_of(row: &Upsert) -> Option<&ToolCallBody> {
    match &row.body {
        UpsertBody::ToolCall(call) => Some(call),
        UpsertBody::Message(_)
        | UpsertBody::Thinking(_)
        | UpsertBody::Plan(_)
        | UpsertBody::Permission(_) => None,
    }
}

pub(super) fn is_same_text(one: &str, other: &str) -> bool {
    one.trim() == other.trim()
}

fn is_beginning(logged: &Upsert, text: &str, whole: &str) -> bool {
    let text = text.trim();
    is_cut_off(logged) && !text.is_empty() && whole.trim().starts_with(text)
}

/// Some agents give calls new ids when they replay them.
fn is_same_call(logged: &ToolCallBody, remembered: &ToolCallBody) -> bool {
    let is_repeated =
        || logged.tool_name == remembered.tool_name && logged.tool_arguments == remembered.tool_arguments;
    logged.call_id == remembered.call_id || is_repeated()
}

const fn message_of(row: &Upsert) -> Option<&MessageBody> {
    match &row.body {
        UpsertBody::Message(message) => Some(message),
        UpsertBody::Thinking(_)
        | UpsertBody::ToolCall(_)
        | UpsertBody::Plan(_)
        | UpsertBody::Permission(_) => None,
    }
}

fn text_of_message(row: &Upsert) -> Option<&str> {
    message_of(row).map(|message| message.content.as_str())
}

fn text_of_thinking(row: &Upsert) -> Option<&str> {
    match &row.body {
        UpsertBody::Thinking(thinking) => Some(&thinking.content),
        UpsertBody::Message(_)
        | UpsertBody::ToolCall(_)
        | UpsertBody::Plan(_)
        | UpsertBody::Permission(_) => None,
    }
}
