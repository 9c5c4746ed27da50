//! The OpenAI Responses API, which Codex speaks: its routes, and replies in its wire format.
//!
//! It owns this API's wire format and nothing else: what to reply is the script's business.

mod item;
mod request;
mod response;
mod stream;
mod tool_kinds;

use std::sync::Arc;

use axum::Router;
use axum::http::Uri;
use axum::routing::post;
use serde_json::Value;

use self::response::Response;
use self::tool_kinds::ToolKinds;
use crate::answer::{Answer, Refusal};
use crate::api::{self, Api};
use crate::conversation::Conversation;
use crate::identifiers::Identifiers;
use crate::openai;
use crate::pacing::Beat;
use crate::server::Shared;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/responses", post(api::create::<Request>))
        .route("/responses", post(api::create::<Request>))
        .method_not_allowed_fallback(api::wrong_method::<Request>)
}

pub(crate) struct Request {
    conversation: Conversation,
    tool_kinds: ToolKinds,
}

impl Api for Request {
    const REQUEST_ID_HEADER: &'static str = "x-request-id";

    fn read(_: &Uri, body: &[u8]) -> Result<Self, Refusal> {
        request::read(body)
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn stream(&self, identifiers: &Identifiers, answer: Answer) -> Vec<Beat> {
        stream::beats(&self.respond(identifiers, answer))
    }

    fn whole(&self, identifiers: &Identifiers, answer: Answer) -> Value {
        self.respond(identifiers, answer).ended()
    }

    fn error(refusal: &Refusal, _: &str) -> Value {
        openai::error_body(refusal)
    }
}

impl Request {
    fn respond(&self, identifiers: &Identifiers, answer: Answer) -> Response {
        Response::new(identifiers, &self.conversation.model, &self.tool_kinds, answer)
    }
}
