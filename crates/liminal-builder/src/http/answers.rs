//! What handlers answer with where a status or a form of its own is needed. Owns that each form says what it is, so
//! that it can be described.

use std::marker::PhantomData;

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use super::ledger::Target;
use super::operation::{Answer, Content, Give, Type};

/// Something was made, and what it is called.
#[derive(Debug)]
pub(super) struct Created<T>(pub(super) T, pub(super) Target);

/// Something was taken, and goes on after the answer.
#[derive(Debug)]
pub(super) struct Accepted<T>(pub(super) T);

/// It was done, and there is nothing to say.
#[derive(Debug)]
pub(super) struct Done;

/// JSON of a type that was written elsewhere.
#[derive(Debug)]
pub(super) struct Written<T>(Body, PhantomData<fn() -> T>);

/// A stream of server-sent events whose data is of a type.
#[derive(Debug)]
pub(super) struct Events<T>(Response, PhantomData<fn() -> T>);

/// Plain text of which a range may have been asked for.
#[derive(Debug)]
pub(super) struct Ranges(pub(super) Response);

/// A page that is a part of this program.
#[derive(Debug)]
pub(super) struct Page(pub(super) &'static str);

/// The style of such a page.
#[derive(Debug)]
pub(super) struct Style(pub(super) &'static str);

/// The page itself, which browsers never keep.
#[derive(Debug)]
pub(super) struct Shown(pub(super) &'static str);

/// A file of the page.
#[derive(Debug)]
pub(super) struct PageFile(pub(super) Response);

/// Whether the server is ready, in words.
#[derive(Debug)]
pub(super) struct Readiness(pub(super) Vec<String>);

/// Counts, as Prometheus reads them.
#[derive(Debug)]
pub(super) struct Counts(pub(super) String);

/// A socket on its way.
#[derive(Debug)]
pub(super) struct Socket(pub(super) Response);

impl<T> Written<T> {
    pub(super) fn new(json: impl Into<Body>) -> Self {
        Self(json.into(), PhantomData)
    }
}

impl<T> Events<T> {
    pub(super) fn new(stream: Response) -> Self {
        Self(stream, PhantomData)
    }
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Extension(self.1), Json(self.0)).into_response()
    }
}

impl<T: JsonSchema> Give for Created<T> {
    const ANSWER: Answer = Answer::json::<T>(201);
}

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        (StatusCode::ACCEPTED, Json(self.0)).into_response()
    }
}

impl<T: JsonSchema> Give for Accepted<T> {
    const ANSWER: Answer = Answer::json::<T>(202);
}

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl Give for Done {
    const ANSWER: Answer = Answer { status: 204, content: Content::Nothing };
}

impl<T> IntoResponse for Written<T> {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl<T: JsonSchema> Give for Written<T> {
    const ANSWER: Answer = Answer::json::<T>(200);
}

impl<T> IntoResponse for Events<T> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<T: JsonSchema> Give for Events<T> {
    const ANSWER: Answer = Answer { status: 200, content: Content::Events(Type::of::<T>()) };
}

impl IntoResponse for Ranges {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Give for Ranges {
    const ANSWER: Answer = Answer { status: 200, content: Content::Ranges };
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        Html(self.0).into_response()
    }
}

impl Give for Page {
    const ANSWER: Answer = Answer::text(&["text/html"]);
}

impl IntoResponse for Style {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "text/css; charset=utf-8")], self.0).into_response()
    }
}

impl Give for Style {
    const ANSWER: Answer = Answer::text(&["text/css"]);
}

impl IntoResponse for Shown {
    fn into_response(self) -> Response {
        Html(self.0).into_response()
    }
}

impl Give for Shown {
    const ANSWER: Answer = Answer::text(&["text/html"]);
}

impl IntoResponse for PageFile {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Give for PageFile {
    const ANSWER: Answer = Answer::text(&["text/javascript", "text/css", "image/svg+xml"]);
}

impl IntoResponse for Readiness {
    fn into_response(self) -> Response {
        if self.0.is_empty() {
            return "ready\n".into_response();
        }
        let reasons: String = self.0.into_iter().map(|reason| format!("{reason}\n")).collect();
        (StatusCode::SERVICE_UNAVAILABLE, format!("not ready\n{reasons}")).into_response()
    }
}

impl Give for Readiness {
    const ANSWER: Answer = Answer::text(&["text/plain"]);
}

impl IntoResponse for Counts {
    fn into_response(self) -> Response {
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        ([(CONTENT_TYPE, kind)], self.0).into_response()
    }
}

impl Give for Counts {
    const ANSWER: Answer = Answer::text(&["application/openmetrics-text"]);
}

impl IntoResponse for Socket {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Give for Socket {
    const ANSWER: Answer = Answer { status: 101, content: Content::Socket };
}
