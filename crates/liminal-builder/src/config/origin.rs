//! Where a value comes from. Owns how that is told.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A file.
    File {
        /// The file.
        path: PathBuf,
        /// Its line, the first being 1.
        line: usize,
    },
    /// A variable of the environment.
    Variable {
        /// Its name.
        variable: String,
    },
    /// The command line.
    Flag {
        /// The flag, with its dashes.
        flag: &'static str,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Variable { variable } => formatter.write_str(variable),
            Self::Flag { flag } => formatter.write_str(flag),
        }
    }
}
