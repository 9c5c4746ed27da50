//! Whether an agent is logged in. Owns asking the agents' programs, and when they are asked again; no credential is read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::locate::Program;
use super::stamp::Stamp;
use super::{Machine, codex};
use crate::discovery::claude_code::config_directory;
use crate::discovery::codex::home_directory;
use crate::process::{Environment, run_for_output};
use crate::provider::acp::codex_login;
use crate::provider::claude_code::{CLI_TYPE, Version};

/// They answer from files. One that takes longer asks a server, and is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Credentials may be stored where no file changes, such as a keychain, so a missing login is probed again after this.
const LASTS: Duration = Duration::from_secs(60);
/// The first version of Claude Code whose answer is known. An earlier one could take the words for a prompt.
const CLAUDE_TELLS: Version = Version { major: 2, minor: 1, patch: 197 };

/// What is known of an agent's login, while its program and its credentials were as they were.
#[derive(Debug, Clone)]
pub(super) struct Login {
    program: Program,
    credentials: Option<Stamp>,
    asked_at: Instant,
    /// Nothing, if that cannot be known.
    pub(super) is_there: Option<bool>,
}

impl Login {
    /// What is known without asking: a session has shown it.
    pub(super) fn shown(machine: &Machine, name: &str, program: Program, is_there: bool) -> Self {
        let (credentials, asked_at) = (credentials(machine, name), Instant::now());
        Self { program, credentials, asked_at, is_there: Some(is_there) }
    }

    /// Whether it still says how things are.
    pub(super) fn is_current(&self, machine: &Machine, name: &str, program: &Program) -> bool {
        let has_passed = self.is_there == Some(false) && self.asked_at.elapsed() >= LASTS;
        self.program == *program && self.credentials == credentials(machine, name) && !has_passed
    }
}

/// Whether an agent's program knows about its login.
pub(super) fn tells(name: &str, version: &str) -> bool {
    match name {
        CLI_TYPE => version.parse::<Version>().is_ok_and(|version| version >= CLAUDE_TELLS),
        codex::NAME => true,
        _ => false,
    }
}

/// Asks an agent's program.
pub(super) async fn ask(machine: &Machine, name: &str, program: Program) -> Login {
    let (credentials, environment) = (credentials(machine, name), machine.environment_of(name));
    let asked_at = Instant::now();
    let launch = &program.launch;
    let is_there = match name {
        CLI_TYPE => {
            let run = run_for_output(&launch.program, &["auth", "status"], &environment, PATIENCE).await;
            run.ok().and_then(|run| claude(&run.stdout))
        }
        codex::NAME => codex_login(launch, &environment, PATIENCE).await,
        _ => None,
    };
    Login { program, credentials, asked_at, is_there }
}

/// The file that changes when somebody logs in or out.
fn credentials(machine: &Machine, name: &str) -> Option<Stamp> {
    let environment = machine.environment_of(name);
    let home = environment.get("HOME").map(PathBuf::from).unwrap_or_default();
    let file = match name {
        CLI_TYPE => config_directory(environment.get("CLAUDE_CONFIG_DIR"), &home).join(".credentials.json"),
        codex::NAME => home_directory(environment.get("CODEX_HOME"), &home).join("auth.json"),
        "gemini" => home.join(".gemini/oauth_creds.json"),
        "opencode" => data_home(&environment, &home).join("opencode/auth.json"),
        _ => return None,
    };
    Some(Stamp::of(&file))
}

fn data_home(environment: &Environment, home: &Path) -> PathBuf {
    let set = environment.get("XDG_DATA_HOME").filter(|folder: &&OsStr| !folder.is_empty());
    set.map_or_else(|| home.join(".local/share"), PathBuf::from)
}

/// `{"loggedIn": false, …}`
fn claude(stdout: &str) -> Option<bool> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Told {
        logged_in: bool,
    }
    serde_json::from_str::<Told>(stdout).ok().map(|told| told.logged_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_of_the_known_form_counts() {
        assert_eq!(claude("{\n  \"loggedIn\": false,\n  \"authMethod\": \"none\"\n}\n"), Some(false));
        assert_eq!(claude("{\"loggedIn\":true}"), Some(true));
        for other in ["", "{}", "You are logged in", "{\"loggedIn\":\"yes\"}"] {
            assert_eq!(claude(other), None, "{other}");
        }
    }
}
