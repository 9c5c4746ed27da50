//! Canonical events as they came. Owns how many of a session are kept: the newest, within limits. The newest lie as they
//! are; those before them are packed when the writer has nothing else to do.

mod row;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};

use super::super::LogError;
use super::Settings;
use super::packing::BLOCK_BYTES;
use super::rows::number;
pub(super) use row::{COLUMNS, Stored, read as row};

/// An event of this size is packed at once: it fills a block nearly alone.
const LARGE: usize = BLOCK_BYTES / 2;

/// Adds events behind the others and forgets the oldest beyond the limits. Tells how many bytes lie unpacked for it.
pub(super) fn write(
    connection: &Connection,
    session: i64,
    events: &[Bytes],
    limits: Settings,
) -> Result<usize, LogError> {
    let (mut next, mut bytes): (i64, i64) = connection
        .prepare_cached("SELECT next_event, event_bytes FROM session WHERE id = ?1")?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut unpacked = 0;
    for event in events {
        let is_packed = event.len() >= LARGE;
        if is_packed {
            // What lies before a packed event could not be packed together later.
            while pack(connection, session)? {}
        }
        unpacked = if is_packed { 0 } else { unpacked + event.len() };
        let stored = Stored { first: next, events: vec![event.clone()], is_packed };
        stored.insert(connection, session)?;
        bytes += stored.bytes();
        next += 1;
    }
    let excess = bytes - number(limits.event_bytes as u64);
    bytes -= forget(connection, session, next - number(limits.event_rows as u64), excess)?;
    connection
        .prepare_cached("UPDATE session SET next_event = ?2, event_bytes = ?3 WHERE id = ?1")?
        .execute([session, next, bytes])?;
    Ok(unpacked)
}

/// Adds events with the numbers they have elsewhere, in order. Those that are here already stay as they are.
pub(super) fn import(connection: &Connection, session: i64, events: &[(u64, Bytes)]) -> Result<(), LogError> {
    let next: i64 = connection
        .prepare_cached("SELECT next_event FROM session WHERE id = ?1")?
        .query_row([session], |row| row.get(0))?;
    for (event, body) in events.iter().filter(|(event, _)| number(*event) >= next) {
        let is_packed = body.len() >= LARGE;
        let stored = Stored { first: number(*event), events: vec![body.clone()], is_packed };
        stored.insert(connection, session)?;
        connection
            .prepare_cached(
                "UPDATE session SET next_event = ?2, event_bytes = event_bytes + ?3 WHERE id = ?1",
            )?
            .execute([session, stored.first + 1, stored.bytes()])?;
    }
    Ok(())
}

/// Forgets events before a number, and older ones until so many bytes are free. Tells how many bytes that were.
fn forget(connection: &Connection, session: i64, before: i64, excess: i64) -> Result<i64, LogError> {
    let mut freed = 0;
    while freed < excess || is_before(connection, session, before)? {
        let Some(oldest) = oldest(connection, session)? else { break };
        connection
            .prepare_cached("DELETE FROM event WHERE session = ?1 AND number = ?2")?
            .execute([session, oldest.first])?;
        let goes_whole = oldest.events.len() == 1 || oldest.last() < before;
        if goes_whole {
            freed += oldest.bytes();
            continue;
        }
        // Some of them may stay.
        for (first, event) in oldest.numbered() {
            Stored { first, events: vec![event], is_packed: false }.insert(connection, session)?;
        }
    }
    Ok(freed)
}

/// Whether there is an event before a number. The first one has 1.
fn is_before(connection: &Connection, session: i64, before: i64) -> Result<bool, LogError> {
    if before <= 1 {
        return Ok(false);
    }
    let mut statement = connection.prepare_cached("SELECT min(number) < ?2 FROM event WHERE session = ?1")?;
    let found: Option<bool> = statement.query_row([session, before], |row| row.get(0))?;
    Ok(found.unwrap_or(false))
}

fn oldest(connection: &Connection, session: i64) -> Result<Option<Stored>, LogError> {
    let sql = format!("SELECT {COLUMNS} FROM event WHERE session = ?1 ORDER BY number LIMIT 1");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row([session], |found| Ok(row(session, found))).optional()?;
    found.transpose()
}

/// Packs the newest events that lie as they are, if there are several. Tells whether there may be more.
pub(super) fn pack(connection: &Connection, session: i64) -> Result<bool, LogError> {
    let block = lying(connection, session)?;
    if block.events.len() < 2 {
        return Ok(false);
    }
    connection
        .prepare_cached("DELETE FROM event WHERE session = ?1 AND number BETWEEN ?2 AND ?3")?
        .execute([session, block.first, block.last()])?;
    block.insert(connection, session)?;
    Ok(true)
}

/// The oldest events behind the last packed ones, as many as make a block.
fn lying(connection: &Connection, session: i64) -> Result<Stored, LogError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM event WHERE session = ?1 AND number > coalesce((SELECT number FROM event
            WHERE session = ?1 AND unpacked IS NOT NULL ORDER BY number DESC LIMIT 1), 0) ORDER BY number"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([session])?;
    let (mut block, mut bytes) = (Stored { first: 0, events: Vec::new(), is_packed: true }, 0);
    while bytes < number(BLOCK_BYTES as u64)
        && let Some(found) = rows.next()?
    {
        let stored = row(session, found)?;
        bytes += stored.bytes();
        if block.events.is_empty() {
            block.first = stored.first;
        }
        block.events.extend(stored.events);
    }
    Ok(block)
}

/// Events after a number, oldest first.
pub(super) fn read(
    connection: &Connection,
    session: i64,
    after: u64,
    limit: usize,
) -> Result<Vec<(u64, Bytes)>, LogError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM event WHERE session = ?1 AND number >= coalesce(
            (SELECT max(number) FROM event WHERE session = ?1 AND number <= ?2), 0) ORDER BY number"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![session, number(after)])?;
    let mut events = Vec::new();
    while events.len() < limit
        && let Some(found) = rows.next()?
    {
        let found = row(session, found)?.numbered().map(|(number, body)| (number.cast_unsigned(), body));
        events.extend(found.filter(|(number, _)| *number > after).take(limit - events.len()));
    }
    Ok(events)
}

/// Reads everything, to find what is not what was stored.
pub(super) fn check(connection: &Connection) -> Result<(), LogError> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS}, session FROM event"))?;
    let mut rows = statement.query([])?;
    while let Some(found) = rows.next()? {
        row(found.get(5)?, found)?;
    }
    Ok(())
}
