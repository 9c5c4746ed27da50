//! An agent that misbehaves on demand: what a prompt says between its words, it does. It shows the faults that a
//! real agent cannot be made to show. `directive` owns what can be asked of it, `claude` how it speaks, and neither
//! knows the other's words, so that it can learn to speak otherwise.
//!
//! | variable | effect |
//! |---|---|
//! | `FAKE_AGENT_LOG` | a file to which each start and each prompt is added, one JSON line each |
//! | `FAKE_AGENT_KEEPS` | it writes a session file below `CLAUDE_CONFIG_DIR`, as Claude Code does |
//! | `FAKE_AGENT_PRELUDE` | bytes in hexadecimal that it writes before all else |
//! | `FAKE_AGENT_START` | directives that it follows before it listens |

mod claude;
mod deeds;
mod directive;
mod input;
mod journal;
mod output;

use std::io::Write;

use anyhow::Result;

/// What Claude Code answers; its protocol is the one spoken here.
const VERSION: &str = "2.1.197 (Claude Code)";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--version") {
        return Ok(writeln!(std::io::stdout(), "{VERSION}")?);
    }
    journal::started(&arguments)?;
    claude::run(&arguments)
}
