//! From a path to a sound database. Owns the check of the file, its schema and what becomes of a file that is of no
//! use: it is moved aside and told, never overwritten.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::super::LogError;
use super::error::{inaccessible, opening};
use super::salvage::{self, Salvaged};
use super::{checksum, events, meta, records, rows};
use crate::clock::Clock;
use crate::private_file;

/// The first version whose write-ahead log survives a checkpoint racing with a commit.
pub const OLDEST_SQLITE: i32 = 3_051_003;
/// Tells our files from those of others; "limi".
const APPLICATION: i32 = 0x6c69_6d69;
const MIGRATIONS: [&str; 3] =
    [include_str!("schema/0001.sql"), include_str!("schema/0002.sql"), include_str!("schema/0003.sql")];
/// Up to this size a start also compares the indexes with the tables and every row with its sum; beyond it that would
/// take too long.
const CHECKED_IN_FULL: u64 = 64 << 20;
/// Beyond this size a file that was left well is not read in full, which would take seconds. The sums in its rows tell
/// of damage when they are read.
const CHECKED_ALWAYS: u64 = 256 << 20;
const HEADER_BYTES: u64 = 100;
/// How long to wait for somebody who looks into the file with another program.
const BUSY_PATIENCE: Duration = Duration::from_secs(5);

/// A file that could not be used and lies beside the new one now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedAside {
    /// Where it is.
    pub path: PathBuf,
    /// What was wrong with it.
    pub problem: String,
    /// What of it is in the new one.
    pub salvaged: Salvaged,
}

/// Opens the database for writing, in a new file if there was none or none of use. What can be read of one that is of no
/// use is in the new one.
pub(super) fn open(path: &Path) -> Result<(Connection, Option<MovedAside>), LogError> {
    assert_version()?;
    private_file::restrict_siblings(path).map_err(|error| inaccessible(path, &error))?;
    salvage::put_in_place(path).map_err(|error| inaccessible(path, &error))?;
    match open_new(path) {
        Ok(connection) => Ok((connection, None)),
        Err(LogError::Damaged(problem)) => {
            // Before the file is moved: if there is no room now, the next start finds all as it was.
            let salvaged = salvage::rebuild(path)?;
            let aside = move_aside(path).map_err(|error| inaccessible(path, &error))?;
            salvage::put_in_place(path).map_err(|error| inaccessible(path, &error))?;
            Ok((open_sound(path)?, Some(MovedAside { path: aside, problem, salvaged })))
        }
        Err(error) => Err(error),
    }
}

/// Opens a sound database, which is made if there is none.
pub(super) fn open_new(path: &Path) -> Result<Connection, LogError> {
    create(path)?;
    open_sound(path)
}

/// Opens the database for reading only.
pub(super) fn open_reader(path: &Path) -> Result<Connection, LogError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| opening(path, &error))?;
    connection.busy_timeout(BUSY_PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

fn assert_version() -> Result<(), LogError> {
    let (found, text) = (rusqlite::version_number(), rusqlite::version());
    if found >= OLDEST_SQLITE {
        return Ok(());
    }
    Err(LogError::Failed(format!(
        "this program was built with SQLite {text}, which may lose data; rebuild it"
    )))
}

/// By hand, because SQLite would let others read it. Its other files get the same rights.
fn create(path: &Path) -> Result<(), LogError> {
    let created = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    created.map(drop).map_err(|error| inaccessible(path, &error))
}

fn open_sound(path: &Path) -> Result<Connection, LogError> {
    let at_path = |error| opening(path, &error);
    check_header(path)?;
    let connection = connect(path).map_err(at_path)?;
    stamp(&connection).map_err(at_path)?.check(path)?;
    let bytes = fs::metadata(path).map_err(|error| inaccessible(path, &error))?.len();
    sound(fault(&connection, bytes).map_err(at_path)?)?;
    write_ahead(&connection, path)?;
    migrate(&connection, path, &MIGRATIONS).map_err(at_path)?;
    sound(schema_fault(&connection).map_err(at_path)?)?;
    sound(session_fault(&connection).map_err(at_path)?)?;
    sound(records::fault(&connection).map_err(at_path)?)?;
    if bytes <= CHECKED_IN_FULL {
        rows::check(&connection)?;
        events::check(&connection)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(connection)
}

/// A new file as an earlier version made it.
#[cfg(test)]
pub(super) fn of_schema(path: &Path, schema: usize) -> rusqlite::Result<Connection> {
    create(path).ok();
    let connection = connect(path)?;
    migrate(&connection, path, MIGRATIONS.get(..schema).unwrap_or_default())?;
    Ok(connection)
}

/// Nothing is changed by looking: a file that turns out to be of no use is to be kept as it was.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // FULL, so that the log of a new file is known to its directory before anything relies on it.
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

fn sound(fault: Option<String>) -> Result<(), LogError> {
    fault.map_or(Ok(()), |fault| Err(LogError::Damaged(fault)))
}

/// By hand, because a file that claims to be of a later format would only seem to be read-only.
fn check_header(path: &Path) -> Result<(), LogError> {
    let mut header = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEADER_BYTES).read_to_end(&mut header));
    read.map_err(|error| inaccessible(path, &error))?;
    let formats = header.get(18..20).unwrap_or_default();
    let is_sound = header.starts_with(b"SQLite format 3\0") && matches!(formats, [1 | 2, 1 | 2]);
    if header.is_empty() || is_sound {
        return Ok(());
    }
    Err(LogError::Damaged("it does not begin as a database does".to_owned()))
}

/// Whose file it is.
struct Stamp {
    application: i32,
    schema: u32,
    has_tables: bool,
}

fn stamp(connection: &Connection) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        application: connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
        schema: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
        has_tables: connection.query_row("SELECT count(*) > 0 FROM sqlite_schema", [], |row| row.get(0))?,
    })
}

impl Stamp {
    fn check(&self, path: &Path) -> Result<(), LogError> {
        let known = MIGRATIONS.len() as u32;
        if self.has_tables && self.application != APPLICATION {
            return Err(LogError::Damaged("it is not a database of Liminal Builder".to_owned()));
        }
        if self.schema > known {
            return Err(LogError::Newer { path: path.to_owned(), found: self.schema, known });
        }
        Ok(())
    }
}

fn write_ahead(connection: &Connection, path: &Path) -> Result<(), LogError> {
    let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
    match mode.map_err(|error| opening(path, &error))?.as_str() {
        "wal" => Ok(()),
        _ => Err(inaccessible(path, &"it is on a file system without shared memory, choose a local one")),
    }
}

/// What the database finds wrong with itself.
fn fault(connection: &Connection, bytes: u64) -> rusqlite::Result<Option<String>> {
    if bytes > CHECKED_ALWAYS && meta::was_left_well(connection) {
        return Ok(None);
    }
    let check = if bytes <= CHECKED_IN_FULL { "integrity_check(1)" } else { "quick_check(1)" };
    let verdict: String = connection.query_row(&format!("PRAGMA {check}"), [], |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

/// Each step whole or not at all; a file with something in it is copied first.
fn migrate(connection: &Connection, path: &Path, migrations: &[&str]) -> rusqlite::Result<()> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let missing = migrations.iter().enumerate().skip(found as usize);
    if found > 0 && missing.len() > 0 {
        let copy = unused(path, &format!("before-{}", migrations.len()));
        // SQLite fills an empty file, and would let others read one that it makes itself.
        private_file::create_new(&copy).map_err(io_failed)?;
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    for (step, sql) in missing {
        connection.execute_batch(&format!(
            "BEGIN EXCLUSIVE; {sql} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {}; COMMIT;",
            step + 1
        ))?;
    }
    Ok(())
}

fn io_failed(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

/// The database takes whatever its schema says now for what it always said.
fn schema_fault(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let expected = Connection::open_in_memory()?;
    MIGRATIONS.iter().try_for_each(|sql| expected.execute_batch(sql))?;
    let is_other = schema(connection)? != schema(&expected)?;
    Ok(is_other.then(|| "its schema is not what was stored".to_owned()))
}

fn schema(connection: &Connection) -> rusqlite::Result<Vec<(String, String, Option<String>)>> {
    let mut statement =
        connection.prepare("SELECT name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

/// What no check of the database's own tells: a head that is not where its entries end, a name that changed.
fn session_fault(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare(
        "SELECT id, name, epoch, head, floor, checksum,
            (SELECT max(seq) FROM entry WHERE session = session.id) FROM session",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, name, epoch): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (head, floor, stored): (i64, i64, i64) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let newest: Option<i64> = row.get(6)?;
        if newest.unwrap_or(floor) != head || stored != session_sum(id, &name, &epoch, floor) {
            return Ok(Some(format!("session {name} is not what was stored")));
        }
    }
    Ok(None)
}

/// The sum over what is stored of a session itself.
pub(super) fn session_sum(id: i64, name: &str, epoch: &str, floor: i64) -> i64 {
    checksum::sum(&[&id.to_le_bytes(), name.as_bytes(), epoch.as_bytes(), &floor.to_le_bytes()])
}

/// Renames the file and its log, so that both can be looked at.
fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let stamp = Clock::start().now().wall.strftime("%Y%m%dT%H%M%SZ").to_string();
    let aside = unused(path, &format!("corrupt-{stamp}"));
    for ending in ["-wal", "-shm"] {
        match fs::rename(with_ending(path, ending), with_ending(&aside, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    fs::rename(path, &aside)?;
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    Ok(aside)
}

/// A name that no file has, so that nothing is ever overwritten.
fn unused(path: &Path, ending: &str) -> PathBuf {
    let first = with_ending(path, &format!(".{ending}"));
    let others = (2..).map(|number| with_ending(path, &format!(".{ending}-{number}")));
    std::iter::once(first.clone()).chain(others).find(|name| !name.exists()).unwrap_or(first)
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_migration_that_fails_changes_nothing_and_leaves_a_copy() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("liminal.db");
        let (connection, _) = open(&path).unwrap();
        connection.execute("INSERT INTO meta (name, value) VALUES ('a', 'b')", []).unwrap();
        let [first, second, third] = MIGRATIONS;
        let broken = [first, second, third, "CREATE TABLE more (a TEXT); CREATE TABLE more (a TEXT);"];
        assert!(migrate(&connection, &path, &broken).is_err());
        connection.execute_batch("ROLLBACK").unwrap();
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'more'";
        let count = |connection: &Connection, sql: &str| -> u32 {
            connection.query_row(sql, [], |row| row.get(0)).unwrap()
        };
        assert_eq!(count(&connection, tables), 0);
        assert_eq!(count(&connection, "PRAGMA user_version"), 3);
        let copy = Connection::open(with_ending(&path, ".before-4")).unwrap();
        assert_eq!(count(&copy, "SELECT count(*) FROM meta WHERE name = 'a'"), 1);

        let whole = [first, second, third, "CREATE TABLE more (a TEXT);"];
        migrate(&connection, &path, &whole).unwrap();
        assert_eq!((count(&connection, tables), count(&connection, "PRAGMA user_version")), (1, 4));
        assert!(with_ending(&path, ".before-4-2").exists(), "no copy is overwritten");
    }

    fn modes(directory: &Path) -> Vec<(String, u32)> {
        let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
        let mode = |entry: &fs::DirEntry| entry.metadata().unwrap().permissions().mode() & 0o777;
        let mut modes: Vec<_> =
            entries.map(|entry| (entry.file_name().into_string().unwrap(), mode(&entry))).collect();
        modes.sort();
        modes
    }

    #[test]
    fn d21_a_copy_made_by_a_migration_is_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("liminal.db");
        drop(of_schema(&path, 1).unwrap());
        let (connection, _) = open(&path).unwrap();
        let found = modes(directory.path());
        assert!(found.iter().any(|(name, _)| name == "liminal.db.before-3"), "{found:?}");
        assert!(found.iter().all(|(_, mode)| *mode == 0o600), "{found:?}");
        drop(connection);
    }

    #[test]
    fn d21_old_copies_become_private_at_the_next_start() {
        let directory = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (directory.path().join("liminal.db"), directory.path().join("other"));
        drop(open(&path).unwrap());
        let names = ["liminal.db", "liminal.db.before-2", "liminal.db.corrupt-1-wal", "other"];
        for name in names {
            let file = directory.path().join(name);
            OpenOptions::new().append(true).create(true).open(&file).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        }
        std::os::unix::fs::symlink(&elsewhere, directory.path().join("liminal.db.before-9")).unwrap();
        drop(open(&path).unwrap());
        let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
        assert_eq!(names.map(|name| mode(name) & 0o777), [0o600, 0o600, 0o600, 0o644]);
    }
}
