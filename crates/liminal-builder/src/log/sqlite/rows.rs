//! Entries as rows. Owns how a state is stored and read back: small ones whole, large growing texts in parts, so that
//! what is written grows with the text and not with its square.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::text::{self, Text};
use super::super::{Entry, Key, Limit, LogError};
use super::{checksum, packing};

/// Below it a state is written whole; a part has its own cost.
const SMALLEST_GROWN: usize = 4 << 10;
/// Up to it a finished text is put together again, so that reading it is one look.
const LARGEST_WHOLE: usize = 64 << 10;
const FIRST_SEQ_BITS: u32 = 40;

/// Which state of an open item the disk has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    seq: u64,
    text_bytes: usize,
    is_grown: bool,
}

/// Where an entry lies.
pub(super) fn place(session: i64, first_seq: u64) -> i64 {
    (session << FIRST_SEQ_BITS) | number(first_seq)
}

pub(super) const fn session_of(place: i64) -> i64 {
    place >> FIRST_SEQ_BITS
}

pub(super) const fn first_seq_of(place: i64) -> u64 {
    (place & ((1 << FIRST_SEQ_BITS) - 1)).cast_unsigned()
}

/// SQLite's numbers have a sign; places and sizes never reach it.
pub(super) const fn number(value: u64) -> i64 {
    value.cast_signed()
}

pub(super) fn first_seq(connection: &Connection, session: i64, key: &Key) -> Result<Option<u64>, LogError> {
    let mut statement =
        connection.prepare_cached("SELECT place FROM entry WHERE session = ?1 AND key = ?2")?;
    let place = statement.query_row(params![session, key.to_string()], |row| row.get(0)).optional()?;
    Ok(place.map(first_seq_of))
}

/// Writes the latest state of a key over the one that the disk has.
pub(super) fn write(
    connection: &Connection,
    session: i64,
    entry: &Entry,
    stored: Option<Stored>,
) -> Result<Stored, LogError> {
    let text_bytes = entry.escaped_text().len();
    let only_grew = |stored: &Stored| entry.text.is_some_and(|text| text.since <= stored.seq);
    let is_large = text_bytes >= if entry.is_open { SMALLEST_GROWN } else { LARGEST_WHOLE };
    match stored.filter(only_grew).filter(|_| is_large) {
        Some(stored) => write_growth(connection, session, entry, stored)?,
        None => write_whole(connection, session, entry, stored)?,
    }
    let is_grown = is_large && stored.as_ref().is_some_and(only_grew);
    Ok(Stored { seq: entry.seq, text_bytes, is_grown })
}

fn write_whole(
    connection: &Connection,
    session: i64,
    entry: &Entry,
    stored: Option<Stored>,
) -> Result<(), LogError> {
    // An item whose earlier state is not known may have parts from before a restart.
    if stored.map_or(entry.first_seq < entry.seq, |stored| stored.is_grown) {
        connection
            .prepare_cached("DELETE FROM growth WHERE place = ?1")?
            .execute([place(session, entry.first_seq)])?;
    }
    write_row(connection, session, entry, &entry.bytes, false)
}

fn write_growth(
    connection: &Connection,
    session: i64,
    entry: &Entry,
    stored: Stored,
) -> Result<(), LogError> {
    let start = entry.text.map_or(0, |text| text.start);
    let position = if stored.is_grown { stored.text_bytes } else { 0 };
    write_row(connection, session, entry, entry.bytes.get(..start).unwrap_or_default(), true)?;
    let added = entry.escaped_text().get(position..).unwrap_or_default();
    if added.is_empty() {
        return Ok(());
    }
    let (place, position) = (place(session, entry.first_seq), number(position as u64));
    let sum = part_sum(place, position, added, None);
    connection
        .prepare_cached("INSERT INTO growth (place, position, text, checksum) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![place, position, added, sum])?;
    Ok(())
}

fn write_row(
    connection: &Connection,
    session: i64,
    entry: &Entry,
    payload: &[u8],
    is_grown: bool,
) -> Result<(), LogError> {
    const SQL: &str = "INSERT INTO entry
        (place, session, key, seq, is_open, text_start, is_grown, payload, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT (place) DO UPDATE SET seq = ?4, is_open = ?5, text_start = ?6, is_grown = ?7, payload = ?8,
        checksum = ?9";
    let (place, key) = (place(session, entry.first_seq), entry.key.to_string());
    let text_start = entry.text.map(|text| number(text.start as u64));
    let row =
        RowSum { place, key: &key, seq: number(entry.seq), is_open: entry.is_open, text_start, is_grown };
    let sum = row.sum(payload, grown_bytes(entry, is_grown));
    connection.prepare_cached(SQL)?.execute(params![
        place,
        session,
        key,
        row.seq,
        row.is_open,
        text_start,
        is_grown,
        payload,
        sum
    ])?;
    Ok(())
}

fn grown_bytes(entry: &Entry, is_grown: bool) -> usize {
    if is_grown { entry.escaped_text().len() } else { 0 }
}

/// What the sum of a row covers.
struct RowSum<'a> {
    place: i64,
    key: &'a str,
    seq: i64,
    is_open: bool,
    text_start: Option<i64>,
    is_grown: bool,
}

impl RowSum<'_> {
    /// The number of bytes outside stands for the parts, each of which has its own sum.
    fn sum(&self, payload: &[u8], bytes_outside: usize) -> i64 {
        let numbers = [self.place, self.seq, self.text_start.unwrap_or(-1), number(bytes_outside as u64)];
        let numbers: Vec<u8> = numbers.into_iter().flat_map(i64::to_le_bytes).collect();
        let flags = [u8::from(self.is_open), u8::from(self.is_grown)];
        checksum::sum(&[&numbers, &flags, self.key.as_bytes(), payload])
    }
}

pub(super) const COLUMNS: &str = "place, key, seq, is_open, text_start, is_grown, payload, checksum";

/// Entries after a place and up to another, in order of `seq`; and whether there are more.
pub(super) fn changes(
    connection: &Connection,
    session: i64,
    (after, through): (u64, u64),
    limit: Limit,
) -> Result<(Vec<Entry>, bool), LogError> {
    let sql =
        format!("SELECT {COLUMNS} FROM entry WHERE session = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq");
    entries(connection, &sql, params![session, number(after), number(through)], limit)
}

/// The newest entries that first appeared before a place, newest first.
pub(super) fn history(
    connection: &Connection,
    session: i64,
    (before, through): (Option<u64>, u64),
    limit: Limit,
) -> Result<Vec<Entry>, LogError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM entry WHERE place > ?1 AND place < ?2 AND seq <= ?3 ORDER BY place DESC"
    );
    let end = before.map_or_else(|| place(session + 1, 0), |before| place(session, before));
    entries(connection, &sql, params![place(session, 0), end, number(through)], limit)
        .map(|(entries, _)| entries)
}

/// The oldest entries that first appeared after a place, in their order; and whether there are more.
pub(super) fn later(
    connection: &Connection,
    session: i64,
    (after, through): (u64, u64),
    limit: Limit,
) -> Result<(Vec<Entry>, bool), LogError> {
    let sql =
        format!("SELECT {COLUMNS} FROM entry WHERE place > ?1 AND place < ?2 AND seq <= ?3 ORDER BY place");
    let bounds = params![place(session, after), place(session + 1, 0), number(through)];
    entries(connection, &sql, bounds, limit)
}

/// The open items of a session, in order of their first appearance. Looks at all of them: it is asked once per start,
/// and an index would cost a write per state.
pub(super) fn open_items(connection: &Connection, session: i64) -> Result<Vec<Entry>, LogError> {
    let sql =
        format!("SELECT {COLUMNS} FROM entry WHERE place > ?1 AND place < ?2 AND is_open = 1 ORDER BY place");
    let bounds = params![place(session, 0), place(session + 1, 0)];
    entries(connection, &sql, bounds, Limit::NONE).map(|(entries, _)| entries)
}

pub(super) fn at(connection: &Connection, place: i64) -> Result<Option<Entry>, LogError> {
    let sql = format!("SELECT {COLUMNS} FROM entry WHERE place = ?1");
    entries(connection, &sql, params![place], Limit::NONE).map(|(entries, _)| entries.into_iter().next())
}

/// Reads everything, to find what is not what was stored.
pub(super) fn check(connection: &Connection) -> Result<(), LogError> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM entry ORDER BY place"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        read(connection, row)?;
    }
    Ok(())
}

/// Reads rows one by one, in the order of an index, and no further than to the limit.
fn entries(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
    limit: Limit,
) -> Result<(Vec<Entry>, bool), LogError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if !found.is_empty() && limit.is_reached(found.len(), bytes) {
            return Ok((found, true));
        }
        let entry = read(connection, row)?;
        bytes += entry.bytes.len();
        found.push(entry);
    }
    Ok((found, false))
}

/// The entry of a row of [`COLUMNS`].
pub(super) fn read(connection: &Connection, row: &Row<'_>) -> Result<Entry, LogError> {
    let place: i64 = row.get(0)?;
    let key = row.get_ref(1)?.as_str().map_err(|error| LogError::Damaged(error.to_string()))?;
    let sums = RowSum {
        place,
        key,
        seq: row.get(2)?,
        is_open: row.get(3)?,
        text_start: row.get(4)?,
        is_grown: row.get(5)?,
    };
    let payload = row.get_ref(6)?.as_blob().map_err(|error| LogError::Damaged(error.to_string()))?;
    let grown = if sums.is_grown { growth(connection, place)? } else { Vec::new() };
    if row.get::<_, i64>(7)? != sums.sum(payload, grown.len()) {
        return Err(LogError::Damaged(format!("entry {} has another sum than it should", sums.seq)));
    }
    let bytes = if sums.is_grown { [payload, &grown, text::END].concat() } else { payload.to_vec() };
    let unknown = || LogError::Damaged(format!("no key is written as {key}"));
    let seq = sums.seq.cast_unsigned();
    let text = sums.text_start.and_then(|start| usize::try_from(start).ok()).map(|start| Text {
        start,
        units: text::units(text::escaped(&bytes, start)),
        since: seq,
    });
    Ok(Entry {
        seq,
        first_seq: first_seq_of(place),
        key: Key::parse(key).ok_or_else(unknown)?,
        is_open: sums.is_open,
        bytes: Bytes::from(bytes),
        text,
    })
}

fn growth(connection: &Connection, place: i64) -> Result<Vec<u8>, LogError> {
    let mut statement = connection.prepare_cached(
        "SELECT position, text, checksum, unpacked FROM growth WHERE place = ?1 ORDER BY position",
    )?;
    let mut rows = statement.query([place])?;
    let mut text = Vec::new();
    while let Some(row) = rows.next()? {
        text.extend(part(place, row)?);
    }
    Ok(text)
}

/// The text of a row of its position, text, sum and unpacked length.
fn part(place: i64, row: &Row<'_>) -> Result<Vec<u8>, LogError> {
    let position: i64 = row.get(0)?;
    let part = row.get_ref(1)?.as_blob().map_err(|error| LogError::Damaged(error.to_string()))?;
    let unpacked: Option<i64> = row.get(3)?;
    if row.get::<_, i64>(2)? != part_sum(place, position, part, unpacked) {
        return Err(LogError::Damaged("a part of a text has another sum than it should".to_owned()));
    }
    match unpacked {
        None => Ok(part.to_vec()),
        Some(unpacked) => packing::unpack(part, packing::length(unpacked)?),
    }
}

fn part_sum(place: i64, position: i64, part: &[u8], unpacked: Option<i64>) -> i64 {
    let (place, position) = (place.to_le_bytes(), position.to_le_bytes());
    match unpacked {
        None => checksum::sum(&[&place, &position, part]),
        Some(unpacked) => checksum::sum(&[&place, &position, &unpacked.to_le_bytes(), part]),
    }
}

/// Packs the next parts of a finished text; tells whether there were any.
pub(super) fn pack(connection: &Connection, place: i64) -> Result<bool, LogError> {
    let Some((first, last, text)) = unpacked_run(connection, place)? else { return Ok(false) };
    connection
        .prepare_cached("DELETE FROM growth WHERE place = ?1 AND position BETWEEN ?2 AND ?3")?
        .execute([place, first, last])?;
    let (packed, unpacked) = (packing::pack(&text), Some(number(text.len() as u64)));
    let sum = part_sum(place, first, &packed, unpacked);
    connection
        .prepare_cached(
            "INSERT INTO growth (place, position, text, checksum, unpacked) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![place, first, packed, sum, unpacked])?;
    Ok(true)
}

/// The first parts of a text that lie as they are: from where to where, and what they hold.
fn unpacked_run(connection: &Connection, place: i64) -> Result<Option<(i64, i64, Vec<u8>)>, LogError> {
    let mut statement = connection.prepare_cached(
        "SELECT position, text, checksum, unpacked FROM growth WHERE place = ?1 AND unpacked IS NULL ORDER BY position",
    )?;
    let mut rows = statement.query([place])?;
    let (mut bounds, mut text) = (None, Vec::new());
    while text.len() < packing::BLOCK_BYTES
        && let Some(row) = rows.next()?
    {
        let position = row.get(0)?;
        bounds = Some((bounds.map_or(position, |(first, _)| first), position));
        text.extend(part(place, row)?);
    }
    Ok(bounds.map(|(first, last)| (first, last, text)))
}
