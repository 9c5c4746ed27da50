//! A machine of its own for a test: a home, a project, an agent.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use liminal_builder::clock;
use liminal_builder::process::{InstanceId, StopLadder};
use liminal_builder::provider::claude_code::{ClaudeCode, Settings};
use liminal_builder::provider::{OpenError, OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::ids::SessionId;
use liminal_core::session::Patience;
use scripted_model::{Options, Running, ScriptedModel};
use tokio::task::JoinSet;

use crate::chat::{Chat, PATIENCE};
use crate::pin::Pin;
use crate::tap::tap;

/// Makes two tests of each function that takes a [`Pin`]: `name::old` and `name::newest`.
macro_rules! both_pins {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use crate::pin::Pin;

            #[tokio::test]
            async fn old() {
                super::$test(Pin::Old).await;
            }

            #[tokio::test]
            async fn newest() {
                super::$test(Pin::Newest).await;
            }
        }
    )+};
}
pub(crate) use both_pins;

pub(crate) struct World {
    /// What the real agent asks; the fake one asks nobody.
    model: Option<Running>,
    pub(crate) project: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) patience: Patience,
    pub(crate) ladder: StopLadder,
    pub(crate) instance: String,
    tasks: JoinSet<()>,
    _home: tempfile::TempDir,
}

impl World {
    /// One with the real Claude Code and a scripted model.
    pub(crate) async fn new(pin: Pin) -> Self {
        let model = ScriptedModel::start(Options::default()).await.unwrap();
        let mut world = Self::with(pin.program());
        for (name, value) in environment(&model) {
            world.set(name, value);
        }
        world.model = Some(model);
        world
    }

    /// One with an agent that misbehaves on demand.
    pub(crate) fn fake() -> Self {
        Self::with(env!("CARGO_BIN_EXE_fake-agent").into())
    }

    fn with(program: PathBuf) -> Self {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let project = project.canonicalize().unwrap();
        let instance = format!("test-{}", clock::new_session_uuid());
        let mut settings = Settings::new(InstanceId::new(&instance).unwrap());
        settings.program = Some(program);
        let config = home.path().join("claude").into_os_string();
        let own: [(OsString, OsString); 2] =
            [("CLAUDE_CONFIG_DIR".into(), config), ("HOME".into(), home.path().into())];
        settings.environment = own.into();
        let (patience, ladder) = (Patience::default(), StopLadder::default());
        Self {
            model: None,
            project,
            settings,
            patience,
            ladder,
            instance,
            tasks: JoinSet::new(),
            _home: home,
        }
    }

    pub(crate) fn model(&self) -> &Running {
        self.model.as_ref().expect("the world has a model")
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.environment.push((name.into(), value.into()));
    }

    pub(crate) async fn create(&mut self) -> Chat {
        self.open(None, SessionOptions::default()).await.unwrap()
    }

    pub(crate) async fn load(&mut self, session_id: &SessionId) -> Result<Chat, OpenError> {
        self.open(Some(session_id.clone()), SessionOptions::default()).await
    }

    pub(crate) async fn open(
        &mut self,
        resume: Option<SessionId>,
        options: SessionOptions,
    ) -> Result<Chat, OpenError> {
        let directory = self.project.clone();
        let agent = ClaudeCode::new(self.settings.clone())
            .open(OpenRequest { directory, resume, options, past: Vec::new() })
            .await?;
        let (outlet, outputs) = tap(64);
        let (patience, ladder) = (self.patience, self.ladder);
        let setup = Setup { patience, ladder, ..Setup::default() };
        let handle = SessionHandle::start(agent, setup, outlet, &mut self.tasks);
        Ok(Chat { handle, log: Vec::new(), outputs })
    }

    /// Processes that carry this world's mark.
    pub(crate) fn processes(&self) -> Vec<String> {
        processes_of(&self.instance)
    }

    pub(crate) fn assert_no_process_is_left(&self) {
        assert_eq!(self.processes(), Vec::<String>::new());
    }
}

/// Processes that carry the mark of an instance.
pub(crate) fn processes_of(instance: &str) -> Vec<String> {
    processes_with(&format!("LIMINAL_INSTANCE={instance}"))
}

/// Processes in whose environment this stands.
pub(crate) fn processes_with(mark: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let marked = |path: &Path| {
        std::fs::read(path.join("environ"))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()))
    };
    entries.map(|entry| entry.path()).filter(|path| marked(path)).map(|path| describe(&path)).collect()
}

/// Kills the first process of an instance whose command line holds these words, as the system would.
pub(crate) fn kill_process(instance: &str, words: &str) {
    let processes = processes_of(instance);
    let process = processes.iter().find(|process| process.contains(words)).unwrap();
    let pid = process.split(' ').next().unwrap().trim_start_matches("/proc/");
    let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

fn describe(process: &Path) -> String {
    let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
    format!("{} {}", process.display(), String::from_utf8_lossy(&command).replace('\0', " "))
}

fn environment(model: &Running) -> [(&'static str, &str); 4] {
    [
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_API_KEY", "any"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ]
}

/// What the agent asked with this prompt held an earlier answer: it has the context of the session.
pub(crate) fn assert_knows(model: &Running, prompt: &str, earlier: &str) {
    let requests = model.requests();
    let asked = requests.iter().rfind(|request| !request.errand && request.prompt.contains(prompt)).unwrap();
    assert!(asked.earlier_answers.iter().any(|answer| answer.contains(earlier)), "{asked:?}");
}

/// Looks again and again, because processes come and go by themselves.
pub(crate) async fn wait_until(holds: impl Fn() -> bool) {
    let looked = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, looked).await.expect("it comes to hold");
}
