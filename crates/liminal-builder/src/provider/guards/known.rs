//! The agents whose modes are known. Owns the table, and how an agent is recognised in it.

use std::path::Path;

use super::Standing::{self, Asks, Configured, Unguarded};
use crate::agents::Launch;

/// What is known of one agent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Profile {
    /// CLI types and names of programs.
    pub(super) names: &'static [&'static str],
    /// Packages that contain it.
    packages: &'static [&'static str],
    /// What it calls itself in `initialize`.
    own_names: &'static [&'static str],
    /// Its modes; the first that asks is the one to fall back to.
    modes: &'static [(&'static str, Standing)],
    /// Options that let it act without asking unless they are off.
    switches: &'static [&'static str],
    /// What holds while it reports no mode.
    pub(super) without_mode: Standing,
}

/// Modes in which a model decides instead of the user are unguarded: nobody is asked.
pub(super) const KNOWN: [Profile; 8] = [
    Profile {
        names: &["claude-code", "claude-agent-acp", "claude-code-acp"],
        packages: &[
            "@anthropic-ai/claude-code",
            "@agentclientprotocol/claude-agent-acp",
            "@zed-industries/claude-agent-acp",
            "@zed-industries/claude-code-acp",
        ],
        own_names: &[
            "@agentclientprotocol/claude-agent-acp",
            "@zed-industries/claude-agent-acp",
            "@zed-industries/claude-code-acp",
            "claude-code-acp",
        ],
        modes: &[
            ("default", Asks),
            ("acceptEdits", Asks),
            ("plan", Asks),
            ("dontAsk", Asks),
            ("auto", Unguarded),
            ("bypassPermissions", Unguarded),
        ],
        switches: &[],
        without_mode: Asks,
    },
    // Both adapters; `auto` is what Zed's calls the default, `agent` lets a model review.
    Profile {
        names: &["codex", "codex-acp"],
        packages: &["@agentclientprotocol/codex-acp", "@zed-industries/codex-acp"],
        own_names: &["@agentclientprotocol/codex-acp", "@zed-industries/codex-acp", "codex-acp"],
        modes: &[
            ("workspace-write", Asks),
            ("auto", Asks),
            ("read-only", Asks),
            ("agent", Unguarded),
            ("agent-full-access", Unguarded),
            ("full-access", Unguarded),
        ],
        switches: &[],
        without_mode: Asks,
    },
    Profile {
        names: &["gemini", "gemini-cli"],
        packages: &["@google/gemini-cli"],
        own_names: &["gemini-cli"],
        modes: &[("default", Asks), ("autoEdit", Asks), ("plan", Asks), ("yolo", Unguarded)],
        switches: &[],
        without_mode: Asks,
    },
    Profile {
        names: &["qwen", "qwen-code"],
        packages: &["@qwen-code/qwen-code"],
        own_names: &["qwen-code"],
        modes: &[
            ("default", Asks),
            ("plan", Asks),
            ("auto-edit", Asks),
            ("auto", Unguarded),
            ("yolo", Unguarded),
        ],
        switches: &[],
        without_mode: Asks,
    },
    Profile {
        names: &["kimi", "kimi-cli", "kimi-code"],
        packages: &["@moonshot-ai/kimi-code"],
        own_names: &["Kimi Code CLI", "Kimi CLI"],
        modes: &[("default", Asks), ("plan", Asks), ("auto", Unguarded), ("yolo", Unguarded)],
        switches: &[],
        without_mode: Asks,
    },
    Profile {
        names: &["copilot", "copilot-cli"],
        packages: &["@github/copilot"],
        own_names: &["Copilot"],
        modes: &[("agent", Asks), ("plan", Asks), ("autopilot", Unguarded)],
        switches: &["allow_all"],
        without_mode: Asks,
    },
    // Its modes are agents; each asks what opencode's configuration says, which by default is little.
    Profile {
        names: &["opencode"],
        packages: &["opencode-ai", "opencode-linux-x64", "opencode-linux-arm64", "opencode-darwin-arm64"],
        own_names: &["OpenCode", "opencode"],
        modes: &[("build", Configured), ("plan", Configured)],
        switches: &[],
        without_mode: Configured,
    },
    // The demo only pretends to act, and models' APIs are given no tools.
    Profile {
        names: &["demo", "anthropic", "openai"],
        packages: &[],
        own_names: &[],
        modes: &[("ask", Asks), ("auto", Asks)],
        switches: &[],
        without_mode: Asks,
    },
];

/// Programs that run another one, which they are given as an argument.
const RUNNERS: [&str; 9] = ["node", "npx", "bun", "bunx", "deno", "pnpx", "uvx", "env", "python3"];

impl Profile {
    pub(super) fn mode(&self, mode: &str) -> Option<Standing> {
        self.modes.iter().find(|(known, _)| is_same(mode, known)).map(|(_, standing)| *standing)
    }

    pub(super) fn asking_modes(&'static self) -> impl Iterator<Item = &'static str> {
        self.modes.iter().filter(|(_, standing)| *standing == Asks).map(|(mode, _)| *mode)
    }
}

/// Some agents give modes as an address with the name behind a `#`.
pub(super) fn is_same(mode: &str, known: &str) -> bool {
    mode == known || mode.rsplit_once('#').is_some_and(|(_, name)| name == known)
}

/// A name in lower case with underscores.
pub(super) fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

pub(super) fn by_name(name: &str) -> Option<&'static Profile> {
    KNOWN.iter().find(|profile| profile.names.contains(&name))
}

pub(super) fn by_own_name(name: &str) -> Option<&'static Profile> {
    KNOWN.iter().find(|profile| profile.own_names.contains(&name))
}

pub(super) fn by_launch(launch: &Launch) -> Option<&'static Profile> {
    let program = stem(&launch.program);
    let inner = launch.args.iter().find(|argument| !argument.starts_with('-'));
    let inner = inner.filter(|_| RUNNERS.contains(&program)).map(|word| stem(Path::new(word)));
    let by_program = by_name(program).or_else(|| by_name(inner?));
    let path = launch.program.to_string_lossy();
    by_program.or_else(|| {
        let words = || [path.as_ref()].into_iter().chain(launch.args.iter().map(String::as_str));
        KNOWN.iter().find(|profile| {
            words().any(|word| profile.packages.iter().any(|package| contains_package(word, package)))
        })
    })
}

/// Whether a word names a package, as `npx` is given it or as a path through `node_modules`; packages for one platform
/// have its name behind their own.
fn contains_package(word: &str, package: &str) -> bool {
    let word = word.replace('\\', "/");
    word.match_indices(package).any(|(at, _)| {
        let (before, after) = (&word[..at], &word[at + package.len()..]);
        (before.is_empty() || before.ends_with('/'))
            && (after.is_empty() || after.starts_with(['/', '@', '-']))
    })
}

fn stem(program: &Path) -> &str {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

/// Whether a mode is unguarded in some known agent and asks in none, so that its name says enough.
pub(super) fn is_unguarded_anywhere(mode: &str) -> bool {
    let mut found = KNOWN.iter().filter_map(|profile| profile.mode(mode)).peekable();
    found.peek().is_some() && found.all(|standing| standing == Unguarded)
}

/// Whether an option of this name lets some known agent act without asking.
pub(super) fn is_switch(id: &str) -> bool {
    KNOWN.iter().flat_map(|profile| profile.switches).any(|switch| *switch == plain(id))
}
