//! The command line. Owns its words and their help; what they do is elsewhere.

pub mod agents;
mod process;
pub mod reach;
mod replay;
pub mod sessions;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use agents::Agents;
use reach::Reach;

use crate::config::{Flag, Flags};
use crate::exit;
pub use process::Process;
pub use replay::Replay;

/// Work with AI coding agents in a browser.
#[derive(Debug, Parser)]
#[command(name = "liminal", version, about, propagate_version = true)]
#[command(after_help = exit::HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `liminal` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server and print its address
    Serve(Serve),
    /// Print a new address for a browser, from the running server
    Url(Url),
    /// Manage who may use the running server
    Auth(Auth),
    /// List sessions
    Ls(sessions::List),
    /// Tell an agent something in a new session, and show what it answers
    Run(sessions::Run),
    /// Tell the agent of a session something
    Send(sessions::Send),
    /// Follow a session, and talk to its agent
    Attach(sessions::Attach),
    /// List what agents ask, or answer it
    Approve(sessions::Answer),
    /// Write a whole conversation
    Export(sessions::Export),
    /// Find words in all sessions
    Search(sessions::Search),
    /// Check which agents are installed and what is missing
    Doctor(Doctor),
    /// Show every setting, its value and where that comes from
    Config(ShowConfig),
    /// Turn a stream of agent events into renderable states, as a filter
    Process(Process),
    /// Play a recording of an agent and show what would have been seen
    Replay(Replay),
    /// Be the demo agent: speaks the Agent Client Protocol on standard input and output
    #[command(hide = true)]
    DemoAgent(DemoAgent),
}

/// Options of `liminal serve`.
#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub struct Serve {
    /// Only print the address; otherwise a browser is opened where somebody sits at a desktop
    #[arg(long)]
    pub no_open: bool,
    /// Write what is said to and by each agent into a file of this directory, for `liminal replay`; prompts and all
    /// that agents read are in it. A missing directory is created, for this user alone
    #[arg(long, value_name = "DIRECTORY")]
    pub record: Option<PathBuf>,
    /// What is set for this run alone
    #[command(flatten)]
    pub settings: Settings,
}

const SERVE_HELP: &str = "\
Settings come from the command line, else from variables of the environment (LIMINAL_LISTEN_PORT and so on), else from
the configuration file, else they have defaults; `liminal config` shows them all.

Examples:
  liminal serve --port 0
  liminal serve --redis redis://127.0.0.1:6379
  liminal serve --socket ~/.liminal/socket
  liminal serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  liminal serve --agent claude-code=/opt/claude/bin/claude --agent my-agent=/opt/my-agent";

/// Settings that the command line can make.
#[derive(Debug, Default, Args)]
pub struct Settings {
    /// Who can reach the server
    #[command(flatten)]
    pub reach: Reach,
    /// How agents are started
    #[command(flatten)]
    pub agents: Agents,
    /// Share sessions with the other servers of this Redis, such as redis://127.0.0.1:6379; a password is better given in
    /// LIMINAL_REDIS_URL, because other users can see command lines
    #[arg(long, value_name = "URL")]
    pub redis: Option<String>,
    /// Write the messages of every turn to that Redis, for other programs: stream codex:turn:TURN:upserts
    #[arg(long)]
    pub publish_stream_b: bool,
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Where data and configuration are.
#[derive(Debug, Default, Args)]
pub struct Place {
    /// Directory of the server's data, or LIMINAL_DATA_DIR [default: liminal-builder in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, value_name = "DIRECTORY")]
    pub data_dir: Option<PathBuf>,
    /// Another configuration file than the usual one
    #[arg(long, value_name = "FILE", env = "LIMINAL_CONFIG")]
    pub config: Option<PathBuf>,
}

impl Settings {
    /// What the command line sets.
    #[must_use]
    pub fn flags(&self) -> Flags {
        let redis = flag("--redis", "redis.url", self.redis.clone());
        let publish = self.publish_stream_b.then(|| true.to_string());
        let publish = flag("--publish-stream-b", "redis.publish-stream-b", publish);
        let Flags { settings, .. } = self.place.flags();
        let more = [redis, publish].into_iter().flatten().chain(self.agents.flags());
        let settings = settings.into_iter().chain(self.reach.flags()).chain(more).collect();
        Flags { settings, agents: self.agents.programs.clone() }
    }
}

impl Place {
    /// What the command line sets.
    #[must_use]
    pub fn flags(&self) -> Flags {
        let data = self.data_dir.as_ref().map(|path| path.display().to_string());
        let settings = flag("--data-dir", "storage.data-dir", data).into_iter().collect();
        Flags { settings, agents: Vec::new() }
    }
}

fn flag(flag: &'static str, setting: &'static str, value: Option<String>) -> Option<Flag> {
    value.map(|value| Flag { flag, setting, value })
}

/// Options of `liminal config`.
#[derive(Debug, Args)]
pub struct ShowConfig {
    /// Write JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// What `liminal serve` would be told
    #[command(flatten)]
    pub settings: Settings,
}

/// Options of `liminal url`.
#[derive(Debug, Args)]
pub struct Url {
    /// Where data and configuration are
    #[command(flatten)]
    pub place: Place,
}

/// Options of `liminal auth`.
#[derive(Debug, Args)]
pub struct Auth {
    /// What to do
    #[command(subcommand)]
    pub action: AuthAction,
}

/// What `liminal auth` can do.
#[derive(Debug, Subcommand)]
pub enum AuthAction {
    /// End the sessions of all browsers and all addresses that were printed
    Rotate(Url),
}

/// Options of `liminal doctor`.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_HELP)]
pub struct Doctor {
    /// Write JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// Install an agent for Liminal Builder alone, with npm, before looking
    #[arg(long, value_name = "AGENT", value_parser = ["codex"])]
    pub install: Option<String>,
    /// Use this configuration file instead of the default
    #[arg(long, value_name = "FILE", env = "LIMINAL_CONFIG")]
    pub config: Option<PathBuf>,
}

const DOCTOR_HELP: &str = "\
Agents are looked for as set in the configuration ([agents.NAME] command, args, env), then on the PATH, then among npm's
packages; a model's API can be used once its key is set, and the demo agent is built in. Exit codes: 0 at least one agent
can be used, 1 none but the demo can.";

/// Options of `liminal demo-agent`.
#[derive(Debug, Args)]
pub struct DemoAgent {
    /// Where it keeps its sessions
    #[arg(long, value_name = "DIRECTORY")]
    pub state: PathBuf,
    /// Milliseconds between two pieces of a text; everything else takes a multiple of it
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(..=10_000))]
    pub pace: u64,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
