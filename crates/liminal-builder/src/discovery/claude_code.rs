//! The sessions of Claude Code. Owns where they lie below its configuration directory, and which file is one; what
//! their lines mean is the core's business.

mod files;
mod slug;
mod sub_agents;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use liminal_core::dialect::claude::history::{History, HistoryReader};
use liminal_core::ids::SessionId;

use super::{DiscoveryError, Listing, SessionSummary};
use files::{Outlined, Stamp};
pub use slug::project_slug;

/// The directory that Claude Code keeps its state in: what `CLAUDE_CONFIG_DIR` says, or `.claude` at home.
#[must_use]
pub fn config_directory(claude_config_dir: Option<&OsStr>, home: &Path) -> PathBuf {
    match claude_config_dir.filter(|directory| !directory.is_empty()) {
        Some(directory) => PathBuf::from(directory),
        None => home.join(".claude"),
    }
}

/// The sessions below one configuration directory. Remembers what it has read of each file: a file that has not
/// changed is not read again.
#[derive(Debug)]
pub struct Sessions {
    projects: PathBuf,
    index: BTreeMap<PathBuf, Indexed>,
}

#[derive(Debug)]
struct Indexed {
    stamp: Stamp,
    outlined: Outlined,
}

/// One session of one project.
#[derive(Debug)]
struct SessionFile {
    id: String,
    path: PathBuf,
}

impl Sessions {
    /// The sessions below a configuration directory, which need not exist yet.
    #[must_use]
    pub fn new(config_directory: &Path) -> Self {
        Self { projects: config_directory.join("projects"), index: BTreeMap::new() }
    }

    /// Lists the sessions that were begun in a directory, the latest first.
    pub fn list(&mut self, project: &Path) -> Result<Listing, DiscoveryError> {
        let real = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let directory = self.directory(&real);
        let found = session_files(&directory)?;
        let mut listing = Listing::default();
        let mut index = self.take_index(&directory);
        for file in found {
            let known = index.remove(&file.path);
            match refresh(&file.path, known) {
                Ok(indexed) => {
                    let is_here = indexed.outlined.is_in(project) || indexed.outlined.is_in(&real);
                    if is_here && let Some(summary) = indexed.outlined.summary(&file.id, &indexed.stamp) {
                        listing.sessions.push(summary);
                    }
                    self.index.insert(file.path, indexed);
                }
                // Deleted since the directory was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => listing.unreadable.push(file.path),
            }
        }
        listing.sessions.sort_by(latest_first);
        Ok(listing)
    }

    /// Reads a session in full, with its sub-agents.
    pub fn open(&self, project: &Path, id: &str) -> Result<History, DiscoveryError> {
        let not_found = || DiscoveryError::NotFound { id: id.to_owned() };
        let real = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let directory = self.directory(&real);
        if !is_session_id(id) || !files::is_directory(&directory) {
            return Err(not_found());
        }
        let path = directory.join(format!("{id}.jsonl"));
        let mut reader = HistoryReader::new(SessionId::from(format!("claude-code:{id}")));
        match files::each_line(&path, &mut reader, HistoryReader::push_line) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(not_found()),
            Err(error) => return Err(DiscoveryError::read(&path)(error)),
        }
        sub_agents::read(&directory, id, &mut reader)?;
        Ok(reader.finish())
    }

    fn directory(&self, real: &Path) -> PathBuf {
        self.projects.join(project_slug(&real.to_string_lossy()))
    }

    /// Takes out what is known of a project's files, so that those which are gone are forgotten.
    fn take_index(&mut self, directory: &Path) -> BTreeMap<PathBuf, Indexed> {
        let (inside, others) = std::mem::take(&mut self.index)
            .into_iter()
            .partition(|(path, _)| path.parent() == Some(directory));
        self.index = others;
        inside
    }
}

fn latest_first(one: &SessionSummary, other: &SessionSummary) -> std::cmp::Ordering {
    other.last_activity.cmp(&one.last_activity).then_with(|| one.id.cmp(&other.id))
}

fn refresh(path: &Path, known: Option<Indexed>) -> io::Result<Indexed> {
    let stamp = Stamp::of(path)?;
    match known.filter(|known| known.stamp == stamp) {
        Some(known) => Ok(known),
        None => files::outline(path).map(|(stamp, outlined)| Indexed { stamp, outlined }),
    }
}

/// The sessions in a directory; a project that Claude Code never worked in has none.
fn session_files(directory: &Path) -> Result<Vec<SessionFile>, DiscoveryError> {
    if !files::is_directory(directory) {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(directory).map_err(DiscoveryError::read(directory))?;
    let files = entries.filter_map(|entry| session_file(&entry.ok()?));
    Ok(files.collect())
}

fn session_file(entry: &fs::DirEntry) -> Option<SessionFile> {
    let name = entry.file_name();
    let id = name.to_str()?.strip_suffix(".jsonl").filter(|id| is_session_id(id))?;
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    is_file.then(|| SessionFile { id: id.to_owned(), path: entry.path() })
}

/// Whether a name is a UUID, as every session's is.
fn is_session_id(name: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.len() == 36 && name.split('-').map(str::len).eq(lengths) && name.split('-').all(is_hexadecimal)
}
