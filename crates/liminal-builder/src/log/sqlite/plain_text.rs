//! The text of an item as a person reads it. Owns which parts of an item can be found and how a long text is cut into
//! passages; knows nothing of the index.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::super::Entry;

/// About a millisecond of work, and what a hit is shown from.
const PASSAGE_BYTES: usize = 16 << 10;
/// Of a tool's output only the beginning is indexed: nobody looks for line 10,000 of a build.
const TOOL_OUTPUT_BYTES: usize = 64 << 10;
/// How much output is read to get that much text: the rest may be escape sequences.
const RAW_OUTPUT_BYTES: usize = 4 * TOOL_OUTPUT_BYTES;

const ESCAPE: char = '\u{1b}';
/// `ESC [` as one character.
const CONTROL: char = '\u{9b}';
const BELL: char = '\u{7}';

/// What a person can look for in an item; nothing for plans and permissions.
pub(super) fn plain_text(entry: &Entry) -> Option<String> {
    let payload: Value = serde_json::from_slice(&entry.bytes).ok()?;
    let field = |name: &str| payload.get(name).and_then(Value::as_str);
    match field("type")? {
        "message" | "thinking" => field("content").map(|content| visible(content).into_owned()),
        "tool_call" => {
            let mut parts: Vec<&str> = [field("toolName"), field("title")].into_iter().flatten().collect();
            strings(payload.get("toolArguments").unwrap_or(&Value::Null), &mut parts);
            let output = visible(cut(field("toolOutput").unwrap_or_default(), RAW_OUTPUT_BYTES).0);
            let output = cut(&output, TOOL_OUTPUT_BYTES).0;
            Some(format!("{}\n{output}", visible(&parts.join("\n"))))
        }
        _ => None,
    }
}

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text in parts, cut between words where there are any.
pub(super) fn passages(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (passage, behind) = cut(rest, PASSAGE_BYTES);
        rest = behind;
        (!passage.is_empty()).then_some(passage)
    })
}

fn cut(text: &str, bytes: usize) -> (&str, &str) {
    if text.len() <= bytes {
        return (text, "");
    }
    let end = text.floor_char_boundary(bytes);
    let (head, _) = text.split_at(end);
    let between_words = head.rfind(char::is_whitespace).filter(|at| *at > 0);
    text.split_at(between_words.unwrap_or(end))
}

/// The text without the escape sequences of terminals. Their letters would become parts of words: `ESC[31merror` is
/// read as "error" and would be indexed as "31merror".
fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains([ESCAPE, CONTROL]) {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find([ESCAPE, CONTROL]) {
        let (before, sequence) = rest.split_at(at);
        shown.push_str(before);
        rest = after_sequence(sequence);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

fn after_sequence(sequence: &str) -> &str {
    if let Some(rest) = sequence.strip_prefix("\u{1b}[").or_else(|| sequence.strip_prefix(CONTROL)) {
        return after_final(rest, ' '..='?', '@'..='~');
    }
    let rest = sequence.strip_prefix(ESCAPE).unwrap_or_default();
    if rest.starts_with([']', 'P', 'X', '^', '_']) {
        return after_string(rest);
    }
    after_final(rest, ' '..='/', '0'..='~')
}

/// Skips any number of one kind of characters and one of another.
fn after_final(rest: &str, middle: RangeInclusive<char>, last: RangeInclusive<char>) -> &str {
    let rest = rest.trim_start_matches(|letter| middle.contains(&letter));
    rest.strip_prefix(|letter| last.contains(&letter)).unwrap_or(rest)
}

/// Titles, links and other strings for the terminal itself. Some are never ended; those are as long as their line.
fn after_string(rest: &str) -> &str {
    let Some(end) = rest.find([BELL, ESCAPE, '\n']) else { return "" };
    let (_, rest) = rest.split_at(end);
    rest.strip_prefix(BELL).or_else(|| rest.strip_prefix("\u{1b}\\")).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_removed() {
        for (written, read) in [
            ("plain", "plain"),
            ("\u{1b}[31merror\u{1b}[0m: no", "error: no"),
            ("\u{1b}[38;5;196;1mred\u{9b}0m", "red"),
            ("\u{1b}[2K\rdone", "\rdone"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;never ended\nnext", "\nnext"),
            ("\u{1b}(Bascii\u{1b}7saved", "asciisaved"),
            ("cut off \u{1b}[31", "cut off "),
            ("cut off \u{1b}", "cut off "),
            ("\u{1b}\u{1b}[1mtwice", "twice"),
        ] {
            assert_eq!(visible(written), read, "{written:?}");
        }
    }
}
