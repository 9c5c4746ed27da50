//! Recordings of Claude Code. Owns how the lines that were sent to it become commands again.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Playback;
use crate::dialect::claude::{ALLOW_ONCE, ClaudeDialect, DENY, DENY_AND_STOP, Options};
use crate::dialect::{AgentCommand, Dialect};
use crate::envelope::StreamEventEnvelope;
use crate::event::{ItemKind, StreamEvent};
use crate::ids::{ItemId, SessionId, TurnId};
use crate::json;
use crate::wire::rest::PermissionAnswer;

/// Plays recordings of Claude Code.
#[derive(Debug)]
pub struct ClaudePlayback {
    dialect: ClaudeDialect,
    prompts: u64,
    /// The ids of recorded requests and prompts, and those that the dialect made for them.
    requests: BTreeMap<String, String>,
    /// The recorded requests of the agent, and what shows them.
    asked: BTreeMap<String, ItemId>,
}

impl ClaudePlayback {
    /// A playback as a session of this id.
    #[must_use]
    pub fn new(session_id: SessionId, options: Options) -> Self {
        Self {
            dialect: ClaudeDialect::new(session_id, options),
            prompts: 0,
            requests: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    fn prompt(&mut self, sent: &Value) -> Option<AgentCommand> {
        if text(sent, "/message/role") != Some("user") {
            return None;
        }
        self.prompts += 1;
        let turn = TurnId::from(format!("turn-{}", self.prompts));
        Some(AgentCommand::Prompt { turn, message: prompt_text(sent.pointer("/message/content")?).into() })
    }

    fn answer(&self, sent: &Value) -> Option<AgentCommand> {
        let asked = self.asked.get(text(sent, "/response/request_id")?)?;
        Some(AgentCommand::Answer { item_id: asked.clone(), answer: recorded_answer(sent) })
    }
}

impl Playback for ClaudePlayback {
    fn dialect(&mut self) -> &mut dyn Dialect {
        &mut self.dialect
    }

    fn command(&mut self, sent: &Value) -> Option<AgentCommand> {
        match (text(sent, "/type")?, text(sent, "/request/subtype")) {
            ("user", _) => self.prompt(sent),
            ("control_response", _) => self.answer(sent),
            ("control_request", Some("initialize")) => {
                Some(AgentCommand::Open { directory: String::new(), resume: None })
            }
            ("control_request", Some("interrupt")) => Some(AgentCommand::Cancel),
            // One request for each task; the first stops them all.
            ("control_request", Some("stop_task")) => Some(AgentCommand::StopBackground),
            ("control_request", Some("set_model")) => {
                Some(AgentCommand::SetModel { model: text(sent, "/request/model").map(str::to_owned) })
            }
            ("control_request", Some("set_permission_mode")) => {
                Some(AgentCommand::SetPermissionMode { mode: text(sent, "/request/mode")?.to_owned() })
            }
            _ => None,
        }
    }

    fn sent(&mut self, sent: &Value, frames: &[Vec<u8>]) {
        let made = frames.first().and_then(|frame| serde_json::from_slice::<Value>(frame).ok());
        let Some(made) = made else { return };
        for id in ["/request_id", "/uuid"] {
            if let (Some(recorded), Some(made)) = (text(sent, id), text(&made, id)) {
                self.requests.insert(recorded.to_owned(), made.to_owned());
            }
        }
    }

    fn frame(&mut self, heard: &Value) -> Vec<u8> {
        if let Value::String(text) = heard {
            return text.clone().into_bytes();
        }
        let mut heard = heard.clone();
        for place in ["/response/request_id", "/command_uuid"] {
            if let Some(Value::String(id)) = heard.pointer_mut(place)
                && let Some(made) = self.requests.get(id.as_str())
            {
                id.clone_from(made);
            }
        }
        let mut frame = Vec::new();
        json::append(&mut frame, &heard);
        frame
    }

    fn heard(&mut self, heard: &Value, events: &[StreamEventEnvelope]) {
        let Some(id) = text(heard, "/request_id") else { return };
        for event in events {
            if let StreamEvent::ItemStart(start) = &event.payload
                && matches!(start.kind, ItemKind::Permission(_))
            {
                self.asked.insert(id.to_owned(), start.item_id.clone());
            }
        }
    }
}

/// What this program tells an agent that is rejected without a reason, in this version and in earlier ones.
const UNREASONED: [&str; 4] = [
    "The user denied this.",
    "The user rejected this.",
    "The user did not want to answer.",
    "The user wants to keep planning.",
];

/// The option that a recorded answer stands for. Whatever does not say that it allows denies.
fn recorded_answer(sent: &Value) -> PermissionAnswer {
    let response = sent.pointer("/response/response").unwrap_or(&Value::Null);
    let option = match text(response, "/behavior") {
        // Recordings of earlier versions granted all suggestions at once; the first one stands for them.
        Some("allow") if response.get("updatedPermissions").is_some() => "allow_session_0",
        Some("allow") => ALLOW_ONCE,
        _ if response.get("interrupt") == Some(&Value::Bool(true)) => DENY_AND_STOP,
        _ => DENY,
    };
    let answers = response.pointer("/updatedInput/answers").and_then(Value::as_object);
    let answers = answers.into_iter().flatten();
    let answers =
        answers.filter_map(|(question, answer)| Some((question.clone(), answer.as_str()?.to_owned())));
    let is_rejection = option == DENY || option == DENY_AND_STOP;
    let reason = text(response, "/message").filter(|words| is_rejection && !UNREASONED.contains(words));
    let reason = reason.map(str::to_owned);
    PermissionAnswer { option_id: Some(option.to_owned()), answers: answers.collect(), reason }
}

fn prompt_text(content: &Value) -> String {
    let Value::Array(blocks) = content else { return content.as_str().unwrap_or_default().to_owned() };
    let texts = blocks.iter().filter_map(|block| text(block, "/text"));
    texts.collect::<Vec<_>>().join("\n")
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}
