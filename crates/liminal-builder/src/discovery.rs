//! Sessions that agents have left on disk. Owns how they are found, listed and read back. Reads files and blocks
//! while it does; the caller owns threads, the environment and what is done with a history.

pub mod claude_code;
mod lines;

use std::io;
use std::path::{Path, PathBuf};

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
    /// When something was last said in it.
    pub last_activity: jiff::Timestamp,
    /// How large its file is.
    pub bytes: u64,
}

/// The sessions of a project.
#[derive(Debug, Default)]
pub struct Listing {
    /// The sessions, the latest first.
    pub sessions: Vec<SessionSummary>,
    /// Files that could not be read.
    pub unreadable: Vec<PathBuf>,
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
