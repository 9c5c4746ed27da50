//! Outputs as Stream B messages. Owns how states and milestones map to the format's types, and the ids of messages.

use serde_json::Value;
use uuid::Uuid;

use super::{
    ChangeType, PayloadType, StreamBMessage, UiItemType, UiToolArguments, UiTurnEvent, UiTurnStatus,
    UiUpsert, UiUsage,
};
use crate::event::Usage;
use crate::json;
use crate::processor::{Emission, Outcome, Sink, TurnChange, TurnRef};
use crate::upsert::{ToolCallBody, Upsert, UpsertBody, UpsertStatus};

/// Encodes outputs as Stream B messages. Ids are derived from the session, the turn and a count, so a run can be repeated.
#[derive(Debug, Default)]
pub struct Encoder {
    count: u64,
}

/// More messages than a turn has.
const SUCCESSOR: u64 = 1 << 32;

impl Encoder {
    /// One for turns that another one has told of before, so that no id comes twice.
    #[must_use]
    pub const fn of_successor() -> Self {
        Self { count: SUCCESSOR }
    }

    /// An item's state as a message.
    pub fn item(&mut self, emission: Emission<'_>) -> StreamBMessage {
        let trace_context = emission.trace_context();
        let raw_arguments = emission.raw_arguments().map(str::to_owned);
        let upsert = emission.into_upsert();
        let (session_id, turn_id) = (upsert.session_id.clone(), upsert.turn_id.clone());
        let at = upsert.emitted_at.instant();
        let turn = TurnRef { turn_id: &turn_id, session_id: &session_id, emitted_at: at, trace_context };
        let mut state = UiUpsert::from(upsert);
        if let Some(text) = raw_arguments {
            state.tool_arguments = Some(UiToolArguments::Text(text));
        }
        self.message(&turn, PayloadType::ItemUpsert, json::text(&state))
    }

    /// A turn's milestone as a message.
    pub fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) -> StreamBMessage {
        self.message(turn, PayloadType::TurnEvent, json::text(&UiTurnEvent::new(turn, change)))
    }

    fn message(&mut self, turn: &TurnRef<'_>, payload_type: PayloadType, payload: String) -> StreamBMessage {
        self.count += 1;
        let name = format!("{}/{}/{}", turn.session_id, turn.turn_id, self.count);
        StreamBMessage {
            event_id: Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).to_string(),
            timestamp: turn.emitted_at.as_millisecond(),
            turn_id: turn.turn_id.clone(),
            payload_type,
            payload,
            trace_context: turn.trace_context.cloned(),
        }
    }
}

/// Collects outputs as messages until they are delivered.
#[derive(Debug, Default)]
pub struct Messages {
    encoder: Encoder,
    messages: Vec<StreamBMessage>,
}

impl Messages {
    /// Whether nothing has gathered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Takes what has gathered.
    pub fn take(&mut self) -> Vec<StreamBMessage> {
        std::mem::take(&mut self.messages)
    }
}

impl Sink for Messages {
    fn item(&mut self, emission: Emission<'_>) {
        self.messages.push(self.encoder.item(emission));
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.messages.push(self.encoder.turn(turn, change));
    }
}

impl UiTurnEvent {
    fn new(turn: &TurnRef<'_>, change: TurnChange) -> Self {
        let (turn_id, thread_id) = (turn.turn_id.clone(), turn.session_id.clone());
        match change {
            TurnChange::Started { model_id, provider_id } => {
                Self::TurnStarted { turn_id, thread_id, model_id, provider_id }
            }
            TurnChange::Done { outcome, usage } => {
                let status = match outcome {
                    Outcome::Completed => UiTurnStatus::Complete,
                    Outcome::Cancelled => UiTurnStatus::Aborted,
                    Outcome::Failed(_) => UiTurnStatus::Error,
                };
                Self::TurnCompleted { turn_id, thread_id, status, usage: usage.map(UiUsage::from) }
            }
            TurnChange::Broken(error) => Self::TurnError { turn_id, thread_id, error },
        }
    }
}

impl From<Usage> for UiUsage {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, .. } = usage;
        let total_tokens = input_tokens.saturating_add(output_tokens);
        Self { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens }
    }
}

impl From<Upsert> for UiUpsert {
    fn from(upsert: Upsert) -> Self {
        let Upsert { turn_id, session_id, item_id, status, error_code, error_message, body, .. } = upsert;
        let base = Self {
            r#type: PayloadType::ItemUpsert,
            turn_id,
            thread_id: session_id,
            item_id,
            item_type: UiItemType::Error,
            change_type: ChangeType::from(status),
            content: String::new(),
            origin: None,
            provider_id: None,
            tool_name: None,
            tool_arguments: None,
            call_id: None,
            tool_output: None,
            success: None,
            error_code,
            error_message,
        };
        if status == UpsertStatus::Error { base } else { base.holding(body) }
    }
}

impl UiUpsert {
    fn holding(self, body: UpsertBody) -> Self {
        match body {
            UpsertBody::Message(message) => {
                let origin = Some(message.origin);
                Self { item_type: UiItemType::Message, content: message.content, origin, ..self }
            }
            UpsertBody::Thinking(thinking) => {
                let provider_id = Some(thinking.provider_id);
                Self { item_type: UiItemType::Reasoning, content: thinking.content, provider_id, ..self }
            }
            UpsertBody::ToolCall(call) => self.holding_tool(call),
            UpsertBody::Plan(_) => Self { item_type: UiItemType::Plan, ..self },
            UpsertBody::Permission(asked) => {
                Self { item_type: UiItemType::Permission, call_id: Some(asked.request.call_id), ..self }
            }
        }
    }

    /// In this profile a call and its output are two items: the one with an output is the output.
    fn holding_tool(self, call: ToolCallBody) -> Self {
        let call_id = Some(call.call_id);
        let Some(output) = call.tool_output else {
            let tool_arguments = Some(UiToolArguments::Object(call.tool_arguments));
            let tool_name = Some(call.tool_name);
            return Self { item_type: UiItemType::ToolCall, tool_name, tool_arguments, call_id, ..self };
        };
        let success = call.tool_output_is_error.map(|failed| !failed);
        let tool_output = Some(parsed(output));
        Self { item_type: UiItemType::ToolOutput, call_id, tool_output, success, ..self }
    }
}

impl From<UpsertStatus> for ChangeType {
    fn from(status: UpsertStatus) -> Self {
        match status {
            UpsertStatus::Create => Self::Created,
            UpsertStatus::Update => Self::Updated,
            UpsertStatus::Complete | UpsertStatus::Error => Self::Completed,
        }
    }
}

/// Structure where there is some; a bare `42` stays the text it was.
fn parsed(output: String) -> Value {
    match serde_json::from_str(&output) {
        Ok(structure @ (Value::Object(_) | Value::Array(_))) => structure,
        Ok(_) | Err(_) => Value::String(output),
    }
}
