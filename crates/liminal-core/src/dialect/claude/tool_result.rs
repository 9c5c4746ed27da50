//! What Claude Code's tools do, in words that do not depend on it: the sort of a call, its title, its files and
//! its changes. Owns the knowledge of single tools; used for live lines and for stored ones.

use serde_json::{Map, Value};

use crate::dialect::fields::one_line;
use crate::event::{Diff, Location, ToolDetails, ToolKind};

/// What a call tells before it runs. Changes are those it asks for.
pub(super) fn call_details(name: &str, input: &Map<String, Value>) -> ToolDetails {
    let path = ["file_path", "notebook_path"].iter().find_map(|key| text(input, key));
    let line = text(input, "file_path").and_then(|_| number(input.get("offset")));
    ToolDetails {
        kind: Some(kind(name)),
        title: title(name, input).map(one_line),
        locations: path.map(|path| Location { path: path.to_owned(), line }).into_iter().collect(),
        diffs: path.map(|path| asked_changes(name, path, input)).unwrap_or_default(),
        exit_code: None,
    }
}

/// A result's content as text.
pub(super) fn result_text(content: &Value) -> String {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(block_text).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => content.to_string(),
    };
    report(&text).unwrap_or(text)
}

/// The report of a sub-agent without the frame that warns the model of it. Every line of the report is indented; the frame's
/// own lines are not.
fn report(result: &str) -> Option<String> {
    let (_, framed) = result.split_once("[Subagent hand-back]")?;
    let (_, lines) = framed.split_once("The report follows:\n")?;
    let report: Vec<&str> = lines.lines().map_while(|line| line.strip_prefix("  ")).collect();
    Some(report.join("\n"))
}

/// What a call tells after it ran: the files it touched, and what it changed in them.
pub(super) fn result_details(tool_use_result: Option<&Value>) -> ToolDetails {
    let Some(Value::Object(result)) = tool_use_result else { return ToolDetails::default() };
    if let Some(Value::Object(file)) = result.get("file") {
        return located(text(file, "filePath"), number(file.get("startLine")));
    }
    let Some(path) = text(result, "filePath") else { return ToolDetails::default() };
    let hunks: Vec<&Map<String, Value>> = result
        .get("structuredPatch")
        .and_then(Value::as_array)
        .map(|values| objects(values))
        .unwrap_or_default();
    let first_line = hunks.first().and_then(|hunk| number(hunk.get("newStart")));
    let mut diffs: Vec<Diff> = hunks.iter().map(|hunk| hunk_diff(path, hunk)).collect();
    if diffs.is_empty() {
        diffs.extend(whole_diff(path, result));
    }
    ToolDetails { diffs, ..located(Some(path), first_line) }
}

fn kind(name: &str) -> ToolKind {
    match name {
        "Bash" | "BashOutput" | "KillShell" => ToolKind::Execute,
        "Read" | "NotebookRead" => ToolKind::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ToolKind::Edit,
        "Grep" | "Glob" | "LS" | "ToolSearch" => ToolKind::Search,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "Agent" | "Task" | "ExitPlanMode" | "EnterPlanMode" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

fn title<'a>(name: &str, input: &'a Map<String, Value>) -> Option<&'a str> {
    let keys: &[&str] = match name {
        "Bash" => &["command"],
        "Grep" | "Glob" => &["pattern"],
        "WebFetch" => &["url"],
        "WebSearch" => &["query"],
        _ => &["file_path", "notebook_path", "path", "subject", "description", "skill"],
    };
    keys.iter().find_map(|key| text(input, key)).filter(|title| !title.trim().is_empty())
}

fn asked_changes(name: &str, path: &str, input: &Map<String, Value>) -> Vec<Diff> {
    match name {
        "Write" => text(input, "content").map(|new| diff(path, None, new)).into_iter().collect(),
        "Edit" => replacement(path, input).into_iter().collect(),
        "MultiEdit" => {
            let edits = input
                .get("edits")
                .and_then(Value::as_array)
                .map(|values| objects(values))
                .unwrap_or_default();
            edits.into_iter().filter_map(|edit| replacement(path, edit)).collect()
        }
        _ => Vec::new(),
    }
}

fn replacement(path: &str, edit: &Map<String, Value>) -> Option<Diff> {
    Some(diff(path, text(edit, "old_string"), text(edit, "new_string")?))
}

fn diff(path: &str, old: Option<&str>, new: &str) -> Diff {
    Diff { path: path.to_owned(), old_text: old.map(str::to_owned), new_text: new.to_owned() }
}

fn located(path: Option<&str>, line: Option<u32>) -> ToolDetails {
    let locations = path.map(|path| Location { path: path.to_owned(), line }).into_iter().collect();
    ToolDetails { locations, ..ToolDetails::default() }
}

/// One hunk of a patch: its lines before and after, with those around them.
fn hunk_diff(path: &str, hunk: &Map<String, Value>) -> Diff {
    let lines = hunk.get("lines").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for line in lines.iter().filter_map(Value::as_str) {
        match line.split_at_checked(1) {
            Some(("-", rest)) => old.push(rest),
            Some(("+", rest)) => new.push(rest),
            Some((" ", rest)) => {
                old.push(rest);
                new.push(rest);
            }
            // "\ No newline at end of file" and whatever else is no line of the file.
            Some(_) | None => {}
        }
    }
    diff(path, Some(&old.join("\n")), &new.join("\n"))
}

/// The change of a file that has no patch: it is new, or was replaced as a whole.
fn whole_diff(path: &str, result: &Map<String, Value>) -> Option<Diff> {
    let original = text(result, "originalFile");
    if let Some(content) = text(result, "content") {
        return (original != Some(content)).then(|| diff(path, original, content));
    }
    Some(diff(path, text(result, "oldString"), text(result, "newString")?))
}

fn block_text(block: &Value) -> String {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => block.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Some(other) => format!("[{other}]"),
        None => block.as_str().map_or_else(|| block.to_string(), str::to_owned),
    }
}

fn objects(values: &[Value]) -> Vec<&Map<String, Value>> {
    values.iter().filter_map(Value::as_object).collect()
}

fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str)
}

fn number(value: Option<&Value>) -> Option<u32> {
    value.and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, input: &Value) -> ToolDetails {
        call_details(name, input.as_object().unwrap())
    }

    #[test]
    fn a_report_is_shown_without_its_frame() {
        let framed = "  <tools-used-before-summary>Bash</tools-used-before-summary>\n  \n[Subagent hand-back] No message from the user. The report follows:\n  One.\n    Two.\nagentId: a1\n<usage>1</usage>";
        assert_eq!(result_text(&json!([{ "type": "text", "text": framed }])), "One.\n  Two.");
        assert_eq!(result_text(&json!("[Subagent hand-back] alone")), "[Subagent hand-back] alone");
    }

    #[test]
    fn a_call_tells_its_sort_and_title() {
        for (name, input, kind, title) in [
            (
                "Bash",
                json!({"command": "make\nmake test", "description": "d"}),
                ToolKind::Execute,
                Some("make…"),
            ),
            ("Read", json!({"file_path": "/a"}), ToolKind::Read, Some("/a")),
            ("Write", json!({"file_path": "/a", "content": "x"}), ToolKind::Edit, Some("/a")),
            ("NotebookEdit", json!({"notebook_path": "/n"}), ToolKind::Edit, Some("/n")),
            ("Grep", json!({"pattern": "x.*", "path": "/src"}), ToolKind::Search, Some("x.*")),
            ("WebFetch", json!({"url": "https://example.org"}), ToolKind::Fetch, Some("https://example.org")),
            ("Agent", json!({"description": "look", "prompt": "p"}), ToolKind::Think, Some("look")),
            (
                "TaskCreate",
                json!({"subject": "look", "description": "around"}),
                ToolKind::Other,
                Some("look"),
            ),
            ("mcp__host__ping", json!({"x": 1}), ToolKind::Other, None),
            ("Bash", json!({}), ToolKind::Execute, None),
        ] {
            let details = call(name, &input);
            assert_eq!((details.kind, details.title.as_deref()), (Some(kind), title), "{name}");
        }
    }

    #[test]
    fn an_edit_tells_what_it_asks_for() {
        let details = call("Edit", &json!({"file_path": "/a", "old_string": "b", "new_string": "c"}));
        assert_eq!(details.diffs, [diff("/a", Some("b"), "c")]);
        assert_eq!(details.locations, [Location { path: "/a".to_owned(), line: None }]);
        let details = call("Read", &json!({"file_path": "/a", "offset": 7}));
        assert_eq!(details.locations, [Location { path: "/a".to_owned(), line: Some(7) }]);
    }

    #[test]
    fn content_becomes_text() {
        for (content, expected) in [
            (json!("done"), "done"),
            (json!([{"type": "text", "text": "a"}, {"type": "image", "source": {}}]), "a\n[image]"),
            (json!(null), ""),
            (json!({"a": 1}), r#"{"a":1}"#),
        ] {
            assert_eq!(result_text(&content), expected);
        }
    }

    #[test]
    fn a_result_tells_its_changes() {
        let patch = json!({"filePath": "/a", "originalFile": "x\ny\n", "structuredPatch": [
            {"oldStart": 1, "newStart": 3, "lines": [" x", "-y", "+z", "\\ No newline at end of file"]}]});
        let details = result_details(Some(&patch));
        assert_eq!(details.diffs, [diff("/a", Some("x\ny"), "x\nz")]);
        assert_eq!(details.locations, [Location { path: "/a".to_owned(), line: Some(3) }]);

        let created = json!({"type": "create", "filePath": "/n", "content": "new", "structuredPatch": [],
            "originalFile": null});
        assert_eq!(result_details(Some(&created)).diffs, [diff("/n", None, "new")]);

        let read = json!({"type": "text", "file": {"filePath": "/r", "startLine": 5}});
        assert_eq!(
            result_details(Some(&read)).locations,
            [Location { path: "/r".to_owned(), line: Some(5) }]
        );

        for nothing in [None, Some(json!("Error: no")), Some(json!([1])), Some(json!({"stdout": ""}))] {
            assert_eq!(result_details(nothing.as_ref()), ToolDetails::default());
        }
    }
}
