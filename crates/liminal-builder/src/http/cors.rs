//! Pages of other origins that the user named. Owns what browsers are told for them: that they may ask, with the token
//! and never with a cookie. Without a name of theirs in the settings nothing here is ever said.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderName, ORIGIN,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};

use super::web_origin::WebOrigin;

/// What a browser is told before it lets such a page ask.
const GRANTED: [(HeaderName, HeaderValue); 3] = [
    (ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE")),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type, idempotency-key, last-event-id, range"),
    ),
    (ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600")),
];
const READABLE: HeaderValue = HeaderValue::from_static("content-disposition, content-range, retry-after");

/// The page that asks is of an origin that the user named.
#[derive(Debug, Clone)]
pub(super) struct Guest(HeaderValue);

impl Guest {
    /// Whether exactly one origin is told, and it is one of these to the letter.
    pub(super) fn of(headers: &HeaderMap, named: &[WebOrigin]) -> Option<Self> {
        let mut told = headers.get_all(ORIGIN).into_iter();
        let (origin, more) = (told.next()?, told.next());
        let is_named = named.iter().any(|named| named.to_string().as_bytes() == origin.as_bytes());
        (is_named && more.is_none()).then(|| Self(origin.clone()))
    }

    /// Lets the page read an answer.
    pub(super) fn share(self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READABLE);
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
}

/// Whether a browser asks if a page may ask.
pub(super) fn is_preflight(request: &Request) -> bool {
    *request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to that for a page that may.
pub(super) fn granted() -> Response {
    (StatusCode::NO_CONTENT, GRANTED).into_response()
}
