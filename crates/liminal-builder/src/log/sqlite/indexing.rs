//! Finished items into the search index, and their texts into less room. Owns which part of which item is next. Items are noted when they are written
//! and indexed in small steps when the writer has nothing else to do, so nobody waits for a large text.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::super::{Entry, LogError};
use super::packing::BLOCK_BYTES;
use super::rows;

/// About a millisecond of work, and what a hit is shown from.
const PASSAGE_BYTES: usize = 16 << 10;
/// Of a tool's output only the beginning is indexed: nobody looks for line 10,000 of a build.
const TOOL_OUTPUT_BYTES: usize = 64 << 10;

/// The item that is being indexed.
#[derive(Debug, Default)]
pub(super) struct Indexing {
    current: Option<Item>,
    may_have_more: bool,
}

#[derive(Debug)]
struct Item {
    place: i64,
    text: String,
    number: usize,
    /// Some of its stored text may not be packed yet. That comes first, because the index then fills the room it leaves.
    is_lying: bool,
}

/// Notes that an item is finished.
pub(super) fn note(connection: &Connection, place: i64) -> Result<(), LogError> {
    connection.prepare_cached("INSERT OR IGNORE INTO unindexed (place) VALUES (?1)")?.execute([place])?;
    Ok(())
}

impl Indexing {
    /// Looks for items, beginning with those that an earlier start left.
    pub(super) const fn wake(&mut self) {
        self.may_have_more = true;
    }

    /// Items were forgotten, perhaps the one at hand.
    pub(super) fn restart(&mut self) {
        *self = Self { current: None, may_have_more: true };
    }

    pub(super) const fn is_idle(&self) -> bool {
        self.current.is_none() && !self.may_have_more
    }

    /// One passage; tells whether there may be more.
    pub(super) fn step(&mut self, connection: &Connection) -> Result<bool, LogError> {
        let Some(item) = self.current.take().map_or_else(|| next(connection), |item| Ok(Some(item)))? else {
            self.may_have_more = false;
            return Ok(false);
        };
        if item.is_lying {
            // A damaged text is told to those who read it.
            let is_lying = rows::pack(connection, item.place).unwrap_or(false);
            self.current = Some(Item { is_lying, ..item });
            return Ok(true);
        }
        let Some(passage) = passages(&item.text).nth(item.number) else {
            done(connection, item.place)?;
            return Ok(true);
        };
        write(connection, item.place, item.number, passage)?;
        self.current = Some(Item { number: item.number + 1, ..item });
        Ok(true)
    }
}

fn next(connection: &Connection) -> Result<Option<Item>, LogError> {
    let place: Option<i64> = connection
        .prepare_cached("SELECT place FROM unindexed LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(place) = place else { return Ok(None) };
    // What was indexed before the server was stopped is indexed again.
    connection
        .execute("DELETE FROM words WHERE rowid IN (SELECT id FROM passage WHERE place = ?1)", [place])?;
    connection.execute("DELETE FROM passage WHERE place = ?1", [place])?;
    // A damaged entry is told to those who read it; it must not keep the others out of the index.
    let entry = rows::at(connection, place).ok().flatten();
    let is_lying = entry.as_ref().is_some_and(|entry| entry.bytes.len() >= BLOCK_BYTES);
    let text = entry.as_ref().and_then(plain_text).unwrap_or_default();
    Ok(Some(Item { place, text, number: 0, is_lying }))
}

fn write(connection: &Connection, place: i64, number: usize, passage: &str) -> Result<(), LogError> {
    connection
        .prepare_cached("INSERT INTO passage (place, number) VALUES (?1, ?2)")?
        .execute(params![place, rows::number(number as u64)])?;
    connection
        .prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
        .execute(params![connection.last_insert_rowid(), passage])?;
    Ok(())
}

fn done(connection: &Connection, place: i64) -> Result<(), LogError> {
    connection.prepare_cached("DELETE FROM unindexed WHERE place = ?1")?.execute([place])?;
    Ok(())
}

/// What a person can look for in an item; nothing for plans and permissions.
pub(super) fn plain_text(entry: &Entry) -> Option<String> {
    let payload: Value = serde_json::from_slice(&entry.bytes).ok()?;
    let field = |name: &str| payload.get(name).and_then(Value::as_str);
    match field("type")? {
        "message" | "thinking" => field("content").map(str::to_owned),
        "tool_call" => {
            let mut parts: Vec<&str> = [field("toolName"), field("title")].into_iter().flatten().collect();
            strings(payload.get("toolArguments").unwrap_or(&Value::Null), &mut parts);
            let output = field("toolOutput").unwrap_or_default();
            parts.push(cut(output, TOOL_OUTPUT_BYTES).0);
            Some(parts.join("\n"))
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
