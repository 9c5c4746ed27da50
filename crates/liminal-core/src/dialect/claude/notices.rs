//! What Claude Code tells beside the conversation and people want to know, in words. Owns the wording.

use std::time::Duration;

use serde_json::{Map, Value};

use super::wire::{list, object, text};
use crate::dialect::retry_note::{Answer, RetryNote};

/// What a system line is worth.
pub(super) fn note(subtype: &str, line: &Map<String, Value>) -> Known {
    match subtype {
        "api_retry" => Known::Note(retry(line)),
        "compact_boundary" => Known::Note(compacted(line)),
        "status" if text(line, "status") == Some("compacting") => {
            Known::Note("Compacting the conversation.".to_owned())
        }
        "model_refusal_no_fallback" => Known::Note("The model refused to answer.".to_owned()),
        "status"
        | "thinking_tokens"
        | "session_state_changed"
        | "permission_denied"
        | "task_started"
        | "task_progress"
        | "task_updated"
        | "hook_started"
        | "hook_progress"
        | "hook_response"
        | "files_persisted"
        | "commands_changed" => Known::Silent,
        "notification" | "informational" | "local_command_output" => said(line),
        _ if subtype.contains("fallback") => fallback(line),
        _ => Known::No,
    }
}

/// What is known of a system line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It is worth a note.
    Note(String),
    /// It is known, and not worth one.
    Silent,
    /// It is not known.
    No,
}

/// The note for a limit of the account that comes close or is reached.
pub(super) fn rate_limit(line: &Map<String, Value>) -> Option<String> {
    let info = object(line, "rate_limit_info")?;
    let state = match text(info, "status")? {
        "allowed" => return None,
        "allowed_warning" => "nearly used up",
        _ => "used up",
    };
    let limit = text(info, "rateLimitType").map_or_else(String::new, |limit| format!(" ({})", words(limit)));
    let used = info.get("utilization").and_then(Value::as_f64);
    let used = used.map_or_else(String::new, |used| format!(": {:.0} %", used * 100.0));
    Some(format!("The rate limit{limit} is {state}{used}."))
}

fn retry(line: &Map<String, Value>) -> String {
    let number = |key| line.get(key).and_then(Value::as_u64).unwrap_or_default();
    let seconds = line.get("retry_delay_ms").and_then(Value::as_f64).unwrap_or_default() / 1000.0;
    let reason = text(line, "error").filter(|error| *error != "unknown").map(words);
    let note = RetryNote {
        answer: line.get("error_status").and_then(Value::as_u64).map_or(Answer::None, Answer::Status),
        reason: reason.as_deref(),
        attempt: number("attempt"),
        most: number("max_retries"),
        delay: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
    };
    note.text()
}

fn compacted(line: &Map<String, Value>) -> String {
    let metadata = object(line, "compact_metadata");
    let count = |key| metadata.and_then(|metadata| metadata.get(key)).and_then(Value::as_u64);
    match (count("pre_tokens"), count("post_tokens")) {
        (Some(before), Some(after)) => {
            format!("The conversation was compacted from {before} to {after} tokens.")
        }
        (Some(before), None) => format!("The conversation of {before} tokens was compacted."),
        (None, _) => "The conversation was compacted.".to_owned(),
    }
}

fn fallback(line: &Map<String, Value>) -> Known {
    let model = ["fallback_model", "to_model", "model"].iter().find_map(|key| text(line, key));
    match (said(line), model) {
        (Known::Note(note), _) => Known::Note(note),
        (_, Some(model)) => Known::Note(format!("Another model answers: {model}.")),
        (_, None) => Known::Note("Another model answers.".to_owned()),
    }
}

/// A line that brings its own words.
fn said(line: &Map<String, Value>) -> Known {
    let words = ["message", "content", "text"].iter().find_map(|key| text(line, key));
    let blocks = list(line, "content").iter().find_map(|block| block.get("text").and_then(Value::as_str));
    match words.or(blocks).map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => Known::Note(words.to_owned()),
        None => Known::Silent,
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}
