//! The program of Claude Code. Owns where it is and whether this version of it can be used.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::process::{Environment, run_for_output};
use crate::provider::OpenError;

const NAME: &str = "claude";
const INSTALL: &str = "install it with: npm install -g @anthropic-ai/claude-code";
/// The first version whose protocol is the one our dialect was written against.
const OLDEST: Version = Version { major: 2, minor: 0, patch: 0 };
/// It answers in a tenth of a second; a cold disk takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its full path.
    pub program: PathBuf,
    /// Its version.
    pub version: Version,
}

/// A version of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Breaking changes.
    pub major: u32,
    /// Additions.
    pub minor: u32,
    /// Corrections.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Finds the program, as configured or on the `PATH`, and checks its version.
pub async fn find(configured: Option<&Path>, environment: &Environment) -> Result<Installed, OpenError> {
    let program = match configured {
        Some(program) => program.to_owned(),
        None => environment
            .find_program(NAME)
            .ok_or_else(|| OpenError::Unusable(format!("Claude Code is not on the PATH; {INSTALL}")))?,
    };
    let version = version(&program, environment).await?;
    if version < OLDEST {
        let found = format!("{} is Claude Code {version}, which is too old", program.display());
        return Err(OpenError::Unusable(format!("{found}; at least {OLDEST} is needed: {INSTALL}")));
    }
    Ok(Installed { program, version })
}

/// Asking costs a tenth of a second, so a program that has not changed is asked once.
async fn version(program: &Path, environment: &Environment) -> Result<Version, OpenError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, (Option<SystemTime>, Version)>> = Mutex::new(BTreeMap::new());
    let changed = program.metadata().and_then(|file| file.modified()).ok();
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(program).copied();
    if let Some((at, version)) = known
        && at == changed
    {
        return Ok(version);
    }
    let output = run_for_output(program, &["--version"], environment, PATIENCE).await?.stdout;
    let version = parse(&output).ok_or_else(|| {
        let found = output.lines().next().unwrap_or_default();
        OpenError::Unusable(format!(
            "{} is not Claude Code: it calls itself `{found}`; {INSTALL}",
            program.display()
        ))
    })?;
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(program.to_owned(), (changed, version));
    Ok(version)
}

/// Reads `2.1.197 (Claude Code)`.
fn parse(output: &str) -> Option<Version> {
    let (number, name) = output.trim().split_once(' ')?;
    number.parse().ok().filter(|_| name.contains("Claude Code"))
}

impl FromStr for Version {
    type Err = ();

    fn from_str(number: &str) -> Result<Self, ()> {
        parts(number).ok_or(())
    }
}

fn parts(number: &str) -> Option<Version> {
    let mut parts = number.split(['.', '-']).map(str::parse::<u32>);
    let mut part = || parts.next()?.ok();
    Some(Version { major: part()?, minor: part()?, patch: part()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared() {
        let version = parse("2.1.197 (Claude Code)\n").unwrap();
        assert_eq!(version.to_string(), "2.1.197");
        assert!(version > OLDEST);
        assert!(parse("1.0.128 (Claude Code)").unwrap() < OLDEST);
        assert_eq!(parse("2.2.0-beta.1 (Claude Code)").unwrap().to_string(), "2.2.0");
        for other in ["", "2.1.197", "codex-cli 0.50.0", "two.one (Claude Code)", "2 (Claude Code)"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
