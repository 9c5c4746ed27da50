//! Small facts beside the streams, as rows of keys, a body and a sum. Owns how such a row is written, read and found to
//! be damaged; what the rows mean is the store's business.

use std::collections::BTreeSet;

use rusqlite::types::Value;
use rusqlite::{Connection, Params, ParamsFromIter, Row, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::LogError;
use super::checksum;
use super::salvage::scan::{both_ways, number};
use super::salvage::{Salvaged, Tally};

/// A table of records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Records {
    table: &'static str,
    /// The columns before `body`. The first ones tell a record from all others.
    keys: &'static [&'static str],
    identity: usize,
}

/// A record as it was read.
#[derive(Debug)]
pub(crate) struct Record<T> {
    /// Its keys, in the order of their columns.
    pub(crate) keys: Vec<Value>,
    /// What it says.
    pub(crate) body: T,
}

pub(crate) const PROJECTS: Records = Records::new("project", &["id", "position", "path"], 1);
pub(crate) const SESSIONS: Records = Records::new("session_info", &["session", "project", "updated_at"], 1);
pub(crate) const QUEUED: Records = Records::new("queued", &["session", "id", "position"], 2);
pub(crate) const DELIVERIES: Records = Records::new("delivery", &["turn", "session"], 1);
pub(crate) const RECEIPTS: Records = Records::new("receipt", &["scope", "key", "begun_at", "is_done"], 2);
pub(crate) const BROWSERS: Records = Records::new("browser", &["cookie"], 1);
pub(crate) const PAGE_STATES: Records = Records::new("page_state", &["name"], 1);

/// Every table of records.
const TABLES: [Records; 7] = [PROJECTS, SESSIONS, QUEUED, DELIVERIES, RECEIPTS, BROWSERS, PAGE_STATES];

/// The first record that is not what was stored. Looks at all of them: they are few.
pub(super) fn fault(connection: &Connection) -> rusqlite::Result<Option<String>> {
    for records in TABLES {
        let mut statement = connection.prepare(&records.selection(""))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Err(problem) = records.read(row) {
                return Ok(Some(problem.to_string()));
            }
        }
    }
    Ok(None)
}

/// Copies every record that is what was stored out of a damaged file.
pub(super) fn salvage(from: &Connection, to: &Connection, salvaged: &mut Salvaged) -> Result<(), LogError> {
    for records in TABLES {
        let (mut kept, mut damaged) = (0, BTreeSet::new());
        let mut insert = to.prepare(&records.insertion("OR IGNORE"))?;
        salvaged.may_miss_more |= !both_ways(from, &records.selection("ORDER BY rowid"), [], |row| {
            match records.read(row) {
                Ok((keys, body)) => kept += insert.execute(records.values(keys, body))? as u64,
                Err(_) => drop(damaged.insert(row.get::<_, i64>("rowid").ok())),
            }
            Ok(())
        })?;
        let there = records.count(from).max(kept + damaged.len() as u64);
        salvaged.records.add(Tally { kept, lost: there - kept });
    }
    Ok(())
}

impl Records {
    const fn new(table: &'static str, keys: &'static [&'static str], identity: usize) -> Self {
        Self { table, keys, identity }
    }

    /// Writes a record over the one with its identity, if there is one.
    pub(crate) fn put<T: Serialize>(
        &self,
        connection: &Connection,
        keys: Vec<Value>,
        body: &T,
    ) -> Result<(), LogError> {
        let body = serde_json::to_string(body)
            .map_err(|error| LogError::Failed(format!("a {} cannot be written: {error}", self.table)))?;
        connection.prepare_cached(&self.upsert())?.execute(self.values(keys, body))?;
        Ok(())
    }

    /// Records in the order and within the bounds that the end of the statement asks for.
    pub(crate) fn select<T: DeserializeOwned>(
        &self,
        connection: &Connection,
        end: &str,
        parameters: impl Params,
    ) -> Result<Vec<Record<T>>, LogError> {
        let mut statement = connection.prepare_cached(&self.selection(end))?;
        let mut rows = statement.query(parameters)?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            let (keys, body) = self.read(row)?;
            let body = serde_json::from_str(&body).map_err(|error| self.damaged(&error))?;
            records.push(Record { keys, body });
        }
        Ok(records)
    }

    /// Forgets records; tells how many.
    pub(crate) fn delete(
        &self,
        connection: &Connection,
        condition: &str,
        parameters: impl Params,
    ) -> Result<usize, LogError> {
        let sql = format!("DELETE FROM {} WHERE {condition}", self.table);
        Ok(connection.prepare_cached(&sql)?.execute(parameters)?)
    }

    fn values(&self, keys: Vec<Value>, body: String) -> ParamsFromIter<impl Iterator<Item = Value>> {
        let sum = self.sum(&keys, &body);
        params_from_iter(keys.into_iter().chain([Value::Text(body), Value::Integer(sum)]))
    }

    fn insertion(&self, conflict: &str) -> String {
        let columns: Vec<&str> = self.columns().collect();
        let places = vec!["?"; columns.len()].join(", ");
        format!("INSERT {conflict} INTO {} ({}) VALUES ({places})", self.table, columns.join(", "))
    }

    fn upsert(&self) -> String {
        let (identity, insertion) = (self.keys.get(..self.identity).unwrap_or_default(), self.insertion(""));
        let others = self.columns().skip(self.identity);
        let changes: Vec<String> = others.map(|column| format!("{column} = excluded.{column}")).collect();
        format!("{insertion} ON CONFLICT ({}) DO UPDATE SET {}", identity.join(", "), changes.join(", "))
    }

    fn selection(&self, end: &str) -> String {
        let columns: Vec<&str> = self.columns().collect();
        format!("SELECT {}, rowid FROM {} {end}", columns.join(", "), self.table)
    }

    /// How many there are by the index, which lies elsewhere in the file than they do.
    fn count(&self, connection: &Connection) -> u64 {
        let sql = format!("SELECT count(*) FROM {0} INDEXED BY sqlite_autoindex_{0}_1", self.table);
        number(connection, &sql, []).unwrap_or_default().cast_unsigned()
    }

    fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().copied().chain(["body", "checksum"])
    }

    fn read(&self, row: &Row<'_>) -> Result<(Vec<Value>, String), LogError> {
        let keys = (0..self.keys.len()).map(|column| row.get(column)).collect::<Result<Vec<Value>, _>>()?;
        let (body, stored): (String, i64) = (row.get("body")?, row.get("checksum")?);
        if stored != self.sum(&keys, &body) {
            return Err(self.damaged(&"its sum is another than it should be"));
        }
        Ok((keys, body))
    }

    fn sum(&self, keys: &[Value], body: &str) -> i64 {
        let keys: Vec<Vec<u8>> = keys.iter().map(bytes).collect();
        let mut parts: Vec<&[u8]> = vec![self.table.as_bytes()];
        parts.extend(keys.iter().map(Vec::as_slice));
        parts.push(body.as_bytes());
        checksum::sum(&parts)
    }

    fn damaged(&self, problem: &impl std::fmt::Display) -> LogError {
        LogError::Damaged(format!("a {}: {problem}", self.table))
    }
}

/// A value with its kind, so that no two kinds have the same bytes.
fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => vec![0],
        Value::Integer(number) => [&[1], number.to_le_bytes().as_slice()].concat(),
        Value::Real(number) => [&[2], number.to_le_bytes().as_slice()].concat(),
        Value::Text(text) => [&[3], text.as_bytes()].concat(),
        Value::Blob(blob) => [&[4], blob.as_slice()].concat(),
    }
}
