//! Indexes of earlier versions. Owns which version an index has and that an older one is made again: entries are noted
//! a few at a time while the writer is idle, so that a start does not wait, and what was indexed is found meanwhile.

use rusqlite::Connection;

use super::super::LogError;
use super::{indexing, meta};

/// Increased when the same item would be indexed differently. 2: without escape sequences.
const VERSION: &str = "2";
const VERSION_NAME: &str = "index";
/// The last entry that was noted, so that a stopped server continues behind it.
const THROUGH_NAME: &str = "index-through";
/// Entries per step, about a millisecond.
const STEP: i64 = 500;

/// Notes the next entries; returns whether the index has this version.
pub(super) fn step(connection: &Connection) -> Result<bool, LogError> {
    if meta::get(connection, VERSION_NAME)?.as_deref() == Some(VERSION) {
        return Ok(true);
    }
    let through = meta::get(connection, THROUGH_NAME)?.and_then(|place| place.parse().ok());
    let places = finished(connection, through.unwrap_or(i64::MIN))?;
    let Some(last) = places.last() else {
        meta::set(connection, VERSION_NAME, VERSION)?;
        meta::remove(connection, THROUGH_NAME)?;
        return Ok(true);
    };
    places.iter().try_for_each(|place| indexing::note(connection, *place))?;
    meta::set(connection, THROUGH_NAME, &last.to_string())?;
    Ok(false)
}

fn finished(connection: &Connection, after: i64) -> Result<Vec<i64>, LogError> {
    let mut statement = connection.prepare_cached(
        "SELECT place FROM entry WHERE place > ?1 AND is_open = 0 AND key LIKE 'item:%' ORDER BY place LIMIT ?2",
    )?;
    let places = statement.query_map([after, STEP], |row| row.get(0))?;
    Ok(places.collect::<Result<_, _>>()?)
}
