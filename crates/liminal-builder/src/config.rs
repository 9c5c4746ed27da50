//! What the user set: defaults, then the configuration file, then the environment, then the command line, each over the
//! one before. Owns the order, and that every value is sound before anything starts; a word that it does not know is an
//! error, because a typo must not pass for a setting.

mod agents;
mod confining;
mod env_file;
mod error;
mod file;
mod origin;
mod reading;
mod redis;
mod redis_url;
mod report;
mod sections;
mod settings;
mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::process::Environment;

pub use agents::{AgentConfig, CwdPolicy};
pub use confining::{VariableNames, WrapperWords};
pub use error::{ConfigError, Fault};
pub use origin::Origin;
pub use reading::{Filter, HostName, KeyPrefix};
pub use redis::Redis;
pub use redis_url::RedisUrl;
pub use report::Line;
pub use sections::{Batch, Limits, Listen, Logging, Security, Sessions, Storage};

/// What the user set, and the defaults for the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Where the server listens.
    pub listen: Listen,
    /// What is kept on disk.
    pub storage: Storage,
    /// How sessions are run.
    pub sessions: Sessions,
    /// How what agents say is gathered.
    pub batch: Batch,
    /// How much clients may ask.
    pub limits: Limits,
    /// What is let through.
    pub security: Security,
    /// The Redis that is shared with other servers and programs.
    pub redis: Redis,
    /// What the server tells of itself.
    pub logging: Logging,
    /// Agents, by the name they are chosen by.
    pub agents: BTreeMap<String, AgentConfig>,
}

/// A setting of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The flag, with its dashes.
    pub flag: &'static str,
    /// The setting, as in `listen.port`.
    pub setting: &'static str,
    /// Its value.
    pub value: String,
}

/// What the command line sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// Settings.
    pub settings: Vec<Flag>,
    /// Programs of agents.
    pub agents: Vec<(String, PathBuf)>,
}

/// Where settings come from.
#[derive(Clone)]
pub struct Sources {
    /// The file that was named; without it the usual place is looked at.
    pub file: Option<PathBuf>,
    /// Where the usual place is.
    pub environment: Environment,
    /// Variables that begin with `LIMINAL_`.
    pub variables: BTreeMap<String, String>,
    /// The command line.
    pub flags: Flags,
}

/// A configuration that knows where each value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    origins: BTreeMap<String, Origin>,
}

impl Config {
    /// Reads the file that is named, or the one at the usual place if there is one, and our own variables.
    pub fn load(named: Option<&Path>, environment: &Environment) -> Result<Self, ConfigError> {
        let sources = Sources { environment: environment.clone(), ..Sources::of_process(named) };
        sources.load().map(|loaded| loaded.config)
    }

    /// Where data lies.
    pub fn data_directory(&self, environment: &Environment) -> Result<PathBuf, ConfigError> {
        let set = self.storage.data_dir.clone();
        set.or_else(|| usual_data_directory(environment)).ok_or(ConfigError::NoPlace)
    }
}

/// Where data lies if nobody says otherwise: `liminal-builder` in `$XDG_DATA_HOME`, or in `~/.local/share`.
#[must_use]
pub fn usual_data_directory(environment: &Environment) -> Option<PathBuf> {
    user_folder(environment, "XDG_DATA_HOME", ".local/share")
}

/// Our folder in the user's one for this purpose. A relative path says nothing in a variable.
fn user_folder(environment: &Environment, variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = |name: &str| environment.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = set(variable).or_else(|| set("HOME").map(|home| home.join(below_home)))?;
    Some(folder.join("liminal-builder"))
}

impl Sources {
    /// What this process was started with, without its command line.
    #[must_use]
    pub fn of_process(named: Option<&Path>) -> Self {
        Self {
            file: named.map(Path::to_owned),
            environment: Environment::inherited(),
            variables: variables::of_process(),
            flags: Flags::default(),
        }
    }

    /// The same with a command line.
    #[must_use]
    pub fn with_flags(self, flags: Flags) -> Self {
        Self { flags, ..self }
    }

    /// Reads everything, each source over the one before.
    pub fn load(&self) -> Result<Loaded, ConfigError> {
        let mut loaded = Loaded { config: Config::default(), origins: BTreeMap::new() };
        file::apply(self.file.as_deref(), &self.environment, &mut loaded)?;
        variables::apply(&self.variables, &mut loaded)?;
        self.flags.settings.iter().try_for_each(|flag| apply_flag(flag, &mut loaded))?;
        self.flags.agents.iter().try_for_each(|(name, program)| apply_agent(name, program, &mut loaded))?;
        loaded.check()?;
        Ok(loaded)
    }
}

/// Shows names of variables only: one of them may be a secret under our prefix.
impl fmt::Debug for Sources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables: Vec<&String> = self.variables.keys().collect();
        let mut shown = formatter.debug_struct("Sources");
        shown.field("file", &self.file).field("variables", &variables).finish_non_exhaustive()
    }
}

fn apply_flag(flag: &Flag, loaded: &mut Loaded) -> Result<(), ConfigError> {
    let origin = Origin::Flag { flag: flag.flag };
    match settings::find(flag.setting) {
        Some(setting) => loaded.take(setting, &reading::Given::Text(&flag.value), origin),
        None => {
            Err(ConfigError::Setting(Fault::new(origin, format!("there is no setting {}", flag.setting))))
        }
    }
}

fn apply_agent(name: &str, program: &Path, loaded: &mut Loaded) -> Result<(), ConfigError> {
    let origin = Origin::Flag { flag: "--agent" };
    if let Some(problem) = agents::unsound(name) {
        return Err(ConfigError::Setting(Fault::new(origin, problem)));
    }
    loaded.config.agents.entry(name.to_owned()).or_default().command = Some(program.to_owned());
    loaded.origins.insert(format!("agents.{name}.command"), origin);
    Ok(())
}

impl Loaded {
    /// Where a setting comes from.
    #[must_use]
    pub fn origin(&self, setting: &str) -> &Origin {
        self.origins.get(setting).unwrap_or(&Origin::Default)
    }

    /// What one setting asks of another.
    fn check(&self) -> Result<(), ConfigError> {
        const PUBLISH: &str = "redis.publish-stream-b";
        if self.config.redis.publish_stream_b && self.config.redis.url.is_none() {
            let problem = format!("{PUBLISH} needs the address of a Redis; give redis.url or --redis URL");
            return Err(ConfigError::Setting(Fault::new(self.origin(PUBLISH).clone(), problem)));
        }
        Ok(())
    }

    fn take(
        &mut self,
        setting: &settings::Setting,
        given: &reading::Given<'_>,
        origin: Origin,
    ) -> Result<(), ConfigError> {
        let name = setting.name();
        let taken = setting.take(&mut self.config, given, &origin);
        if let Err(problem) = taken {
            return Err(ConfigError::Setting(Fault::new(origin, format!("{name} {problem}"))));
        }
        self.origins.insert(name, origin);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
