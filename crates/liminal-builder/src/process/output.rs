//! Owns short programs that are run to their end for what they print.
//! May not be used for agents.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::{Environment, SpawnError};

/// What a short program said, and whether it was content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortRun {
    pub succeeded: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a program to its end, at most for as long as is given.
#[expect(
    clippy::disallowed_methods,
    reason = "it is killed when its future is dropped, and awaited otherwise"
)]
pub async fn run_for_output(
    program: &Path,
    args: &[&str],
    environment: &Environment,
    patience: Duration,
) -> Result<ShortRun, SpawnError> {
    // Agents read configuration from the directory they run in, and this server may have been started in any.
    let mut command = Command::new(std::path::absolute(program).unwrap_or_else(|_| program.to_owned()));
    command.current_dir("/");
    command.args(args.iter().map(OsStr::new)).env_clear().envs(environment.iter()).kill_on_drop(true);
    command.stdin(Stdio::null());
    let failed = |source| SpawnError::of_program(program, source);
    let late = || std::io::Error::new(std::io::ErrorKind::TimedOut, "it did not answer in time");
    let output = timeout(patience, command.output()).await.map_err(|_| failed(late()))?.map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    Ok(ShortRun { succeeded: output.status.success(), stdout, stderr })
}
