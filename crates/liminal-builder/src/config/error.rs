//! Why a configuration cannot be used. Owns the words for it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::Origin;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}; name another file with --config", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Nobody says where data is to be kept.
    #[error("neither HOME nor XDG_DATA_HOME is a full path; choose a directory with --data-dir")]
    NoPlace,
    /// Something that is set is no setting, or has a value that it cannot have.
    #[error("{0}")]
    Setting(Fault),
}

/// What is wrong, and where it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub origin: Origin,
    /// What, and what would be right.
    pub problem: String,
}

impl Fault {
    pub(super) const fn new(origin: Origin, problem: String) -> Self {
        Self { origin, problem }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.origin, self.problem)
    }
}
