//! What a conversation and its connection say to each other. Owns both forms; what a body or a payload means is the
//! API's business, and how a request is made the connection's.
//!
//! Out go orders, one JSON object each: `{"request": N, "attempt": M, "body": {…}}` and
//! `{"abort": N, "cause": …}`. In come records, which have a `transport`, and between `begun` and `ended` of a request the payloads of its stream, as they are.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json;

/// The field by which a record is told from a payload.
const MARK: &str = "transport";

/// Longer events are lost; as much as a line of any agent.
pub const EVENT_LIMIT: usize = 16 * 1024 * 1024;

/// An order as it is written.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum OrderFrame<'a> {
    Send {
        request: u64,
        /// How often the same was sent before.
        attempt: u32,
        body: &'a RawValue,
    },
    Abort {
        abort: u64,
        cause: AbortCause,
    },
}

/// Why a request is given up; a connection does not care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AbortCause {
    /// The user stopped it.
    User,
    /// What came of it is of no use.
    Answer,
}

/// What a connection is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Make this request, instead of the one that may be under way.
    Send {
        /// Its number.
        request: u64,
        /// The JSON to post.
        body: Vec<u8>,
    },
    /// Give up the request that is under way.
    Abort,
}

impl Order {
    /// Reads a frame of a conversation.
    #[must_use]
    pub fn read(frame: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Wire<'a> {
            request: Option<u64>,
            #[serde(borrow)]
            body: Option<&'a RawValue>,
            abort: Option<u64>,
        }
        let Wire { request, body, abort } = serde_json::from_slice(frame).ok()?;
        match (request.zip(body), abort) {
            (Some((request, body)), None) => Some(Self::Send { request, body: body.get().into() }),
            (None, Some(_)) => Some(Self::Abort),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

/// What happened to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "transport", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Record {
    /// A stream of events begins.
    Begun {
        /// The request.
        request: u64,
    },
    /// The answer is no stream.
    Refused {
        /// The request.
        request: u64,
        /// The HTTP status.
        status: u16,
        /// How long to wait, if the answer says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
        /// Whether to ask again, if the answer says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        should_retry: Option<bool>,
        /// The beginning of what it says.
        body: String,
    },
    /// The stream is over.
    Ended {
        /// The request.
        request: u64,
    },
    /// The connection could not be made, or broke.
    Failed {
        /// The request.
        request: u64,
        /// Why.
        problem: String,
    },
}

impl Record {
    /// The record as a frame.
    #[must_use]
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = Vec::new();
        json::append(&mut frame, self);
        frame
    }

    pub(crate) fn read(map: Map<String, Value>) -> Option<Self> {
        serde_json::from_value(Value::Object(map)).ok()
    }

    pub(crate) const fn request(&self) -> u64 {
        match self {
            Self::Begun { request }
            | Self::Refused { request, .. }
            | Self::Ended { request }
            | Self::Failed { request, .. } => *request,
        }
    }
}

pub(crate) fn is_record(map: &Map<String, Value>) -> bool {
    map.contains_key(MARK)
}

/// A payload as a frame, which is one line. Inside JSON a line break can only be space between words.
#[must_use]
pub fn payload_frame(mut data: Vec<u8>) -> Vec<u8> {
    data.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ordered_is_read_again() {
        let body = RawValue::from_string("{\"a\":1}".to_owned()).unwrap();
        let mut frame = Vec::new();
        json::append(&mut frame, &OrderFrame::Send { request: 7, attempt: 1, body: &body });
        assert_eq!(Order::read(&frame), Some(Order::Send { request: 7, body: b"{\"a\":1}".to_vec() }));
        assert_eq!(Order::read(b"{\"abort\":7}"), Some(Order::Abort));
        for nonsense in ["", "{}", "{\"request\":1}", "{\"request\":1,\"body\":{},\"abort\":1}", "[1]"] {
            assert_eq!(Order::read(nonsense.as_bytes()), None, "{nonsense}");
        }
    }

    #[test]
    fn what_is_recorded_is_read_again() {
        let refused = Record::Refused {
            request: 1,
            status: 429,
            retry_after_ms: Some(2000),
            should_retry: None,
            body: "{}".to_owned(),
        };
        for record in [Record::Begun { request: 1 }, refused, Record::Ended { request: 1 }] {
            let map: Map<String, Value> = serde_json::from_slice(&record.frame()).unwrap();
            assert!(is_record(&map));
            assert_eq!(Record::read(map), Some(record));
        }
    }

    #[test]
    fn a_payload_of_several_lines_becomes_one() {
        assert_eq!(payload_frame(b"{\"a\":\n1}".to_vec()), b"{\"a\": 1}");
    }
}
