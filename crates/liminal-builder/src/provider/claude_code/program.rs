//! The program of Claude Code. Owns which versions of it can be used.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What it is called on the `PATH`.
pub(super) const NAME: &str = "claude";
/// What to do about one that cannot be used.
pub(super) const INSTALL: &str = "install it with: npm install -g @anthropic-ai/claude-code";
/// The first version whose protocol is the one our dialect was written against.
const OLDEST: Version = Version { major: 2, minor: 0, patch: 0 };

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

/// The version in what `--version` printed, or why this program cannot be used.
pub fn check(program: &Path, output: &str) -> Result<String, String> {
    let program = program.display();
    let Some(version) = parse(output) else {
        let found = output.lines().next().unwrap_or_default();
        return Err(format!("{program} is not Claude Code: it calls itself `{found}`; {INSTALL}"));
    };
    if version < OLDEST {
        let found = format!("{program} is Claude Code {version}, which is too old");
        return Err(format!("{found}; at least {OLDEST} is needed: {INSTALL}"));
    }
    Ok(version.to_string())
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
