//! The OpenAI Chat Completions API, which opencode speaks: its routes, and replies in its wire format.
//!
//! It owns this API's wire format and nothing else: what to reply is the script's business.

mod completion;
mod request;

use std::sync::Arc;

use axum::Router;
use serde_json::Value;

use self::completion::Completion;
use crate::answer::{Answer, Refusal};
use crate::identifiers::Identifiers;
use crate::openai::{self, Wishes};
use crate::pacing::Beat;
use crate::server::Shared;
use crate::timeline;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    openai::routes::<Usage>("/chat/completions")
}

type Request = openai::Request<Usage>;

pub(crate) struct Usage {
    /// Whether a stream ends with its token counts.
    is_included: bool,
}

impl Wishes for Usage {
    fn read(body: &[u8]) -> Result<Request, Refusal> {
        request::read(body)
    }

    fn stream(request: &Request, identifiers: &Identifiers, answer: Answer) -> Vec<Beat> {
        let completion = Completion::new(identifiers, request, answer);
        timeline::beats(completion.answer(), |moment| completion.frames(moment))
    }

    fn whole(request: &Request, identifiers: &Identifiers, answer: Answer) -> Value {
        Completion::new(identifiers, request, answer).whole()
    }
}
