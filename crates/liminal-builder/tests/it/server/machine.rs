//! A machine of its own for a test: a home, a project, agents, and servers that are started on it one after another.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use liminal_builder::http::ServerFile;
use rustix::process::{Pid, Signal, kill_process};
use scripted_model::{Options, Running, ScriptedModel};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::client::Client;
use crate::chat::PATIENCE;
use crate::pin::Pin;
use crate::support::liminal;
use crate::world::{processes_with, wait_until};

/// Where the programs are that agents need, but no agent: those are named one by one.
const PLAIN_PATH: &str = "/usr/bin:/bin";

pub(super) struct Machine {
    pub(super) project: PathBuf,
    pub(super) home: Arc<tempfile::TempDir>,
    pub(super) model: Option<Running>,
    /// More of the configuration file.
    pub(super) settings: String,
    /// More of the command line.
    pub(super) flags: Vec<&'static str>,
    /// More of the server's environment.
    pub(super) variables: Vec<(&'static str, &'static str)>,
}

impl Machine {
    /// One on which only the demo agent works. It is fast: a piece of a text each millisecond.
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        let settings = "[agents.demo]\nargs = [\"--pace\", \"1\"]\n".to_owned();
        Self {
            project,
            home: Arc::new(home),
            model: None,
            settings,
            flags: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// One whose Claude Code does what prompts tell it, and notes what it was told.
    pub(super) fn with_fake() -> Self {
        let mut machine = Self::new();
        let log = machine.heard_file().display().to_string();
        let variables = [("FAKE_AGENT_LOG", log)];
        machine.agent("claude-code", Path::new(env!("CARGO_BIN_EXE_fake-agent")), &[], &variables);
        machine
    }

    /// One with an agent of the user's own, `mine`, which speaks ACP and does what prompts tell it.
    pub(super) fn with_own(variables: &[(&str, &str)]) -> Self {
        let mut machine = Self::new();
        let log = machine.heard_file().display().to_string();
        let own = [("FAKE_AGENT_SPEAKS", "acp".to_owned()), ("FAKE_AGENT_LOG", log)];
        let given = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let variables: Vec<(&str, String)> = own.into_iter().chain(given).collect();
        machine.agent("mine", Path::new(env!("CARGO_BIN_EXE_fake-agent")), &["--own", "words"], &variables);
        machine
    }

    /// One with the real Claude Code.
    pub(super) async fn with_claude(pin: Pin) -> Self {
        let mut machine = Self::new();
        let model = ScriptedModel::start(Options::default()).await.unwrap();
        let variables = machine.claude_variables(&model);
        machine.agent("claude-code", &pin.program(), &[], &variables);
        machine.model = Some(model);
        machine
    }

    /// One with the real Codex behind its adapter.
    pub(super) async fn with_codex() -> Self {
        let mut machine = Self::new();
        let model = ScriptedModel::start(Options::default()).await.unwrap();
        let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules");
        let sandbox =
            packages.join("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/codex-resources");
        let variables = machine.codex_variables(&model, &sandbox);
        let adapter = packages.join("@agentclientprotocol/codex-acp/dist/index.js");
        assert!(adapter.exists(), "{} is missing; run ./x test, which installs it", adapter.display());
        machine.agent("codex", &node(), &[&adapter.display().to_string()], &variables);
        machine.model = Some(model);
        machine
    }

    /// One with the real Codex, Gemini and opencode. opencode has an agent of the user's own, `turbo`.
    pub(super) async fn with_real_agents() -> Self {
        let mut machine = Self::with_codex().await;
        let url = machine.model.as_ref().map(|model| model.url().to_owned()).unwrap_or_default();
        let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules");
        let gemini = packages.join("@google/gemini-cli/bundle/gemini.js").display().to_string();
        let variables = [("GOOGLE_GEMINI_BASE_URL", url.clone()), ("GEMINI_API_KEY", "any".to_owned())];
        // It takes `yolo` only in a folder that it trusts by itself.
        let folder = machine.home.path().join(".gemini");
        fs::create_dir(&folder).unwrap();
        let settings = json!({ "security": { "folderTrust": { "enabled": false } } });
        fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
        machine.agent("gemini", &node(), &[&gemini, "--acp"], &variables);
        let opencode = packages.join("opencode-linux-x64/bin/opencode");
        machine.agent("opencode", &opencode, &["acp"], &opencode_variables(&url));
        machine
    }

    /// What Claude Code needs to find the model and nothing of anybody else.
    pub(super) fn claude_variables(&self, model: &Running) -> [(&'static str, String); 5] {
        [
            ("ANTHROPIC_BASE_URL", model.url().to_owned()),
            ("ANTHROPIC_API_KEY", "any".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("CLAUDE_CODE_MAX_RETRIES", "1".to_owned()),
            ("CLAUDE_CONFIG_DIR", self.home.path().join("claude").display().to_string()),
        ]
    }

    /// It warns in every session if its sandbox is not on the `PATH`.
    fn codex_variables(&self, model: &Running, sandbox: &Path) -> [(&'static str, String); 5] {
        let provider = json!({
            "name": "Scripted", "base_url": format!("{}/v1", model.url()), "wire_api": "responses",
            "request_max_retries": 1, "stream_max_retries": 1,
        });
        let config = json!({
            "model": "gpt-5.5", "model_provider": "scripted", "model_reasoning_summary": "auto",
            "features": { "plugins": false }, "analytics": { "enabled": false },
            "check_for_update_on_startup": false, "model_providers": { "scripted": provider },
        });
        let folder = self.home.path().join("codex");
        fs::create_dir(&folder).unwrap();
        [
            ("CODEX_HOME", folder.display().to_string()),
            ("CODEX_CONFIG", config.to_string()),
            ("MODEL_PROVIDER", "scripted".to_owned()),
            ("NO_BROWSER", "1".to_owned()),
            ("PATH", format!("{}:{PLAIN_PATH}", sandbox.display())),
        ]
    }

    pub(super) fn agent(&mut self, name: &str, command: &Path, args: &[&str], variables: &[(&str, String)]) {
        // A text in JSON is one in TOML.
        let variables: BTreeMap<&str, &String> =
            variables.iter().map(|(name, value)| (*name, value)).collect();
        let variables: Vec<String> =
            variables.iter().map(|(name, value)| format!("{name} = {}", json!(value))).collect();
        self.settings += &format!(
            "[agents.{name}]\ncommand = {}\nargs = {}\nenv = {{ {} }}\n",
            json!(command.display().to_string()),
            json!(args),
            variables.join(", ")
        );
    }

    /// Another directory beside the project.
    pub(super) fn directory(&self, name: &str) -> PathBuf {
        let directory = self.project.with_file_name(name);
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    pub(super) fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    pub(super) fn heard_file(&self) -> PathBuf {
        self.home.path().join("heard.ndjson")
    }

    /// The prompts that the fake agent has heard, in order.
    pub(super) fn heard(&self) -> Vec<String> {
        self.noted().iter().filter_map(|line| line["prompt"].as_str().map(str::to_owned)).collect()
    }

    /// How the fake agent was started, each time.
    pub(super) fn starts(&self) -> Vec<String> {
        let starts = self.noted().into_iter().filter(|line| line["started"].is_array());
        starts.map(|line| line["started"].to_string()).collect()
    }

    /// How often this was asked of the fake agent, by ACP.
    pub(super) fn asked(&self, method: &str) -> usize {
        self.noted().iter().filter(|line| line["asked"] == method).count()
    }

    /// What the fake agent has noted; the last line may not be whole yet.
    pub(super) fn noted(&self) -> Vec<Value> {
        let noted = fs::read_to_string(self.heard_file()).unwrap_or_default();
        let whole = noted.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A server on this machine, with the project known to it.
    pub(super) async fn start(&self) -> Server {
        let server = self.start_bare().await;
        server.add_project(&self.project).await;
        server
    }

    /// The next server on this machine, which knows what its predecessor knew.
    pub(super) async fn start_bare(&self) -> Server {
        self.start_in(self.data()).await
    }

    /// Another server on this machine, which shares the agents' own files with the first one and nothing else.
    pub(super) async fn start_beside(&self) -> Server {
        let server = self.start_in(self.home.path().join("other-data")).await;
        server.add_project(&self.project).await;
        server
    }

    async fn start_in(&self, data: PathBuf) -> Server {
        let config = self.home.path().join("config.toml");
        fs::write(&config, &self.settings).unwrap();
        let (folder, config) = (data.display().to_string(), config.display().to_string());
        let own = ["serve", "--port", "0", "--no-open", "--data-dir", &folder, "--config", &config];
        let mut command = liminal(&[&own[..], &self.flags].concat());
        let errors = fs::OpenOptions::new().append(true).create(true).open(self.home.path().join("errors"));
        command.env_clear().env("HOME", self.home.path()).env("PATH", PLAIN_PATH);
        command.envs(self.variables.iter().copied());
        command.stdin(Stdio::null()).stderr(errors.unwrap());
        let mut command = Command::from(command);
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let read = timeout(PATIENCE, output.read_line(&mut line)).await;
        read.expect("the server starts in bounded time").unwrap();
        assert!(line.starts_with("Liminal Builder is at "), "{line} {}", self.errors());
        let file = ServerFile::read(&data).unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, file.port));
        let client = Client { address, token: file.token, project: self.project.clone() };
        Server { child, client, _output: output, _home: Arc::clone(&self.home) }
    }

    /// What programs send to the server that runs now.
    pub(super) fn token(&self) -> String {
        ServerFile::read(&self.data()).unwrap().token
    }

    /// What the servers have told of themselves.
    pub(super) fn errors(&self) -> String {
        fs::read_to_string(self.home.path().join("errors")).unwrap_or_default()
    }
}

fn opencode_variables(url: &str) -> [(&'static str, String); 4] {
    let config = json!({
        "model": "scripted/m",
        "small_model": "scripted/m",
        "share": "disabled",
        "agent": { "turbo": { "mode": "primary", "description": "Of the user's own" } },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": format!("{url}/v1"), "apiKey": "any" },
            "models": { "m": { "tool_call": true } },
        } },
    });
    let off = || "1".to_owned();
    [
        ("OPENCODE_CONFIG_CONTENT", config.to_string()),
        ("OPENCODE_DISABLE_MODELS_FETCH", off()),
        ("OPENCODE_DISABLE_AUTOUPDATE", off()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", off()),
    ]
}

pub(super) fn node() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("node"));
    programs.find(|program| program.is_file()).expect("node is on the PATH")
}

/// A running server. Everything that can be asked of it is asked of its client.
pub(super) struct Server {
    child: Child,
    client: Client,
    /// Kept open, because whoever writes to a closed pipe is ended.
    _output: BufReader<ChildStdout>,
    /// A machine may be forgotten while its server runs.
    _home: Arc<tempfile::TempDir>,
}

impl std::ops::Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Server {
    /// Asks it to end, as a user does. It leaves no agent behind.
    pub(super) async fn stop(self) {
        let home = format!("HOME={}", self._home.path().display());
        self.end(Signal::TERM).await;
        wait_until(|| processes_with(&home).is_empty()).await;
    }

    /// Ends it without any chance to tidy up.
    pub(super) async fn crash(self) {
        self.end(Signal::KILL).await;
    }

    async fn end(mut self, signal: Signal) {
        let pid = i32::try_from(self.child.id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        timeout(PATIENCE, self.child.wait()).await.expect("the server ends in bounded time").unwrap();
    }
}

/// Whether a process is there.
pub(super) fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}
