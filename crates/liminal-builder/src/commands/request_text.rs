//! A permission request as it is printed for an approver. Owns that everything that will run is shown, completely and
//! apart from the agent's own words about it.

use liminal_core::event::{Diff, PermissionOutcome, PermissionRequest, SettledBy, ToolArguments};
use serde_json::Value;

use super::terminal::safe_line;
use super::visible_text::visible_lines;

/// What is asked, over as many lines as it takes.
pub(super) fn describe(request: &PermissionRequest) -> String {
    let mut lines = vec![heading(request)];
    lines.extend(input_lines(&request.input));
    if request.input_truncated {
        lines.push(
            "  The input is longer than 1 MiB and shown cut. `liminal approve ID` prints all of it.".into(),
        );
    }
    lines.extend(unseen_diffs(request).flat_map(diff_lines));
    if let Some(announced) = &request.announced_input {
        let tool = request.announced_tool_name.as_deref().unwrap_or(&request.tool_name);
        lines.push(format!("! The agent had announced something different: {}", safe_line(tool)));
        lines.extend(input_lines(announced));
    }
    lines.push(format!("  The agent's words: {}", visible_lines(&request.title).join("\n    ")));
    lines.join("\n")
}

/// How a request was settled, after its one-line summary.
pub(super) fn settled(request: &PermissionRequest, outcome: Option<&PermissionOutcome>) -> String {
    let Some(outcome) = outcome else { return "not answered".to_owned() };
    let chosen = outcome.option_id.as_ref();
    let option = request.options.iter().find(|option| Some(&option.option_id) == chosen);
    let reason = outcome.reason.as_deref().map(safe_line);
    match (outcome.by, option, reason) {
        (SettledBy::User, Some(option), Some(reason)) => format!("{} ({reason})", safe_line(&option.name)),
        (SettledBy::User, Some(option), None) => safe_line(&option.name),
        (_, _, Some(reason)) => reason,
        (SettledBy::User, None, None) => "answered".to_owned(),
        (SettledBy::Timeout | SettledBy::Agent | SettledBy::Restart, _, None) => "not answered".to_owned(),
    }
}

/// The first line of what will run, for lists and notes.
pub(super) fn summary(request: &PermissionRequest) -> String {
    let whole = request.input.values().find_map(Value::as_str).unwrap_or(&request.title);
    let lines = visible_lines(whole);
    let more = if lines.len() > 1 { format!(" (+{} lines)", lines.len() - 1) } else { String::new() };
    let first = lines.into_iter().next().unwrap_or_default();
    match request.tool_name.as_str() {
        "" => format!("{first}{more}"),
        tool => format!("{}: {first}{more}", safe_line(tool)),
    }
}

fn heading(request: &PermissionRequest) -> String {
    let asks = if request.questions.is_empty() { "Permission needed" } else { "The agent has a question" };
    let tool = safe_line(&request.tool_name);
    match (&request.server, tool.as_str()) {
        (_, "") => asks.to_owned(),
        (Some(server), tool) => format!("{asks}: {tool} (MCP server {})", safe_line(server)),
        (None, tool) => format!("{asks}: {tool}"),
    }
}

fn input_lines(input: &ToolArguments) -> Vec<String> {
    input.iter().flat_map(|(key, value)| field_lines(key, value)).collect()
}

/// One line for a short value; a longer one has its lines numbered, so that none passes for a comment on another.
fn field_lines(key: &str, value: &Value) -> Vec<String> {
    let key = visible_lines(key).join("⏎");
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    let lines = visible_lines(&text);
    if let [line] = lines.as_slice() {
        return vec![format!("  {key}: {line}")];
    }
    let count = lines.len();
    let width = count.to_string().len();
    let numbered = lines.into_iter().enumerate();
    let numbered = numbered.map(|(at, line)| format!("  {:>width$} | {line}", at + 1));
    std::iter::once(format!("  {key} ({count} lines):")).chain(numbered).collect()
}

/// Changes that the input does not spell out.
fn unseen_diffs(request: &PermissionRequest) -> impl Iterator<Item = &Diff> {
    request.diffs.iter().filter(|diff| {
        let is_shown = |value: &Value| value.as_str() == Some(diff.new_text.as_str());
        !request.input.values().any(is_shown)
    })
}

fn diff_lines(diff: &Diff) -> Vec<String> {
    let path = visible_lines(&diff.path).join("⏎");
    let old = diff.old_text.iter().flat_map(|text| visible_lines(text)).map(|line| format!("  - {line}"));
    let new = visible_lines(&diff.new_text).into_iter().map(|line| format!("  + {line}"));
    std::iter::once(format!("  change of {path}:")).chain(old).chain(new).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(fields: &Value) -> PermissionRequest {
        let mut request = json!({
            "callId": "c", "toolName": "Bash", "title": "List the files of the project", "input": {},
            "options": [{"optionId": "no", "name": "Reject", "kind": "reject_once"}],
        });
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(request).unwrap()
    }

    #[test]
    fn shows_what_will_run_apart_from_the_agents_words() {
        let shown = describe(&request(&json!({"input": {"command": "echo x > y.txt"}})));
        let expected = "Permission needed: Bash\n  command: echo x > y.txt\n  \
                        The agent's words: List the files of the project";
        assert_eq!(shown, expected);
    }

    #[test]
    fn numbers_the_lines_of_a_long_value_and_shows_all_of_them() {
        let command = format!("ls{}\nrm -rf important \n", " ".repeat(300));
        let shown = describe(&request(&json!({"input": {"command": command}})));
        assert!(shown.contains("  command (3 lines):\n  1 | ls···"), "{shown}");
        assert!(shown.contains("\n  2 | rm -rf important·\n"), "{shown}");
        let content: String = (0..2000).map(|line| format!("line {line}\n")).collect();
        let shown = describe(&request(&json!({"toolName": "Write", "input": {"content": content}})));
        assert!(shown.contains("content (2001 lines)") && shown.contains("2000 | line 1999"));
    }

    #[test]
    fn points_out_what_was_announced_instead() {
        let fields = json!({"input": {"command": "curl x | sh"}, "announcedInput": {"command": "ls -la"}});
        let shown = describe(&request(&fields));
        assert!(shown.contains("command: curl x | sh"));
        assert!(shown.contains("! The agent had announced something different: Bash\n  command: ls -la"));
    }

    #[test]
    fn shows_changes_and_servers() {
        let diffs = json!([{"path": "/a", "oldText": "one", "newText": "two\u{202e}"}]);
        let fields = json!({"toolName": "mcp__git__apply", "server": "git", "diffs": diffs});
        let shown = describe(&request(&fields));
        assert!(shown.starts_with("Permission needed: mcp__git__apply (MCP server git)"), "{shown}");
        assert!(shown.contains("  change of /a:\n  - one\n  + two‹U+202E›"), "{shown}");
        let written = json!({"input": {"content": "new"}, "diffs": [{"path": "/a", "newText": "new"}]});
        assert!(!describe(&request(&written)).contains("change of"), "the input shows it already");
    }

    #[test]
    fn sums_up_what_will_run_not_what_is_said_of_it() {
        assert_eq!(summary(&request(&json!({"input": {"command": "rm x\nls"}}))), "Bash: rm x (+1 lines)");
        assert_eq!(summary(&request(&json!({"toolName": ""}))), "List the files of the project");
    }

    #[test]
    fn says_how_it_was_settled() {
        let request = request(&json!({}));
        for (outcome, text) in [
            (json!({"optionId": "no", "by": "user"}), "Reject"),
            (json!({"optionId": "no", "reason": "not\nnow", "by": "user"}), "Reject (not now)"),
            (
                json!({"reason": "No answer in 10 min, rejected automatically", "by": "timeout"}),
                "No answer in 10 min, rejected automatically",
            ),
            (json!({"by": "agent"}), "not answered"),
        ] {
            let outcome = serde_json::from_value(outcome).unwrap();
            assert_eq!(settled(&request, Some(&outcome)), text);
        }
    }
}
