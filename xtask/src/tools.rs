//! Subcommands of cargo that only some chores need. Owns where they are installed; knows nothing of what they do.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::command::CommandLine;
use crate::repository;

/// The version of each that is installed where there is none. A newer one may find other faults, or take other words.
const VERSIONS: [(&str, &str); 2] = [("fuzz", "0.13.2"), ("mutants", "27.1.0")];

/// Installs a subcommand unless it is there, as `fuzz` is by `cargo-fuzz`.
pub(crate) fn ensure(subcommand: &str) -> Result<()> {
    let probe = CommandLine::new("cargo").word(subcommand).word("--version");
    if probe.variable("PATH", path()?).succeeds() {
        return Ok(());
    }
    let version = VERSIONS.iter().find_map(|(name, version)| (*name == subcommand).then_some(*version));
    let package = format!("cargo-{subcommand}@{}", version.context("this tool has no version here")?);
    let install = CommandLine::new("cargo install --locked --root").word(folder()).word(&package);
    install.run().with_context(|| {
        format!("{package} is missing; where crates can be downloaded, run: cargo install --locked {package}")
    })
}

/// The search path with the folder of these tools at its end.
pub(crate) fn path() -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([folder().join("bin")]);
    env::join_paths(folders).context("the path of this repository holds a colon")
}

/// Not the user's own folder of tools: a chore must leave the machine as it found it.
fn folder() -> PathBuf {
    repository::target().join("tools")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_there_is_not_installed() {
        ensure("fmt").unwrap();
    }

    #[test]
    fn tools_of_the_user_come_first() {
        let path = path().unwrap();
        let folders: Vec<PathBuf> = env::split_paths(&path).collect();
        assert_eq!(folders.last(), Some(&folder().join("bin")));
        assert!(folders.len() > 1);
    }
}
