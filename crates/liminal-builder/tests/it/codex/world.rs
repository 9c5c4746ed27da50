//! A machine with Codex on it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use liminal_builder::agents::Launch;
use liminal_builder::clock;
use liminal_builder::process::InstanceId;
use liminal_builder::provider::acp::{AcpAgent, CODEX, Settings};
use liminal_builder::provider::{OpenError, OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::ids::SessionId;
use scripted_model::{Options, Running, ScriptedModel};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::chat::Chat;
use crate::world::processes_of;

pub(super) struct Codex {
    pub(super) project: PathBuf,
    pub(super) instance: String,
    settings: Settings,
    agent: AcpAgent,
    tasks: JoinSet<()>,
    _model: Running,
    _home: tempfile::TempDir,
}

fn adapter() -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules");
    let adapter = packages.join("@agentclientprotocol/codex-acp/dist/index.js");
    assert!(adapter.exists(), "{} is missing; run ./x test, which installs it", adapter.display());
    adapter
}

impl Codex {
    pub(super) async fn new() -> Self {
        let model = ScriptedModel::start(Options::default()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let project = project.canonicalize().unwrap();
        let instance = format!("test-{}", clock::new_session_uuid());
        let launch = Launch { program: "node".into(), args: vec![adapter().display().to_string()] };
        let mut settings = Settings::new(CODEX, launch, InstanceId::new(&instance).unwrap());
        settings.environment.extend(environment(&model, home.path()));
        let agent = AcpAgent::new(settings.clone());
        Self { project, instance, settings, agent, tasks: JoinSet::new(), _model: model, _home: home }
    }

    /// The same machine after our own end and a new start.
    pub(super) fn restart(&mut self) {
        self.agent = AcpAgent::new(self.settings.clone());
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings);
        self.restart();
    }

    pub(super) async fn create(&mut self) -> Chat {
        self.open(None).await.unwrap()
    }

    pub(super) async fn open(&mut self, resume: Option<SessionId>) -> Result<Chat, OpenError> {
        let (directory, options) = (self.project.clone(), SessionOptions::default());
        let agent = self.agent.open(OpenRequest { directory, resume, options }).await?;
        let (sender, outputs) = mpsc::channel(64);
        let handle = SessionHandle::start(agent, Setup::default(), sender, &mut self.tasks);
        Ok(Chat { handle, log: Vec::new(), outputs })
    }

    pub(super) fn processes(&self) -> Vec<String> {
        processes_of(&self.instance)
    }
}

fn environment(model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
    let provider = json!({
        "name": "Scripted",
        "base_url": format!("{}/v1", model.url()),
        "wire_api": "responses",
        "request_max_retries": 1,
        "stream_max_retries": 1,
    });
    let config = json!({
        "model": "gpt-5.5",
        "model_provider": "scripted",
        "model_reasoning_summary": "auto",
        "features": { "plugins": false },
        "analytics": { "enabled": false },
        "check_for_update_on_startup": false,
        "model_providers": { "scripted": provider },
    });
    let codex_home = home.join("codex");
    std::fs::create_dir(&codex_home).unwrap();
    [
        ("CODEX_HOME", codex_home.into_os_string()),
        ("CODEX_CONFIG", config.to_string().into()),
        ("MODEL_PROVIDER", "scripted".into()),
        ("HOME", home.as_os_str().to_owned()),
        ("NO_BROWSER", "1".into()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}
