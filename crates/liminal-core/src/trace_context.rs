//! The distributed trace that an event belongs to. Owns the type; its texts are passed on and never interpreted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::json;

/// A position in a distributed trace, by the headers of W3C Trace Context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct TraceContext {
    /// The header `traceparent`.
    pub traceparent: String,
    /// The header `tracestate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tracestate: Option<String>,
}

impl TraceContext {
    /// The context as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::text(self)
    }
}
