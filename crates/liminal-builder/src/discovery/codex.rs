//! The sessions of Codex. Owns where they lie below its home, and which file is one; what their lines mean is the
//! core's business. Codex itself gives back the history of a session, so files are only listed here.

mod names;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use liminal_core::dialect::codex_rollout::Outline;

use super::files::{self, Stamp};
use super::index::Index;
use super::known::{self, Group, KnownDirectories};
use super::{DiscoveryError, Listing, SessionSummary, is_uuid, last_activity};
use names::Names;

/// What Codex adds to the name of a file that it has compressed, which it does to old ones when it is told to.
const COMPRESSED: &str = ".zst";

/// The directory that Codex keeps its state in: what `CODEX_HOME` says, or `.codex` at home.
#[must_use]
pub fn home_directory(codex_home: Option<&OsStr>, home: &Path) -> PathBuf {
    match codex_home.filter(|directory| !directory.is_empty()) {
        Some(directory) => PathBuf::from(directory),
        None => home.join(".codex"),
    }
}

/// The sessions below one home of Codex. Files of all projects lie together, and each tells its own: the first list
/// reads something of every file. Remembers it: a file that has not changed is not read again.
#[derive(Debug)]
pub struct Sessions {
    current: PathBuf,
    archived: PathBuf,
    index: Index<Outline>,
    names: Names,
}

impl files::Outline for Outline {
    fn push_head_line(&mut self, bytes: &[u8]) {
        self.push_head_line(bytes);
    }

    fn has_head(&self) -> bool {
        self.has_head()
    }

    fn push_tail(&mut self, lines: &[&[u8]]) {
        self.push_tail(lines);
    }
}

impl Sessions {
    /// The sessions below a home, which need not exist yet.
    #[must_use]
    pub fn new(home_directory: &Path) -> Self {
        let (current, archived) = (home_directory.join("sessions"), home_directory.join("archived_sessions"));
        let names = Names::new(home_directory.join("session_index.jsonl"));
        Self { current, archived, index: Index::new(), names }
    }

    /// Lists the sessions that were begun in a directory, the latest first, with those that were archived.
    pub fn list(&mut self, project: &Path) -> Result<Listing, DiscoveryError> {
        let real = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let mut listing = Listing::default();
        listing.unreadable.extend(self.names.refresh());
        let found =
            [(&self.current, files_by_date(&self.current)?), (&self.archived, rollouts(&self.archived)?)];
        for (directory, files) in found {
            let is_archived = *directory == self.archived;
            let (compressed, files): (Vec<_>, _) = files.into_iter().partition(|path| is_compressed(path));
            listing.compressed += compressed.len();
            let unreadable = self.index.update(directory, files, |path, stamp, outline| {
                if is_in(outline, project) || is_in(outline, &real) {
                    listing.sessions.extend(summary(path, stamp, outline, is_archived));
                }
            });
            listing.unreadable.extend(unreadable);
        }
        for session in &mut listing.sessions {
            session.title = self.names.of(&session.id).cloned().or(session.title.take());
        }
        listing.sort();
        // A file that is moved while the directories are read is found in both.
        let mut seen = BTreeSet::new();
        listing.sessions.retain(|session| seen.insert(session.id.clone()));
        Ok(listing)
    }
}

/// The directories that Codex has worked in, from what it wrote below its home. Archived sessions do not count.
#[must_use]
pub fn known(home_directory: &Path) -> KnownDirectories {
    let mut files = files_by_date(&home_directory.join("sessions")).unwrap_or_default();
    files.retain(|path| !is_compressed(path));
    let groups = files.into_iter().map(|file| Group(vec![file])).collect();
    known::directories(groups, |outline: &Outline| {
        outline.cwd().filter(|_| !outline.is_internal()).map(PathBuf::from)
    })
}

/// A file that does not tell where it belongs is in no project.
fn is_in(outline: &Outline, project: &Path) -> bool {
    outline.cwd().is_some_and(|cwd| Path::new(cwd) == project)
}

/// The session as it is listed; `None` if nobody said anything in it, or nobody but Codex itself.
fn summary(path: &Path, stamp: &Stamp, outline: &Outline, is_archived: bool) -> Option<SessionSummary> {
    let is_empty = stamp.is_read_whole() && !outline.has_messages();
    if is_empty || outline.is_internal() {
        return None;
    }
    Some(SessionSummary {
        id: session_id(path)?.to_owned(),
        title: outline.title(),
        first_prompt: outline.first_prompt(),
        model: outline.model().map(str::to_owned),
        model_provider: outline.model_provider().map(str::to_owned),
        last_activity: last_activity(outline.last_activity(), stamp),
        bytes: stamp.bytes(),
        is_archived,
    })
}

/// The files below the directories of years, months and days.
fn files_by_date(sessions: &Path) -> Result<Vec<PathBuf>, DiscoveryError> {
    let mut directories = vec![sessions.to_owned()];
    for digits in [4, 2, 2] {
        let mut inner = Vec::new();
        for directory in &directories {
            inner.extend(entries(directory, FileType::is_dir, |name| is_number(name, digits))?);
        }
        directories = inner;
    }
    let mut files = Vec::new();
    for directory in &directories {
        files.extend(rollouts(directory)?);
    }
    Ok(files)
}

fn rollouts(directory: &Path) -> Result<Vec<PathBuf>, DiscoveryError> {
    let is_rollout = |name: &str| id_in(name.strip_suffix(COMPRESSED).unwrap_or(name)).is_some();
    entries(directory, FileType::is_file, is_rollout)
}

fn is_compressed(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(COMPRESSED))
}

/// What a directory holds of a kind, by name; links are of no kind. A directory that is not there holds nothing.
fn entries(
    directory: &Path,
    is_of_kind: impl Fn(&FileType) -> bool,
    is_named: impl Fn(&str) -> bool,
) -> Result<Vec<PathBuf>, DiscoveryError> {
    if !files::is_directory(directory) {
        return Ok(Vec::new());
    }
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(DiscoveryError::read(directory)(error)),
    };
    let is_asked = |entry: &DirEntry| {
        entry.file_name().to_str().is_some_and(&is_named)
            && entry.file_type().is_ok_and(|kind| is_of_kind(&kind))
    };
    Ok(entries.filter_map(Result::ok).filter(is_asked).map(|entry| entry.path()).collect())
}

fn is_number(name: &str, digits: usize) -> bool {
    name.len() == digits && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn session_id(path: &Path) -> Option<&str> {
    id_in(path.file_name()?.to_str()?)
}

/// `rollout-2026-01-31T12-00-00-<id>.jsonl`
fn id_in(name: &str) -> Option<&str> {
    let stem = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    let (time, id) = stem.split_at_checked(stem.len().checked_sub(36)?)?;
    (time.ends_with('-') && is_uuid(id)).then_some(id)
}
