//! Whether an agent has a login of its own. Owns asking the agents' programs for it; no credential is read here.

use std::time::Duration;

use serde::Deserialize;

use super::AgentReport;
use crate::process::{Environment, run_for_output};
use crate::provider::acp::{self, CODEX};
use crate::provider::claude_code::{CLI_TYPE, Version};

/// They answer from files. One that takes longer asks somebody, and is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The version of Claude Code whose answer is known. An earlier one could take the words for a prompt.
const CLAUDE_TELLS: Version = Version { major: 2, minor: 1, patch: 197 };

/// Whether the login is there; nothing, if that cannot be known.
pub(super) async fn is_there(report: &AgentReport, environment: Environment) -> Option<bool> {
    let launch = report.launch.as_ref().filter(|_| report.is_usable())?;
    match report.name.as_str() {
        CLI_TYPE => {
            let version: Version = report.version.as_deref()?.parse().ok()?;
            (version >= CLAUDE_TELLS).then_some(())?;
            let run = run_for_output(&launch.program, &["auth", "status"], &environment, PATIENCE).await;
            claude(&run.ok()?.stdout)
        }
        CODEX => acp::codex_login(launch, &environment, PATIENCE).await,
        _ => None,
    }
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
