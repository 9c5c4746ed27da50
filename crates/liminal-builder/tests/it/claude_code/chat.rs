//! A conversation with the real CLI, and what can be seen of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use liminal_builder::clock;
use liminal_builder::process::InstanceId;
use liminal_builder::provider::claude_code::{ClaudeCode, Settings};
use liminal_builder::provider::{OpenError, OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionError, SessionHandle};
use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::processor::Config;
use liminal_core::upsert::{
    MessageBody, Output, PermissionBody, ToolCallBody, TurnEvent, TurnStatus, Upsert, UpsertBody,
    UpsertStatus,
};
use liminal_core::wire::rest::PermissionAnswer;
use scripted_model::{Options, Running, ScriptedModel};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Far more than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// A machine of its own: a home, a project, a model.
pub(super) struct World {
    pub(super) model: Running,
    pub(super) project: PathBuf,
    pub(super) settings: Settings,
    pub(super) instance: String,
    tasks: JoinSet<()>,
    _home: tempfile::TempDir,
}

pub(super) struct Chat {
    pub(super) handle: SessionHandle,
    pub(super) log: Vec<Output>,
    outputs: mpsc::Receiver<Output>,
}

pub(super) fn program() -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules/@anthropic-ai");
    let program = packages.join(format!("claude-code-linux-{}/claude", architecture()));
    assert!(program.exists(), "{} is missing; run ./x test, which installs it", program.display());
    program
}

fn architecture() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" }
}

impl World {
    pub(super) async fn new() -> Self {
        let model = ScriptedModel::start(Options::default()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let project = project.canonicalize().unwrap();
        let instance = format!("test-{}", clock::new_session_uuid());
        let mut settings = Settings::new(InstanceId::new(&instance).unwrap());
        settings.program = Some(program());
        settings.environment = environment(&model, home.path());
        Self { model, project, settings, instance, tasks: JoinSet::new(), _home: home }
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.settings.environment.push((name.into(), value.into()));
    }

    pub(super) async fn create(&mut self) -> Chat {
        self.open(None, SessionOptions::default()).await.unwrap()
    }

    pub(super) async fn load(&mut self, session_id: &SessionId) -> Result<Chat, OpenError> {
        self.open(Some(session_id.clone()), SessionOptions::default()).await
    }

    pub(super) async fn open(
        &mut self,
        resume: Option<SessionId>,
        options: SessionOptions,
    ) -> Result<Chat, OpenError> {
        let directory = self.project.clone();
        let agent =
            ClaudeCode::new(self.settings.clone()).open(OpenRequest { directory, resume, options }).await?;
        let (sender, outputs) = mpsc::channel(64);
        let directory = self.project.display().to_string();
        let handle = SessionHandle::start(agent, directory, Config::default(), sender, &mut self.tasks);
        Ok(Chat { handle, log: Vec::new(), outputs })
    }

    /// Processes that carry this world's mark.
    pub(super) fn processes(&self) -> Vec<String> {
        let mark = format!("LIMINAL_INSTANCE={}", self.instance);
        let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let marked = |path: &Path| {
            std::fs::read(path.join("environ")).is_ok_and(|environ| {
                environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
            })
        };
        entries.map(|entry| entry.path()).filter(|path| marked(path)).map(|path| describe(&path)).collect()
    }

    pub(super) fn assert_no_process_is_left(&self) {
        assert_eq!(self.processes(), Vec::<String>::new());
    }
}

fn describe(process: &Path) -> String {
    let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
    format!("{} {}", process.display(), String::from_utf8_lossy(&command).replace('\0', " "))
}

fn environment(model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
    [
        ("ANTHROPIC_BASE_URL", model.url().into()),
        ("ANTHROPIC_API_KEY", "any".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("CLAUDE_CODE_MAX_RETRIES", "1".into()),
        ("CLAUDE_CONFIG_DIR", home.join("claude").into_os_string()),
        ("HOME", home.as_os_str().to_owned()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}

impl Chat {
    pub(super) async fn send(&self, text: &str) -> Result<TurnId, SessionError> {
        let sent = self.handle.send(clock::new_turn_id(), text.to_owned());
        tokio::time::timeout(PATIENCE, sent).await.expect("the turn is bound in bounded time")
    }

    /// Says something and waits for the end of the turn.
    pub(super) async fn turn(&mut self, text: &str) -> TurnId {
        let turn = self.send(text).await.unwrap();
        self.end_of(&turn).await;
        turn
    }

    pub(super) async fn end_of(&mut self, turn: &TurnId) {
        self.until(|output| is_end(output) && turn_of(output) == turn).await;
    }

    /// Waits for an output; what comes before it is kept.
    pub(super) async fn until(&mut self, wanted: impl Fn(&Output) -> bool) -> Output {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.outputs.recv()).await;
            let output = next.unwrap_or_else(|_| panic!("nothing came; so far {:#?}", self.log));
            let output = output.unwrap_or_else(|| panic!("the session ended; so far {:#?}", self.log));
            self.log.push(output.clone());
            if wanted(&output) {
                return output;
            }
        }
    }

    pub(super) async fn permission(&mut self) -> (ItemId, PermissionBody) {
        let waiting = |output: &Output| {
            matches!(
                output,
                Output::Upsert(Upsert { body: UpsertBody::Permission(_), status: UpsertStatus::Create, .. })
            )
        };
        match self.until(waiting).await {
            Output::Upsert(Upsert { item_id, body: UpsertBody::Permission(asked), .. }) => (item_id, asked),
            other => panic!("{other:?}"),
        }
    }

    pub(super) async fn answer(&self, item_id: ItemId, option_id: &str) {
        let answer = PermissionAnswer { option_id: Some(option_id.to_owned()), answers: Default::default() };
        self.handle.answer(item_id, answer).await.unwrap();
    }

    /// Ends the agent, and reads whatever is still on its way.
    pub(super) async fn kill(&mut self) {
        let handle = self.handle.clone();
        let drain = async {
            while let Some(output) = self.outputs.recv().await {
                self.log.push(output);
            }
        };
        tokio::select! {
            () = handle.kill() => {}
            () = drain => handle.kill().await,
        }
        while let Ok(output) = self.outputs.try_recv() {
            self.log.push(output);
        }
    }

    pub(super) fn upserts(&self) -> impl Iterator<Item = &Upsert> {
        self.log.iter().filter_map(|output| match output {
            Output::Upsert(upsert) => Some(upsert),
            Output::Turn(_) => None,
        })
    }

    pub(super) fn statuses(&self, item_id: &ItemId) -> Vec<UpsertStatus> {
        self.upserts().filter(|upsert| upsert.item_id == *item_id).map(|upsert| upsert.status).collect()
    }

    /// The finished messages, with who wrote them.
    pub(super) fn messages(&self) -> Vec<&MessageBody> {
        self.finished()
            .filter_map(|upsert| match &upsert.body {
                UpsertBody::Message(message) => Some(message),
                _ => None,
            })
            .collect()
    }

    pub(super) fn thoughts(&self) -> Vec<&str> {
        self.finished()
            .filter_map(|upsert| match &upsert.body {
                UpsertBody::Thinking(thinking) => Some(thinking.content.as_str()),
                _ => None,
            })
            .collect()
    }

    pub(super) fn calls(&self) -> Vec<(&Upsert, &ToolCallBody)> {
        self.finished()
            .filter_map(|upsert| match &upsert.body {
                UpsertBody::ToolCall(call) => Some((upsert, call)),
                _ => None,
            })
            .collect()
    }

    fn finished(&self) -> impl Iterator<Item = &Upsert> {
        self.upserts().filter(|upsert| upsert.status == UpsertStatus::Complete)
    }

    pub(super) fn said(&self) -> Vec<&str> {
        self.messages().into_iter().map(|message| message.content.as_str()).collect()
    }

    /// How each turn ended.
    pub(super) fn ends(&self) -> Vec<String> {
        self.log
            .iter()
            .filter_map(|output| match output {
                Output::Turn(TurnEvent::TurnComplete { status: TurnStatus::Completed, .. }) => {
                    Some("completed".to_owned())
                }
                Output::Turn(TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. }) => {
                    Some("cancelled".to_owned())
                }
                Output::Turn(TurnEvent::TurnError { error_code, .. }) => Some(error_code.clone()),
                Output::Turn(TurnEvent::TurnStarted { .. }) | Output::Upsert(_) => None,
            })
            .collect()
    }

    /// What must hold of every conversation: lives in order, everything over once its turn is.
    pub(super) fn assert_sound(&self) {
        let mut last = std::collections::BTreeMap::new();
        for upsert in self.upserts() {
            let before = last.insert(&upsert.item_id, upsert.status);
            let ended = matches!(before, Some(UpsertStatus::Complete | UpsertStatus::Error));
            assert!(!ended, "{upsert:?} came after the item's end");
            assert_eq!(before.is_some(), upsert.status == UpsertStatus::Update || before.is_some());
        }
        let starts = self
            .log
            .iter()
            .filter(|output| matches!(output, Output::Turn(TurnEvent::TurnStarted { .. })))
            .count();
        assert_eq!(starts, self.ends().len(), "{:#?}", self.log);
    }
}

pub(super) fn is_end(output: &Output) -> bool {
    matches!(output, Output::Turn(TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. }))
}

pub(super) fn turn_of(output: &Output) -> &TurnId {
    match output {
        Output::Upsert(upsert) => &upsert.turn_id,
        Output::Turn(
            TurnEvent::TurnStarted { turn_id, .. }
            | TurnEvent::TurnComplete { turn_id, .. }
            | TurnEvent::TurnError { turn_id, .. },
        ) => turn_id,
    }
}

pub(super) fn is_text(output: &Output, text: &str) -> bool {
    matches!(output, Output::Upsert(Upsert { body: UpsertBody::Message(message), .. }) if message.content.contains(text))
}
