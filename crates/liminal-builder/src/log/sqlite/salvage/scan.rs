//! Rows of a damaged table. Owns how to get past what cannot be read: from the other side.

use rusqlite::{Connection, Params, Row};

use super::super::super::LogError;

/// Gives out the rows of a table from its beginning; where that ends at something that cannot be read, also from its
/// end, in which case rows may come twice. The statement ends in the column to order by. Tells whether all were read.
pub(in super::super) fn both_ways(
    connection: &Connection,
    sql: &str,
    parameters: impl Params + Copy,
    mut each: impl FnMut(&Row<'_>) -> Result<(), LogError>,
) -> Result<bool, LogError> {
    let is_whole = one_way(connection, sql, parameters, &mut each)?;
    if !is_whole {
        one_way(connection, &format!("{sql} DESC"), parameters, &mut each)?;
    }
    Ok(is_whole)
}

/// What is wrong with the rows ends the scan; what is wrong with their taker is an error.
fn one_way(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    each: &mut impl FnMut(&Row<'_>) -> Result<(), LogError>,
) -> Result<bool, LogError> {
    let Ok(mut statement) = connection.prepare(sql) else { return Ok(false) };
    let Ok(mut rows) = statement.query(parameters) else { return Ok(false) };
    loop {
        match rows.next() {
            Ok(Some(row)) => each(row)?,
            Ok(None) => return Ok(true),
            Err(_) => return Ok(false),
        }
    }
}

/// One number, if it can be read.
pub(in super::super) fn number(connection: &Connection, sql: &str, parameters: impl Params) -> Option<i64> {
    connection.query_row(sql, parameters, |row| row.get(0)).ok()
}
