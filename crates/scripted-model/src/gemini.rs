//! The Gemini API, which Gemini CLI speaks: its routes, and replies in its wire format.
//!
//! It owns this API's wire format and nothing else: what to reply is the script's business.

mod error;
mod request;
mod response;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, Uri};
use axum::response::Response as HttpResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use self::response::Response;
use crate::answer::{Answer, Refusal};
use crate::api::{self, Api, CountsTokens};
use crate::conversation::Conversation;
use crate::identifiers::Identifiers;
use crate::pacing::Beat;
use crate::server::Shared;
use crate::timeline;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1beta/models", get(list_models))
        .route("/v1beta/models/{call}", post(call))
        .route("/v1beta/{*path}", post(api::unknown_route::<Request>))
        .method_not_allowed_fallback(api::wrong_method::<Request>)
}

pub(crate) struct Request {
    conversation: Conversation,
}

impl Api for Request {
    const REQUEST_ID_HEADER: &'static str = "x-request-id";

    fn read(uri: &Uri, body: &[u8]) -> Result<Self, Refusal> {
        request::read(uri.path(), body).map(|conversation| Self { conversation })
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn stream(&self, identifiers: &Identifiers, answer: Answer) -> Vec<Beat> {
        let response = Response::new(identifiers, &self.conversation.model, answer);
        timeline::beats(response.answer(), |moment| response.frames(moment))
    }

    fn whole(&self, identifiers: &Identifiers, answer: Answer) -> Value {
        Response::new(identifiers, &self.conversation.model, answer).whole()
    }

    fn error(refusal: &Refusal, _: &str) -> Value {
        error::body(refusal)
    }
}

impl CountsTokens for Request {
    fn token_count(tokens: usize) -> Value {
        json!({ "totalTokens": tokens })
    }
}

/// The path names the model and what to do, with a colon in between.
async fn call(state: State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> HttpResponse {
    if uri.path().ends_with(":countTokens") {
        return api::count_tokens::<Request>(state, method, uri, body).await;
    }
    api::create::<Request>(state, method, uri, body).await
}

async fn list_models(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Json<Value> {
    shared.record(&method, &uri, &[], None);
    let verbs = ["generateContent", "countTokens"];
    let model = json!({ "name": "models/scripted-model", "supportedGenerationMethods": verbs });
    Json(json!({ "models": [model] }))
}
