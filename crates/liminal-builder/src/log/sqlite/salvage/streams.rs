//! Logs of sessions out of a damaged file. Owns which session an entry belongs to when the row of the session is lost,
//! and which turns are open in what was kept.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use liminal_core::ids::{SessionId, TurnId};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Deserialize;

use super::super::super::{Entry, Head, Key, LogError};
use super::super::{Settings, events, indexing, opening, rows, tracked};
use super::scan::{both_ways, number};
use super::{Salvaged, Tally};

/// A damaged row may claim to have held any number of events.
const MOST_PACKED: u64 = 4096;

/// Copies the log of every session.
pub(super) fn salvage(from: &Connection, to: &Connection, salvaged: &mut Salvaged) -> Result<(), LogError> {
    let (sessions, is_whole) = sessions(from)?;
    salvaged.may_miss_more |= !is_whole;
    let mut names = BTreeSet::new();
    for (id, known) in sessions {
        let mut log = Log::new(to, id, known);
        log.copy_entries(from, &mut names)?;
        // One without entries has its name from its row alone.
        log.make(None, &mut names)?;
        log.copy_events(from)?;
        log.finish(salvaged)?;
    }
    Ok(())
}

/// What the row of a session says.
#[derive(Debug, Default)]
struct Known {
    /// If the row's sum vouches for it.
    name: Option<SessionId>,
    /// Not covered by the sum; compared with what is found.
    head: Option<i64>,
}

/// Sessions by their number: those that have a row, and those that have entries. Also, whether that is all of them.
fn sessions(from: &Connection) -> Result<(BTreeMap<i64, Known>, bool), LogError> {
    const ROWS: &str = "SELECT id, name, epoch, floor, checksum, head FROM session ORDER BY id";
    const NEXT: &str = "SELECT place FROM entry WHERE place >= ?1 ORDER BY place LIMIT 1";
    const LAST: &str = "SELECT place FROM entry WHERE place < ?1 ORDER BY place DESC LIMIT 1";
    let mut sessions = BTreeMap::new();
    let has_all_rows = both_ways(from, ROWS, [], |row| {
        if let Ok(id) = row.get(0) {
            sessions.insert(id, Known { name: name(row), head: row.get(5).ok() });
        }
        Ok(())
    })?;
    let has_all_entries = hop(from, NEXT, 0, |id| rows::place(id + 1, 0), &mut sessions);
    if !has_all_entries {
        hop(from, LAST, i64::MAX, |id| rows::place(id, 0), &mut sessions);
    }
    Ok((sessions, has_all_rows && has_all_entries))
}

/// From one session with entries to the next; whether it came to the end.
fn hop(
    from: &Connection,
    sql: &str,
    mut bound: i64,
    beyond: fn(i64) -> i64,
    sessions: &mut BTreeMap<i64, Known>,
) -> bool {
    let mut visited = BTreeSet::new();
    loop {
        let Ok(place) = from.query_row(sql, [bound], |row| row.get(0)).optional() else { return false };
        let Some(id) = place.map(rows::session_of) else { return true };
        // Damage may lead in a circle.
        if !visited.insert(id) {
            return false;
        }
        sessions.entry(id).or_default();
        bound = beyond(id);
    }
}

fn name(row: &Row<'_>) -> Option<SessionId> {
    let (id, name, epoch): (i64, String, String) = (row.get(0).ok()?, row.get(1).ok()?, row.get(2).ok()?);
    let (floor, stored): (i64, i64) = (row.get(3).ok()?, row.get(4).ok()?);
    (stored == opening::session_sum(id, &name, &epoch, floor)).then(|| name.into())
}

/// What every output tells of where it belongs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Origin {
    session_id: SessionId,
    turn_id: TurnId,
}

fn sound(from: &Connection, row: &Row<'_>) -> Option<(Entry, Origin)> {
    let entry = rows::read(from, row).ok()?;
    let origin = serde_json::from_slice(&entry.bytes).ok()?;
    Some((entry, origin))
}

/// One session's log on its way.
struct Log<'a> {
    to: &'a Connection,
    id: i64,
    known: Known,
    /// Its name and its number in the new file, once there is something of it.
    made: Option<(SessionId, i64)>,
    keys: BTreeSet<Key>,
    seqs: BTreeSet<u64>,
    damaged: BTreeSet<i64>,
    begun: BTreeSet<TurnId>,
    ended: BTreeSet<TurnId>,
    entries: Tally,
    events: Tally,
    is_whole: bool,
}

impl<'a> Log<'a> {
    fn new(to: &'a Connection, id: i64, known: Known) -> Self {
        Self {
            to,
            id,
            known,
            made: None,
            keys: BTreeSet::new(),
            seqs: BTreeSet::new(),
            damaged: BTreeSet::new(),
            begun: BTreeSet::new(),
            ended: BTreeSet::new(),
            entries: Tally::default(),
            events: Tally::default(),
            is_whole: true,
        }
    }

    fn copy_entries(&mut self, from: &Connection, names: &mut BTreeSet<SessionId>) -> Result<(), LogError> {
        let sql =
            format!("SELECT {} FROM entry WHERE place > ?1 AND place < ?2 ORDER BY place", rows::COLUMNS);
        let bounds = [rows::place(self.id, 0), rows::place(self.id + 1, 0)];
        self.is_whole = both_ways(from, &sql, bounds, |row| match sound(from, row) {
            Some((entry, origin)) => self.keep(&entry, origin, names),
            None => {
                self.damaged.insert(row.get(0).unwrap_or_default());
                Ok(())
            }
        })?;
        self.count_lost(from);
        Ok(())
    }

    fn keep(
        &mut self,
        entry: &Entry,
        origin: Origin,
        names: &mut BTreeSet<SessionId>,
    ) -> Result<(), LogError> {
        if self.keys.contains(&entry.key) || self.seqs.contains(&entry.seq) {
            return Ok(());
        }
        let Some(id) = self.make(Some(&origin.session_id), names)? else { return Ok(()) };
        rows::write(self.to, id, entry, None)?;
        match &entry.key {
            Key::TurnEnded(turn) => drop(self.ended.insert(turn.clone())),
            Key::TurnStarted(turn) => drop(self.begun.insert(turn.clone())),
            Key::Item(_) if entry.is_open => drop(self.begun.insert(origin.turn_id)),
            Key::Item(_) => indexing::note(self.to, rows::place(id, entry.first_seq))?,
        }
        self.keys.insert(entry.key.clone());
        self.seqs.insert(entry.seq);
        Ok(())
    }

    /// The session's number in the new file; none if its name belongs to another one there.
    fn make(
        &mut self,
        told: Option<&SessionId>,
        names: &mut BTreeSet<SessionId>,
    ) -> Result<Option<i64>, LogError> {
        if let Some((_, id)) = self.made {
            return Ok(Some(id));
        }
        let name = self.known.name.as_ref().or(told).filter(|name| !names.contains(*name));
        let Some(name) = name.cloned() else { return Ok(None) };
        let id = tracked::insert(self.to, &name, Head::begin())?.id;
        names.insert(name.clone());
        self.made = Some((name, id));
        Ok(Some(id))
    }

    /// The indexes lie elsewhere in the file, and tell how many there were.
    fn count_lost(&mut self, from: &Connection) {
        let kept = self.keys.len() as u64;
        let count = |index: &str| {
            let sql = format!("SELECT count(*) FROM entry INDEXED BY {index} WHERE session = ?1");
            number(from, &sql, [self.id]).unwrap_or_default().cast_unsigned()
        };
        let there = count("entry_seq").max(count("entry_key")).max(kept + self.damaged.len() as u64);
        self.entries = Tally { kept, lost: there - kept };
    }

    fn copy_events(&mut self, from: &Connection) -> Result<(), LogError> {
        let sql = format!("SELECT {} FROM event WHERE session = ?1 ORDER BY number", events::COLUMNS);
        let (mut found, mut damaged): (BTreeMap<i64, Bytes>, BTreeMap<i64, u32>) = Default::default();
        self.is_whole &= both_ways(from, &sql, [self.id], |row| {
            match events::row(self.id, row) {
                Ok(stored) => found.extend(stored.numbered()),
                Err(_) => drop(damaged.insert(row.get(0).unwrap_or_default(), row.get(3).unwrap_or(1))),
            }
            Ok(())
        })?;
        self.events = Tally {
            kept: found.len() as u64,
            lost: damaged.into_values().map(|count| u64::from(count).min(MOST_PACKED)).sum(),
        };
        let Some((_, id)) = self.made.as_ref().filter(|_| !found.is_empty()) else { return Ok(()) };
        events::write(self.to, *id, &found.into_values().collect::<Vec<_>>(), Settings::default()).map(drop)
    }

    fn finish(self, salvaged: &mut Salvaged) -> Result<(), LogError> {
        let head = self.seqs.last().copied().unwrap_or_default();
        let is_same_head = self.known.head.is_none_or(|known| known == rows::number(head));
        let is_whole = self.is_whole && is_same_head && self.entries.lost + self.events.lost == 0;
        salvaged.entries.add(self.entries);
        salvaged.events.add(self.events);
        let Some((name, id)) = self.made else {
            salvaged.lost_sessions += 1;
            return Ok(());
        };
        self.to.execute("UPDATE session SET head = ?2 WHERE id = ?1", [id, rows::number(head)])?;
        for turn in self.begun.difference(&self.ended) {
            tracked::open_turn(self.to, id, turn)?;
        }
        if is_whole {
            salvaged.whole_sessions += 1;
        } else {
            salvaged.cut_sessions.insert(name);
        }
        Ok(())
    }
}
