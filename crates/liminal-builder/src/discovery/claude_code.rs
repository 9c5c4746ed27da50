//! The sessions of Claude Code. Owns where they lie below its configuration directory, and which file is one; what
//! their lines mean is the core's business.

mod outline;
mod outputs;
mod slug;
mod sub_agents;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use liminal_core::dialect::claude::history::{History, HistoryReader, Outline};
use liminal_core::ids::SessionId;

use super::index::Index;
use super::known::{self, Group, KnownDirectories};
use super::lines::{Lines, Piece};
use super::{DiscoveryError, Listing, files, is_uuid};
pub use slug::project_slug;

/// The directory that Claude Code keeps its state in: what `CLAUDE_CONFIG_DIR` says, or `.claude` at home.
#[must_use]
pub fn config_directory(claude_config_dir: Option<&OsStr>, home: &Path) -> PathBuf {
    match claude_config_dir.filter(|directory| !directory.is_empty()) {
        Some(directory) => PathBuf::from(directory),
        None => home.join(".claude"),
    }
}

/// A longer line is left out of a history.
const LINE_LIMIT: u64 = 16 * 1024 * 1024;

/// The sessions below one configuration directory. Remembers what it has read of each file: a file that has not
/// changed is not read again.
#[derive(Debug)]
pub struct Sessions {
    projects: PathBuf,
    index: Index<Outline>,
}

impl Sessions {
    /// The sessions below a configuration directory, which need not exist yet.
    #[must_use]
    pub fn new(config_directory: &Path) -> Self {
        Self { projects: config_directory.join("projects"), index: Index::new() }
    }

    /// Lists the sessions that were begun in a directory, the latest first.
    pub fn list(&mut self, project: &Path) -> Result<Listing, DiscoveryError> {
        let real = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let directory = self.directory(&real);
        let found = session_files(&directory)?;
        let mut listing = Listing::default();
        listing.unreadable = self.index.update(&directory, found, |path, stamp, outline| {
            let is_here = outline::is_in(outline, project) || outline::is_in(outline, &real);
            let id = session_id(path).filter(|_| is_here);
            listing.sessions.extend(id.and_then(|id| outline::summary(id, stamp, outline)));
        });
        listing.sort();
        Ok(listing)
    }

    /// Reads a session in full, with its sub-agents and what its commands wrote in the background.
    pub fn open(&self, project: &Path, id: &str) -> Result<History, DiscoveryError> {
        let not_found = || DiscoveryError::NotFound { id: id.to_owned() };
        let real = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let directory = self.directory(&real);
        if !is_uuid(id) || !files::is_directory(&directory) {
            return Err(not_found());
        }
        let path = directory.join(format!("{id}.jsonl"));
        let mut reader = HistoryReader::new(SessionId::from(format!("claude-code:{id}")));
        match each_line(&path, &mut reader, HistoryReader::push_line) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(not_found()),
            Err(error) => return Err(DiscoveryError::read(&path)(error)),
        }
        sub_agents::read(&directory, id, &mut reader)?;
        outputs::read(&mut reader);
        Ok(reader.finish())
    }

    fn directory(&self, real: &Path) -> PathBuf {
        self.projects.join(project_slug(&real.to_string_lossy()))
    }
}

/// The directories that Claude Code has worked in, from what it wrote below its configuration directory.
#[must_use]
pub fn known(config_directory: &Path) -> KnownDirectories {
    let folders = known::folders(&config_directory.join("projects"));
    let groups = folders.iter().map(|folder| Group(session_files(folder).unwrap_or_default()));
    known::directories(groups.collect(), |outline: &Outline| outline.cwd().map(PathBuf::from))
}

/// Hands every line of a file to a reader.
fn each_line(
    path: &Path,
    reader: &mut HistoryReader,
    mut push: impl FnMut(&mut HistoryReader, &[u8]),
) -> io::Result<()> {
    let mut lines = Lines::new(BufReader::with_capacity(256 * 1024, files::open(path)?), LINE_LIMIT);
    while let Some(piece) = lines.next()? {
        match piece {
            Piece::Line(line) => push(reader, line),
            Piece::TooLong => reader.skip_line("too long"),
        }
    }
    Ok(())
}

/// The sessions in a directory; a project that Claude Code never worked in has none.
fn session_files(directory: &Path) -> Result<Vec<PathBuf>, DiscoveryError> {
    if !files::is_directory(directory) {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(directory).map_err(DiscoveryError::read(directory))?;
    let files =
        entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    Ok(files.map(|entry| entry.path()).filter(|path| session_id(path).is_some()).collect())
}

/// The session whose file this is.
fn session_id(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix(".jsonl").filter(|id| is_uuid(id))
}
