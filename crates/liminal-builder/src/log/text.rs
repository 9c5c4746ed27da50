//! Growing texts inside payloads. Owns where a text lies in its payload and how long it is for JavaScript, so that
//! storing or sending what was added needs no parsing.

use liminal_core::upsert::{Upsert, UpsertBody};
use memchr::memmem;

/// A payload with a text ends in `"}`.
pub(super) const END: &[u8] = b"\"}";

/// The text that ends a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Where its escaped form begins in the payload.
    pub start: usize,
    /// How many UTF-16 units it has.
    pub units: u64,
    /// Every state of the item from this place on holds a beginning of it.
    pub since: u64,
}

/// The escaped text of a payload that has one.
pub(super) fn escaped(payload: &[u8], start: usize) -> &[u8] {
    payload.get(start..payload.len().saturating_sub(END.len())).unwrap_or_default()
}

/// Where the escaped text begins in a payload, if the item's kind has one. A key cannot be mistaken for a part of a
/// text: there its quotes would be escaped.
pub(super) fn start(upsert: &Upsert, payload: &[u8]) -> Option<usize> {
    const CONTENT: &[u8] = b"\"content\":\"";
    const OUTPUT: &[u8] = b"\"toolOutput\":\"";
    match &upsert.body {
        UpsertBody::Message(_) | UpsertBody::Thinking(_) => {
            memmem::find(payload, CONTENT).map(|at| at + CONTENT.len())
        }
        // Arguments may have any keys, so it is the last one that counts.
        UpsertBody::ToolCall(call) if call.tool_output.is_some() => {
            memmem::rfind(payload, OUTPUT).map(|at| at + OUTPUT.len())
        }
        UpsertBody::ToolCall(_) | UpsertBody::Plan(_) | UpsertBody::Permission(_) => None,
    }
}

/// How many UTF-16 units an escaped text stands for. The text must not end inside an escape.
pub(super) fn units(escaped: &[u8]) -> u64 {
    let (mut units, mut rest) = (0, escaped);
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        let length = if escape.get(1) == Some(&b'u') { 6 } else { 2 };
        units += plain_units(plain) + 1;
        rest = escape.get(length..).unwrap_or_default();
    }
    units + plain_units(rest)
}

/// One for each character, two for those outside the basic plane.
fn plain_units(text: &[u8]) -> u64 {
    let first_bytes = text.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    let pairs = text.iter().filter(|byte| **byte >= 0xf0).count();
    (first_bytes + pairs) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn units_are_those_of_javascript(text: String) {
            let json = serde_json::to_string(&text).unwrap();
            let inside = &json[1..json.len() - 1];
            prop_assert_eq!(units(inside.as_bytes()), text.encode_utf16().count() as u64);
        }
    }
}
