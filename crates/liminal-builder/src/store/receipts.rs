//! Requests that must not be done twice. Owns what becomes of a request whose key came before.

use jiff::Timestamp;
use rusqlite::types::Value as Column;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Store, timestamp};
use crate::log::LogError;
use crate::log::sqlite::records::{RECEIPTS, Record};

/// What is known of a request by its key.
#[derive(Debug, Clone, PartialEq)]
pub enum Receipt {
    /// Nothing: it is to be done now.
    New,
    /// It is being done.
    Running,
    /// It was done, with this answer.
    Done(Value),
    /// The key came with another request before.
    Mismatch,
}

/// A request with a key, as it is handed on to another server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptReceipt {
    /// Its key.
    pub key: String,
    /// What was asked, as a digest.
    pub digest: String,
    /// When it began.
    #[serde(with = "timestamp")]
    pub begun_at: Timestamp,
    /// Whether it was done.
    pub is_done: bool,
    /// With this answer.
    #[serde(default)]
    pub answer: Value,
}

impl KeptReceipt {
    fn of(Record { keys, body }: Record<Body>) -> Option<Self> {
        let is_done = keys.last() == Some(&DONE);
        let mut keys = keys.into_iter().skip(1);
        let (Column::Text(key), Column::Integer(begun_at)) = (keys.next()?, keys.next()?) else {
            return None;
        };
        let begun_at = Timestamp::from_microsecond(begun_at).ok()?;
        Some(Self { key, digest: body.digest, begun_at, is_done, answer: body.answer })
    }

    /// Writes it down as if it had been asked here.
    pub(super) fn put(self, connection: &Connection, scope: &str) -> Result<(), LogError> {
        let done = if self.is_done { DONE } else { RUNNING };
        let keys = vec![scope.to_owned().into(), self.key.into(), timestamp::column(self.begun_at), done];
        RECEIPTS.put(connection, keys, &Body { digest: self.digest, answer: self.answer })
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Body {
    digest: String,
    #[serde(default)]
    answer: Value,
}

impl Store {
    /// Looks for a request, and notes it if it is new. What belongs to a session has its id as scope, so that it is
    /// forgotten with it.
    pub async fn begin_receipt(
        &self,
        scope: &str,
        key: &str,
        digest: &str,
        now: Timestamp,
    ) -> Result<Receipt, LogError> {
        let (scope, key, digest) = (scope.to_owned(), key.to_owned(), digest.to_owned());
        self.synced(move |connection| {
            if let Some(Record { keys, body }) = find(connection, &scope, &key)? {
                let is_done = keys.last() == Some(&DONE);
                return Ok(body.known(is_done, &digest));
            }
            let keys = vec![scope.into(), key.into(), timestamp::column(now), RUNNING];
            RECEIPTS.put(connection, keys, &Body { digest, answer: Value::Null })?;
            Ok(Receipt::New)
        })
        .await
    }

    /// Keeps the answer to repeat, or forgets a request that failed, so that it can be tried again.
    pub async fn finish_receipt(
        &self,
        scope: &str,
        key: &str,
        answer: Option<Value>,
    ) -> Result<(), LogError> {
        let (scope, key) = (scope.to_owned(), key.to_owned());
        self.grouped(move |connection| {
            let Some(Record { keys, body }) = find(connection, &scope, &key)? else { return Ok(()) };
            let Some(answer) = answer else {
                return RECEIPTS.delete(connection, IDENTITY, params![scope, key]).map(drop);
            };
            put_done(connection, keys, &Body { answer, ..body })
        })
        .await
    }

    /// One request, as it stands.
    pub async fn receipt(&self, scope: &str, key: &str) -> Result<Option<KeptReceipt>, LogError> {
        let (scope, key) = (scope.to_owned(), key.to_owned());
        self.read(move |connection| Ok(find(connection, &scope, &key)?.and_then(KeptReceipt::of))).await
    }

    /// Every request of a scope.
    pub async fn receipts_of(&self, scope: &str) -> Result<Vec<KeptReceipt>, LogError> {
        let scope = scope.to_owned();
        self.read(move |connection| {
            let records = RECEIPTS.select(connection, "WHERE scope = ?1", [scope])?;
            Ok(records.into_iter().filter_map(KeptReceipt::of).collect())
        })
        .await
    }

    /// Forgets requests that were done and had begun before a moment.
    pub async fn forget_old_receipts(&self, before: Timestamp) -> Result<(), LogError> {
        let before = timestamp::column(before);
        self.grouped(move |connection| {
            RECEIPTS.delete(connection, "begun_at < ?1 AND is_done = 1", [before]).map(drop)
        })
        .await
    }

    /// The scopes and keys of requests of which nobody knows whether they were done. Of use at a start only, while
    /// none is being done.
    pub async fn unfinished_receipts(&self) -> Result<Vec<(String, String)>, LogError> {
        self.read(|connection| {
            let records: Vec<Record<Body>> =
                RECEIPTS.select(connection, "WHERE is_done = 0 ORDER BY begun_at, rowid", [])?;
            Ok(records.into_iter().filter_map(identity).collect())
        })
        .await
    }
}

const IDENTITY: &str = "scope = ?1 AND key = ?2";
const RUNNING: Column = Column::Integer(0);
const DONE: Column = Column::Integer(1);

impl Body {
    fn known(self, is_done: bool, digest: &str) -> Receipt {
        match is_done {
            _ if self.digest != digest => Receipt::Mismatch,
            true => Receipt::Done(self.answer),
            false => Receipt::Running,
        }
    }
}

/// Keeps the answer to a request that has none yet.
pub(super) fn finish_unfinished(
    connection: &Connection,
    scope: &str,
    key: &str,
    answer: Value,
) -> Result<(), LogError> {
    match find(connection, scope, key)? {
        Some(Record { keys, body }) if keys.last() != Some(&DONE) => {
            put_done(connection, keys, &Body { answer, ..body })
        }
        Some(_) | None => Ok(()),
    }
}

fn put_done(connection: &Connection, mut keys: Vec<Column>, body: &Body) -> Result<(), LogError> {
    keys.truncate(3);
    keys.push(DONE);
    RECEIPTS.put(connection, keys, body)
}

fn find(connection: &Connection, scope: &str, key: &str) -> Result<Option<Record<Body>>, LogError> {
    Ok(RECEIPTS.select(connection, &format!("WHERE {IDENTITY}"), params![scope, key])?.pop())
}

fn identity(record: Record<Body>) -> Option<(String, String)> {
    let mut keys = record.keys.into_iter();
    match (keys.next()?, keys.next()?) {
        (Column::Text(scope), Column::Text(key)) => Some((scope, key)),
        _ => None,
    }
}
