//! Numbers messages, tool calls and requests: unique within a server, the same from run to run.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
pub(crate) struct Identifiers {
    messages: AtomicU64,
    tools: AtomicU64,
    requests: AtomicU64,
}

impl Identifiers {
    pub(crate) fn message(&self) -> String {
        numbered("msg", &self.messages)
    }

    pub(crate) fn tool(&self) -> String {
        numbered("toolu", &self.tools)
    }

    pub(crate) fn request(&self) -> String {
        numbered("req", &self.requests)
    }
}

/// Padded to the length of real identifiers, because clients show and store them.
fn numbered(prefix: &str, counter: &AtomicU64) -> String {
    let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
    format!("{prefix}_{number:024}")
}
