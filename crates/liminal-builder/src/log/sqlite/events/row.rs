//! A row of canonical events: one as it came, or several packed. Owns both forms and their sums.

use std::borrow::Cow;

use bytes::Bytes;
use rusqlite::{Connection, Row, params};

use super::super::super::LogError;
use super::super::rows::number;
use super::super::{checksum, packing};

/// What a row is read from.
pub(in super::super) const COLUMNS: &str = "number, body, checksum, count, unpacked";

/// Before each event of a packed row stands its length.
const LENGTH_BYTES: usize = size_of::<u32>();

/// Events that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Stored {
    /// The number of the first one.
    pub(in super::super) first: i64,
    pub(in super::super) events: Vec<Bytes>,
    pub(super) is_packed: bool,
}

impl Stored {
    /// The number of the last one.
    pub(super) fn last(&self) -> i64 {
        self.first + number(self.events.len() as u64) - 1
    }

    /// What they take in the eyes of those who set the limit.
    pub(super) fn bytes(&self) -> i64 {
        number(self.events.iter().map(Bytes::len).sum::<usize>() as u64)
    }

    /// Every one with its number.
    pub(in super::super) fn numbered(self) -> impl Iterator<Item = (i64, Bytes)> {
        (self.first..).zip(self.events)
    }

    pub(super) fn insert(&self, connection: &Connection, session: i64) -> Result<(), LogError> {
        let count = number(self.events.len() as u64);
        let (body, unpacked) = self.body();
        let sum = sum(session, self.first, &body, unpacked.map(|unpacked| (count, unpacked)));
        connection
            .prepare_cached(
                "INSERT INTO event (session, number, body, checksum, count, unpacked)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![session, self.first, body.as_ref(), sum, count, unpacked])?;
        Ok(())
    }

    fn body(&self) -> (Cow<'_, [u8]>, Option<i64>) {
        match (self.is_packed, self.events.as_slice()) {
            (false, [event]) => (Cow::Borrowed(event), None),
            (_, events) => {
                let joined = joined(events);
                (packing::pack(&joined).into(), Some(number(joined.len() as u64)))
            }
        }
    }
}

/// The events of a row of [`COLUMNS`].
pub(in super::super) fn read(session: i64, row: &Row<'_>) -> Result<Stored, LogError> {
    let (first, body): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
    let (count, unpacked): (i64, Option<i64>) = (row.get(3)?, row.get(4)?);
    if row.get::<_, i64>(2)? != sum(session, first, &body, unpacked.map(|unpacked| (count, unpacked))) {
        return Err(LogError::Damaged(format!("event {first} has another sum than it should")));
    }
    let events = match unpacked {
        None => vec![Bytes::from(body)],
        Some(unpacked) => parted(&Bytes::from(packing::unpack(&body, packing::length(unpacked)?)?))?,
    };
    if number(events.len() as u64) != count {
        return Err(LogError::Damaged(format!("{count} events are {}", events.len())));
    }
    Ok(Stored { first, events, is_packed: unpacked.is_some() })
}

fn sum(session: i64, first: i64, body: &[u8], packed: Option<(i64, i64)>) -> i64 {
    let (session, first) = (session.to_le_bytes(), first.to_le_bytes());
    match packed {
        None => checksum::sum(&[&session, &first, body]),
        Some((count, unpacked)) => {
            checksum::sum(&[&session, &first, &count.to_le_bytes(), &unpacked.to_le_bytes(), body])
        }
    }
}

fn joined(events: &[Bytes]) -> Vec<u8> {
    let length = |event: &Bytes| u32::try_from(event.len()).unwrap_or(u32::MAX).to_le_bytes();
    events.iter().flat_map(|event| [&length(event)[..], event].concat()).collect()
}

fn parted(joined: &Bytes) -> Result<Vec<Bytes>, LogError> {
    let cut = || LogError::Damaged("packed events end too early".to_owned());
    let (mut events, mut at) = (Vec::new(), 0);
    while at < joined.len() {
        let length =
            joined.get(at..at + LENGTH_BYTES).and_then(|length| length.try_into().ok()).ok_or_else(cut)?;
        let (start, length) = (at + LENGTH_BYTES, u32::from_le_bytes(length) as usize);
        at = start + length;
        if at > joined.len() {
            return Err(cut());
        }
        events.push(joined.slice(start..at));
    }
    Ok(events)
}
