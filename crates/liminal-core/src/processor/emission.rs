//! What leaves a processor. Owns the borrowed form of an output, so that a full state can be written without
//! being copied first; the wire's shapes are the encoders' business.

use std::sync::Arc;

use super::Cause;
use super::escaped::EscapedText;
use crate::error::ErrorInfo;
use crate::event::Usage;
use crate::ids::{SessionId, TurnId};
use crate::json;
use crate::time::Timestamp;
use crate::trace_context::TraceContext;
use crate::upsert::{Output, TurnEvent, TurnStatus, Upsert, UpsertBody};

/// Takes a turn's outputs, in order.
pub trait Sink {
    /// An item has a new state.
    fn item(&mut self, emission: Emission<'_>);
    /// The turn has reached a milestone.
    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange);
}

/// The turn an output belongs to.
#[derive(Debug, Clone, Copy)]
pub struct TurnRef<'a> {
    /// The turn.
    pub turn_id: &'a TurnId,
    /// Its session.
    pub session_id: &'a SessionId,
    /// When the change goes out.
    pub emitted_at: jiff::Timestamp,
    /// The trace of the event that changes the turn.
    pub trace_context: Option<&'a Arc<TraceContext>>,
}

/// An item's new state. A text that is still growing stays where it grows and is only lent.
#[derive(Debug)]
pub struct Emission<'a> {
    upsert: Upsert,
    /// Stands for the last, empty text of the upsert.
    growing: Option<&'a EscapedText>,
    /// A call's arguments as the model wrote them, where they are no JSON object.
    raw_arguments: Option<&'a str>,
    trace_context: Option<&'a Arc<TraceContext>>,
}

impl<'a> Emission<'a> {
    pub(super) const fn whole(upsert: Upsert, cause: Cause<'a>) -> Self {
        Self { upsert, growing: None, raw_arguments: None, trace_context: cause.trace }
    }

    /// The upsert's text must be empty: `growing` takes its place.
    pub(super) const fn growing(upsert: Upsert, growing: &'a EscapedText, cause: Cause<'a>) -> Self {
        Self { upsert, growing: Some(growing), raw_arguments: None, trace_context: cause.trace }
    }

    pub(super) const fn with_raw_arguments(mut self, text: Option<&'a str>) -> Self {
        self.raw_arguments = text;
        self
    }

    /// The trace of the event that the state comes from; that event is also the one of its source timestamp.
    #[must_use]
    pub const fn trace_context(&self) -> Option<&'a Arc<TraceContext>> {
        self.trace_context
    }

    /// A finished call's arguments as the model wrote them, where they are no JSON object and the profile shows them so.
    #[must_use]
    pub const fn raw_arguments(&self) -> Option<&'a str> {
        self.raw_arguments
    }

    /// The state, without its text if that is still growing.
    #[must_use]
    pub const fn head(&self) -> &Upsert {
        &self.upsert
    }

    /// The state with the time at which the item began.
    #[must_use]
    pub fn started(mut self, at: Option<Timestamp>) -> Self {
        self.upsert.started_at = at;
        self
    }

    /// The state as a value of its own.
    #[must_use]
    pub fn into_upsert(self) -> Upsert {
        let mut upsert = self.upsert;
        let Some(growing) = self.growing else { return upsert };
        match &mut upsert.body {
            UpsertBody::Message(message) => message.content = growing.to_plain(),
            UpsertBody::Thinking(thinking) => thinking.content = growing.to_plain(),
            UpsertBody::ToolCall(call) => call.tool_output = Some(growing.to_plain()),
            UpsertBody::Plan(_) | UpsertBody::Permission(_) => {}
        }
        upsert
    }

    /// Appends the state as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        const END: &[u8] = b"\"}";
        json::append(out, &self.upsert);
        if let Some(growing) = self.growing {
            // The text is the last field and empty, so the JSON ends in `""}`.
            debug_assert!(out.ends_with(b"\"\"}"), "the text must be the last field");
            out.truncate(out.len() - END.len());
            out.extend_from_slice(growing.as_escaped().as_bytes());
            out.extend_from_slice(END);
        }
    }
}

/// A milestone of a turn, before it is put into a profile's words.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnChange {
    /// The agent begins to answer.
    Started {
        /// The model that answers.
        model_id: String,
        /// Who offers it.
        provider_id: String,
    },
    /// The source told the end of the turn.
    Done {
        /// How it ended.
        outcome: Outcome,
        /// What it cost.
        usage: Option<Usage>,
    },
    /// The turn broke off.
    Broken(ErrorInfo),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The agent finished.
    Completed,
    /// The user stopped it.
    Cancelled,
    /// It failed.
    Failed(ErrorInfo),
}

impl TurnChange {
    /// The milestone in the words of `upsert-v1`: a failed turn is a `turn_error`, however it was told.
    #[must_use]
    pub fn into_event(self, turn: &TurnRef<'_>) -> TurnEvent {
        let (turn_id, session_id) = (turn.turn_id.clone(), turn.session_id.clone());
        let complete = |status, usage| TurnEvent::TurnComplete {
            turn_id: turn_id.clone(),
            session_id: session_id.clone(),
            status,
            usage,
        };
        let failed = |ErrorInfo { code, message }, usage| TurnEvent::TurnError {
            turn_id: turn_id.clone(),
            session_id: session_id.clone(),
            error_code: code,
            error_message: message,
            usage,
        };
        match self {
            Self::Started { model_id, provider_id } => {
                TurnEvent::TurnStarted { turn_id, session_id, model_id, provider_id }
            }
            Self::Done { outcome: Outcome::Completed, usage } => complete(TurnStatus::Completed, usage),
            Self::Done { outcome: Outcome::Cancelled, usage } => complete(TurnStatus::Cancelled, usage),
            Self::Done { outcome: Outcome::Failed(error), usage } => failed(error, usage),
            Self::Broken(error) => failed(error, None),
        }
    }
}

impl Sink for Vec<Output> {
    fn item(&mut self, emission: Emission<'_>) {
        self.push(Output::Upsert(emission.into_upsert()));
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.push(Output::Turn(change.into_event(turn)));
    }
}
