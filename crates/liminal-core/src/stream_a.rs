//! Stream A: the snake_case events of the older adapters. Owns reading them into canonical events, strictly, and
//! the little that only a run's first event tells: its turn, its thread, its provider.

mod payload;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::envelope::StreamEventEnvelope;
use crate::ids::{EventId, SessionId, TurnId};
use crate::read::{self, ReadError, object};
use crate::trace_context::TraceContext;
use payload::Start;

/// How many runs are remembered; a run's events are close together.
const RUNS_KEPT: usize = 65_536;

/// Reads a stream of these events, of any number of runs.
#[derive(Debug, Default)]
pub struct Reader {
    runs: HashMap<String, Run>,
    order: VecDeque<String>,
}

/// What a run's first event tells of all its events.
#[derive(Debug, Clone)]
struct Run {
    turn_id: TurnId,
    session_id: SessionId,
    provider_id: Option<String>,
}

impl Reader {
    /// Reads one event. `None` is one that canonical events have no word for.
    pub fn read(&mut self, json: &str) -> Result<Option<StreamEventEnvelope>, ReadError> {
        let head = object!(Head<'_>, json, "")?;
        let payload = head.payload.get();
        let payload_type = object!(TypeTag<'_>, payload, "payload")?.word;
        if payload_type != head.event_type {
            let expected = format!("`{}`, the type of the envelope", head.event_type);
            return Err(ReadError::new("payload.type", expected, format!("`{payload_type}`")));
        }
        let instant = jiff::Timestamp::from_millisecond(head.timestamp).map_err(|_| {
            ReadError::new("timestamp", "milliseconds since the epoch", head.timestamp.to_string())
        })?;
        if head.event_type == "response_start" {
            self.remember(&head.run_id, object!(Start, payload, "payload")?);
        }
        let run = self.runs.get(head.run_id.as_ref()).cloned().unwrap_or_else(|| Run::untold(&head.run_id));
        let event = payload::read(&head.event_type, payload, run.provider_id.as_deref())?;
        let trace_context = head.trace_context;
        Ok(event.map(|payload| StreamEventEnvelope {
            event_id: head.event_id,
            timestamp: instant.into(),
            turn_id: run.turn_id,
            session_id: run.session_id,
            trace_context,
            payload,
        }))
    }

    /// Reads one event from bytes.
    pub fn read_bytes(&mut self, json: &[u8]) -> Result<Option<StreamEventEnvelope>, ReadError> {
        self.read(read::utf8(json)?)
    }

    fn remember(&mut self, run_id: &str, start: Start) {
        let Start { turn_id, thread_id, provider_id, .. } = start;
        let run = Run { turn_id, session_id: thread_id, provider_id: Some(provider_id) };
        if self.runs.insert(run_id.to_owned(), run).is_some() {
            return;
        }
        self.order.push_back(run_id.to_owned());
        if self.order.len() > RUNS_KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.runs.remove(&oldest);
        }
    }
}

impl Run {
    /// A run whose beginning was missed goes by its own id, so that nothing it says is lost.
    fn untold(run_id: &str) -> Self {
        Self { turn_id: run_id.into(), session_id: run_id.into(), provider_id: None }
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    event_id: EventId,
    timestamp: i64,
    #[serde(borrow)]
    run_id: Cow<'a, str>,
    #[serde(rename = "type", borrow)]
    event_type: Cow<'a, str>,
    #[serde(default, deserialize_with = "read::optional_map")]
    trace_context: Option<Arc<TraceContext>>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Deserialize)]
struct TypeTag<'a> {
    #[serde(rename = "type", borrow)]
    word: Cow<'a, str>,
}
