//! Walks through a prompt from directive to directive, past the words in between.

use serde_json::{Map, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Say,
    Think,
    Then,
    Tool,
    Words,
    Status,
    RetryAfter,
    SseError,
    Drop,
    Stall,
    Slow,
    Stop,
}

/// What must follow the name of a key, so that everyday words are not taken for directives.
#[derive(Clone, Copy)]
enum Form {
    /// A colon; the value may be empty or stand after a space.
    Text,
    /// A colon and the value without a space.
    Value,
    /// Nothing; the value is optional.
    Bare,
    /// Nothing; but without a value it must stand alone, for it is an everyday word.
    BareAlone,
}

const KEYS: [(&str, Key, Form); 12] = [
    ("say", Key::Say, Form::Text),
    ("think", Key::Think, Form::Text),
    ("then", Key::Then, Form::Text),
    ("tool", Key::Tool, Form::Value),
    ("words", Key::Words, Form::Value),
    ("status", Key::Status, Form::Value),
    ("retry-after", Key::RetryAfter, Form::Value),
    ("drop", Key::Drop, Form::Value),
    ("slow", Key::Slow, Form::Value),
    ("stop", Key::Stop, Form::Value),
    ("sse-error", Key::SseError, Form::Bare),
    ("stall", Key::Stall, Form::BareAlone),
];

pub(super) struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Goes on to the next directive and returns its key; what follows is its value.
    pub(super) fn next_key(&mut self) -> Option<Key> {
        let mut alone = true;
        loop {
            alone |= self.skip_white_space().contains('\n');
            if self.rest.is_empty() {
                return None;
            }
            if let Some((key, value)) = key_at(self.rest, alone) {
                self.rest = value;
                return Some(key);
            }
            self.word();
            alone = false;
        }
    }

    /// Takes everything up to the next white space.
    pub(super) fn word(&mut self) -> &'a str {
        self.take(self.rest.find(char::is_whitespace).unwrap_or(self.rest.len()))
    }

    /// Takes everything up to the next directive or the end of the line. `\n` in it is a line break.
    pub(super) fn text(&mut self) -> String {
        let line = self.rest.lines().next().unwrap_or_default();
        let end = word_starts(line).find(|(_, rest)| key_at(rest, false).is_some());
        let end = end.map_or(line.len(), |(start, _)| start);
        self.take(end).trim().replace("\\n", "\n")
    }

    /// Takes the JSON object that follows on this line; no object is an empty one.
    pub(super) fn object(&mut self) -> Result<Map<String, Value>, serde_json::Error> {
        if !self.rest.trim_start_matches(' ').starts_with('{') {
            return Ok(Map::new());
        }
        let mut objects = serde_json::Deserializer::from_str(self.rest).into_iter();
        let object = objects.next().unwrap_or_else(|| Ok(Map::new()))?;
        self.take(objects.byte_offset());
        Ok(object)
    }

    fn skip_white_space(&mut self) -> &'a str {
        self.take(self.rest.len() - self.rest.trim_start().len())
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

/// The key that `text` starts with, and the value behind it.
fn key_at(text: &str, alone: bool) -> Option<(Key, &str)> {
    KEYS.iter().find_map(|(name, key, form)| Some((*key, form.value(text.strip_prefix(name)?, alone)?)))
}

impl Form {
    /// The value in what follows the name of the key, if that has the right form.
    fn value(self, after: &str, alone: bool) -> Option<&str> {
        match self {
            Self::Text => after.strip_prefix(':'),
            Self::Value => after.strip_prefix(':').filter(|value| !starts_blank(value)),
            Self::Bare => Some(after).filter(|after| starts_blank(after) || after.starts_with([':', 'x'])),
            Self::BareAlone if after.starts_with(':') => Some(after),
            Self::BareAlone => Self::Bare.value(after, alone).filter(|after| alone && ends_directive(after)),
        }
    }
}

fn starts_blank(text: &str) -> bool {
    !text.starts_with(|character: char| !character.is_whitespace())
}

/// Whether, after the rest of this word, the line ends or another directive follows.
fn ends_directive(after: &str) -> bool {
    let line = after.lines().next().unwrap_or_default();
    let Some((_, next)) = line.split_once(' ') else { return true };
    next.trim().is_empty() || key_at(next.trim_start(), true).is_some()
}

/// The words of `line` that white space comes before, each with its place and what follows.
fn word_starts(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.char_indices().filter(|(_, character)| character.is_whitespace()).filter_map(|(index, blank)| {
        let start = index + blank.len_utf8();
        line.get(start..).map(|rest| (start, rest))
    })
}
