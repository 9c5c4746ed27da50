//! Finished items into the search index, and their texts into less room. Owns which part of which item is next. Items are noted when they are written
//! and indexed in small steps when the writer has nothing else to do, so nobody waits for a large text.

use rusqlite::{Connection, OptionalExtension, params};

use super::super::LogError;
use super::packing::BLOCK_BYTES;
use super::plain_text::{passages, plain_text};
use super::{renewal, rows};

/// The item that is being indexed.
#[derive(Debug, Default)]
pub(super) struct Indexing {
    current: Option<Item>,
    may_have_more: bool,
    /// Whether every entry of an older index is noted.
    is_renewed: bool,
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
        *self = Self { current: None, may_have_more: true, is_renewed: self.is_renewed };
    }

    pub(super) const fn is_idle(&self) -> bool {
        self.current.is_none() && !self.may_have_more
    }

    /// One passage; tells whether there may be more.
    pub(super) fn step(&mut self, connection: &Connection) -> Result<bool, LogError> {
        if !self.is_renewed {
            self.is_renewed = renewal::step(connection)?;
            return Ok(true);
        }
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
            done(connection, &item)?;
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
    // A damaged entry is told to those who read it; it must not keep the others out of the index.
    let entry = rows::at(connection, place).ok().flatten();
    let is_lying = entry.as_ref().is_some_and(|entry| entry.bytes.len() >= BLOCK_BYTES);
    let text = entry.as_ref().and_then(plain_text).unwrap_or_default();
    Ok(Some(Item { place, text, number: 0, is_lying }))
}

/// A passage that is indexed again keeps its id, because hits are ordered by it.
fn write(connection: &Connection, place: i64, number: usize, passage: &str) -> Result<(), LogError> {
    let number = rows::number(number as u64);
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM passage WHERE place = ?1 AND number = ?2")?
        .query_row([place, number], |row| row.get(0))
        .optional()?;
    let id = if let Some(id) = known {
        connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([id])?;
        id
    } else {
        connection
            .prepare_cached("INSERT INTO passage (place, number) VALUES (?1, ?2)")?
            .execute([place, number])?;
        connection.last_insert_rowid()
    };
    connection
        .prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
        .execute(params![id, passage])?;
    Ok(())
}

/// Removes the passages that an earlier index had beyond the last one.
fn done(connection: &Connection, item: &Item) -> Result<(), LogError> {
    const SURPLUS: &str = "place = ?1 AND number >= ?2";
    let from = [item.place, rows::number(item.number as u64)];
    let words = format!("DELETE FROM words WHERE rowid IN (SELECT id FROM passage WHERE {SURPLUS})");
    connection.prepare_cached(&words)?.execute(from)?;
    connection.prepare_cached(&format!("DELETE FROM passage WHERE {SURPLUS}"))?.execute(from)?;
    connection.prepare_cached("DELETE FROM unindexed WHERE place = ?1")?.execute([item.place])?;
    Ok(())
}
