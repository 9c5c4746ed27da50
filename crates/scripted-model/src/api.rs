//! What every API does alike: notes the request, asks the script, and sends its reply.
//!
//! It knows no wire format. A module per API implements [`Api`] for its request and brings the routes.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::answer::{Answer, BYTES_PER_TOKEN, Refusal, Reply};
use crate::conversation::Conversation;
use crate::identifiers::Identifiers;
use crate::pacing::{self, Beat};
use crate::server::{HangUp, Shared};

/// A request of one API, and how that API writes what the script replies to it.
pub(crate) trait Api: Sized + 'static {
    /// The header that names a request in every response.
    const REQUEST_ID_HEADER: &'static str;

    fn read(uri: &Uri, body: &[u8]) -> Result<Self, Refusal>;

    fn conversation(&self) -> &Conversation;

    fn stream(&self, identifiers: &Identifiers, answer: Answer) -> Vec<Beat>;

    fn whole(&self, identifiers: &Identifiers, answer: Answer) -> Value;

    /// The body of an error response.
    fn error(refusal: &Refusal, request_id: &str) -> Value;
}

/// An API that tells how large a request is.
pub(crate) trait CountsTokens: Api {
    fn token_count(tokens: usize) -> Value;
}

pub(crate) async fn create<A: Api>(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let request: Result<A, Refusal> = read(&shared, &method, &uri, &body);
    respond::<A>(&shared, request.and_then(|request| reply(&shared, &request)))
}

pub(crate) async fn count_tokens<A: CountsTokens>(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let request: Result<A, Refusal> = read(&shared, &method, &uri, &body);
    let count = A::token_count(body.len().div_ceil(BYTES_PER_TOKEN));
    respond::<A>(&shared, request.map(|_| Json(count).into_response()))
}

/// For every path that the API does not know.
pub(crate) async fn unknown_route<A: Api>(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    shared.record(&method, &uri, &body, None);
    respond::<A>(&shared, Err(Refusal::because(404, "Not found")))
}

pub(crate) async fn wrong_method<A: Api>(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    shared.record(&method, &uri, &body, None);
    respond::<A>(&shared, Err(Refusal::because(405, "Method Not Allowed")))
}

/// Reads a JSON body; what is wrong with it becomes the message of the refusal.
pub(crate) fn read_json<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::because(400, error.to_string()))
}

fn read<A: Api>(shared: &Shared, method: &Method, uri: &Uri, body: &Bytes) -> Result<A, Refusal> {
    let request = A::read(uri, body);
    shared.record(method, uri, body, request.as_ref().ok().map(A::conversation));
    request
}

fn reply<A: Api>(shared: &Shared, request: &A) -> Result<Response, Refusal> {
    match shared.script.reply(request.conversation()) {
        Reply::Answer(answer) => Ok(answer_response(shared, request, answer)),
        Reply::Refusal(refusal) => Err(refusal),
        Reply::HangUp => Ok(HangUp::response()),
    }
}

fn answer_response<A: Api>(shared: &Shared, request: &A, answer: Answer) -> Response {
    if !request.conversation().stream {
        return Json(request.whole(&shared.identifiers, answer)).into_response();
    }
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    let writes = shared.writes.of(request.conversation());
    (headers, pacing::play(request.stream(&shared.identifiers, answer), writes)).into_response()
}

fn respond<A: Api>(shared: &Shared, result: Result<Response, Refusal>) -> Response {
    let request_id = shared.identifiers.next("req_");
    let mut response = result.unwrap_or_else(|refusal| error_response::<A>(&refusal, &request_id));
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(A::REQUEST_ID_HEADER, value);
    }
    response
}

fn error_response<A: Api>(refusal: &Refusal, request_id: &str) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Json(A::error(refusal, request_id))).into_response();
    if let Some(seconds) = refusal.retry_after_seconds {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
