//! What one message tells of a tool call. Owns the many places where agents put things: the output alone comes in
//! five of them. Knows nothing of the calls themselves.

use serde_json::{Map, Value};

use crate::dialect::fields::{list, object, objects, one_line, text};
use crate::event::{Diff, Location, ToolDetails, ToolKind};
use crate::ids::CallId;

/// What is told; what is not told stays as it was.
#[derive(Debug)]
pub(super) struct CallNews {
    pub(super) id: CallId,
    /// The tool's own name, where the agent tells it.
    pub(super) name: Option<String>,
    /// What to call the tool by until its name is known.
    pub(super) nickname: Option<String>,
    pub(super) details: ToolDetails,
    pub(super) input: Option<Map<String, Value>>,
    pub(super) status: Option<CallStatus>,
    /// Output to be added to what came before.
    pub(super) appended: String,
    /// The whole output. Only the end tells it: before, the same places hold a description.
    pub(super) output: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CallStatus {
    #[default]
    Pending,
    Running,
    Completed,
    Failed,
}

impl CallStatus {
    pub(super) const fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

impl CallNews {
    /// Reads a `tool_call`, a `tool_call_update` or the call of a permission request.
    pub(super) fn read(fields: &Map<String, Value>) -> Option<Self> {
        let status = text(fields, "status").and_then(status);
        let told = object(fields, "_meta");
        let of_claude = told.and_then(|meta| object(meta, "claudeCode"));
        let name = text(fields, "name").or_else(|| text(of_claude?, "toolName")).map(str::to_owned);
        let is_over = status.is_some_and(CallStatus::is_end);
        Some(Self {
            id: CallId::from(text(fields, "toolCallId")?),
            name: name.or_else(|| mcp_name(object(fields, "rawInput")?)),
            nickname: nickname(fields),
            details: details(fields),
            input: fields.get("rawInput").and_then(input),
            status,
            appended: told.map(appended).unwrap_or_default(),
            output: output(fields).filter(|_| is_over),
        })
    }

    /// Whether nothing is told but what the call puts out. By far the most frequent news.
    pub(super) fn is_only_output(&self) -> bool {
        self.name.is_none() && self.input.is_none() && self.details.is_empty()
    }

    /// Whether it is the last of the call.
    pub(super) const fn is_end(&self) -> bool {
        matches!(self.status, Some(CallStatus::Completed | CallStatus::Failed))
    }
}

fn status(word: &str) -> Option<CallStatus> {
    match word {
        "pending" => Some(CallStatus::Pending),
        "in_progress" => Some(CallStatus::Running),
        "completed" => Some(CallStatus::Completed),
        "failed" | "cancelled" => Some(CallStatus::Failed),
        _ => None,
    }
}

/// The name of an MCP server's tool, which both variants of codex tell in the arguments only.
fn mcp_name(input: &Map<String, Value>) -> Option<String> {
    Some(format!("mcp__{}__{}", text(input, "server")?, text(input, "tool")?))
}

/// The sort of tool names it better than the title, which is the call in words.
fn nickname(fields: &Map<String, Value>) -> Option<String> {
    let kind = text(fields, "kind").filter(|kind| *kind != "other");
    kind.map(str::to_owned).or_else(|| text(fields, "title").map(one_line))
}

fn details(fields: &Map<String, Value>) -> ToolDetails {
    let title = text(fields, "title").map(one_line).filter(|title| !title.is_empty());
    ToolDetails {
        kind: text(fields, "kind").map(kind),
        title,
        locations: objects(fields, "locations").filter_map(location).collect(),
        diffs: objects(fields, "content").filter_map(diff).collect(),
        exit_code: exit_code(fields),
    }
}

/// Codex's adapters tell it of their terminals, or in their own form of an output; others in what they add to theirs.
fn exit_code(fields: &Map<String, Value>) -> Option<i32> {
    let exit = || object(object(fields, "_meta")?, "terminal_exit")?.get("exit_code");
    let raw = object(fields, "rawOutput");
    let told = || raw?.get("exit_code").or_else(|| object(raw?, "metadata")?.get("exit"));
    exit().or_else(told).and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok())
}

fn kind(word: &str) -> ToolKind {
    match word {
        "read" => ToolKind::Read,
        "edit" | "delete" | "move" => ToolKind::Edit,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Execute,
        "think" => ToolKind::Think,
        "fetch" => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

fn location(entry: &Map<String, Value>) -> Option<Location> {
    let line = entry.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    Some(Location { path: text(entry, "path")?.to_owned(), line })
}

fn diff(entry: &Map<String, Value>) -> Option<Diff> {
    (text(entry, "type") == Some("diff")).then_some(())?;
    Some(Diff {
        path: text(entry, "path")?.to_owned(),
        old_text: text(entry, "oldText").map(str::to_owned),
        new_text: text(entry, "newText").unwrap_or_default().to_owned(),
    })
}

fn input(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Null => None,
        Value::Object(fields) => Some(fields.clone()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Some(Map::from_iter([("input".to_owned(), value.clone())]))
        }
    }
}

/// Output of a terminal that nobody made with `terminal/create`: it comes in what is told besides.
fn appended(meta: &Map<String, Value>) -> String {
    let parts = ["terminal_output", "terminal_output_delta"].iter().filter_map(|key| object(meta, key));
    parts.filter_map(|part| text(part, "data")).collect()
}

/// The content first: it is for people. What the tool itself gave is the way out.
fn output(fields: &Map<String, Value>) -> Option<String> {
    let texts: Vec<String> = objects(fields, "content").filter_map(content).collect();
    let content = unfenced(&texts.join("\n")).to_owned();
    if content.is_empty() { fields.get("rawOutput").and_then(raw_output) } else { Some(content) }
}

fn content(entry: &Map<String, Value>) -> Option<String> {
    match text(entry, "type")? {
        "content" => object(entry, "content").map(content_text),
        _ => None,
    }
}

/// A content block as text.
pub(super) fn content_text(block: &Map<String, Value>) -> String {
    let named = text(block, "name").or_else(|| text(block, "uri"));
    match text(block, "type") {
        Some("text") => text(block, "text").unwrap_or_default().to_owned(),
        Some("resource") => {
            let resource = object(block, "resource");
            let held = resource.and_then(|resource| text(resource, "text").or_else(|| text(resource, "uri")));
            held.unwrap_or("[resource]").to_owned()
        }
        Some("resource_link") => named.unwrap_or("[link]").to_owned(),
        Some(other) => format!("[{other}]"),
        None => String::new(),
    }
}

/// A text without the fence of code around the whole of it.
fn unfenced(text: &str) -> &str {
    let trimmed = text.trim_end();
    let inner = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let Some((language, inner)) = inner.and_then(|inner| inner.split_once('\n')) else { return text };
    let is_one_fence = !language.contains([' ', '`']) && !inner.contains("\n```");
    if is_one_fence { inner } else { text }
}

fn raw_output(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => Some(told_output(fields).unwrap_or_else(|| value.to_string())),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Some(value.to_string()),
    }
}

/// The text inside an agent's own form of an output: a command's, or that of an MCP tool.
fn told_output(fields: &Map<String, Value>) -> Option<String> {
    let whole = ["formatted_output", "aggregated_output", "output"].iter().find_map(|key| text(fields, key));
    if let Some(whole) = whole {
        return Some(whole.to_owned());
    }
    if let Some(stdout) = text(fields, "stdout") {
        return Some(format!("{stdout}{}", text(fields, "stderr").unwrap_or_default()));
    }
    let result = object(fields, "result")?;
    let texts: Vec<String> =
        list(result, "content").iter().filter_map(Value::as_object).map(content_text).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
