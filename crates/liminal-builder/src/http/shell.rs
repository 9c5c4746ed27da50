//! What surrounds every request, whatever becomes of it: the name it must come under, panics, and the headers that
//! tell browsers what our pages may do.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use liminal_core::error::ErrorCode;

use super::app::App;
use super::cors::{self, Guest};
use super::forwarded;
use super::gate::{self, Handled, Peer};
use super::host::Authority;
use super::ledger::{self, Party};
use super::problem::ApiError;

const FIXED: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// The outermost layer.
pub(super) async fn surround(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let name = gate::name(&app, &request);
    let peer = forwarded::client(gate::peer(&request), app.trusted_proxies(), request.headers());
    request.extensions_mut().insert(Peer(peer));
    let path = request.uri().path().to_owned();
    let policy = policy(name.as_ref().ok());
    let guest = Guest::of(request.headers(), app.cors_origins());
    let mut response = match name {
        Ok(_) if guest.is_some() && cors::is_preflight(&request) => cors::granted(),
        Ok(name) => {
            request.extensions_mut().insert(name);
            if let Some(guest) = guest.clone() {
                request.extensions_mut().insert(guest);
            }
            unless_panicked(next.run(request))
                .await
                .unwrap_or_else(|Panicked| ApiError::internal().into_response())
        }
        Err(error) => error.into_response(),
    };
    if let Some(code) = response.extensions().get::<ErrorCode>().copied() {
        app.sessions().metrics().rejected(code.as_str());
        let is_handled = response.extensions().get::<Handled>().is_some();
        if !is_handled && ledger::is_refusal(response.status()) {
            app.ledger().refused(&Party::new(None, peer), &path, code).await;
        }
    }
    add_headers(response.headers_mut(), &policy);
    if let Some(guest) = guest {
        guest.share(response.headers_mut());
    }
    response
}

/// Only our own scripts, styles and connections. `ws:` is named because some browsers do not count it as `'self'`.
fn policy(name: Option<&Authority>) -> String {
    let socket = name.map(|name| format!(" {}", name.sockets())).unwrap_or_default();
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self'{socket}; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; \
         object-src 'none'; require-trusted-types-for 'script'"
    )
}

fn add_headers(headers: &mut HeaderMap, policy: &str) {
    headers.extend(FIXED);
    if let Ok(policy) = HeaderValue::from_str(policy) {
        // What is no page of ours may do less.
        headers.entry(CONTENT_SECURITY_POLICY).or_insert(policy);
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// A handler broke; what it said went to standard error.
struct Panicked;

async fn unless_panicked<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut work = pin!(work);
    // Whatever the handler was changing is dropped with it, so nothing broken is seen again.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(Err(Panicked)),
    })
    .await
}
