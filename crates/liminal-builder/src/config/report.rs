//! `liminal config`. Owns how every value and its origin are told; secrets are not among them.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use super::agents::AgentConfig;
use super::settings::SETTINGS;
use super::{Loaded, Origin};
use crate::provider::model_api::Vendor;
use crate::redaction::redact;

const HIDDEN: &str = "(hidden)";

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The setting, as in `listen.port`.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

impl Loaded {
    /// Every value and where it comes from.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let settings = SETTINGS.iter().map(|setting| (setting.name(), setting.show(&self.config)));
        let agents = self.config.agents.iter().flat_map(|(name, agent)| agent_lines(name, agent));
        settings.chain(agents).map(|(name, value)| self.line(name, value)).collect()
    }

    fn line(&self, name: String, value: Value) -> Line {
        let origin = self.origin(&name).clone();
        Line { name, value, origin }
    }
}

/// The environment of an agent is where its keys are, so only the names are told.
fn agent_lines(name: &str, agent: &AgentConfig) -> Vec<(String, Value)> {
    let command = agent.command.as_ref().map(|command| command.display().to_string());
    let args: Vec<String> = agent.args.iter().map(|argument| without_secret(argument)).collect();
    let env: serde_json::Map<String, Value> =
        agent.env.keys().map(|name| (name.clone(), HIDDEN.into())).collect();
    let lines = match Vendor::named(name) {
        None => vec![
            ("command", json!(command)),
            ("args", json!(args)),
            ("env", env.into()),
            ("env-file", json!(agent.env_file)),
            ("cwd-policy", agent.cwd_policy.word().into()),
            ("asking-modes", json!(agent.asking_modes)),
        ],
        Some(_) => vec![
            ("model", json!(agent.model)),
            ("max-retries", json!(agent.max_retries)),
            ("request", json!(agent.request)),
            ("env", env.into()),
            ("env-file", json!(agent.env_file)),
        ],
    };
    lines.into_iter().map(|(key, value)| (format!("agents.{name}.{key}"), value)).collect()
}

/// An argument may carry a secret that has no shape of its own; then its name tells.
fn without_secret(argument: &str) -> String {
    let is_secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["key", "token", "secret", "password"].iter().any(|word| name.contains(word))
    };
    match argument.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}={HIDDEN}"),
        _ => redact(argument).into_owned(),
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.value.is_null() { "(not set)".to_owned() } else { self.value.to_string() };
        write!(formatter, "{:<32} {:<28} {}", self.name, value, self.origin)
    }
}
