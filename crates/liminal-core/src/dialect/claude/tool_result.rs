//! What a tool call and its result tell beyond their text. Knows Claude Code's tools, nothing of turns.

use serde_json::{Map, Value};

use crate::event::{Location, ToolDetails, ToolKind};

/// What is known of a call from its name and arguments.
pub(super) fn call_details(name: &str, input: &Map<String, Value>) -> ToolDetails {
    let kind = match name {
        "Read" | "NotebookRead" => ToolKind::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ToolKind::Edit,
        "Bash" | "BashOutput" | "KillShell" => ToolKind::Execute,
        "Glob" | "Grep" | "LS" => ToolKind::Search,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "Agent" | "Task" => ToolKind::Think,
        _ => ToolKind::Other,
    };
    let path = ["file_path", "notebook_path", "path"].iter().find_map(|key| input.get(*key)?.as_str());
    let locations = path.map(|path| Location { path: path.to_owned(), line: None });
    ToolDetails { kind: Some(kind), locations: locations.into_iter().collect(), ..ToolDetails::default() }
}

/// The text of a result: a string, or blocks of text with placeholders for the rest.
pub(super) fn result_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(block_text).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => content.to_string(),
    }
}

/// What the structured half of a result tells.
pub(super) fn result_details(tool_use_result: Option<&Value>) -> ToolDetails {
    let path = tool_use_result.and_then(|result| result.get("filePath")?.as_str());
    let locations = path.map(|path| Location { path: path.to_owned(), line: None });
    ToolDetails { locations: locations.into_iter().collect(), ..ToolDetails::default() }
}

fn block_text(block: &Value) -> String {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => block.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Some(kind) => format!("[{kind}]"),
        None => block.as_str().unwrap_or_default().to_owned(),
    }
}
