//! The page. Owns the files that are embedded in the program; nothing is ever read from disk for a request.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};

const INDEX: &str = include_str!("../../../../web/index.html");
const STYLE: &str = include_str!("../../../../web/style.css");

/// A new version of the program has a new page.
const CACHE: &str = "no-cache";

pub(super) async fn index() -> impl IntoResponse {
    ([(CACHE_CONTROL, CACHE)], Html(INDEX))
}

pub(super) async fn style() -> impl IntoResponse {
    ([(CACHE_CONTROL, CACHE), (CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}
