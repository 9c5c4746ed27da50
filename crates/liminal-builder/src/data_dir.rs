//! The directory that holds everything this program keeps. Owns who may use it: nobody but this user, and one server at
//! a time. What lies in it is the business of whoever put it there.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};

use crate::platform::{self, ProcessEntry};

const LOCK: &str = "lock";
const DATABASE: &str = "liminal.db";
const FIRST_PAUSE: Duration = Duration::from_millis(2);
/// A holder writes less; whatever is longer is not ours.
const LONGEST_HOLDER: u64 = 4096;

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another server uses it.
    #[error("another server uses {path}: {}; use that one, stop it, or choose another --data-dir", .holder)]
    InUse {
        /// The directory.
        path: PathBuf,
        /// Who it is.
        holder: Holder,
    },
    /// Others could read or change what is in it.
    #[error("{path} is not safe to keep data in: {problem}")]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// It cannot be made or written.
    #[error("{path} cannot be used: {error}; make it writable for this user or choose another --data-dir")]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// The server that uses a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// When that process started, so that a later one with its number is not taken for it.
    pub start: u64,
    /// Where it answers, once it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Holder {
    /// Whether it is known and does not run any more.
    fn is_gone(&self) -> bool {
        let is_it = |found: &ProcessEntry| found.identity.start == self.start && !found.is_zombie;
        self.pid != 0 && !platform::process_entry(self.pid).as_ref().is_some_and(is_it)
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.url, self.pid) {
            (Some(url), pid) => write!(formatter, "it is at {url} (process {pid})"),
            (None, 0) => formatter.write_str("it is just starting"),
            (None, pid) => write!(formatter, "process {pid}, which is just starting"),
        }
    }
}

/// A directory that this server alone uses, until it is dropped or the process ends.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// The system lets go of the lock with the last descriptor, also after a kill.
    lock: File,
}

impl DataDir {
    /// Makes the directory if there is none, and locks it.
    pub fn open(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |error| DataDirError::Unusable { path: path.to_owned(), error };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        secure(path)?;
        let mut lock = open_lock(&path.join(LOCK)).map_err(unusable)?;
        if let Some(holder) = take_over(&mut lock, pauses()).map_err(unusable)? {
            return Err(DataDirError::InUse { path: path.to_owned(), holder });
        }
        let mut directory = Self { path: path.to_owned(), lock };
        directory.write_holder(None).map_err(unusable)?;
        Ok(directory)
    }

    /// Tells later servers where this one answers.
    pub fn announce(&mut self, url: &str) -> io::Result<()> {
        self.write_holder(Some(url.to_owned()))
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the database is.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    fn write_holder(&mut self, url: Option<String>) -> io::Result<()> {
        let pid = std::process::id();
        let start = platform::process_entry(pid).map_or(0, |entry| entry.identity.start);
        let text = serde_json::to_vec(&Holder { pid, start, url })?;
        self.lock.set_len(0)?;
        self.lock.rewind()?;
        self.lock.write_all(&text)
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        // The file stays: removing it would let two servers lock two files of the same name.
        self.lock.set_len(0).ok();
    }
}

/// A directory of ours that only we can look into. A link could be turned to another place later.
fn secure(path: &Path) -> Result<(), DataDirError> {
    let unusable = |error| DataDirError::Unusable { path: path.to_owned(), error };
    let refused = |problem: &str| DataDirError::Unsafe { path: path.to_owned(), problem: problem.to_owned() };
    let metadata = fs::symlink_metadata(path).map_err(unusable)?;
    if metadata.is_symlink() {
        return Err(refused("it is a link; name the directory itself"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused("it belongs to another user; choose a directory of your own"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(refused("others may write to it; look what is in it, then `chmod 700` it"));
    }
    if metadata.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(unusable)?;
    }
    Ok(())
}

fn open_lock(path: &Path) -> io::Result<File> {
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(no_follow);
    options.open(path)
}

/// Locks the file, or tells who holds it. What a killed server was just starting has its lock until it runs, and is
/// given a pause for as long as there is one.
fn take_over(lock: &mut File, mut pause: impl FnMut() -> bool) -> io::Result<Option<Holder>> {
    loop {
        match flock(&*lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(None),
            Err(rustix::io::Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
        let holder = read_holder(lock);
        if !holder.is_gone() || !pause() {
            return Ok(Some(holder));
        }
    }
}

/// A few pauses, which grow to two seconds together.
fn pauses() -> impl FnMut() -> bool {
    let mut pauses = (0..10).map(|doubled| FIRST_PAUSE * (1 << doubled));
    move || pauses.next().map(thread::sleep).is_some()
}

/// A holder that has not written yet, or was cut off while it did, is one of whom nothing is known.
fn read_holder(lock: &mut File) -> Holder {
    let mut text = Vec::new();
    let read = lock.rewind().and_then(|()| lock.take(LONGEST_HOLDER).read_to_end(&mut text));
    let holder = read.ok().and_then(|_| serde_json::from_slice(&text).ok());
    holder.unwrap_or(Holder { pid: 0, start: 0, url: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_new_directory_is_for_this_user_alone() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let directory = DataDir::open(&path).unwrap();
        assert_eq!((mode(&path), mode(&path.join(LOCK))), (0o700, 0o600));
        assert_eq!(directory.database().parent(), Some(directory.path()));
    }

    #[test]
    fn a_second_server_is_told_where_the_first_one_is() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        let mut first = DataDir::open(&path).unwrap();
        let starting = DataDir::open(&path).unwrap_err().to_string();
        assert!(starting.contains("just starting"), "{starting}");
        first.announce("http://127.0.0.1:4711/").unwrap();
        let told = DataDir::open(&path).unwrap_err().to_string();
        assert!(told.contains("http://127.0.0.1:4711/"), "{told}");
        assert!(told.contains(&std::process::id().to_string()), "{told}");
        drop(first);
        DataDir::open(&path).unwrap();
    }

    #[test]
    fn what_a_killed_server_left_is_taken_over() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        drop(DataDir::open(&path).unwrap());
        for left in [r#"{"pid":1,"start":1,"url":"http://gone/"}"#, "", "{", "\u{0}garbage"] {
            fs::write(path.join(LOCK), left).unwrap();
            DataDir::open(&path).unwrap();
        }
    }

    #[test]
    fn what_a_killed_server_was_starting_is_waited_for_and_a_living_one_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("lock");
        let (held, mut lock) = (open_lock(&path).unwrap(), open_lock(&path).unwrap());
        flock(&held, FlockOperation::LockExclusive).unwrap();
        let me = platform::process_entry(std::process::id()).unwrap().identity;
        let holders =
            [(me.pid, me.start, false), (me.pid, me.start + 1, true), (4_194_304, 1, true), (0, 0, false)];
        for (pid, start, is_waited_for) in holders {
            let holder = Holder { pid, start, url: None };
            fs::write(&path, serde_json::to_vec(&holder).unwrap()).unwrap();
            let mut pauses = 0;
            let still = take_over(&mut lock, || std::mem::replace(&mut pauses, 1) == 0).unwrap();
            assert_eq!((still, pauses == 1), (Some(holder), is_waited_for), "{pid} {start}");
        }
        fs::write(&path, r#"{"pid":4194304,"start":1}"#).unwrap();
        let mut held = Some(held);
        assert_eq!(take_over(&mut lock, || held.take().is_some()).unwrap(), None);
    }

    #[test]
    fn a_directory_that_others_could_change_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        drop(DataDir::open(&path).unwrap());
        for unsafe_mode in [0o777, 0o770, 0o702] {
            fs::set_permissions(&path, Permissions::from_mode(unsafe_mode)).unwrap();
            let told = DataDir::open(&path).unwrap_err().to_string();
            assert!(told.contains("chmod 700"), "{told}");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        drop(DataDir::open(&path).unwrap());
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn links_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let (path, link) = (parent.path().join("data"), parent.path().join("link"));
        drop(DataDir::open(&path).unwrap());
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(DataDir::open(&link), Err(DataDirError::Unsafe { .. })));

        let victim = parent.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        fs::remove_file(path.join(LOCK)).unwrap();
        std::os::unix::fs::symlink(&victim, path.join(LOCK)).unwrap();
        assert!(matches!(DataDir::open(&path), Err(DataDirError::Unusable { .. })));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_with_what_to_do() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, "").unwrap();
        for path in [Path::new("/proc/liminal"), &file, &file.join("below")] {
            let told = DataDir::open(path).unwrap_err().to_string();
            assert!(told.starts_with(&path.display().to_string()) && told.contains("--data-dir"), "{told}");
        }
    }
}
