//! Recordings of conversations with a model's API. Owns how the orders that were sent become commands again.

use serde_json::Value;

use super::{Direction, Playback, Recording};
use crate::dialect::model_api::{ModelDialect, Options};
use crate::dialect::{AgentCommand, Dialect, Input, Outbox, anthropic, openai};
use crate::envelope::StreamEventEnvelope;
use crate::ids::{SessionId, TurnId};
use crate::json;

/// Plays recordings of conversations with a model's API.
#[derive(Debug)]
pub struct ModelPlayback {
    dialect: ModelDialect,
    model: String,
    /// Where the messages stand in a body.
    messages: &'static str,
    prompts: u64,
}

impl ModelPlayback {
    /// A conversation with the Messages API.
    #[must_use]
    pub fn anthropic(recording: &Recording) -> Self {
        Self::new(anthropic::dialect, anthropic::PROVIDER_ID, "/body/messages", recording)
    }

    /// A conversation with the Responses API.
    #[must_use]
    pub fn openai(recording: &Recording) -> Self {
        Self::new(openai::dialect, openai::PROVIDER_ID, "/body/input", recording)
    }

    fn new(
        dialect: fn(SessionId, Options) -> ModelDialect,
        provider_id: &str,
        messages: &'static str,
        recording: &Recording,
    ) -> Self {
        let sent = recording.lines().iter().filter(|line| line.direction == Direction::In);
        let model = sent.filter_map(|line| model_of(&line.line)).next().unwrap_or("unknown").to_owned();
        let session_id = SessionId::from(format!("{provider_id}:recorded"));
        Self { dialect: dialect(session_id, Options::new(&model)), model, messages, prompts: 0 }
    }

    fn choose_model(&mut self, model: &str) {
        if self.model != model {
            model.clone_into(&mut self.model);
            let command = AgentCommand::SetModel { model: Some(self.model.clone()) };
            let now = Recording::moment(std::time::Duration::ZERO);
            self.dialect.handle(Input::Command(command), now, &mut Outbox::default());
        }
    }
}

impl Playback for ModelPlayback {
    fn dialect(&mut self) -> &mut dyn Dialect {
        &mut self.dialect
    }

    /// What was sent again is sent again by the dialect itself, when its time comes.
    fn command(&mut self, sent: &Value) -> Option<AgentCommand> {
        if sent.get("abort").is_some() {
            return (sent.get("cause")? == "user").then_some(AgentCommand::Cancel);
        }
        if sent.get("attempt").and_then(Value::as_u64) != Some(0) {
            return None;
        }
        self.choose_model(model_of(sent)?);
        let newest = sent.pointer(self.messages)?.as_array()?.last()?;
        self.prompts += 1;
        let turn = TurnId::from(format!("turn-{}", self.prompts));
        Some(AgentCommand::Prompt { turn, message: newest.get("content")?.as_str()?.into() })
    }

    fn sent(&mut self, _: &Value, _: &[Vec<u8>]) {}

    fn frame(&mut self, heard: &Value) -> Vec<u8> {
        if let Value::String(text) = heard {
            return text.clone().into_bytes();
        }
        let mut frame = Vec::new();
        json::append(&mut frame, heard);
        frame
    }

    fn heard(&mut self, _: &Value, _: &[StreamEventEnvelope]) {}
}

fn model_of(sent: &Value) -> Option<&str> {
    sent.pointer("/body/model").and_then(Value::as_str)
}
