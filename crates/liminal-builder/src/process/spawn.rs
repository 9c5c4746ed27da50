//! Owns the start of a process: its command, its tags, and why a start fails.
//! May not know what happens to the process afterwards.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::process::{Child, Command};

use super::orphans;
use super::spec::ProcessSpec;
use crate::platform::{self, ProcessIdentity};

/// Why an agent could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("cannot find the program {}; install it or correct its path in the settings", .program.display())]
    ProgramNotFound { program: PathBuf },
    #[error("cannot run {} ({source}); make the file executable or choose another", .program.display())]
    NotExecutable { program: PathBuf, source: io::Error },
    #[error("the directory {} is missing or closed to us; restore it or choose another project", .directory.display())]
    DirectoryMissing { directory: PathBuf },
    #[error("{} did not answer `{question}` within {seconds} s; run it by hand to see why", .program.display())]
    Late { program: PathBuf, question: String, seconds: u64 },
    #[error("cannot start {} ({source}); free memory or processes and try again", .program.display())]
    Other { program: PathBuf, source: io::Error },
}

/// A process just started, with the tag its descendants inherit.
pub(super) struct Spawned {
    pub(super) child: Child,
    pub(super) identity: ProcessIdentity,
    pub(super) tag: String,
}

pub(super) fn spawn(spec: &ProcessSpec) -> Result<Spawned, SpawnError> {
    if !can_enter(&spec.cwd) {
        return Err(SpawnError::DirectoryMissing { directory: spec.cwd.clone() });
    }
    let start = || {
        platform::adopt_orphans()?;
        let tag = launch_tag()?;
        let (child, identity) = orphans::start_leader(|| start(command(spec, &tag)))?;
        Ok(Spawned { child, identity, tag })
    };
    start().map_err(|error| explained(spec, error))
}

// Unique among all processes of this boot, so that two lives of one session are told apart.
fn launch_tag() -> io::Result<String> {
    static LAUNCHES: AtomicU64 = AtomicU64::new(0);
    let ProcessIdentity { pid, start } = identity_of(std::process::id())?;
    Ok(format!("LIMINAL_LAUNCH={pid}-{start}-{}", LAUNCHES.fetch_add(1, Ordering::Relaxed)))
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts agents; `AgentProcess` ends them")]
fn command(spec: &ProcessSpec, launch: &str) -> Command {
    let mut words = spec.wrapper.before(&spec.program);
    let mut command = Command::new(words.next().unwrap_or(spec.program.as_os_str()));
    command.args(words).args(&spec.args).current_dir(&spec.cwd).env_clear().envs(spec.environment.iter());
    for variable in [launch, &spec.instance.variable(), &spec.session.variable()] {
        command.envs(variable.split_once('='));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    platform::detach(command.as_std_mut());
    command
}

fn start(mut command: Command) -> io::Result<(Child, ProcessIdentity)> {
    let mut child = command.spawn()?;
    let identity = child.id().ok_or(io::ErrorKind::NotFound.into()).and_then(identity_of);
    match identity {
        Ok(identity) => Ok((child, identity)),
        Err(error) => {
            child.start_kill()?;
            Err(error)
        }
    }
}

fn identity_of(pid: u32) -> io::Result<ProcessIdentity> {
    let entry = platform::process_entry(pid);
    Ok(entry.ok_or_else(|| io::Error::other("/proc cannot be read"))?.identity)
}

fn explained(spec: &ProcessSpec, source: io::Error) -> SpawnError {
    if !can_enter(&spec.cwd) {
        return SpawnError::DirectoryMissing { directory: spec.cwd.clone() };
    }
    SpawnError::of_program(spec.wrapper.program().unwrap_or(&spec.program), source)
}

impl SpawnError {
    /// Tells what is wrong with a program that could not be run.
    pub(super) fn of_program(program: &Path, source: io::Error) -> Self {
        let program = program.to_owned();
        let is_missing = matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        // A script whose first line names a missing interpreter is "not found" as well.
        let is_unfit = is_missing
            || source.kind() == io::ErrorKind::PermissionDenied
            || source.raw_os_error() == Some(libc::ENOEXEC);
        match (is_missing && !names_a_file(&program), is_unfit) {
            (true, _) => Self::ProgramNotFound { program },
            (false, true) => Self::NotExecutable { program, source },
            (false, false) => Self::Other { program, source },
        }
    }
}

// To look up the dot is to search the directory, which is what entering it takes.
fn can_enter(directory: &Path) -> bool {
    directory.join(".").is_dir()
}

fn names_a_file(program: &Path) -> bool {
    program.components().count() > 1 && program.exists()
}
