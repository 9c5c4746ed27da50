//! Which agents this machine has. Owns the list of those that are known by name, how each is found, and what to do about
//! one that is not there; starting them is the providers' business.
//!
//! `locate` says where an agent is, by looking at files alone, and is asked each time. `probe` and `login` run its
//! program, which takes seconds: the [`Detector`] remembers what they found.

mod codex;
mod detector;
mod doctor;
mod launcher;
mod locate;
mod login;
mod npm;
mod probe;
mod redis;
mod remedy;
mod report;
mod stamp;

use std::path::{Path, PathBuf};

use crate::config::{AgentConfig, Config};
use crate::process::Environment;

pub use detector::{AgentNews, Detection, Detector};
pub use doctor::line;
pub use launcher::Launcher;
pub use liminal_core::wire::agents::{AgentReport, AgentState, Launch};
pub use npm::install as install_managed;

/// Where agents are looked for.
#[derive(Debug, Clone)]
pub struct Machine {
    /// What the user set.
    pub config: Config,
    /// What agents are started with.
    pub environment: Environment,
    /// Where agents are installed for us alone.
    pub managed: PathBuf,
    /// Where this program keeps its data; the demo agent has its sessions below it.
    pub data: PathBuf,
}

impl Machine {
    /// What the user set for an agent.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&AgentConfig> {
        self.config.agents.get(name)
    }

    /// What an agent inherits, with what the user set for it.
    #[must_use]
    pub fn environment_of(&self, name: &str) -> Environment {
        let set = self.setting(name).map(|agent| agent.env.clone()).unwrap_or_default();
        set.into_iter().fold(self.environment.clone(), |all, (name, value)| all.with(name, value))
    }

    /// More arguments of an agent.
    fn arguments(&self, name: &str) -> Vec<String> {
        self.setting(name).map(|agent| agent.args.clone()).unwrap_or_default()
    }

    /// A program of this name on the agent's own `PATH`, else on ours.
    fn find_program(&self, agent: &str, name: &str) -> Option<PathBuf> {
        self.environment_of(agent).find_program(name).or_else(|| self.environment.find_program(name))
    }

    /// A path as it is, a bare name from the `PATH`.
    fn resolve(&self, agent: &str, command: &Path) -> Option<PathBuf> {
        if command.components().count() == 1 {
            return self.find_program(agent, command.to_str()?);
        }
        std::path::absolute(command).ok().filter(|path| path.is_file())
    }
}

/// The first line with something in it.
fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing was said").trim().to_owned()
}
