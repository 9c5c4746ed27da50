//! The OpenAI Chat Completions API, which opencode speaks: its routes, and replies in its wire format.
//!
//! It owns this API's wire format and nothing else: what to reply is the script's business.

mod completion;
mod request;

use std::sync::Arc;

use axum::Router;
use axum::http::Uri;
use axum::routing::post;
use serde_json::Value;

use self::completion::Completion;
use crate::answer::{Answer, Refusal};
use crate::api::{self, Api};
use crate::conversation::Conversation;
use crate::identifiers::Identifiers;
use crate::openai;
use crate::pacing::Beat;
use crate::server::Shared;
use crate::timeline;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/chat/completions", post(api::create::<Request>))
        .route("/chat/completions", post(api::create::<Request>))
        .method_not_allowed_fallback(api::wrong_method::<Request>)
}

pub(crate) struct Request {
    conversation: Conversation,
    /// Whether a stream ends with its token counts.
    include_usage: bool,
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
        let completion = Completion::new(identifiers, self, answer);
        timeline::beats(completion.answer(), |moment| completion.frames(moment))
    }

    fn whole(&self, identifiers: &Identifiers, answer: Answer) -> Value {
        Completion::new(identifiers, self, answer).whole()
    }

    fn error(refusal: &Refusal, _: &str) -> Value {
        openai::error_body(refusal)
    }
}
