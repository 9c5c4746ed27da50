//! Owns the description of a process to be started and the tags it will carry.
//! May not start anything.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::confinement::Wrapper;
use super::environment::Environment;

/// Everything needed to start an agent.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// A path, or a name to be looked up in the `PATH` of `environment`.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// What it is started through.
    pub wrapper: Wrapper,
    pub cwd: PathBuf,
    pub environment: Environment,
    pub instance: InstanceId,
    pub session: SessionTag,
}

/// Names one installation of this server; its processes carry it so that a later life finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceId(String);

/// Names the session a process belongs to, for people who look at the process table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTag(String);

/// The text cannot be a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tag is 1 to 128 letters, digits or one of : _ - and starts with a letter or digit")]
pub struct InvalidTag;

impl InstanceId {
    /// Checks that the id can be told apart in a process's environment.
    pub fn new(id: &str) -> Result<Self, InvalidTag> {
        Ok(Self(checked(id)?))
    }

    pub(super) fn variable(&self) -> String {
        format!("LIMINAL_INSTANCE={}", self.0)
    }
}

impl SessionTag {
    /// Checks that the tag can be told apart in a process's environment.
    pub fn new(tag: &str) -> Result<Self, InvalidTag> {
        Ok(Self(checked(tag)?))
    }

    pub(super) fn variable(&self) -> String {
        format!("LIMINAL_SESSION={}", self.0)
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn checked(tag: &str) -> Result<String, InvalidTag> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b":_-".contains(&byte);
    let starts_well = tag.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_valid = starts_well && tag.len() <= 128 && tag.bytes().all(allowed);
    if is_valid { Ok(tag.to_owned()) } else { Err(InvalidTag) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_plain_tags_only() {
        let long = "x".repeat(128);
        let too_long = "x".repeat(129);
        let cases = [
            ("a", true),
            ("claude-code:0190_A", true),
            (long.as_str(), true),
            (too_long.as_str(), false),
            ("", false),
            ("-a", false),
            ("a=b", false),
            ("a\0b", false),
            ("a b", false),
            ("ä", false),
        ];
        for (tag, valid) in cases {
            assert_eq!(InstanceId::new(tag).is_ok(), valid, "{tag:?}");
            assert_eq!(SessionTag::new(tag).is_ok(), valid, "{tag:?}");
        }
    }
}
