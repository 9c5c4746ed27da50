//! Owns how a program is started that is the user's and not ours, such as a browser: it is neither waited for nor ended.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use super::{Environment, SpawnError};

/// Starts a program that goes on when we end. A Ctrl-C at our terminal does not reach it.
#[expect(
    clippy::disallowed_methods,
    reason = "it belongs to the user; once dropped, the runtime reaps it when it ends"
)]
pub fn start_detached<A: AsRef<OsStr>>(
    program: &Path,
    args: &[A],
    environment: &Environment,
) -> Result<(), SpawnError> {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(environment.iter()).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|source| SpawnError::of_program(program, source))
}
