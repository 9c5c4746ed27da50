//! A session as the writer sees it. Owns which states of its open items the disk has and which have to be written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::Upsert;
use rusqlite::{Connection, params};

use super::super::batch::{Record, is_detached};
use super::super::sequence::Sequence;
use super::super::window::Window;
use super::super::{Batch, Cursor, Entry, Head, Key, LogError};
use super::reader::{SessionRow, session_row};
use super::rows::{self, Stored, number};
use super::{indexing, opening};

#[derive(Debug)]
pub(super) struct Tracked {
    row: SessionRow,
    sequence: Sequence,
    stored: HashMap<Key, Stored>,
    /// The latest states that the disk does not have.
    dirty: BTreeMap<Key, Entry>,
    open_turns: BTreeSet<TurnId>,
    /// The calls in the background that are open, and their turns.
    background: BTreeMap<Key, TurnId>,
}

impl Tracked {
    /// Reads a session, or makes one that begins with the life its readers were told of.
    pub(super) fn load(
        connection: &Connection,
        session: &SessionId,
        window: &Window,
    ) -> Result<Self, LogError> {
        let found = session_row(connection, session)?;
        let head = window.learn(found.as_ref().map(|row| &row.head));
        let row = match found {
            Some(row) => row,
            None => insert(connection, session, head)?,
        };
        let sequence = Sequence::after(row.head.seq);
        let (stored, dirty) = (HashMap::new(), BTreeMap::new());
        let background = background(connection, row.id)?;
        Ok(Self { row, sequence, stored, dirty, open_turns: BTreeSet::new(), background })
    }

    /// Gives a batch its places.
    pub(super) fn place(&mut self, connection: &Connection, batch: Batch) -> Result<Vec<Entry>, LogError> {
        let mut entries = Vec::with_capacity(batch.records().len());
        for record in batch.into_records() {
            self.note_turn(connection, &record)?;
            let (dirty, row) = (&self.dirty, self.row.id);
            let first_seq = |key: &Key| match dirty.get(key) {
                Some(entry) => Ok(Some(entry.first_seq)),
                None => rows::first_seq(connection, row, key),
            };
            let entry = self.sequence.place(record, first_seq)?;
            self.dirty.insert(entry.key.clone(), entry.clone());
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Writes the latest states, and only those: what was overtaken inside a group never reaches the disk.
    pub(super) fn flush(&mut self, connection: &Connection) -> Result<(), LogError> {
        let dirty = std::mem::take(&mut self.dirty);
        let ends_turn = dirty.keys().any(|key| matches!(key, Key::TurnEnded(_)));
        for (key, entry) in dirty {
            let stored = rows::write(connection, self.row.id, &entry, self.stored.remove(&key))?;
            if entry.is_open {
                self.stored.insert(key, stored);
            } else if matches!(key, Key::Item(_)) {
                indexing::note(connection, rows::place(self.row.id, entry.first_seq))?;
            }
        }
        if ends_turn {
            self.stored.clear();
        }
        self.row.head.seq = self.sequence.head();
        connection
            .prepare_cached("UPDATE session SET head = ?2 WHERE id = ?1")?
            .execute([self.row.id, number(self.row.head.seq)])?;
        Ok(())
    }

    /// Where the session stands with everything placed so far.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor { seq: self.sequence.head(), ..self.row.head.cursor() }
    }

    /// Forgets entries up to a place; tells up to which it was.
    pub(super) fn trim(
        &mut self,
        connection: &Connection,
        session: &SessionId,
        through: u64,
    ) -> Result<u64, LogError> {
        let through = through.min(self.row.head.seq).max(self.row.head.floor);
        delete_entries(connection, self.row.id, through)?;
        let (id, floor) = (self.row.id, number(through));
        let sum = opening::session_sum(id, session.as_str(), &self.row.head.epoch, floor);
        connection.execute("UPDATE session SET floor = ?2, checksum = ?3 WHERE id = ?1", [id, floor, sum])?;
        self.row.head.floor = through;
        self.sequence.trim(through);
        self.stored.clear();
        Ok(through)
    }

    /// Forgets the session.
    pub(super) fn remove(self, connection: &Connection) -> Result<(), LogError> {
        delete_entries(connection, self.row.id, u64::MAX >> 1)?;
        for table in ["open_turn", "event"] {
            connection.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [self.row.id])?;
        }
        connection.execute("DELETE FROM session WHERE id = ?1", [self.row.id])?;
        Ok(())
    }

    /// Where the session stands on disk.
    pub(super) const fn head(&self) -> &Head {
        &self.row.head
    }

    pub(super) const fn id(&self) -> i64 {
        self.row.id
    }

    fn note_turn(&mut self, connection: &Connection, record: &Record) -> Result<(), LogError> {
        let (key, turn) = (&record.key, &record.turn);
        match key {
            Key::TurnEnded(_) => {
                self.open_turns.remove(turn);
                self.close_turn(connection, turn)
            }
            Key::Item(_) if record.is_detached && record.is_open => {
                let is_known = self.background.insert(key.clone(), turn.clone()).is_some();
                if is_known { Ok(()) } else { keep_turn(connection, self.row.id, turn) }
            }
            Key::Item(_) if record.is_detached => {
                self.background.remove(key);
                if self.has_ended(connection, turn)? { self.close_turn(connection, turn) } else { Ok(()) }
            }
            Key::Item(_) | Key::TurnStarted(_) if self.is_new(turn) => {
                open_turn(connection, self.row.id, turn)
            }
            Key::Item(_) | Key::TurnStarted(_) => Ok(()),
        }
    }

    /// A turn that has calls in the background is not forgotten: a server that is killed must find them.
    fn close_turn(&self, connection: &Connection, turn: &TurnId) -> Result<(), LogError> {
        if self.background.values().any(|of| of == turn) {
            return Ok(());
        }
        close_turn(connection, self.row.id, turn)
    }

    fn has_ended(&self, connection: &Connection, turn: &TurnId) -> Result<bool, LogError> {
        let end = Key::TurnEnded(turn.clone());
        Ok(self.dirty.contains_key(&end) || rows::first_seq(connection, self.row.id, &end)?.is_some())
    }

    fn is_new(&mut self, turn: &TurnId) -> bool {
        !self.dirty.contains_key(&Key::TurnEnded(turn.clone())) && self.open_turns.insert(turn.clone())
    }
}

/// Notes that a turn is open, unless it has ended: then it stays so, whatever comes late.
pub(super) fn open_turn(connection: &Connection, session: i64, turn: &TurnId) -> Result<(), LogError> {
    const BEGIN: &str = "INSERT OR IGNORE INTO open_turn (session, turn) SELECT ?1, ?2
        WHERE NOT EXISTS (SELECT 1 FROM entry WHERE session = ?1 AND key = 'end:' || ?2)";
    connection.prepare_cached(BEGIN)?.execute(params![session, turn.as_str()])?;
    Ok(())
}

/// Notes that a turn has calls in the background, whether or not it has ended.
fn keep_turn(connection: &Connection, session: i64, turn: &TurnId) -> Result<(), LogError> {
    const KEEP: &str = "INSERT OR IGNORE INTO open_turn (session, turn) VALUES (?1, ?2)";
    connection.prepare_cached(KEEP)?.execute(params![session, turn.as_str()])?;
    Ok(())
}

/// The open calls in the background of a session that was not in memory. Its items are read only if a turn was kept
/// because of such calls.
fn background(connection: &Connection, session: i64) -> Result<BTreeMap<Key, TurnId>, LogError> {
    const KEPT: &str = "SELECT EXISTS (SELECT 1 FROM open_turn WHERE session = ?1)";
    let is_kept: bool = connection.prepare_cached(KEPT)?.query_row([session], |row| row.get(0))?;
    if !is_kept {
        return Ok(BTreeMap::new());
    }
    let mut background = BTreeMap::new();
    for entry in rows::open_items(connection, session)? {
        let state: Upsert = serde_json::from_slice(&entry.bytes)
            .map_err(|error| LogError::Damaged(format!("entry {}: {error}", entry.seq)))?;
        if is_detached(&state) {
            background.insert(entry.key, state.turn_id);
        }
    }
    Ok(background)
}

/// Notes that a turn has ended and left nothing in the background.
pub(super) fn close_turn(connection: &Connection, session: i64, turn: &TurnId) -> Result<(), LogError> {
    const END: &str = "DELETE FROM open_turn WHERE session = ?1 AND turn = ?2";
    connection.prepare_cached(END)?.execute(params![session, turn.as_str()])?;
    Ok(())
}

pub(super) fn insert(
    connection: &Connection,
    session: &SessionId,
    head: Head,
) -> Result<SessionRow, LogError> {
    // Numbers are never used again, so that no entry of a removed session can be taken for one of a new session.
    let id: i64 = connection.query_row(
        "INSERT INTO meta (name, value) VALUES ('last_session', '1')
            ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING CAST(value AS INTEGER)",
        [],
        |row| row.get(0),
    )?;
    let sum = opening::session_sum(id, session.as_str(), &head.epoch, 0);
    connection.execute(
        "INSERT INTO session (id, name, epoch, head, floor, checksum) VALUES (?1, ?2, ?3, 0, 0, ?4)",
        params![id, session.as_str(), &*head.epoch, sum],
    )?;
    Ok(SessionRow { id, head })
}

fn delete_entries(connection: &Connection, session: i64, through: u64) -> Result<(), LogError> {
    const PLACES: &str = "(SELECT place FROM entry WHERE session = ?1 AND seq <= ?2)";
    let bounds = [session, number(through)];
    let statements = [
        format!("DELETE FROM words WHERE rowid IN (SELECT id FROM passage WHERE place IN {PLACES})"),
        format!("DELETE FROM passage WHERE place IN {PLACES}"),
        format!("DELETE FROM unindexed WHERE place IN {PLACES}"),
        format!("DELETE FROM growth WHERE place IN {PLACES}"),
        "DELETE FROM entry WHERE session = ?1 AND seq <= ?2".to_owned(),
    ];
    for sql in statements {
        connection.execute(&sql, bounds)?;
    }
    Ok(())
}
