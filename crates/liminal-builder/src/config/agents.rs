//! Agents that the user set. Owns their words and what may name one.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::env_file;
use crate::provider::claude_code;
use crate::provider::model_api::Vendor;

/// How an agent is started, or a model's API asked. What is known by name needs only what differs; any other agent speaks
/// the Agent Client Protocol.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentConfig {
    /// The program, as a path or a name on the `PATH`.
    pub command: Option<PathBuf>,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// More environment, or other.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A file of this user alone with more of it; what is set above counts more.
    pub env_file: Option<PathBuf>,
    /// Where it is started.
    #[serde(default)]
    pub cwd_policy: CwdPolicy,
    /// How many seconds a process that serves all sessions of the agent lives on when it serves none.
    pub idle_seconds: Option<u64>,
    /// Modes of which the user knows that the agent asks in them before it acts.
    #[serde(default)]
    pub asking_modes: Vec<String>,
    /// The model of an API, until a session chooses another.
    pub model: Option<String>,
    /// How often a request to an API that failed is made again.
    pub max_retries: Option<u32>,
    /// More fields of every request to an API, in its own words.
    #[serde(default)]
    pub request: Map<String, Value>,
}

impl AgentConfig {
    /// Makes it ready for use, or tells what is wrong; a relative path is one from where the configuration lies.
    pub(super) fn prepare(&mut self, name: &str, folder: &Path) -> Option<String> {
        let found = self.problem(name).or_else(|| self.read_env_file(folder).err());
        found.map(|problem| format!("[agents.{name}] {problem}"))
    }

    fn read_env_file(&mut self, folder: &Path) -> Result<(), String> {
        let Some(path) = &self.env_file else { return Ok(()) };
        let mut variables = env_file::read(&folder.join(path))?;
        variables.append(&mut self.env);
        self.env = variables;
        Ok(())
    }

    /// What is wrong with settings that are each right by itself: one without an effect is a mistake.
    fn problem(&self, name: &str) -> Option<String> {
        if Vendor::named(name).is_some() {
            self.problem_of_api()
        } else {
            self.problem_of_program().or_else(|| self.problem_of_claude(name))
        }
    }

    fn problem_of_api(&self) -> Option<String> {
        let is_for_program = self.command.is_some()
            || !self.args.is_empty()
            || self.cwd_policy != CwdPolicy::default()
            || self.idle_seconds.is_some()
            || !self.asking_modes.is_empty();
        let problem =
            "is a model's API and no program; it takes model, max-retries, request, env and env-file";
        is_for_program.then(|| problem.to_owned())
    }

    fn problem_of_program(&self) -> Option<String> {
        let is_for_api = self.model.is_some() || self.max_retries.is_some() || !self.request.is_empty();
        let problem = "is a program; model, max-retries and request are for models' APIs";
        is_for_api.then(|| problem.to_owned())
    }

    fn problem_of_claude(&self, name: &str) -> Option<String> {
        if name != claude_code::CLI_TYPE {
            return None;
        }
        let is_for_shared = self.cwd_policy != CwdPolicy::default() || self.idle_seconds.is_some();
        let problem = "has a process for each session, in the session's directory; cwd-policy and idle-seconds are for \
            agents whose sessions share one, and [sessions] idle-minutes tells how long an unused one lives";
        let shared = is_for_shared.then(|| problem.to_owned());
        let is_known = !self.asking_modes.is_empty();
        let known = is_known.then(|| "has modes that are known; asking-modes is for other agents".to_owned());
        shared
            .or(known)
            .or_else(|| claude_code::problem(&self.args).map(|problem| format!("args: {problem}")))
    }
}

/// Shows names of variables only: values may be credentials.
impl fmt::Debug for AgentConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables: Vec<&String> = self.env.keys().collect();
        let mut shown = formatter.debug_struct("AgentConfig");
        shown.field("command", &self.command).field("env", &variables).finish_non_exhaustive()
    }
}

/// Where an agent is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CwdPolicy {
    /// In the directory of the first session it serves.
    #[default]
    Project,
    /// In the user's home.
    Home,
}

impl CwdPolicy {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Home => "home",
        }
    }
}

/// Why this cannot name an agent: names stand in session ids and in paths of the API.
pub(super) fn unsound(name: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_sound = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= 40
        && name.bytes().all(allowed);
    (!is_sound)
        .then(|| format!("`{name}` cannot name an agent; use at most 40 lower-case letters, digits and -"))
}
