//! The words of commands that work with sessions. What they do is elsewhere.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Place;

/// Options of `liminal ls`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  liminal ls
  liminal ls --project . --json | jq -r '.[].sessionId'")]
pub struct List {
    /// Only sessions of the project that this directory belongs to
    #[arg(long, value_name = "PATH")]
    pub project: Option<PathBuf>,
    /// Write JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Options of `liminal run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub struct Run {
    /// What to tell the agent; `-` reads it from standard input
    pub prompt: String,
    /// Which agent [default: the first that this machine has; see `liminal doctor`]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The directory to work in; it becomes a project if it is none
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pub project: PathBuf,
    /// The model, in the agent's own word
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Write one JSON object a line: what the session says, as it says it
    #[arg(long)]
    pub json: bool,
    /// How to answer the agent's permission requests
    #[arg(long, value_enum, default_value_t = Approve::Ask)]
    pub approve: Approve,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

const RUN_HELP: &str = "\
The running server is used; if there is none, one is started for the time of the run. What the agent says goes to
standard output, everything else to standard error. Ctrl-C stops the turn, twice it quits.

Exit codes: 0 the turn ran to its end, 1 it failed, 130 it was stopped; the others as for every command.

Examples:
  liminal run \"explain this repository\"
  liminal run --agent demo \"/tour\"
  git diff | liminal run --agent claude-code --approve never - > review.md";

/// How permission requests of an agent are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Approve {
    /// Reject every request
    Never,
    /// Ask on the terminal; without a terminal, reject
    Ask,
}

/// Options of `liminal send`.
#[derive(Debug, Args)]
#[command(after_help = "\
Comes back when the agent has taken the message; `liminal attach` shows what it says.

Examples:
  liminal send demo:0190… \"and now the tests\"
  liminal send --queue demo:0190… \"then commit\"")]
pub struct Send {
    /// The session, as `liminal ls` tells it
    pub session: String,
    /// What to tell the agent; `-` reads it from standard input
    pub text: String,
    /// Wait if a turn is running, instead of being refused
    #[arg(long)]
    pub queue: bool,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Options of `liminal attach`.
#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal, a line that you type is sent to the agent, or answers what it asks. Ctrl-C leaves; the session goes on.

Example:
  liminal attach demo:0190…")]
pub struct Attach {
    /// The session, as `liminal ls` tells it
    pub session: String,
    /// Write one JSON object a line: what the session says, as it says it
    #[arg(long)]
    pub json: bool,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Options of `liminal approve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without a request, all requests that wait are listed with everything they ask for and the answers they take. With a
request and no answer, that one is shown, however long its input is.

Examples:
  liminal approve
  liminal approve 3f2a
  liminal approve 3f2a allow-once
  liminal approve 3f2a deny --reason 'use the staging server'")]
pub struct Answer {
    /// The request, by its id or the beginning of it
    pub id: Option<String>,
    /// The answer: one of the request's options
    pub option: Option<String>,
    /// Why the request is rejected, for agents that can receive a reason
    #[arg(long, value_name = "TEXT", requires = "option")]
    pub reason: Option<String>,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Options of `liminal export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  liminal export demo:0190… --output talk.md
  liminal export demo:0190… --format jsonl | head")]
pub struct Export {
    /// The session, as `liminal ls` tells it
    pub session: String,
    /// The form: for people, one document, or one output a line
    #[arg(long, value_parser = ["md", "json", "jsonl"], default_value = "md")]
    pub format: String,
    /// Where to write it [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Options of `liminal search`.
#[derive(Debug, Args)]
#[command(after_help = "\
Finds finished messages, thoughts and tools that hold all of the words. Exit code 1 if there are none.

Example:
  liminal search flaky test")]
pub struct Search {
    /// The words
    #[arg(required = true)]
    pub words: Vec<String>,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}
