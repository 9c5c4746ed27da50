//! How each tool of a request is called: the Responses API has several forms of calls.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolKind {
    /// With JSON arguments.
    Function {
        /// The group that the tool was offered in, if any.
        namespace: Option<String>,
    },
    /// With free text.
    Custom { namespace: Option<String> },
    /// A command for the shell of the client, built into the API.
    LocalShell,
    /// A search that the API itself does.
    WebSearch,
}

/// A tool as a request offers it; a namespace holds more of them.
#[derive(Deserialize)]
pub(super) struct Tool {
    r#type: String,
    name: Option<String>,
    #[serde(default)]
    tools: Vec<Self>,
}

/// The kinds of the offered tools by their names.
#[derive(Debug, Default)]
pub(crate) struct ToolKinds {
    kinds: BTreeMap<String, ToolKind>,
}

impl ToolKinds {
    pub(super) fn add(&mut self, tools: &[Tool]) {
        self.add_in(None, tools);
    }

    /// The kind of a tool; one that was not offered is called as a function, and the agent complains.
    pub(super) fn of(&self, tool: &str) -> ToolKind {
        self.kinds.get(tool).cloned().unwrap_or(ToolKind::Function { namespace: None })
    }

    fn add_in(&mut self, namespace: Option<&String>, tools: &[Tool]) {
        for tool in tools {
            let name = tool.name.as_ref().unwrap_or(&tool.r#type).clone();
            let namespace = namespace.cloned();
            match tool.r#type.as_str() {
                "namespace" => self.add_in(tool.name.as_ref(), &tool.tools),
                "custom" => self.insert(name, ToolKind::Custom { namespace }),
                "local_shell" => self.insert(name, ToolKind::LocalShell),
                "web_search" | "web_search_preview" => self.insert(name, ToolKind::WebSearch),
                _ => self.insert(name, ToolKind::Function { namespace }),
            }
        }
    }

    fn insert(&mut self, name: String, kind: ToolKind) {
        self.kinds.insert(name, kind);
    }
}
