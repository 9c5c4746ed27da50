//! Conversations with models' own APIs: recordings, and what the conversation does that none of them shows.

mod conversation;
mod laws;
pub(crate) mod recordings;
mod retries;
mod vendors;

use liminal_core::dialect::model_api::Options;
use liminal_core::dialect::model_api::exchange::Record;
use liminal_core::dialect::{AgentCommand, anthropic, openai};
use liminal_core::ids::SessionId;
use serde_json::{Value, json};

use crate::replay::agent::Agent;

/// Both APIs, with how each says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vendor {
    Anthropic,
    OpenAi,
}

pub(crate) const VENDORS: [Vendor; 2] = [Vendor::Anthropic, Vendor::OpenAi];

impl Vendor {
    pub(crate) fn agent(self, options: Options) -> Agent {
        Agent::speaking(Box::new(self.dialect(options)))
    }

    pub(crate) fn dialect(self, options: Options) -> liminal_core::dialect::model_api::ModelDialect {
        match self {
            Self::Anthropic => anthropic::dialect(SessionId::from("anthropic:s"), options),
            Self::OpenAi => openai::dialect(SessionId::from("openai:s"), options),
        }
    }

    /// An agent that was asked in the turn `t`.
    pub(crate) fn asked(self) -> Agent {
        let mut agent = self.agent(Options::new("m"));
        agent.command(AgentCommand::Open { directory: "/".to_owned(), resume: None });
        agent.prompt("t", "go");
        agent
    }

    /// An agent whose answer to the turn `t` has begun.
    pub(crate) fn answering(self) -> Agent {
        let mut agent = self.asked();
        agent.line(&begun(1));
        agent
    }

    pub(crate) fn message(self, text: &str) -> Vec<Value> {
        let mut payloads = self.piece(text);
        payloads.extend(self.end());
        payloads
    }

    /// The beginning of an answer.
    pub(crate) fn piece(self, text: &str) -> Vec<Value> {
        match self {
            Self::Anthropic => vec![
                json!({"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 5, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            ],
            Self::OpenAi => vec![
                json!({"type": "response.created", "response": {"model": "m-1"}}),
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}}),
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
            ],
        }
    }

    pub(crate) fn end(self) -> Vec<Value> {
        match self {
            Self::Anthropic => vec![
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
                json!({"type": "message_stop"}),
            ],
            Self::OpenAi => {
                vec![json!({"type": "response.completed", "response": {"status": "completed", "usage":
                    {"input_tokens": 5, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 0}}}})]
            }
        }
    }

    /// What was said, as the newest request tells it.
    pub(crate) fn messages(self, agent: &Agent) -> Vec<(String, String)> {
        let body = &agent.frames.iter().rfind(|frame| frame.get("request").is_some()).unwrap()["body"];
        let messages = match self {
            Self::Anthropic => &body["messages"],
            Self::OpenAi => &body["input"],
        };
        let text = |message: &Value, key: &str| message[key].as_str().unwrap().to_owned();
        messages.as_array().unwrap().iter().map(|each| (text(each, "role"), text(each, "content"))).collect()
    }
}

pub(crate) fn record(record: &Record) -> Value {
    serde_json::from_slice(&record.frame()).unwrap()
}

pub(crate) fn begun(request: u64) -> Value {
    record(&Record::Begun { request })
}

pub(crate) fn ended(request: u64) -> Value {
    record(&Record::Ended { request })
}

pub(crate) fn failed(request: u64, problem: &str) -> Value {
    record(&Record::Failed { request, problem: problem.to_owned() })
}

pub(crate) fn refused(request: u64, status: u16, retry_after_ms: Option<u64>, body: &Value) -> Value {
    record(&Record::Refused { request, status, retry_after_ms, should_retry: None, body: body.to_string() })
}

/// An error as the body of an answer, in the form of either API.
pub(crate) fn error_body(code: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": code, "code": code, "message": message}})
}
