//! Errors in the form of the Messages API.

use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::Refusal;

/// The `error` object, alone in an event and wrapped in a body.
#[derive(Serialize)]
pub(super) struct ErrorDetail<'a> {
    pub(super) r#type: &'a str,
    pub(super) message: &'a str,
}

pub(super) fn body(refusal: &Refusal, request_id: &str) -> Value {
    let kind = refusal.kind.as_deref().unwrap_or(kind_of(refusal.status));
    let error = ErrorDetail { r#type: kind, message: &refusal.message() };
    json!({ "type": "error", "error": error, "request_id": request_id })
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
