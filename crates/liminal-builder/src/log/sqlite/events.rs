//! Canonical events as they came. Owns how many of a session are kept: the newest, within limits.

use bytes::Bytes;
use rusqlite::{Connection, Row, params};

use super::super::LogError;
use super::rows::number;
use super::{Settings, checksum};

/// Adds events behind the others and forgets the oldest beyond the limits.
pub(super) fn write(
    connection: &Connection,
    session: i64,
    events: &[Bytes],
    limits: Settings,
) -> Result<(), LogError> {
    let (mut next, mut bytes): (i64, i64) = connection
        .prepare_cached("SELECT next_event, event_bytes FROM session WHERE id = ?1")?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut insert = connection
        .prepare_cached("INSERT INTO event (session, number, body, checksum) VALUES (?1, ?2, ?3, ?4)")?;
    for event in events {
        insert.execute(params![session, next, event.as_ref(), sum(session, next, event)])?;
        bytes += number(event.len() as u64);
        next += 1;
    }
    let excess = bytes - number(limits.event_bytes as u64);
    bytes -= forget(connection, session, next - number(limits.event_rows as u64), excess)?;
    connection
        .prepare_cached("UPDATE session SET next_event = ?2, event_bytes = ?3 WHERE id = ?1")?
        .execute([session, next, bytes])?;
    Ok(())
}

/// Adds events with the numbers they have elsewhere.
pub(super) fn import(connection: &Connection, session: i64, events: &[(u64, Bytes)]) -> Result<(), LogError> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO event (session, number, body, checksum) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (event, body) in events {
        let event = number(*event);
        insert.execute(params![session, event, body.as_ref(), sum(session, event, body)])?;
    }
    let bytes: u64 = events.iter().map(|(_, body)| body.len() as u64).sum();
    let next = events.last().map_or(1, |(event, _)| event + 1);
    connection
        .prepare_cached(
            "UPDATE session SET next_event = max(next_event, ?2), event_bytes = event_bytes + ?3 WHERE id = ?1",
        )?
        .execute([session, number(next), number(bytes)])?;
    Ok(())
}

/// Forgets events before a number, and older ones until so many bytes are free. Tells how many bytes that were.
fn forget(connection: &Connection, session: i64, before: i64, excess: i64) -> Result<i64, LogError> {
    let mut oldest = connection
        .prepare_cached("SELECT number, length(body) FROM event WHERE session = ?1 ORDER BY number")?;
    let mut rows = oldest.query([session])?;
    let (mut last, mut freed) = (None, 0);
    while let Some(row) = rows.next()? {
        let event: i64 = row.get(0)?;
        if event >= before && freed >= excess {
            break;
        }
        freed += row.get::<_, i64>(1)?;
        last = Some(event);
    }
    if let Some(last) = last {
        connection
            .prepare_cached("DELETE FROM event WHERE session = ?1 AND number <= ?2")?
            .execute([session, last])?;
    }
    Ok(freed)
}

/// Events after a number, oldest first.
pub(super) fn read(
    connection: &Connection,
    session: i64,
    after: u64,
    limit: usize,
) -> Result<Vec<(u64, Bytes)>, LogError> {
    let mut statement = connection.prepare_cached(
        "SELECT number, body, checksum FROM event WHERE session = ?1 AND number > ?2 ORDER BY number LIMIT ?3",
    )?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query([session, number(after), most])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let (number, body) = event(session, row)?;
        events.push((number.cast_unsigned(), body));
    }
    Ok(events)
}

/// Reads everything, to find what is not what was stored.
pub(super) fn check(connection: &Connection) -> Result<(), LogError> {
    let mut statement = connection.prepare("SELECT number, body, checksum, session FROM event")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        event(row.get(3)?, row)?;
    }
    Ok(())
}

/// The event of a row of its number, body and sum.
pub(super) fn event(session: i64, row: &Row<'_>) -> Result<(i64, Bytes), LogError> {
    let (event, body): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
    if row.get::<_, i64>(2)? != sum(session, event, &body) {
        return Err(LogError::Damaged(format!("event {event} has another sum than it should")));
    }
    Ok((event, Bytes::from(body)))
}

fn sum(session: i64, event: i64, body: &[u8]) -> i64 {
    checksum::sum(&[&session.to_le_bytes(), &event.to_le_bytes(), body])
}
