//! A machine with one agent on it.

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
use tokio::task::JoinSet;

use crate::chat::Chat;
use crate::tap::tap;
use crate::world::{processes_of, wait_until};

pub(crate) struct AcpWorld {
    pub(crate) project: PathBuf,
    pub(super) instance: String,
    pub(super) settings: Settings,
    agent: AcpAgent,
    tasks: JoinSet<()>,
    model: Running,
    pub(super) home: tempfile::TempDir,
    is_ended: bool,
}

/// No test may forget what it left running.
impl Drop for AcpWorld {
    fn drop(&mut self) {
        assert!(self.is_ended || std::thread::panicking(), "the test has not called `end`");
    }
}

/// What an agent needs to find the scripted model.
type Variables = Vec<(&'static str, OsString)>;

fn package(path: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules").join(path);
    assert!(file.exists(), "{} is missing; run ./x test, which installs it", file.display());
    file
}

fn node(program: &Path, arguments: &[&str]) -> Launch {
    let arguments = arguments.iter().map(|&argument| argument.to_owned());
    let args = [program.display().to_string()].into_iter().chain(arguments).collect();
    Launch { program: "node".into(), args }
}

/// How Codex's adapter is started.
pub(super) fn codex_adapter() -> Launch {
    node(&package("@agentclientprotocol/codex-acp/dist/index.js"), &[])
}

impl AcpWorld {
    pub(crate) async fn codex() -> Self {
        Self::new(CODEX, codex_adapter(), codex_environment).await
    }

    /// The other adapter: one program with an older Codex inside.
    pub(super) async fn zed() -> Self {
        let program = package("@zed-industries/codex-acp-linux-x64/bin/codex-acp");
        let launch = Launch { program, args: Vec::new() };
        Self::new(CODEX, launch, zed_environment).await
    }

    pub(super) async fn gemini() -> Self {
        let program = package("@google/gemini-cli/bundle/gemini.js");
        Self::new("gemini", node(&program, &["--acp"]), gemini_environment).await
    }

    pub(super) async fn opencode() -> Self {
        let launch =
            Launch { program: package("opencode-linux-x64/bin/opencode"), args: vec!["acp".to_owned()] };
        Self::new("opencode", launch, opencode_environment).await
    }

    async fn new(name: &str, launch: Launch, environment: fn(&Running, &Path) -> Variables) -> Self {
        let model = ScriptedModel::start(Options::default()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let project = project.canonicalize().unwrap();
        let instance = format!("test-{}", clock::new_session_uuid());
        let mut settings = Settings::new(name, launch, InstanceId::new(&instance).unwrap());
        let variables = environment(&model, home.path()).into_iter();
        settings.environment.extend(variables.map(|(name, value)| (name.into(), value)));
        settings.environment.push(("HOME".into(), home.path().into()));
        let agent = AcpAgent::new(settings.clone());
        let tasks = JoinSet::new();
        Self { project, instance, settings, agent, tasks, model, home, is_ended: false }
    }

    /// Ends everything; no process of ours is left.
    pub(crate) async fn end(mut self) {
        self.is_ended = true;
        self.tasks.shutdown().await;
        self.restart();
        wait_until(|| self.processes().is_empty()).await;
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
        let agent = self.agent.open(OpenRequest { directory, resume, options, past: Vec::new() }).await?;
        let (outlet, outputs) = tap(64);
        let handle = SessionHandle::start(agent, Setup::default(), outlet, &mut self.tasks);
        Ok(Chat { handle, log: Vec::new(), outputs })
    }

    pub(crate) const fn agent(&self) -> &AcpAgent {
        &self.agent
    }

    pub(crate) const fn model(&self) -> &Running {
        &self.model
    }

    pub(super) fn processes(&self) -> Vec<String> {
        processes_of(&self.instance)
    }
}

fn codex_environment(model: &Running, home: &Path) -> Variables {
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
        "features": { "plugins": false, "default_mode_request_user_input": true },
        "analytics": { "enabled": false },
        "check_for_update_on_startup": false,
        "model_providers": { "scripted": provider },
    });
    let codex_home = home.join("codex");
    std::fs::create_dir(&codex_home).unwrap();
    vec![
        ("CODEX_HOME", codex_home.into_os_string()),
        ("CODEX_CONFIG", config.to_string().into()),
        ("MODEL_PROVIDER", "scripted".into()),
        ("NO_BROWSER", "1".into()),
    ]
}

/// It reads a file, and finds the sandbox of the other one's package only on the `PATH`.
fn zed_environment(model: &Running, home: &Path) -> Variables {
    let config = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"Scripted\"\n\
         base_url = \"{}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 1\nstream_max_retries = 1\n",
        model.url()
    );
    let codex_home = home.join("codex");
    std::fs::create_dir(&codex_home).unwrap();
    std::fs::write(codex_home.join("config.toml"), config).unwrap();
    let sandbox = package("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/codex-resources");
    let mut path = sandbox.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    vec![("CODEX_HOME", codex_home.into_os_string()), ("PATH", path), ("NO_BROWSER", "1".into())]
}

fn gemini_environment(model: &Running, _: &Path) -> Variables {
    vec![("GOOGLE_GEMINI_BASE_URL", model.url().into()), ("GEMINI_API_KEY", "any".into())]
}

fn opencode_environment(model: &Running, _: &Path) -> Variables {
    let config = json!({
        "model": "scripted/m",
        "small_model": "scripted/m",
        "share": "disabled",
        "permission": { "bash": "ask" },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": format!("{}/v1", model.url()), "apiKey": "any" },
            "models": { "m": { "reasoning": true, "tool_call": true } },
        } },
    });
    let off = || OsString::from("1");
    vec![
        ("OPENCODE_CONFIG_CONTENT", config.to_string().into()),
        ("OPENCODE_DISABLE_MODELS_FETCH", off()),
        ("OPENCODE_DISABLE_AUTOUPDATE", off()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", off()),
    ]
}
