//! The configuration file. Owns its words and where it lies; a word that it does not know is an error, because a typo
//! must not pass for a setting.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::process::Environment;

/// What the user set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Agents, by the name they are chosen by.
    #[serde(default)]
    pub agents: BTreeMap<String, AgentConfig>,
}

/// How an agent is started. A known agent needs only what differs; any other speaks the Agent Client Protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
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
    /// How many seconds a process that serves all sessions of the agent lives on when it serves none.
    pub idle_seconds: Option<u64>,
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
        match config.agents.keys().find(|name| !is_sound(name)) {
            Some(name) => Err(format!("`{name}` cannot name an agent; use lower-case letters, digits and -")),
            None => Ok(config),
        }
    }
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
