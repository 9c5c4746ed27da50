//! Errors in the form of the Gemini API.

use serde_json::{Value, json};

use crate::answer::Refusal;

pub(super) fn body(refusal: &Refusal) -> Value {
    let kind = refusal.kind.as_deref().unwrap_or(kind_of(refusal.status));
    let mut error = json!({ "code": refusal.status, "message": refusal.message(), "status": kind });
    if let (Some(seconds), Some(error)) = (refusal.retry_after_seconds, error.as_object_mut()) {
        let delay = format!("{seconds}s");
        let retry = json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay });
        error.insert("details".into(), json!([retry]));
    }
    json!({ "error": error })
}

/// An error inside a stream, which has no status of HTTP any more.
pub(super) fn in_stream(kind: Option<&str>, message: &str) -> Value {
    json!({ "error": { "code": 503, "message": message, "status": kind.unwrap_or(kind_of(503)) } })
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        501 => "UNIMPLEMENTED",
        503 | 529 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}
