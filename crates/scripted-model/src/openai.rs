//! What the two APIs of OpenAI have in common: routes, content, errors, token counts and the list of models.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{Method, Uri};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answer, Refusal};
use crate::api::{self, Api};
use crate::conversation::Conversation;
use crate::errand::Errand;
use crate::history::History;
use crate::identifiers::Identifiers;
use crate::pacing::Beat;
use crate::server::Shared;

/// When everything was made: there is no clock here.
pub(crate) const CREATED: u64 = 1_767_225_600;

/// What a fault in a stream is called when the script does not name it.
pub(crate) const DEFAULT_ERROR: &str = "server_error";

/// A request of one of the two.
pub(crate) struct Request<W> {
    pub(crate) conversation: Conversation,
    /// What it asks for besides.
    pub(crate) wishes: W,
}

/// What both tell beside their history.
pub(crate) struct Told {
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) system: String,
    /// The form that the answer must have.
    pub(crate) schema: Option<Value>,
    /// Sessions name themselves.
    pub(crate) session: Option<String>,
}

impl Told {
    pub(crate) fn with(self, history: &History) -> Conversation {
        let Self { model, stream, system, schema, session } = self;
        let session = session.unwrap_or_default();
        Conversation {
            identity: format!("{session} {} {}", history.length(), history.prompt()),
            turn: history.turn(),
            results: history.results(),
            prompt: history.prompt().to_owned(),
            errand: Errand::find(&system, schema),
            system,
            model,
            stream,
        }
    }
}

/// What differs between the two: what is asked for besides the conversation, and how replies are written.
pub(crate) trait Wishes: Sized + 'static {
    fn read(body: &[u8]) -> Result<Request<Self>, Refusal>;

    fn stream(request: &Request<Self>, identifiers: &Identifiers, answer: Answer) -> Vec<Beat>;

    fn whole(request: &Request<Self>, identifiers: &Identifiers, answer: Answer) -> Value;
}

impl<W: Wishes> Api for Request<W> {
    const REQUEST_ID_HEADER: &'static str = "x-request-id";

    fn read(_: &Uri, body: &[u8]) -> Result<Self, Refusal> {
        W::read(body)
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn stream(&self, identifiers: &Identifiers, answer: Answer) -> Vec<Beat> {
        W::stream(self, identifiers, answer)
    }

    fn whole(&self, identifiers: &Identifiers, answer: Answer) -> Value {
        W::whole(self, identifiers, answer)
    }

    fn error(refusal: &Refusal, _: &str) -> Value {
        error_body(refusal)
    }
}

/// One path, with and without the version before it: clients differ in what they take for the base.
pub(crate) fn routes<W: Wishes>(path: &str) -> Router<Arc<Shared>> {
    Router::new()
        .route(&format!("/v1{path}"), post(api::create::<Request<W>>))
        .route(path, post(api::create::<Request<W>>))
        .method_not_allowed_fallback(api::wrong_method::<Request<W>>)
}

/// Text, or parts that may hold text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
pub(crate) struct Part {
    text: Option<String>,
}

impl Content {
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Parts(parts) => parts.iter().filter_map(|part| part.text.as_deref()).collect(),
        }
    }
}

/// The list of models, for clients that ask before they talk.
pub(crate) fn models<A: Api>() -> Router<Arc<Shared>> {
    Router::new().route("/v1/models", get(list_models)).method_not_allowed_fallback(api::wrong_method::<A>)
}

fn error_body(refusal: &Refusal) -> Value {
    let (kind, code) = match refusal.kind.as_deref() {
        Some(kind) => (kind, Some(kind)),
        None => kind_of(refusal.status),
    };
    json!({ "error": { "message": refusal.message(), "type": kind, "param": null, "code": code } })
}

async fn list_models(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Json<Value> {
    shared.record(&method, &uri, &[], None);
    let model =
        json!({ "id": "scripted-model", "object": "model", "created": CREATED, "owned_by": "scripted" });
    Json(json!({ "object": "list", "data": [model] }))
}

/// The type and the code of an error.
fn kind_of(status: u16) -> (&'static str, Option<&'static str>) {
    match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        429 => ("rate_limit_error", Some("rate_limit_exceeded")),
        500.. => ("server_error", None),
        _ => ("invalid_request_error", None),
    }
}
