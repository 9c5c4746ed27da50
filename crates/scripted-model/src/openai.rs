//! What the two APIs of OpenAI have in common: content, errors, token counts and the list of models.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{Method, Uri};
use axum::{Json, Router, routing::get};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Refusal;
use crate::api::{self, Api};
use crate::server::Shared;

/// When everything was made: there is no clock here.
pub(crate) const CREATED: u64 = 1_767_225_600;

/// What a fault in a stream is called when the script does not name it.
pub(crate) const DEFAULT_ERROR: &str = "server_error";

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

pub(crate) fn error_body(refusal: &Refusal) -> Value {
    let (kind, code) = match refusal.kind.as_deref() {
        Some(kind) => (kind, Some(kind)),
        None => kind_of(refusal.status),
    };
    json!({ "error": { "message": refusal.message(), "type": kind, "param": null, "code": code } })
}

async fn list_models(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Json<Value> {
    shared.record(&method, &uri, 0, None);
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
