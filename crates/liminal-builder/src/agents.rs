//! Which agents this machine has. Owns the list of those that are known by name, how each is found, and what to do
//! about one that is not there; starting them is the providers' business.

mod codex;
mod login;
mod npm;
mod redis;
mod remedy;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{AgentConfig, Config};
use crate::demo;
use crate::process::{Environment, run_for_output};
use crate::provider::claude_code;
use crate::provider::model_api::{ModelApi, Settings, VENDORS, Vendor};

pub use codex::Variant as CodexVariant;
pub use npm::install as install_managed;

/// An agent that answers at all does so in a fraction of this; a cold disk takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What is known of one agent on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentReport {
    /// The CLI type it is chosen by.
    pub name: String,
    /// How it would be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
    /// What it calls itself; of a model's API, the model that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why it cannot be used, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether it is a part of this program: always there, and no model behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub built_in: bool,
    /// Whether its own login is there, where its program can tell without asking anybody. An agent may work without
    /// one, by a key or a model of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged_in: Option<bool>,
    /// The command that installs it, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// The command by which its user signs in, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<String>,
}

impl AgentReport {
    /// Whether it can be used.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        self.problem.is_none()
    }

    /// One of which nothing is known but how it is got.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            launch: None,
            version: None,
            problem: None,
            built_in: false,
            logged_in: None,
            install: remedy::install(name),
            sign_in: remedy::sign_in(name),
        }
    }

    fn usable(name: &str, launch: Launch, version: String) -> Self {
        Self { launch: Some(launch), version: Some(version), ..Self::named(name) }
    }

    fn unusable(name: &str, launch: Option<Launch>, problem: impl Into<String>) -> Self {
        Self { launch, problem: Some(problem.into()), ..Self::named(name) }
    }
}

impl fmt::Display for AgentReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.launch, &self.version, &self.problem) {
            (_, Some(version), None) if self.built_in => {
                let what = "built in: scripted, no model, no account";
                write!(formatter, "✓ {:<14} {version:<12} {what}", self.name)
            }
            (_, _, Some(problem)) => write!(formatter, "✗ {:<14} {problem}", self.name),
            (Some(launch), version, None) => {
                let command =
                    [launch.program.display().to_string()].into_iter().chain(launch.args.iter().cloned());
                let command = command.collect::<Vec<_>>().join(" ");
                let login = match self.logged_in {
                    Some(true) => " (logged in)",
                    Some(false) => " (no login of its own)",
                    None => "",
                };
                let version = version.as_deref().unwrap_or("");
                write!(formatter, "✓ {:<14} {version:<12} {command}{login}", self.name)
            }
            (None, version, None) => {
                write!(formatter, "✓ {:<14} {}", self.name, version.as_deref().unwrap_or(""))
            }
        }
    }
}

/// Where agents are looked for.
#[derive(Debug, Clone)]
pub struct Machine<'a> {
    /// What the user set.
    pub config: &'a Config,
    /// What agents are started with.
    pub environment: &'a Environment,
    /// Where agents are installed for us alone.
    pub managed: &'a Path,
    /// Where this program keeps its data; the demo agent has its sessions below it.
    pub data: &'a Path,
}

impl Machine<'_> {
    /// Looks for every agent that is known or configured. Their programs are asked at the same time: the slowest is
    /// waited for, and not each.
    pub async fn agents(&self) -> Vec<AgentReport> {
        let plain = [("gemini", ["--acp"]), ("opencode", ["acp"])];
        let plain = plain.iter().map(|(name, arguments)| self.plain(name, arguments));
        let (claude_code, codex, plain) = tokio::join!(self.claude_code(), self.codex(), join_all(plain));
        let mut reports = vec![claude_code, codex];
        reports.extend(plain);
        reports.extend(VENDORS.iter().map(|vendor| self.model_api(vendor)));
        let mut known: Vec<String> = reports.iter().map(|report| report.name.clone()).collect();
        known.push(demo::NAME.to_owned());
        for (name, agent) in self.config.agents.iter().filter(|(name, _)| !known.contains(name)) {
            reports.push(self.configured(name, agent));
        }
        reports.push(self.demo());
        reports
    }

    /// The same, with what each tells of its login. It takes longer: their programs are asked.
    pub async fn agents_with_logins(&self) -> Vec<AgentReport> {
        let mut reports = self.agents().await;
        let asked = reports.iter().map(|report| login::is_there(report, self.environment_of(&report.name)));
        let told = join_all(asked).await;
        for (report, logged_in) in reports.iter_mut().zip(told) {
            report.logged_in = logged_in;
        }
        reports
    }

    /// What an agent inherits, with what the user set for it.
    fn environment_of(&self, name: &str) -> Environment {
        let set = self.setting(name).map(|agent| agent.env.clone()).unwrap_or_default();
        set.into_iter().fold(self.environment.clone(), |all, (name, value)| all.with(name, value))
    }

    /// The agent that is a part of this program. What the user set for it is added to what it is started with.
    fn demo(&self) -> AgentReport {
        let name = demo::NAME;
        let set = self.setting(name).cloned().unwrap_or_default();
        if set.command.is_some() {
            return self.configured(name, &set);
        }
        let program = match std::env::current_exe() {
            Ok(program) => program,
            Err(error) => {
                let problem = format!("cannot tell where this program is: {error}; start it by its path");
                return AgentReport::unusable(name, None, problem);
            }
        };
        let launch = Launch { program, args: demo::arguments(&self.data.join(name), &set.args) };
        let report = AgentReport::usable(name, launch, env!("CARGO_PKG_VERSION").to_owned());
        AgentReport { built_in: true, ..report }
    }

    async fn claude_code(&self) -> AgentReport {
        let name = claude_code::CLI_TYPE;
        let configured = self.setting(name).and_then(|agent| agent.command.as_deref());
        match claude_code::find(configured, self.environment).await {
            Ok(found) => {
                let args = self.setting(name).map(|agent| agent.args.clone()).unwrap_or_default();
                let launch = Launch { program: found.program, args };
                AgentReport::usable(name, launch, found.version.to_string())
            }
            Err(error) => AgentReport::unusable(name, None, error.to_string()),
        }
    }

    /// How Codex is started, or why it cannot be.
    pub async fn codex(&self) -> AgentReport {
        match codex::find(self).await {
            Ok(found) => AgentReport::usable(codex::NAME, found.launch, found.version),
            Err(problem) => AgentReport::unusable(codex::NAME, None, problem),
        }
    }

    /// An agent whose program has its own name and tells its version when asked.
    async fn plain(&self, name: &'static str, arguments: &[&str]) -> AgentReport {
        if let Some(agent) = self.setting(name).filter(|agent| agent.command.is_some()) {
            return self.configured(name, agent);
        }
        let Some(program) = self.environment.find_program(name) else {
            return AgentReport::unusable(
                name,
                None,
                format!("{name} is not on the PATH; install it to use it"),
            );
        };
        let more = self.setting(name).map(|agent| agent.args.clone()).unwrap_or_default();
        let args = arguments.iter().map(|&argument| argument.to_owned()).chain(more).collect();
        let launch = Launch { program: program.clone(), args };
        match run_for_output(&program, &["--version"], self.environment, PATIENCE).await {
            Ok(run) if run.succeeded => AgentReport::usable(name, launch, first_line(&run.stdout)),
            Ok(run) => AgentReport::unusable(
                name,
                Some(launch),
                format!("{name} fails: {}", first_line(&run.stderr)),
            ),
            Err(error) => AgentReport::unusable(name, Some(launch), error.to_string()),
        }
    }

    /// A model's own API: it needs a key and nothing else. Whether the key is right is not asked here.
    fn model_api(&self, vendor: &'static Vendor) -> AgentReport {
        let config = self.setting(vendor.cli_type).cloned().unwrap_or_default();
        let (version, problem) =
            match Settings::read(vendor, self.environment, &config).and_then(ModelApi::new) {
                Ok(api) => (Some(api.model().to_owned()), None),
                Err(error) => (None, Some(error.to_string())),
            };
        AgentReport { version, problem, ..AgentReport::named(vendor.cli_type) }
    }

    /// An agent as the user set it. Nobody knows what it does when it is asked for its version, so it is not.
    fn configured(&self, name: &str, agent: &AgentConfig) -> AgentReport {
        let Some(command) = &agent.command else {
            return AgentReport::unusable(name, None, format!("[agents.{name}] has no command; add one"));
        };
        let Some(program) = self.resolve(command) else {
            let problem = format!("cannot find {}; correct command in [agents.{name}]", command.display());
            return AgentReport::unusable(name, None, problem);
        };
        let launch = Launch { program, args: agent.args.clone() };
        AgentReport { launch: Some(launch), ..AgentReport::named(name) }
    }

    fn setting(&self, name: &str) -> Option<&AgentConfig> {
        self.config.agents.get(name)
    }

    /// A path as it is, a bare name from the `PATH`.
    fn resolve(&self, command: &Path) -> Option<PathBuf> {
        if command.components().count() > 1 {
            return command.is_file().then(|| command.to_owned());
        }
        self.environment.find_program(command.to_str()?)
    }
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing was said").trim().to_owned()
}
