//! Owns what keeps agents from more than they need: a command that they are started through, and the only variables that
//! they get. May not know what the command does.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Environment;

/// Variables without which hardly a program runs.
const NEEDED: [&str; 12] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_RUNTIME_DIR",
];

/// How agents are confined; by default not at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// What they are started through.
    pub wrapper: Wrapper,
    /// The only variables of ours that they get, if not nearly all.
    pub variables: Option<Vec<String>>,
}

impl Confinement {
    /// What is left of an environment.
    #[must_use]
    pub fn of(&self, environment: Environment) -> Environment {
        match &self.variables {
            None => environment,
            Some(names) => environment.only(|name| {
                NEEDED.iter().any(|needed| name == *needed)
                    || names.iter().any(|named| name == named.as_str())
            }),
        }
    }
}

/// A command that is put before another, without a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wrapper(Vec<OsString>);

/// The command is of no use.
#[derive(Debug, thiserror::Error)]
#[error("cannot find {}, through which agents are to be started; install it or correct agent-wrapper", .0.display())]
pub struct WrapperMissing(PathBuf);

impl Wrapper {
    /// The command, with the full path of its program if there is one.
    #[must_use]
    pub fn new(words: &[String], environment: &Environment) -> Self {
        let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
        if let Some(program) = words.first_mut()
            && let Some(found) = program.to_str().and_then(|name| environment.find_program(name))
        {
            *program = found.into();
        }
        Self(words)
    }

    /// Tells whether its program is there.
    pub fn check(&self) -> Result<(), WrapperMissing> {
        match self.program() {
            Some(program) if !super::environment::is_executable(program) || program.is_relative() => {
                Err(WrapperMissing(program.to_owned()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Its program, if there is such a command.
    pub(super) fn program(&self) -> Option<&Path> {
        self.0.first().map(Path::new)
    }

    /// The words of a command line with this before it.
    pub(super) fn before<'a>(&'a self, program: &'a Path) -> impl Iterator<Item = &'a OsStr> {
        self.0.iter().map(OsString::as_os_str).chain([program.as_os_str()])
    }
}
