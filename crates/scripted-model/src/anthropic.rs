//! The Anthropic Messages API: its routes, and replies in its wire format.
//!
//! It owns this API's wire format and nothing else: what to reply is the script's business.

mod error;
mod event;
mod message;
mod request;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::http::Uri;
use axum::routing::post;
use serde_json::{Value, json};

use self::message::Message;
use crate::answer::{Answer, Refusal};
use crate::api::{self, Api, CountsTokens};
use crate::conversation::Conversation;
use crate::identifiers::Identifiers;
use crate::pacing::Beat;
use crate::server::Shared;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/messages", post(api::create::<Request>))
        .route("/v1/messages/count_tokens", post(api::count_tokens::<Request>))
        .method_not_allowed_fallback(api::wrong_method::<Request>)
}

pub(crate) struct Request {
    conversation: Conversation,
}

impl Api for Request {
    const REQUEST_ID_HEADER: &'static str = "request-id";

    fn read(_: &Uri, body: &[u8]) -> Result<Self, Refusal> {
        request::read(body).map(|conversation| Self { conversation })
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn stream(&self, identifiers: &Identifiers, answer: Answer) -> Vec<Beat> {
        stream::beats(&Message::new(identifiers, &self.conversation.model, answer))
    }

    fn whole(&self, identifiers: &Identifiers, answer: Answer) -> Value {
        json!(Message::new(identifiers, &self.conversation.model, answer).whole())
    }

    fn error(refusal: &Refusal, request_id: &str) -> Value {
        error::body(refusal, request_id)
    }
}

impl CountsTokens for Request {
    fn token_count(tokens: usize) -> Value {
        json!({ "input_tokens": tokens })
    }
}
