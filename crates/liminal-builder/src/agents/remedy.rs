//! Commands to copy for those who lack an agent or its login. Owns which they are; nothing is run here.

use super::codex;
use crate::provider::claude_code;

/// An agent, how to get it, and how to sign in.
const REMEDIES: [(&str, &str, &str); 4] = [
    (claude_code::CLI_TYPE, "npm install -g @anthropic-ai/claude-code", "claude"),
    (codex::NAME, "npm install -g @agentclientprotocol/codex-acp", "codex login"),
    ("gemini", "npm install -g @google/gemini-cli", "gemini"),
    ("opencode", "npm install -g opencode-ai", "opencode auth login"),
];

/// The command that installs an agent.
pub(super) fn install(name: &str) -> Option<String> {
    find(name).map(|(_, install, _)| (*install).to_owned())
}

/// The command by which its user signs in.
pub(super) fn sign_in(name: &str) -> Option<String> {
    find(name).map(|(_, _, sign_in)| (*sign_in).to_owned())
}

fn find(name: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    REMEDIES.iter().find(|(known, ..)| *known == name)
}
