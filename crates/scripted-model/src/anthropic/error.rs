//! Errors in the form of the Messages API.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::answer::Refusal;

/// A refused request.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    kind: String,
    message: String,
    retry_after_seconds: Option<u64>,
}

/// The `error` object, alone in an event and wrapped in a body.
#[derive(Serialize)]
pub(super) struct ErrorDetail<'a> {
    pub(super) r#type: &'a str,
    pub(super) message: &'a str,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    r#type: &'static str,
    error: ErrorDetail<'a>,
    request_id: &'a str,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let kind = kind_of(status.as_u16()).to_owned();
        Self { status, kind, message: message.into(), retry_after_seconds: None }
    }

    pub(super) fn into_response(self, request_id: &str) -> Response {
        let error = ErrorDetail { r#type: &self.kind, message: &self.message };
        let body = Json(ErrorBody { r#type: "error", error, request_id });
        let retry_after =
            self.retry_after_seconds.map(|seconds| [(header::RETRY_AFTER, seconds.to_string())]);
        match retry_after {
            Some(headers) => (self.status, headers, body).into_response(),
            None => (self.status, body).into_response(),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let message = refusal.message.unwrap_or_else(|| default_message(refusal.status));
        let error = Self::new(status, message);
        Self {
            kind: refusal.kind.unwrap_or(error.kind),
            retry_after_seconds: refusal.retry_after_seconds,
            ..error
        }
    }
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

fn default_message(status: u16) -> String {
    match status {
        500 => "Internal server error".into(),
        529 => "Overloaded".into(),
        status => format!("scripted error {status}"),
    }
}
