//! Writing JSON to memory. Owns the one claim that this cannot fail.

use serde::Serialize;

/// Appends a value as JSON.
#[expect(
    clippy::expect_used,
    reason = "memory takes every byte, and no type of ours has keys that are not text"
)]
pub(crate) fn append(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("a value of ours is JSON");
}

/// A value as JSON text.
#[expect(clippy::expect_used, reason = "see `append`")]
pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a value of ours is JSON")
}
