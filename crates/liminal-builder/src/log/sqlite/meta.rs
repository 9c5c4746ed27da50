//! From one start of the server to the next. Owns what the database remembers of how it was left.

use rusqlite::{Connection, OptionalExtension, params};

use super::super::{Head, LogError};
use super::opening;
use crate::platform;

const LEFT: &str = "left";

/// Notes that the database is in use. If the machine went down while it was, a streamed tail may be missing that
/// readers have seen, so their cursors are made useless.
pub(super) fn enter(connection: &Connection) -> Result<(), LogError> {
    let boot = platform::boot_id().unwrap_or_default();
    let was_left = get(connection, LEFT)?.is_none_or(|left| left == "1");
    let is_other_boot = get(connection, "boot")?.is_some_and(|before| before != boot);
    connection.execute_batch("BEGIN IMMEDIATE")?;
    if !was_left && is_other_boot {
        renew_epochs(connection)?;
    }
    set(connection, LEFT, "0")?;
    set(connection, "boot", &boot)?;
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// Whether the server before this one was stopped and not killed.
pub(super) fn was_left_well(connection: &Connection) -> bool {
    get(connection, LEFT).is_ok_and(|left| left.as_deref() == Some("1"))
}

fn renew_epochs(connection: &Connection) -> Result<(), LogError> {
    let mut statement = connection.prepare("SELECT id, name, floor FROM session")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (id, name, floor) in rows.collect::<Result<Vec<(i64, String, i64)>, _>>()? {
        let epoch = Head::begin().epoch;
        let sum = opening::session_sum(id, &name, &epoch, floor);
        connection
            .prepare_cached("UPDATE session SET epoch = ?2, checksum = ?3 WHERE id = ?1")?
            .execute(params![id, &*epoch, sum])?;
    }
    Ok(())
}

/// Notes that nothing is missing, and leaves one whole file.
pub(super) fn leave(connection: Connection) -> Result<(), LogError> {
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    set(&connection, LEFT, "1")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error.into())
}

pub(super) fn get(connection: &Connection, name: &str) -> Result<Option<String>, LogError> {
    let value = connection.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0));
    Ok(value.optional()?)
}

pub(super) fn set(connection: &Connection, name: &str, value: &str) -> Result<(), LogError> {
    const SQL: &str = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
    connection.execute(SQL, [name, value])?;
    Ok(())
}

pub(super) fn remove(connection: &Connection, name: &str) -> Result<(), LogError> {
    connection.execute("DELETE FROM meta WHERE name = ?1", [name])?;
    Ok(())
}
