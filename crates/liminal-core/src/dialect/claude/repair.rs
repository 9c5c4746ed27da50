//! Lines that JSON readers refuse for half a character. Owns their repair: JavaScript cuts long outputs inside
//! surrogate pairs, and other programs cut them inside UTF-8.

use std::borrow::Cow;

const REPLACEMENT: &str = "\\ufffd";
/// `\uXXXX`.
const ESCAPE: usize = 6;

/// The line with every broken character replaced; `None` if there is none.
pub(super) fn repaired(line: &[u8]) -> Option<String> {
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) => lone_surrogates(text),
        Cow::Owned(text) => Some(lone_surrogates(&text).unwrap_or(text)),
    }
}

/// The text with each lone surrogate replaced; `None` if there is none to replace.
fn lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let Some(unit) = escaped_unit(text, at) else {
            at = next_char(text, at + 1);
            continue;
        };
        let is_pair = is_high(unit) && escaped_unit(text, at + ESCAPE).is_some_and(is_low);
        if !is_pair && (is_high(unit) || is_low(unit)) {
            repaired.push_str(text.get(copied..at)?);
            repaired.push_str(REPLACEMENT);
            copied = at + ESCAPE;
        }
        at += if is_pair { 2 * ESCAPE } else { ESCAPE };
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(text.get(copied..)?);
    Some(repaired)
}

/// The UTF-16 unit that is written as an escape here.
fn escaped_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// The place behind the character here: whatever a backslash escapes begins no escape of its own.
fn next_char(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_pair_is_replaced() {
        for (given, expected) in [
            (r"cut \ud83d", Some(r"cut \ufffd")),
            (r"\ude00 and \ud83d\n", Some(r"\ufffd and \ufffd\n")),
            (r"\ud83d\ud83d\ude00", Some(r"\ufffd\ud83d\ude00")),
            (r"whole \ud83d\ude00", None),
            (r"escaped \\ud83d", None),
            (r"short \ud8", None),
            ("plain \u{1f600}", None),
            ("\\\u{1f600}\\", None),
        ] {
            assert_eq!(lone_surrogates(given).as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(repaired(b"a \xff b").as_deref(), Some("a \u{fffd} b"));
        assert_eq!(repaired(b"\xe2\x82 \\ud83d").as_deref(), Some("\u{fffd} \\ufffd"));
        assert_eq!(repaired("sound \u{1f600}".as_bytes()), None);
    }
}
