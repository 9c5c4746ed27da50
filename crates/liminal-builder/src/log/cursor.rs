//! Places in a log. Owns their text form and the verdict on a place that a client brings back.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use liminal_core::wire::Resume;

use crate::clock;

/// A place in one life of one session's log. Its text form is `<epoch>.<seq>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The life of the log.
    pub epoch: Arc<str>,
    /// The place; 0 is before the first entry.
    pub seq: u64,
}

/// A text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor; expected `<epoch>.<seq>` as the server sent it")]
pub struct BadCursor;

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.epoch, self.seq)
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (epoch, seq) = text.rsplit_once('.').ok_or(BadCursor)?;
        // The number's own reader would take a sign.
        let is_number = !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
        let seq = is_number.then(|| seq.parse().ok()).flatten().ok_or(BadCursor)?;
        Ok(Self { epoch: epoch.into(), seq })
    }
}

/// The newest place of a log, and the oldest one that can be read on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The life of the log; changes when the log is rebuilt.
    pub epoch: Arc<str>,
    /// The newest place.
    pub seq: u64,
    /// What changed after this place is kept.
    pub floor: u64,
}

impl Head {
    /// The beginning of a new life.
    pub(super) fn begin() -> Self {
        let chance = clock::new_session_uuid();
        let epoch = chance.split('-').next().unwrap_or(&chance).into();
        Self { epoch, seq: 0, floor: 0 }
    }

    /// The newest place.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        Cursor { epoch: Arc::clone(&self.epoch), seq: self.seq }
    }

    /// Whether the place was given out in this life of the log, but has not come here yet.
    #[must_use]
    pub fn is_behind(&self, place: &Cursor) -> bool {
        place.epoch == self.epoch && place.seq > self.seq
    }

    /// Whether everything that changed after the place is known here.
    #[must_use]
    pub fn verdict(&self, after: &Cursor) -> Resume {
        let is_kept = (self.floor..=self.seq).contains(&after.seq);
        if after.epoch == self.epoch && is_kept { Resume::Ok } else { Resume::Reset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for text in ["k3v9.0", "k3v9.412", ".1", "a.b.7", "k3v9.18446744073709551615"] {
            assert_eq!(text.parse::<Cursor>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn garbage_is_no_cursor() {
        for text in ["", "k3v9", "k3v9.", "k3v9.+1", "k3v9.-1", "k3v9.1x", "k3v9.18446744073709551616"] {
            assert_eq!(text.parse::<Cursor>(), Err(BadCursor), "{text}");
        }
    }

    #[test]
    fn only_a_place_of_this_life_that_is_kept_can_be_read_on_from() {
        let head = Head { epoch: "a".into(), seq: 10, floor: 4 };
        let cases = [
            ("a.4", Resume::Ok),
            ("a.10", Resume::Ok),
            ("a.3", Resume::Reset),
            ("a.11", Resume::Reset),
            ("b.5", Resume::Reset),
        ];
        for (text, expected) in cases {
            assert_eq!(head.verdict(&text.parse().unwrap()), expected, "{text}");
        }
    }
}
