//! An agent that misbehaves on demand: what a prompt says between its words, it does. It shows the faults that a
//! real agent cannot be made to show. `directive` owns what can be asked of it, `claude` and `acp` how it speaks, and
//! none knows the other's words.
//!
//! | variable | effect |
//! |---|---|
//! | `FAKE_AGENT_LOG` | a file to which each start and each prompt is added, one JSON line each |
//! | `FAKE_AGENT_KEEPS` | it writes a session file below `CLAUDE_CONFIG_DIR`, as Claude Code does |
//! | `FAKE_AGENT_PRELUDE` | bytes in hexadecimal that it writes before all else |
//! | `FAKE_AGENT_START` | directives that it follows before it listens |
//! | `FAKE_AGENT_LOGGED_IN` | it says that its login is there |
//! | `FAKE_AGENT_SPEAKS` | `acp`: the Agent Client Protocol; else as Claude Code |
//! | `FAKE_AGENT_SESSIONS` | ACP: so many sessions of earlier it remembers, in any directory |
//! | `FAKE_AGENT_LIST` | ACP: what goes wrong with their list: `none`, `error`, `garbage`, `hang`, `exit`, `endless` |
//! | `FAKE_AGENT_NAME` | ACP: what it calls itself |
//! | `FAKE_AGENT_MODES` | ACP: the modes it offers, between spaces; it starts in the first |
//! | `FAKE_AGENT_OPTIONS` | ACP: the options it offers, as JSON |
//! | `FAKE_AGENT_STUBBORN` | ACP: it refuses every other mode and value |
//! | `FAKE_AGENT_LOGIN` | ACP: it wants a login before it opens a session |

mod acp;
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
    if arguments.iter().skip(1).eq(["auth", "status"]) {
        let is_there = std::env::var_os("FAKE_AGENT_LOGGED_IN").is_some();
        return Ok(writeln!(std::io::stdout(), "{{\"loggedIn\":{is_there}}}")?);
    }
    journal::started(&arguments)?;
    match std::env::var("FAKE_AGENT_SPEAKS").as_deref() {
        Ok("acp") => acp::run(),
        _ => claude::run(&arguments),
    }
}
