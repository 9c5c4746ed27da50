//! How the server has spawned an agent, read from the running process: the relay spawns it in the same way.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Marks the processes of a server, which ends those it finds at its next start.
const OURS: &str = "LIMINAL_";

#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
}

impl Spawned {
    /// The agent that a server with this home has spawned.
    pub(crate) fn find(home: &Path, program: &Path) -> Self {
        let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        let mut found = processes.filter_map(|process| Self::read(&process));
        let is_it = |spawned: &Self| spawned.program == program && spawned.has_home(home);
        found.find(is_it).unwrap_or_else(|| panic!("no process of {}", program.display()))
    }

    /// With another session's id, for agents that are given one.
    pub(crate) fn with_session(mut self, session: &str) -> Self {
        for argument in &mut self.arguments {
            if argument.to_string_lossy().starts_with("--session-id=") {
                *argument = format!("--session-id={session}").into();
            }
        }
        self
    }

    fn read(process: &Path) -> Option<Self> {
        let mut words = split(fs::read(process.join("cmdline")).ok()?);
        let variables = split(fs::read(process.join("environ")).ok()?);
        let variables = variables.into_iter().filter_map(|variable| {
            let text = variable.into_string().ok()?;
            let (name, value) = text.split_once('=')?;
            (!name.starts_with(OURS)).then(|| (name.into(), value.into()))
        });
        Some(Self {
            program: words.next()?.into(),
            arguments: words.collect(),
            variables: variables.collect(),
            directory: fs::read_link(process.join("cwd")).ok()?,
        })
    }

    fn has_home(&self, home: &Path) -> bool {
        self.variables.iter().any(|(name, value)| name == "HOME" && value == home)
    }
}

/// The texts of a file in `/proc`, each with a zero at its end.
fn split(mut bytes: Vec<u8>) -> std::vec::IntoIter<OsString> {
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    let texts: Vec<OsString> =
        bytes.split(|byte| *byte == 0).map(|text| OsString::from_vec(text.to_vec())).collect();
    texts.into_iter()
}
