//! The words of `liminal replay` and their help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use liminal_core::processor::Config;

use crate::replay;

/// Options of `liminal replay`.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_HELP)]
pub struct Replay {
    /// The recording; `-` reads standard input
    pub file: PathBuf,
    /// Whose words it holds
    #[arg(long, value_enum, default_value_t = DialectChoice::ClaudeCode)]
    dialect: DialectChoice,
    /// What to show: canonical events, or the upserts and turns made of them
    #[arg(long, value_enum, default_value_t = EmitChoice::Upserts)]
    emit: EmitChoice,
    /// Show a tool call's final arguments before its output comes
    #[arg(long)]
    announce_arguments: bool,
    /// Show the agent's standard error and what happened to its process, on standard error
    #[arg(short, long)]
    pub verbose: bool,
}

const REPLAY_HELP: &str = "\
A recording is one {\"t\":MILLISECONDS,\"dir\":\"in|out|err|meta\",\"line\":…} per line: what was sent to the agent, what it
said, its standard error, and notes of the recorder. Prompts, cancels and answers found in it are given again at
their time; time is the recording's own, so a replay is exactly repeatable.

Example:
  liminal replay session.ndjson --emit events | head";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DialectChoice {
    /// Claude Code's stream-json
    ClaudeCode,
    /// The Agent Client Protocol, as Codex's adapter speaks it
    Acp,
    /// The Anthropic Messages API
    Anthropic,
    /// The OpenAI Responses API
    #[value(name = "openai")]
    OpenAi,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EmitChoice {
    /// Canonical events
    Events,
    /// Upserts and turns
    Upserts,
}

impl Replay {
    /// Whose words the recording holds.
    #[must_use]
    pub const fn dialect(&self) -> replay::DialectName {
        match self.dialect {
            DialectChoice::ClaudeCode => replay::DialectName::ClaudeCode,
            DialectChoice::Acp => replay::DialectName::Acp,
            DialectChoice::Anthropic => replay::DialectName::Anthropic,
            DialectChoice::OpenAi => replay::DialectName::OpenAi,
        }
    }

    /// What to show.
    #[must_use]
    pub fn emit(&self) -> replay::Emit {
        let config = Config::default();
        match self.emit {
            EmitChoice::Events => replay::Emit::Events,
            EmitChoice::Upserts if self.announce_arguments => {
                replay::Emit::Upserts(config.announcing_arguments())
            }
            EmitChoice::Upserts => replay::Emit::Upserts(config),
        }
    }
}
