//! Where each agent is. Owns the order of places; only looks at files, so that it can be asked at any time.

use std::path::Path;

use super::npm::NpmRoot;
use super::report::{blank, with_problem};
use super::stamp::Stamp;
use super::{AgentReport, AgentState, Launch, Machine, codex, remedy};
use crate::config::AgentConfig;
use crate::demo;
use crate::provider::claude_code;
use crate::provider::model_api::{ModelApi, Settings, SettingsError, VENDORS, Vendor};

/// Agents whose program has their own name, and the arguments that make it speak ACP.
const PLAIN: [(&str, &str); 2] = [("gemini", "--acp"), ("opencode", "acp")];

/// Where an agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Program(Program),
    /// Perhaps where npm keeps global packages, which npm has not been asked yet.
    AtNpm,
    /// Nowhere; what to do about it.
    Missing(String),
    /// Not where the configuration says.
    Misconfigured(String),
    /// Nothing has to be asked: a model's API, or built in.
    Known(AgentReport),
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) launch: Launch,
    pub(super) question: Question,
    stamps: Vec<Stamp>,
}

/// How a program is asked for its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Not at all: an unknown program may do anything with `--version`.
    None,
    ClaudeCode,
    Codex,
    Plain,
}

impl Program {
    pub(super) fn new(launch: Launch, question: Question) -> Self {
        let script = launch.args.first().map(Path::new).filter(|argument| argument.is_absolute());
        let stamps = [Some(launch.program.as_path()), script].into_iter().flatten().map(Stamp::of).collect();
        Self { launch, question, stamps }
    }

    pub(super) fn is_asked(&self) -> bool {
        self.question != Question::None
    }
}

impl Machine {
    /// Every agent that is known or configured, in the order in which they are listed.
    pub(super) fn names(&self) -> Vec<String> {
        let plain = PLAIN.iter().map(|(name, _)| *name);
        let vendors = VENDORS.iter().map(|vendor| vendor.cli_type);
        let known: Vec<&str> =
            [claude_code::CLI_TYPE, codex::NAME].into_iter().chain(plain).chain(vendors).collect();
        let is_other = |name: &&str| !known.contains(name) && *name != demo::NAME;
        let others = self.config.agents.keys().map(String::as_str).filter(is_other);
        known.iter().copied().chain(others).chain([demo::NAME]).map(str::to_owned).collect()
    }

    /// Where an agent is now.
    pub(super) fn locate(&self, name: &str, npm: Option<&NpmRoot>) -> Place {
        if let Some(vendor) = Vendor::named(name) {
            return Place::Known(self.model_api(vendor));
        }
        let question = match name {
            claude_code::CLI_TYPE => Question::ClaudeCode,
            codex::NAME => Question::Codex,
            _ => Question::None,
        };
        match (self.setting(name).filter(|agent| agent.command.is_some()), name) {
            (Some(agent), _) => self.configured(name, agent, question),
            (None, claude_code::CLI_TYPE) => self.on_path(name, "claude", None, question),
            (None, codex::NAME) => codex::locate(self, npm),
            (None, demo::NAME) => Place::Known(self.demo()),
            (None, _) => match PLAIN.iter().find(|(plain, _)| *plain == name) {
                Some((_, argument)) => self.on_path(name, name, Some(argument), Question::Plain),
                None => Place::Misconfigured(format!("[agents.{name}] has no command; add one")),
            },
        }
    }

    pub(super) fn on_path(
        &self,
        name: &str,
        program: &str,
        argument: Option<&str>,
        question: Question,
    ) -> Place {
        let Some(program) = self.find_program(name, program) else {
            let install = remedy::install(name).unwrap_or_default();
            return Place::Missing(format!("not installed; install it with: {install}"));
        };
        let own = argument.map(str::to_owned).into_iter();
        let args = own.chain(self.arguments(name)).collect();
        Place::Program(Program::new(Launch { program, args }, question))
    }

    /// An agent as the user set it.
    fn configured(&self, name: &str, agent: &AgentConfig, question: Question) -> Place {
        let command = agent.command.as_deref().unwrap_or(Path::new(""));
        match self.resolve(name, command) {
            Some(program) => {
                Place::Program(Program::new(Launch { program, args: agent.args.clone() }, question))
            }
            None => Place::Misconfigured(format!(
                "cannot find {}; correct command in [agents.{name}]",
                command.display()
            )),
        }
    }

    /// A model's own API: it needs a key and nothing else. Whether the key is right is not asked here.
    fn model_api(&self, vendor: &'static Vendor) -> AgentReport {
        let config = self.setting(vendor.cli_type).cloned().unwrap_or_default();
        match Settings::read(vendor, &self.environment, &config).and_then(ModelApi::new) {
            Ok(api) => AgentReport { version: Some(api.model().to_owned()), ..blank(vendor.cli_type) },
            Err(error @ SettingsError::NoKey(_)) => {
                with_problem(vendor.cli_type, AgentState::Missing, error.to_string())
            }
            Err(error) => with_problem(vendor.cli_type, AgentState::Unusable, error.to_string()),
        }
    }

    /// The agent that is a part of this program. What the user set for it is added to what it is started with.
    fn demo(&self) -> AgentReport {
        let name = demo::NAME;
        let program = match std::env::current_exe() {
            Ok(program) => program,
            Err(error) => {
                let problem = format!("cannot tell where this program is: {error}; start it by its path");
                return with_problem(name, AgentState::Unusable, problem);
            }
        };
        let args = demo::arguments(&self.data.join(name), &self.arguments(name));
        AgentReport {
            launch: Some(Launch { program, args }),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            built_in: true,
            ..blank(name)
        }
    }
}
