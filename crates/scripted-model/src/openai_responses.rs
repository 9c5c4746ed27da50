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
use serde_json::Value;

use self::response::Response;
use self::tool_kinds::ToolKinds;
use crate::answer::{Answer, Refusal};
use crate::identifiers::Identifiers;
use crate::openai::{self, Wishes};
use crate::pacing::Beat;
use crate::server::Shared;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    openai::routes::<ToolKinds>("/responses")
}

pub(crate) type Request = openai::Request<ToolKinds>;

impl Wishes for ToolKinds {
    fn read(body: &[u8]) -> Result<Request, Refusal> {
        request::read(body)
    }

    fn stream(request: &Request, identifiers: &Identifiers, answer: Answer) -> Vec<Beat> {
        stream::beats(&respond(request, identifiers, answer))
    }

    fn whole(request: &Request, identifiers: &Identifiers, answer: Answer) -> Value {
        respond(request, identifiers, answer).ended()
    }
}

fn respond(request: &Request, identifiers: &Identifiers, answer: Answer) -> Response {
    Response::new(identifiers, &request.conversation.model, &request.wishes, answer)
}
