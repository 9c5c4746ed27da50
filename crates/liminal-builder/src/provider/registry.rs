//! The kinds of agents there are, by their word. Owns which providers are made of what the machine has and the user set.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use super::acp::{self, AcpAgent};
use super::claude_code::{self, ClaudeCode};
use super::model_api::{ModelApi, Settings, Vendor};
use super::{OpenError, Provider};
use crate::agents::{Detector, Launcher, Machine};
use crate::config::{AgentConfig, Config};
use crate::demo;
use crate::process::{Confinement, InstanceId, Wrapper};

/// The kinds of agents there are.
#[derive(Debug, Default)]
pub struct ProviderRegistry(BTreeMap<String, Arc<dyn Provider>>);

impl ProviderRegistry {
    /// Every agent that is known or configured, installed or not: each looks for its program at each start. A model's
    /// API is one only with its key.
    #[must_use]
    pub fn of(detector: &Detector, instance: &InstanceId) -> Self {
        let names = detector.names();
        names.iter().fold(Self::default(), |registry, name| registry.with_agent(detector, name, instance))
    }

    fn with_agent(self, detector: &Detector, name: &str, instance: &InstanceId) -> Self {
        let machine = detector.machine();
        let agent = machine.setting(name).cloned().unwrap_or_default();
        let confinement = confinement(machine);
        if name == claude_code::CLI_TYPE {
            let settings = claude(&machine.config, agent, instance.clone());
            let launcher = Some(Launcher::detected(detector, name));
            return self.with(ClaudeCode::new(claude_code::Settings { launcher, confinement, ..settings }));
        }
        if let Some(vendor) = Vendor::named(name) {
            let api = Settings::read(vendor, &machine.environment, &agent).and_then(ModelApi::new);
            return match api {
                Ok(api) => self.with(api),
                Err(_) => self,
            };
        }
        let launcher = Launcher::detected(detector, name);
        let settings = acp_agent(&machine.config, name, launcher, agent, instance.clone());
        self.with(AcpAgent::new(acp::Settings { confinement, ..settings }))
    }

    /// Adds a kind of agent.
    #[must_use]
    pub fn with(mut self, provider: impl Provider + 'static) -> Self {
        self.0.insert(provider.cli_type().to_owned(), Arc::new(provider));
        self
    }

    /// Every provider.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<dyn Provider>> {
        self.0.values().cloned().collect()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The provider of a CLI type.
    pub fn get(&self, cli_type: &str) -> Result<Arc<dyn Provider>, OpenError> {
        let unknown = || {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            OpenError::UnsupportedCliType(cli_type.to_owned(), known.join(", "))
        };
        self.0.get(cli_type).cloned().ok_or_else(unknown)
    }
}

fn confinement(machine: &Machine) -> Confinement {
    let security = &machine.config.security;
    Confinement {
        wrapper: Wrapper::new(security.agent_wrapper.words(), &machine.environment),
        variables: security.agent_env.names().map(<[String]>::to_vec),
    }
}

fn claude(config: &Config, agent: AgentConfig, instance: InstanceId) -> claude_code::Settings {
    let mut settings = claude_code::Settings::new(instance);
    settings.program = agent.command.clone();
    settings.arguments.clone_from(&agent.args);
    settings.environment = variables(agent);
    settings.allow_bypass = config.security.allow_bypass;
    settings.patience.permission_timeout = config.sessions.permission();
    settings
}

fn acp_agent(
    config: &Config,
    name: &str,
    launcher: Launcher,
    agent: AgentConfig,
    instance: InstanceId,
) -> acp::Settings {
    let mut settings = acp::Settings::new(name, launcher, instance);
    settings.cwd_policy = agent.cwd_policy;
    // The demo that is built in has no sessions but ours.
    settings.has_others = name != demo::NAME || agent.command.is_some();
    settings.options.permission_timeout = config.sessions.permission();
    if let Some(seconds) = agent.idle_seconds {
        // Without any patience a process would be ended before its first session has reached it.
        settings.idle_timeout = Duration::from_secs(seconds.max(1));
    }
    settings.asking_modes.clone_from(&agent.asking_modes);
    settings.environment.extend(variables(agent));
    settings
}

fn variables(config: AgentConfig) -> Vec<(OsString, OsString)> {
    config.env.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Launch;
    use crate::process::Environment;

    fn registry() -> ProviderRegistry {
        let instance = || InstanceId::new("test").unwrap();
        let launch = Launch { program: "codex-acp".into(), args: Vec::new() };
        ProviderRegistry::default()
            .with(ClaudeCode::new(claude_code::Settings::new(instance())))
            .with(AcpAgent::new(acp::Settings::new(acp::CODEX, launch, instance())))
    }

    #[test]
    fn tc_2_2a_a_provider_is_found_by_its_cli_type() {
        for cli_type in ["claude-code", "codex"] {
            assert_eq!(registry().get(cli_type).unwrap().cli_type(), cli_type);
        }
    }

    #[tokio::test]
    async fn a_models_api_is_there_once_its_key_is_set() {
        let managed = tempfile::tempdir().unwrap();
        let bare = ["PATH", "HOME", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
        let bare = bare.into_iter().fold(Environment::inherited(), |all, name| all.with(name, ""));
        let set =
            bare.clone().with("OPENAI_API_KEY", "sk-test").with("OPENAI_BASE_URL", "http://127.0.0.1:1");
        for (environment, is_there) in [(bare, false), (set, true)] {
            let (managed, data) = (managed.path().to_owned(), managed.path().to_owned());
            let (detector, detection) =
                Detector::start(Machine { config: Config::default(), environment, managed, data });
            let registry = ProviderRegistry::of(&detector, &InstanceId::new("test").unwrap());
            detection.close().await;
            assert_eq!(registry.get("openai").is_ok(), is_there);
            assert!(registry.get("anthropic").is_err());
        }
    }

    #[test]
    fn what_the_user_set_reaches_every_agent() {
        let mut config = Config::default();
        config.sessions.permission_minutes = 3;
        config.security.allow_bypass = true;
        let (instance, minutes) = (InstanceId::new("test").unwrap(), Duration::from_secs(180));
        let claude = claude(&config, AgentConfig::default(), instance.clone());
        assert_eq!((claude.patience.permission_timeout, claude.allow_bypass), (Some(minutes), true));
        let launch = Launch { program: "a".into(), args: Vec::new() };
        let acp = acp_agent(&config, "a", launch.into(), AgentConfig::default(), instance);
        assert_eq!(acp.options.permission_timeout, Some(minutes));
    }

    #[test]
    fn tc_2_2b_an_unknown_cli_type_is_told_with_those_that_are_known() {
        let error = registry().get("gemini").unwrap_err();
        assert_eq!(error.info().code, "UNSUPPORTED_CLI_TYPE");
        assert_eq!(error.to_string(), "no agent of type gemini is known; known types: claude-code, codex");
    }
}
