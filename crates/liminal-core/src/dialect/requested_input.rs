//! The input of a permission request as people see it. Owns how long it may be and what is cut from a longer one;
//! knows nothing of agents.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::event::{PermissionOutcome, SettledBy, ToolArguments};
use crate::json;
use crate::time::{Now, Timestamp};

/// An input that is longer as JSON is cut; the whole of it is fetched separately.
const LONGEST_INPUT: usize = 1024 * 1024;
/// How much of each end of a long text is kept when an input is cut.
const KEPT_OF_EACH_END: usize = 4096;

/// An input and whether it is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownInput {
    pub(crate) input: ToolArguments,
    pub(crate) is_truncated: bool,
}

/// Cuts an input that is too long for an upsert.
pub(crate) fn shown_input(whole: &ToolArguments) -> ShownInput {
    if json::text(whole).len() <= LONGEST_INPUT {
        return ShownInput { input: Arc::clone(whole), is_truncated: false };
    }
    let cut: Map<String, Value> = whole.iter().map(|(key, value)| (key.clone(), cut_texts(value))).collect();
    // Many short values can be as long as a few long ones.
    let is_short = json::text(&cut).len() <= LONGEST_INPUT;
    ShownInput { input: Arc::new(if is_short { cut } else { Map::new() }), is_truncated: true }
}

/// The agent's own words for a request, which are for display only and need no more room than that.
pub(crate) fn shown_title(title: &str) -> String {
    cut_text(title)
}

/// The MCP server that a tool belongs to, by the naming that agents share.
pub(crate) fn mcp_server(tool_name: &str) -> Option<String> {
    let (server, _) = tool_name.strip_prefix("mcp__")?.split_once("__")?;
    Some(server.to_owned())
}

/// When a request that is shown now times out, for people and for the dialect's clock.
pub(crate) fn deadline(timeout: Option<Duration>, now: Now) -> (Option<Timestamp>, Option<Duration>) {
    let wall = timeout.and_then(|timeout| now.wall.checked_add(timeout).ok()).map(Timestamp::from);
    (wall, timeout.map(|timeout| now.mono.saturating_add(timeout)))
}

/// The outcome of a request that nobody answered within the time-out.
pub(crate) fn timed_out(timeout: Option<Duration>) -> PermissionOutcome {
    let waited = timeout.map_or_else(|| "time".to_owned(), duration_text);
    PermissionOutcome::unanswered(
        SettledBy::Timeout,
        format!("No answer in {waited}, rejected automatically"),
    )
}

fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

fn cut_texts(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut_text(text)),
        Value::Array(values) => values.iter().map(cut_texts).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), cut_texts(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Keeps both ends, because a command hides as well at the end of a text as in its middle.
fn cut_text(text: &str) -> String {
    if text.len() <= 2 * KEPT_OF_EACH_END {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(KEPT_OF_EACH_END);
    let tail = text.ceil_char_boundary(text.len() - KEPT_OF_EACH_END);
    let (head, middle, tail) = (&text[..head], &text[head..tail], &text[tail..]);
    format!("{head}\n… {} bytes not shown …\n{tail}", middle.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: &Value) -> ToolArguments {
        Arc::new(value.as_object().unwrap().clone())
    }

    #[test]
    fn keeps_an_input_up_to_the_limit() {
        let whole = arguments(&json!({ "content": "é".repeat(500_000) }));
        assert_eq!(shown_input(&whole), ShownInput { input: whole.clone(), is_truncated: false });
    }

    #[test]
    fn cuts_long_texts_of_a_longer_input_and_keeps_both_ends() {
        let content = format!("begin{}end", "é".repeat(1_000_000));
        let shown = shown_input(&arguments(&json!({ "edits": [{ "text": content }], "path": "/a" })));
        assert!(shown.is_truncated);
        let text = shown.input["edits"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("begin") && text.ends_with("end") && text.contains("bytes not shown"));
        assert_eq!(shown.input["path"], "/a");
    }

    #[test]
    fn shows_nothing_of_an_input_with_too_many_short_values() {
        let shown = shown_input(&arguments(&json!({ "many": vec!["0123456789"; 200_000] })));
        assert!(shown.is_truncated && shown.input.is_empty());
    }

    #[test]
    fn cuts_a_title_that_no_page_could_show_and_says_so() {
        assert_eq!(shown_title("make\nmake test"), "make\nmake test");
        let title = shown_title(&format!("begin{}end", "x".repeat(100_000)));
        assert!(title.len() < 10_000 && title.contains("bytes not shown"), "{title}");
        assert!(title.starts_with("begin") && title.ends_with("end"));
    }

    #[test]
    fn reads_the_server_of_an_mcp_tool() {
        for (name, server) in
            [("mcp__github__create_issue", Some("github")), ("mcp__broken", None), ("Bash", None)]
        {
            assert_eq!(mcp_server(name).as_deref(), server, "{name}");
        }
    }

    #[test]
    fn says_how_long_nobody_answered() {
        for (seconds, text) in [(600, "10 min"), (45, "45 s"), (90, "1 min 30 s")] {
            let outcome = timed_out(Some(Duration::from_secs(seconds)));
            assert_eq!(outcome.reason.unwrap(), format!("No answer in {text}, rejected automatically"));
        }
    }
}
