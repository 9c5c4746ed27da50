//! Owns short programs that are run to their end for what they print.
//! May not be used for agents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::confinement::Wrapper;
use super::stderr::Tail;
use super::{
    AgentProcess, Environment, Exit, InstanceId, ProcessSpec, STDERR_GRACE, SessionTag, SpawnError,
    StopLadder,
};

/// Tags the processes of short programs, which belong to no session.
const TAG: &str = "probe";

/// What a short program said, and whether it was content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortRun {
    pub succeeded: bool,
    /// The last 64 KiB of it.
    pub stdout: String,
    /// The last 64 KiB of it.
    pub stderr: String,
}

/// Runs a program to its end, at most for as long as is given. One that takes longer is killed with its descendants, and
/// so is one whose future is dropped.
///
/// It runs in `/`: the current directory may be a project that nobody trusts, and many programs read settings there.
pub async fn run_for_output(
    program: &Path,
    args: &[&str],
    environment: &Environment,
    patience: Duration,
) -> Result<ShortRun, SpawnError> {
    let mut process = AgentProcess::spawn(&spec(program, args, environment)?)?;
    drop(process.take_stdin());
    match timeout(patience, outcome(&mut process)).await {
        Ok(run) => {
            process.let_go();
            Ok(run)
        }
        Err(_) => {
            process.stop(&StopLadder::at_once()).await;
            Err(SpawnError::Late {
                program: program.to_owned(),
                question: args.join(" "),
                seconds: patience.as_secs(),
            })
        }
    }
}

async fn outcome(process: &mut AgentProcess) -> ShortRun {
    let (stdout, mut reading) = (Tail::default(), JoinSet::new());
    if let Some(pipe) = process.take_stdout() {
        reading.spawn(stdout.clone().follow(pipe));
    }
    let exit = process.wait().await;
    // Something it started may hold the pipes open for ever.
    timeout(STDERR_GRACE, reading.join_next()).await.ok();
    timeout(STDERR_GRACE, process.stderr_task.join_next()).await.ok();
    let text = |tail: &Tail| String::from_utf8_lossy(&tail.bytes()).into_owned();
    ShortRun { succeeded: exit == Exit::Code(0), stdout: text(&stdout), stderr: text(&process.stderr) }
}

fn spec(program: &Path, args: &[&str], environment: &Environment) -> Result<ProcessSpec, SpawnError> {
    let tag = |error| SpawnError::of_program(program, std::io::Error::other(error));
    Ok(ProcessSpec {
        program: program.to_owned(),
        args: args.iter().map(OsString::from).collect(),
        wrapper: Wrapper::default(),
        cwd: PathBuf::from("/"),
        environment: environment.clone(),
        instance: InstanceId::new(TAG).map_err(tag)?,
        session: SessionTag::new(TAG).map_err(tag)?,
    })
}
