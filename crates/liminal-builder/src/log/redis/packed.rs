//! States as Redis keeps them: a line of numbers, then the payload. Owns this form.
//!
//! The line is `<seq> <first> <open> <start> <units> <since>`; where there is no growing text, `start` is `-`.

use bytes::Bytes;

use super::super::text::{self, Text};
use super::super::{Entry, Key, LogError, Record};

/// The line before an entry's payload.
pub(super) fn header(entry: &Entry) -> String {
    let Entry { seq, first_seq, .. } = entry;
    let (open, since) = (open(entry.is_open), entry.text.map_or(*seq, |text| text.since));
    format!("{seq} {first_seq} {open} {} {since}\n", place(entry.text.map(|text| (text.start, text.units))))
}

/// What the line says of a record's text; its places are Redis' to give.
pub(super) fn text_of(record: &Record) -> String {
    let units = |start| (start, text::units(text::escaped(&record.bytes, start)));
    place(record.text_start.map(units))
}

pub(super) const fn open(is_open: bool) -> &'static str {
    if is_open { "1" } else { "0" }
}

fn place(text: Option<(usize, u64)>) -> String {
    text.map_or_else(|| "- 0".to_owned(), |(start, units)| format!("{start} {units}"))
}

/// Reads a state back.
pub(super) fn read(key: &str, packed: &Bytes) -> Result<Entry, LogError> {
    let damaged = || LogError::Damaged(format!("Redis holds something else than a state under {key}"));
    let end = memchr::memchr(b'\n', packed).ok_or_else(damaged)?;
    let line = packed.get(..end).and_then(|line| std::str::from_utf8(line).ok()).ok_or_else(damaged)?;
    let [seq, first, open, start, units, since] = words(line).ok_or_else(damaged)?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| damaged());
    let text = match start {
        "-" => None,
        start => {
            let start = start.parse().map_err(|_| damaged())?;
            Some(Text { start, units: number(units)?, since: number(since)? })
        }
    };
    let bytes = packed.slice(end + 1..);
    if text.is_some_and(|text| text.start > bytes.len()) {
        return Err(damaged());
    }
    Ok(Entry {
        seq: number(seq)?,
        first_seq: number(first)?,
        key: Key::parse(key).ok_or_else(damaged)?,
        is_open: open == "1",
        bytes,
        text,
    })
}

fn words(line: &str) -> Option<[&str; 6]> {
    line.split(' ').collect::<Vec<_>>().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let text = Text { start: 3, units: 2, since: 4 };
        for (is_open, text) in [(true, Some(text)), (false, None)] {
            let key = Key::Item("a b".into());
            let bytes = Bytes::from_static(b"{\"\nab\"}");
            let entry = Entry { seq: 9, first_seq: 2, key, is_open, bytes, text };
            let packed = [header(&entry).as_bytes(), &entry.bytes].concat();
            assert_eq!(read(&entry.key.to_string(), &packed.into()), Ok(entry));
        }
    }

    #[test]
    fn anything_else_is_told() {
        for packed in ["", "1 1 1 - 0 1", "1 1 1 - 0\n{}", "x 1 1 - 0 1\n{}", "1 1 1 9 0 1\n{}"] {
            assert!(matches!(read("item:a", &packed.into()), Err(LogError::Damaged(_))), "{packed}");
        }
        assert!(read("other", &"1 1 1 - 0 1\n{}".into()).is_err());
    }
}
