//! What an agent's program says when it is asked for its version. Owns the questions and what counts as an answer.

use std::time::Duration;

use super::locate::{Program, Question};
use super::{Launch, Machine, codex, first_line};
use crate::process::{Environment, ShortRun, run_for_output};
use crate::provider::claude_code;

/// An agent that answers at all does so in a fraction of this; a cold disk takes longer.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// What a program said, while it was as `program` says.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    pub(super) program: Program,
    /// Its version, or why it cannot be used.
    pub(super) version: Result<String, String>,
    /// A new answer was asked for.
    pub(super) is_old: bool,
}

/// Runs a program to learn its version.
pub(super) async fn probe(machine: &Machine, name: &str, program: Program) -> Verdict {
    let environment = machine.environment_of(name);
    let version = match program.question {
        Question::None => Ok(String::new()),
        Question::ClaudeCode => claude_code(&program.launch, &environment).await,
        Question::Codex => codex::version(&program.launch, &environment).await,
        Question::Plain => plain(&program.launch, &environment).await,
    };
    Verdict { program, version, is_old: false }
}

async fn claude_code(launch: &Launch, environment: &Environment) -> Result<String, String> {
    let run = ask(launch, &["--version"], environment).await?;
    claude_code::check(&launch.program, &run.stdout)
}

async fn plain(launch: &Launch, environment: &Environment) -> Result<String, String> {
    let run = ask(launch, &["--version"], environment).await?;
    match run.succeeded {
        true => Ok(first_line(&run.stdout)),
        false => Err(format!("{} --version fails: {}", launch.program.display(), first_line(&run.stderr))),
    }
}

pub(super) async fn ask(
    launch: &Launch,
    words: &[&str],
    environment: &Environment,
) -> Result<ShortRun, String> {
    let run = run_for_output(&launch.program, words, environment, PATIENCE).await;
    run.map_err(|error| error.to_string())
}
