//! Owns short programs that are run to their end for what they print.
//! May not be used for agents.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::{Environment, SpawnError};

/// Runs a program to its end, at most for as long as is given, and returns what it wrote to stdout.
#[expect(
    clippy::disallowed_methods,
    reason = "it is killed when its future is dropped, and awaited otherwise"
)]
pub async fn run_for_output(
    program: &Path,
    args: &[&str],
    environment: &Environment,
    patience: Duration,
) -> Result<String, SpawnError> {
    let mut command = Command::new(program);
    command.args(args.iter().map(OsStr::new)).env_clear().envs(environment.iter()).kill_on_drop(true);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let failed = |source| SpawnError::of_program(program, source);
    let late = || std::io::Error::new(std::io::ErrorKind::TimedOut, "it did not answer in time");
    let output = timeout(patience, command.output()).await.map_err(|_| failed(late()))?.map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
