//! What can be read of a damaged file, into a new one. Owns the copies it works on, so that the file itself is never
//! touched, and the count of what was kept and lost.
//!
//! Everything stored carries a sum, so what is kept is what was written. Logs that were rebuilt begin a new life: readers
//! start over instead of relying on places that may not be there any more.

pub(super) mod scan;
mod streams;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use liminal_core::ids::SessionId;
use rusqlite::{Connection, OpenFlags};

use super::super::LogError;
use super::error::{inaccessible, is_full};
use super::opening::{self, with_ending};
use super::records;
use crate::private_file;

const PAGE_BYTES: u64 = 4096;
/// The copy that is read.
const SCRATCH: &str = ".salvaging";
/// The new file until it has its place.
const REBUILT: &str = ".salvaged";
const FILES: [&str; 3] = ["", "-wal", "-shm"];

/// What rows did not have from the beginning.
const NEWER_COLUMNS: [&str; 3] = [
    "growth ADD COLUMN unpacked INTEGER",
    "event ADD COLUMN count INTEGER NOT NULL DEFAULT 1",
    "event ADD COLUMN unpacked INTEGER",
];

/// What was kept of a damaged file, and what was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Sessions whose log is as it was.
    pub whole_sessions: u64,
    /// Sessions in whose log something is missing.
    pub cut_sessions: BTreeSet<SessionId>,
    /// Sessions of whose log nothing could be read.
    pub lost_sessions: u64,
    /// Outputs of sessions.
    pub entries: Tally,
    /// Canonical events of sessions.
    pub events: Tally,
    /// Projects, what is known of sessions, messages that wait, and the like.
    pub records: Tally,
    /// Parts of the file could not be read, so that more may be lost than was counted.
    pub may_miss_more: bool,
}

/// How much was kept, and how much is known to be lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// What is in the new file.
    pub kept: u64,
    /// What was there and cannot be read.
    pub lost: u64,
}

impl Tally {
    pub(super) const fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.lost += other.lost;
    }
}

impl Salvaged {
    /// Whether nothing was lost.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let lost = self.lost_sessions + self.entries.lost + self.events.lost + self.records.lost;
        lost == 0 && self.cut_sessions.is_empty() && !self.may_miss_more
    }
}

/// Builds a new file from what can be read of another, which it leaves alone. The new one is not in its place yet.
pub(super) fn rebuild(path: &Path) -> Result<Salvaged, LogError> {
    let (scratch, rebuilt) = (with_ending(path, SCRATCH), with_ending(path, REBUILT));
    clear(&scratch);
    clear(&rebuilt);
    let result = copy(path, &scratch)
        .map_err(|error| failed(&scratch, &error))
        .and_then(|()| fill(&rebuilt, open_copy(&scratch).as_ref()));
    clear(&scratch);
    if result.is_err() {
        clear(&rebuilt);
    }
    result
}

/// Gives the rebuilt file its place, which must be free; does nothing if there is none. Also asked at a start, for one
/// that was stopped in between.
pub(super) fn put_in_place(path: &Path) -> io::Result<()> {
    let rebuilt = with_ending(path, REBUILT);
    if path.exists() || !rebuilt.exists() {
        return Ok(());
    }
    fs::rename(rebuilt, path)?;
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

fn clear(path: &Path) {
    for ending in FILES {
        // One that stays is found again when it is written over.
        fs::remove_file(with_ending(path, ending)).ok();
    }
}

fn failed(path: &Path, error: &io::Error) -> LogError {
    if is_full(error) { LogError::Full } else { inaccessible(path, error) }
}

fn copy(path: &Path, scratch: &Path) -> io::Result<()> {
    private_file::copy(path, scratch)?;
    let wal = with_ending(path, "-wal");
    if wal.exists() {
        private_file::copy(&wal, &with_ending(scratch, "-wal"))?;
    }
    mend_header(scratch)
}

/// The beginning of the file is the same in all of ours, so damage there need not cost the rest.
fn mend_header(scratch: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(scratch)?;
    let pages = file.metadata()?.len() / PAGE_BYTES;
    if pages == 0 {
        return Ok(());
    }
    file.write_all(b"SQLite format 3\0\x10\x00\x02\x02\x00\x40\x20\x20")?;
    file.seek(SeekFrom::Start(28))?;
    file.write_all(&u32::try_from(pages).unwrap_or(u32::MAX).to_be_bytes())?;
    // The version of the format, and UTF-8.
    file.seek(SeekFrom::Start(44))?;
    file.write_all(&4_u32.to_be_bytes())?;
    file.seek(SeekFrom::Start(56))?;
    file.write_all(&1_u32.to_be_bytes())
}

/// The copy, if it can be opened at all. A table whose definition is damaged does not keep the others from being read.
fn open_copy(scratch: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(scratch, flags).ok()?;
    // A file that was made before these were there reads as one that has none of them.
    for column in NEWER_COLUMNS {
        connection.execute_batch(&format!("ALTER TABLE {column}")).ok();
    }
    connection
        .execute_batch(
            "PRAGMA writable_schema = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
                PRAGMA query_only = ON;",
        )
        .ok()?;
    Some(connection)
}

/// All of it in one transaction, in a file that nobody knows yet.
fn fill(rebuilt: &Path, from: Option<&Connection>) -> Result<Salvaged, LogError> {
    let to = opening::open_new(rebuilt)?;
    let mut salvaged = Salvaged { may_miss_more: from.is_none(), ..Salvaged::default() };
    if let Some(from) = from {
        to.execute_batch("BEGIN IMMEDIATE")?;
        streams::salvage(from, &to, &mut salvaged)?;
        records::salvage(from, &to, &mut salvaged)?;
        to.execute_batch("COMMIT")?;
    }
    to.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    to.close().map_err(|(_, error)| error)?;
    Ok(salvaged)
}
