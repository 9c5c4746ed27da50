//! The Anthropic Messages API: its routes, and replies as HTTP responses.
//!
//! It owns this API's wire format and nothing else: what to reply is the script's business, and
//! a second API would be a module beside this one.

mod error;
mod event;
mod message;
mod request;
mod stream;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::json;

use self::error::ApiError;
use self::message::Message;
use crate::answer::{Answer, Reply};
use crate::conversation::Conversation;
use crate::pacing;
use crate::server::{HangUp, Shared};

/// A token is about four bytes of English: close enough for a script.
const BYTES_PER_TOKEN: usize = 4;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/messages", post(create_message))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .method_not_allowed_fallback(wrong_method)
}

async fn create_message(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let conversation = request::read(&body);
    shared.record(&method, &uri, body.len(), conversation.as_ref().ok());
    respond(&shared, conversation.and_then(|conversation| reply(&shared, &conversation)))
}

async fn count_tokens(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let conversation = request::read(&body);
    shared.record(&method, &uri, body.len(), conversation.as_ref().ok());
    let count = json!({ "input_tokens": body.len().div_ceil(BYTES_PER_TOKEN) });
    respond(&shared, conversation.map(|_| Json(count).into_response()))
}

/// For every path that no API knows: their clients read errors of this form best.
pub(crate) async fn unknown_route(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    shared.record(&method, &uri, body.len(), None);
    respond(&shared, Err(ApiError::new(StatusCode::NOT_FOUND, "Not found")))
}

async fn wrong_method(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    shared.record(&method, &uri, body.len(), None);
    respond(&shared, Err(ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")))
}

fn reply(shared: &Shared, conversation: &Conversation) -> Result<Response, ApiError> {
    match shared.script.reply(conversation) {
        Reply::Answer(answer) => Ok(answer_response(shared, conversation, answer)),
        Reply::Refusal(refusal) => Err(refusal.into()),
        Reply::HangUp => Ok(HangUp::response()),
    }
}

fn answer_response(shared: &Shared, conversation: &Conversation, answer: Answer) -> Response {
    let message = Message::new(&shared.identifiers, &conversation.model, answer);
    if !conversation.stream {
        return Json(message.whole()).into_response();
    }
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, pacing::play(stream::beats(&message))).into_response()
}

fn respond(shared: &Shared, result: Result<Response, ApiError>) -> Response {
    let request_id = shared.identifiers.request();
    let mut response = result.unwrap_or_else(|error| error.into_response(&request_id));
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert("request-id", value);
    }
    response
}
