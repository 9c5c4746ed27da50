//! The configuration file. Owns its words and where it lies; a word that it does not know is an error, because a typo
//! must not pass for a setting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use serde::Deserialize;

use crate::process::Environment;
use crate::provider::model_api::Vendor;

/// What the user set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Agents, by the name they are chosen by.
    #[serde(default)]
    pub agents: BTreeMap<String, AgentConfig>,
}

/// How an agent is started, or a model's API asked. What is known by name needs only what differs; any other agent speaks
/// the Agent Client Protocol.
#[derive(Clone, Default, PartialEq, Deserialize)]
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
    /// Where it is started.
    #[serde(default)]
    pub cwd_policy: CwdPolicy,
    /// The model of an API, until a session chooses another.
    pub model: Option<String>,
    /// How often a request to an API that failed is made again.
    pub max_retries: Option<u32>,
    /// More fields of every request to an API, in its own words.
    #[serde(default)]
    pub request: toml::Table,
}

/// Shows names of variables only: values may be credentials.
impl fmt::Debug for AgentConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentConfig")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &self.env.keys())
            .field("cwd_policy", &self.cwd_policy)
            .field("model", &self.model)
            .field("max_retries", &self.max_retries)
            .field("request", &self.request)
            .finish()
    }
}

impl AgentConfig {
    fn is_for_a_program(&self) -> bool {
        self.command.is_some() || !self.args.is_empty() || self.cwd_policy != CwdPolicy::default()
    }

    fn is_for_an_api(&self) -> bool {
        self.model.is_some() || self.max_retries.is_some() || !self.request.is_empty()
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

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file says something that is no setting.
    #[error("{} is not a configuration: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
}

impl Config {
    /// Reads the file that is named, or the one at the usual place if there is one.
    pub fn load(named: Option<&Path>, environment: &Environment) -> Result<Self, ConfigError> {
        let Some(path) = named.map(Path::to_owned).or_else(|| usual_place(environment)) else {
            return Ok(Self::default());
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map_err(|problem| ConfigError::Malformed { path, problem }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => Ok(Self::default()),
            Err(source) => Err(ConfigError::Read { path, source }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        match config.agents.iter().find_map(|(name, agent)| problem(name, agent)) {
            Some(problem) => Err(problem),
            None => Ok(config),
        }
    }
}

/// What is wrong with the settings of an agent that are each right by itself.
fn problem(name: &str, agent: &AgentConfig) -> Option<String> {
    let is_api = Vendor::named(name).is_some();
    if !is_sound(name) {
        return Some(format!("`{name}` cannot name an agent; use lower-case letters, digits and -"));
    }
    if is_api && agent.is_for_a_program() {
        return Some(format!(
            "[agents.{name}] is a model's API and no program; it takes model, max-retries, request and env"
        ));
    }
    (!is_api && agent.is_for_an_api())
        .then(|| format!("[agents.{name}] is a program; model, max-retries and request are for models' APIs"))
}

/// `$XDG_CONFIG_HOME/liminal-builder/config.toml`, or the same below `~/.config`.
fn usual_place(environment: &Environment) -> Option<PathBuf> {
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("liminal-builder/config.toml"))
}

/// A name stands in session ids and in paths of the API.
fn is_sound(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= 40
        && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_a_command_with_its_arguments_and_environment() {
        let text = r#"
            [agents.my-agent]
            command = "my-agent"
            args = ["--acp"]
            env = { KEY = "value" }
            cwd-policy = "home"
        "#;
        let config = Config::parse(text).unwrap();
        let agent = config.agents.get("my-agent").unwrap();
        assert_eq!(agent.command, Some("my-agent".into()));
        assert_eq!(agent.args, ["--acp"]);
        assert_eq!(agent.cwd_policy, CwdPolicy::Home);
    }

    #[test]
    fn a_word_that_is_no_setting_is_told_with_its_place() {
        for (text, told) in [
            ("[agents.a]\ncomand = \"x\"", "comand"),
            ("[agent.a]\n", "agent"),
            ("[agents.a]\nargs = \"x\"", "args"),
            ("[agents.\"A b\"]\n", "cannot name an agent"),
            ("[agents.a]\ncwd-policy = \"root\"", "root"),
            ("[agents.openai]\ncommand = \"x\"", "is a model's API"),
            ("[agents.claude-code]\nmodel = \"x\"", "is a program"),
        ] {
            let problem = Config::parse(text).unwrap_err();
            assert!(problem.contains(told), "{text}: {problem}");
        }
        assert!(Config::parse("[agents.a]\ncomand = 1").unwrap_err().contains("line 2"));
    }

    #[test]
    fn a_file_that_is_named_must_be_there_and_the_usual_one_need_not() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment::inherited().with("HOME", home.path()).with("XDG_CONFIG_HOME", "");
        assert_eq!(Config::load(None, &environment).unwrap(), Config::default());
        assert!(Config::load(Some(&home.path().join("none.toml")), &environment).is_err());
        let folder = home.path().join(".config/liminal-builder");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), "[agents.a]\ncommand = \"x\"").unwrap();
        assert_eq!(Config::load(None, &environment).unwrap().agents.len(), 1);
    }
}
