//! Sessions that agents have left on disk. Owns how they are found, listed and read back. Reads files and blocks
//! while it does; the caller owns threads, the environment and what is done with a history.

pub mod claude_code;
pub mod codex;
mod files;
mod index;
mod known;
mod lines;

use std::io;
use std::path::{Path, PathBuf};

use liminal_core::time::Timestamp;

use files::Stamp;
pub use known::{KnownDirectories, KnownDirectory};

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// The agent's own id.
    pub id: String,
    /// What the session is called.
    pub title: Option<String>,
    /// The first prompt, as one short line.
    pub first_prompt: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// Who serves the model, where the agent tells it.
    pub model_provider: Option<String>,
    /// When something was last said in it.
    pub last_activity: jiff::Timestamp,
    /// How large its file is.
    pub bytes: u64,
    /// Whether the user has put it away; an agent may refuse to go on with it.
    pub is_archived: bool,
}

/// The sessions of a project.
#[derive(Debug, Default)]
pub struct Listing {
    /// The sessions, the latest first.
    pub sessions: Vec<SessionSummary>,
    /// Files that could not be read.
    pub unreadable: Vec<PathBuf>,
    /// How many files the agent has compressed; they are not read, and belong to any project.
    pub compressed: usize,
}

impl Listing {
    /// What is not listed, and why, in words; the agent is called by its name.
    #[must_use]
    pub fn notes(&self, agent: &str) -> Vec<String> {
        let unreadable = self.unreadable.first().map(|first| {
            let more = self.unreadable.len() - 1;
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("{agent}: {}{more} cannot be read; check that you may read it", first.display())
        });
        let count = self.compressed;
        let compressed = (count > 0).then(|| {
            let files = if count == 1 { "session file is" } else { "session files are" };
            format!("{agent}: {count} {files} compressed and not listed here, whatever its project; {agent} itself lists it")
        });
        unreadable.into_iter().chain(compressed).collect()
    }

    /// The latest first.
    fn sort(&mut self) {
        self.sessions.sort_by(|one, other| {
            other.last_activity.cmp(&one.last_activity).then_with(|| one.id.cmp(&other.id))
        });
    }
}

/// Why sessions could not be found or read.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// The file system refused.
    #[error("cannot read {}: {source}; check that you may read it", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// No such session.
    #[error("this project has no session {id}; list its sessions to see which there are")]
    NotFound {
        /// What was asked for.
        id: String,
    },
}

impl DiscoveryError {
    fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }
}

/// What a file tells, or else when it was last written.
fn last_activity(told: Option<Timestamp>, stamp: &Stamp) -> jiff::Timestamp {
    told.map_or_else(|| stamp.modified(), Timestamp::instant)
}

/// Whether a name is a UUID, as every session's is.
fn is_uuid(name: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.len() == 36 && name.split('-').map(str::len).eq(lengths) && name.split('-').all(is_hexadecimal)
}
