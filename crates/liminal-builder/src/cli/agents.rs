//! Flags about how agents are started. Owns their words.

use std::path::PathBuf;

use clap::Args;

use super::flag;
use crate::config::Flag;

/// How agents are started.
#[derive(Debug, Default, Args)]
pub struct Agents {
    /// The program of an agent: a known one, or a new one that speaks the Agent Client Protocol; may be repeated
    #[arg(long = "agent", value_name = "NAME=PATH", value_parser = agent)]
    pub programs: Vec<(String, PathBuf)>,
    /// Let sessions run without asking, once each is confirmed; agents then do whatever they decide to
    #[arg(long)]
    pub allow_bypass: bool,
    /// Start every agent through this command, such as a sandbox; words with spaces between them, no shell
    #[arg(long, value_name = "COMMAND")]
    pub agent_wrapper: Option<String>,
    /// Give agents only this variable, beside the few without which nothing runs; may be repeated
    #[arg(long, value_name = "NAME")]
    pub agent_env: Vec<String>,
}

impl Agents {
    pub(super) fn flags(&self) -> impl Iterator<Item = Flag> {
        let bypass = self.allow_bypass.then(|| true.to_string());
        let names = (!self.agent_env.is_empty()).then(|| self.agent_env.join(","));
        [
            flag("--allow-bypass", "security.allow-bypass", bypass),
            flag("--agent-wrapper", "security.agent-wrapper", self.agent_wrapper.clone()),
            flag("--agent-env", "security.agent-env", names),
        ]
        .into_iter()
        .flatten()
    }
}

fn agent(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_owned(), path.into())),
        _ => Err("give a name and a path, such as claude-code=/opt/claude/bin/claude".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_a_name_and_a_path() {
        assert_eq!(agent("a=/b=c").unwrap(), ("a".to_owned(), PathBuf::from("/b=c")));
        for bad in ["a", "=b", "a=", ""] {
            assert!(agent(bad).is_err(), "{bad}");
        }
    }
}
