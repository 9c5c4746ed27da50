//! The items of a response: what each block of an answer becomes.

use serde_json::{Map, Value, json};

use super::tool_kinds::{ToolKind, ToolKinds};
use crate::answer::{Block, ToolUse};
use crate::identifiers::Identifiers;

pub(super) struct Item {
    pub(super) id: String,
    pub(super) kind: ItemKind,
}

pub(super) enum ItemKind {
    Message,
    Reasoning,
    Function { namespace: Option<String> },
    Custom { namespace: Option<String> },
    LocalShell,
    WebSearch,
}

impl Item {
    pub(super) fn of(identifiers: &Identifiers, kinds: &ToolKinds, block: &mut Block) -> Self {
        let (prefix, kind) = match block {
            Block::Text(_) => ("msg_", ItemKind::Message),
            Block::Thinking { .. } => ("rs_", ItemKind::Reasoning),
            Block::ToolUse(tool) => match kinds.of(&tool.name) {
                ToolKind::Function { namespace } => ("fc_", ItemKind::Function { namespace }),
                ToolKind::LocalShell => ("lsh_", ItemKind::LocalShell),
                ToolKind::WebSearch => ("ws_", ItemKind::WebSearch),
                ToolKind::Custom { namespace } => {
                    tool.free_text = tool.input.get("input").and_then(Value::as_str).map(str::to_owned);
                    ("ctc_", ItemKind::Custom { namespace })
                }
            },
        };
        Self { id: identifiers.next(prefix), kind }
    }

    /// The item before its content came.
    pub(super) fn begun(&self, block: &Block) -> Value {
        self.value(block, "in_progress", "")
    }

    pub(super) fn done(&self, block: &Block) -> Value {
        self.value(block, "completed", &block.content())
    }

    fn value(&self, block: &Block, status: &str, content: &str) -> Value {
        let id = &self.id;
        match block {
            Block::Text(_) => {
                let parts = if status == "completed" { vec![text_part(content)] } else { Vec::new() };
                json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": parts })
            }
            Block::Thinking { signature, .. } => {
                let parts = if status == "completed" { vec![summary_part(content)] } else { Vec::new() };
                json!({ "id": id, "type": "reasoning", "summary": parts, "encrypted_content": signature })
            }
            Block::ToolUse(tool) => self.call(tool, status, content),
        }
    }

    fn call(&self, tool: &ToolUse, status: &str, content: &str) -> Value {
        let (id, call, name) = (&self.id, tool.id(), &tool.name);
        let mut value = match &self.kind {
            ItemKind::Custom { .. } => {
                json!({ "id": id, "type": "custom_tool_call", "status": status, "call_id": call,
                    "name": name, "input": content })
            }
            ItemKind::LocalShell => {
                json!({ "id": id, "type": "local_shell_call", "status": status, "call_id": call,
                    "action": action("exec", tool) })
            }
            ItemKind::WebSearch => {
                json!({ "id": id, "type": "web_search_call", "status": status,
                    "action": action("search", tool) })
            }
            ItemKind::Function { .. } | ItemKind::Message | ItemKind::Reasoning => {
                json!({ "id": id, "type": "function_call", "status": status, "call_id": call,
                    "name": name, "arguments": content })
            }
        };
        if let (Some(namespace), Some(fields)) = (self.namespace(), value.as_object_mut()) {
            fields.insert("namespace".into(), namespace.into());
        }
        value
    }

    fn namespace(&self) -> Option<&str> {
        match &self.kind {
            ItemKind::Function { namespace } | ItemKind::Custom { namespace } => namespace.as_deref(),
            ItemKind::Message | ItemKind::Reasoning | ItemKind::LocalShell | ItemKind::WebSearch => None,
        }
    }
}

pub(super) fn text_part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

pub(super) fn summary_part(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

/// The input of the call is its action, and need not name the kind.
fn action(kind: &str, tool: &ToolUse) -> Map<String, Value> {
    let mut action = tool.input.clone();
    action.entry("type").or_insert_with(|| kind.into());
    action
}
