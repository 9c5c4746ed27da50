//! The few lines of each agent's protocol that its relay's client needs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use scripted_model::Running;
use serde_json::{Value, json};

use crate::pin::Pin;
use crate::variables;

/// The answer to a prompt has this id.
const PROMPT_ID: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The newest pin, by its stream-json.
    ClaudeCode,
    /// Codex behind its ACP adapter.
    Codex,
}

impl Dialect {
    /// The name of the agent in the API, and the beginning of its figures.
    pub(crate) const fn cli_type(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    pub(crate) fn program(self) -> PathBuf {
        match self {
            Self::ClaudeCode => Pin::Newest.program(),
            Self::Codex => variables::node(),
        }
    }

    pub(crate) fn arguments(self) -> Vec<String> {
        match self {
            Self::ClaudeCode => Vec::new(),
            Self::Codex => vec![variables::adapter("codex-acp").display().to_string()],
        }
    }

    pub(crate) fn variables(self, model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
        match self {
            Self::ClaudeCode => variables::claude(model, home),
            Self::Codex => variables::codex(model, home),
        }
    }

    /// The requests before the first prompt; each is answered before the next one is sent.
    pub(crate) fn beginning(self, directory: &Path) -> Vec<Value> {
        match self {
            Self::ClaudeCode => {
                vec![
                    json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}),
                ]
            }
            Self::Codex => vec![
                request(1, "initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}})),
                request(2, "session/new", &json!({"cwd": directory, "mcpServers": []})),
            ],
        }
    }

    pub(crate) fn is_answer(self, line: &Value) -> bool {
        match self {
            Self::ClaudeCode => line["type"] == "control_response",
            Self::Codex => line["id"].is_number() && line["result"].is_object(),
        }
    }

    /// `session` is what [`Self::session`] found in the last answer.
    pub(crate) fn prompt(self, session: &str, text: &str) -> Value {
        let content = json!([{"type": "text", "text": text}]);
        match self {
            Self::ClaudeCode => json!({
                "type": "user", "message": {"role": "user", "content": content},
                "parent_tool_use_id": null, "session_id": "",
            }),
            Self::Codex => {
                request(PROMPT_ID, "session/prompt", &json!({"sessionId": session, "prompt": content}))
            }
        }
    }

    pub(crate) fn session(self, answer: &Value) -> String {
        answer["result"]["sessionId"].as_str().unwrap_or_default().to_owned()
    }

    /// The text of a line with a delta of the answer.
    pub(crate) fn delta(self, line: &Value) -> Option<&str> {
        match self {
            Self::ClaudeCode => line.pointer("/event/delta/text")?.as_str(),
            Self::Codex => {
                let update = line.pointer("/params/update")?;
                let is_answer = update["sessionUpdate"] == "agent_message_chunk";
                is_answer.then(|| update["content"]["text"].as_str()).flatten()
            }
        }
    }

    pub(crate) fn is_end(self, line: &Value) -> bool {
        match self {
            Self::ClaudeCode => line["type"] == "result",
            Self::Codex => line["id"] == PROMPT_ID && line["result"].is_object(),
        }
    }
}

fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}
