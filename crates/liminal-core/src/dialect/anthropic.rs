//! The Anthropic Messages API. Owns its words: the body of a request, the events of a stream, its errors; what a
//! conversation does with them is the same for every API.

mod answer;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::UserMessage;
use super::fields::{object, text};
use super::message_blocks;
use super::model_api::{Api, Listener, ModelDialect, Options, Question};
use crate::error::ErrorInfo;
use crate::ids::SessionId;
use answer::Answer;

/// Who offers the models, as events tell it.
pub const PROVIDER_ID: &str = "anthropic";

/// The fields of a request that are not for others to set.
pub const OWN_FIELDS: [&str; 3] = ["model", "messages", "stream"];

/// The API wants a limit; every current model can write this much.
const MAX_TOKENS: u64 = 16_000;

/// A conversation with the Messages API.
#[must_use]
pub fn dialect(session_id: SessionId, options: Options) -> ModelDialect {
    ModelDialect::new(session_id, Box::new(Anthropic), options)
}

#[derive(Debug)]
struct Anthropic;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(flatten)]
    request: &'a Map<String, Value>,
    messages: &'a [&'a RawValue],
    stream: bool,
}

impl Api for Anthropic {
    fn provider_id(&self) -> &'static str {
        PROVIDER_ID
    }

    fn content(&self, message: &UserMessage) -> Value {
        message_blocks::content(message)
    }

    #[expect(clippy::expect_used, reason = "its parts are JSON already")]
    fn body(&self, question: &Question<'_>) -> Box<RawValue> {
        let Question { model, request, messages } = question;
        let max_tokens = (!request.contains_key("max_tokens")).then_some(MAX_TOKENS);
        to_raw_value(&Body { model, max_tokens, request, messages, stream: true }).expect("a body is JSON")
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(Answer::default())
    }

    fn error(&self, body: &Map<String, Value>) -> Option<ErrorInfo> {
        error(body)
    }

    fn passes(&self, code: &str) -> Option<bool> {
        match code {
            "overloaded_error" | "rate_limit_error" | "api_error" | "timeout_error" => Some(true),
            "authentication_error"
            | "billing_error"
            | "permission_error"
            | "invalid_request_error"
            | "not_found_error"
            | "request_too_large" => Some(false),
            _ => None,
        }
    }
}

/// `{"type": "error", "error": {"type", "message"}}`, the same in a body and in a stream.
fn error(body: &Map<String, Value>) -> Option<ErrorInfo> {
    let error = object(body, "error")?;
    let code = text(error, "type")?.to_owned();
    let message = text(error, "message").unwrap_or("the API did not say why").to_owned();
    Some(ErrorInfo { code, message })
}
