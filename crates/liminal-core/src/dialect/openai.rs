//! The OpenAI Responses API. Owns its words: the body of a request, the events of a stream, its errors; what a
//! conversation does with them is the same for every API.

mod answer;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::fields::{object, text};
use super::model_api::{Api, Listener, ModelDialect, Options, Question};
use super::{AttachedFile, FileKind, UserMessage};
use crate::error::{ErrorCode, ErrorInfo};
use crate::ids::SessionId;
use answer::Answer;

/// Who offers the models, as events tell it.
pub const PROVIDER_ID: &str = "openai";

/// The fields of a request that are not for others to set: the conversation is kept here and not there.
pub const OWN_FIELDS: [&str; 6] =
    ["model", "input", "stream", "store", "previous_response_id", "conversation"];

/// A conversation with the Responses API.
#[must_use]
pub fn dialect(session_id: SessionId, options: Options) -> ModelDialect {
    ModelDialect::new(session_id, Box::new(OpenAi), options)
}

#[derive(Debug)]
struct OpenAi;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(flatten)]
    request: &'a Map<String, Value>,
    input: &'a [&'a RawValue],
    store: bool,
    stream: bool,
}

impl Api for OpenAi {
    fn provider_id(&self) -> &'static str {
        PROVIDER_ID
    }

    fn content(&self, message: &UserMessage) -> Value {
        content(message)
    }

    #[expect(clippy::expect_used, reason = "its parts are JSON already")]
    fn body(&self, question: &Question<'_>) -> Box<RawValue> {
        let Question { model, request, messages: input } = question;
        to_raw_value(&Body { model, request, input, store: false, stream: true }).expect("a body is JSON")
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(Answer::default())
    }

    fn error(&self, body: &Map<String, Value>) -> Option<ErrorInfo> {
        object(body, "error").and_then(error)
    }

    fn passes(&self, code: &str) -> Option<bool> {
        match code {
            "server_error" | "rate_limit_exceeded" | "slow_down" => Some(true),
            // An account that is used up answers as if it were asked too fast.
            "insufficient_quota" | "billing_hard_limit_reached" | "invalid_api_key" | "invalid_prompt" => {
                Some(false)
            }
            _ => None,
        }
    }
}

/// Words alone are a text; files are parts beside it.
fn content(message: &UserMessage) -> Value {
    if message.files.is_empty() {
        return Value::from(message.text.as_str());
    }
    let words = message.words().map(text_part);
    words.into_iter().chain(message.files.iter().filter_map(file_part)).collect()
}

fn text_part(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

fn file_part(file: &AttachedFile) -> Option<Value> {
    Some(match file.kind()? {
        FileKind::Image => json!({ "type": "input_image", "image_url": file.data_url() }),
        FileKind::Pdf => {
            json!({ "type": "input_file", "filename": file.shown.name, "file_data": file.data_url() })
        }
        FileKind::Text(text) => text_part(&file.among_words(text)),
    })
}

/// `{"code", "type", "message"}`: a code is the most exact, and not always there.
fn error(error: &Map<String, Value>) -> Option<ErrorInfo> {
    let message = text(error, "message").unwrap_or("the API did not say why");
    let kind = text(error, "type").filter(|kind| *kind != "error");
    let code = text(error, "code").or(kind).or_else(|| text(error, "message").map(|_| UNNAMED))?;
    Some(ErrorInfo { code: code.to_owned(), message: message.to_owned() })
}

const UNNAMED: &str = ErrorCode::ResponseError.as_str();
