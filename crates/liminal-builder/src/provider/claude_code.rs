//! Claude Code, the user's own. Owns where its program is, whether it is of use, and how it is started; what it says
//! is the dialect's business, what it wrote to disk the discovery's.

mod arguments;
mod program;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_core::dialect::AttachmentAbilities;
use liminal_core::dialect::claude::history::History;
use liminal_core::dialect::claude::{
    ClaudeDialect, DEFAULT_MODE, Options as Patience, permission_mode_choices,
};
use liminal_core::dialect::{Abilities, AgentCommand, Choice, Notice};
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::ids::SessionId;

use super::{
    Asking, Forked, Guards, OpenError, OpenRequest, OpenedAgent, Opening, Origin, Provider, SessionOptions,
    blocking,
};
use crate::agents::Launcher;
use crate::clock::{self, Clock};
use crate::discovery::claude_code::{Sessions, config_directory, known};
use crate::discovery::{DiscoveryError, KnownDirectories, Listing};
use crate::process::{
    AgentProcess, Confinement, Environment, InstanceId, ProcessSpec, SessionTag, run_for_output,
};
use crate::transport::{StdioLimits, StdioTransport};
use arguments::Start;
pub(crate) use arguments::problem;
pub use program::{Version, check};

/// The word for Claude Code.
pub const CLI_TYPE: &str = "claude-code";

/// How long a program that no detector has looked at may take to say its version.
const VERSION_PATIENCE: Duration = Duration::from_secs(20);

/// Names that belong to the user's way of reaching a model, though they look like those of an agent inside another.
const KEPT: [&str; 10] = [
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK",
];

/// How Claude Code is found and started.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program; without it and without a launcher, `claude` is looked up on the `PATH`.
    pub program: Option<PathBuf>,
    /// Finds the program at each start.
    pub launcher: Option<Launcher>,
    /// More arguments.
    pub arguments: Vec<String>,
    /// More environment, or other.
    pub environment: Vec<(OsString, OsString)>,
    /// This installation of ours, by which leftover processes are found.
    pub instance: InstanceId,
    /// How its processes are confined.
    pub confinement: Confinement,
    /// Whether a session may run without asking at all.
    pub allow_bypass: bool,
    /// How patient its dialect is.
    pub patience: Patience,
    /// The bounds of its pipe.
    pub limits: StdioLimits,
}

impl Settings {
    /// The defaults.
    #[must_use]
    pub fn new(instance: InstanceId) -> Self {
        Self {
            program: None,
            launcher: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            instance,
            confinement: Confinement::default(),
            allow_bypass: false,
            patience: Patience::default(),
            limits: StdioLimits::default(),
        }
    }
}

/// Opens sessions of Claude Code, one process each.
#[derive(Debug, Clone)]
pub struct ClaudeCode {
    settings: Arc<Settings>,
    /// Remembers what it read, so that listing again is cheap.
    sessions: Arc<Mutex<Sessions>>,
}

impl ClaudeCode {
    /// A provider with these settings.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let sessions = Sessions::new(&configuration(&environment(&settings)));
        Self { settings: Arc::new(settings), sessions: Arc::new(Mutex::new(sessions)) }
    }

    /// The program that is started now.
    async fn program(&self) -> Result<PathBuf, OpenError> {
        if let Some(launcher) = &self.settings.launcher {
            return Ok(launcher.launch().await.map_err(OpenError::Unusable)?.program);
        }
        let missing = || OpenError::Unusable(format!("not installed; {}", program::INSTALL));
        let set = self.settings.program.clone();
        let program = set.or_else(|| self.environment().find_program(program::NAME)).ok_or_else(missing)?;
        // No detector has looked at it.
        let run = run_for_output(&program, &["--version"], &self.environment(), VERSION_PATIENCE).await?;
        check(&program, &run.stdout).map_err(OpenError::Unusable)?;
        Ok(program)
    }

    async fn start(&self, request: OpenRequest) -> Result<OpenedAgent, OpenError> {
        let OpenRequest { directory, resume, options, .. } = request;
        arguments::check(&options, self.settings.allow_bypass)?;
        let Some(session_id) = resume else {
            let session = clock::new_session_uuid();
            return self.launch(directory, Start::New(&session), &options, Vec::new()).await;
        };
        let session = agent_session(&session_id)?;
        match (self.history(directory.clone(), session_id).await, options.origin.clone()) {
            (Ok(history), _) => {
                self.launch(directory, Start::Resume(&session), &options, history.events).await
            }
            // Nothing was said in it since.
            (Err(OpenError::SessionNotFound(_)), Some(Origin { session_id, through })) => {
                let from = agent_session(&session_id)?;
                let start = Start::Fork { from: &from, through: through.as_deref(), session: &session };
                self.launch(directory, start, &options, Vec::new()).await
            }
            (Err(OpenError::SessionNotFound(_)), None) if options.may_begin => {
                self.launch(directory, Start::New(&session), &options, Vec::new()).await
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The program writes a fork to disk with its first prompt, so what it was made of has to be known until then.
    async fn fork_off(&self, source: SessionId, request: OpenRequest) -> Result<Forked, OpenError> {
        let OpenRequest { directory, options, .. } = request;
        arguments::check(&options, self.settings.allow_bypass)?;
        let (from, session) = (agent_session(&source)?, clock::new_session_uuid());
        let history = match self.history(directory.clone(), source.clone()).await {
            Err(OpenError::SessionNotFound(_)) => {
                let problem = "nothing was said in the session that could be forked; start a new one";
                return Err(OpenError::NotForkable(problem.to_owned()));
            }
            history => history?,
        };
        let session_id = named(&session);
        let renamed = |event| StreamEventEnvelope { session_id: session_id.clone(), ..event };
        let events = history.events.into_iter().map(renamed).collect();
        let start = Start::Fork { from: &from, through: None, session: &session };
        let agent = self.launch(directory, start, &options, events).await?;
        Ok(Forked { agent, origin: Some(Origin { session_id: source, through: history.last_answer }) })
    }

    async fn launch(
        &self,
        directory: PathBuf,
        start: Start<'_>,
        options: &SessionOptions,
        history: Vec<StreamEventEnvelope>,
    ) -> Result<OpenedAgent, OpenError> {
        let program = self.program().await?;
        let transport = self.spawn(program, &directory, start, options)?;
        let session_id = named(start.session());
        let dialect = Box::new(ClaudeDialect::new(session_id.clone(), self.settings.patience));
        let (directory, resume) = (directory.display().to_string(), start.resumed().map(str::to_owned));
        Ok(OpenedAgent {
            session_id,
            transport: Box::new(transport),
            dialect,
            clock: Clock::start(),
            history,
            // The program tells it with its first turn only.
            notices: vec![Notice::PermissionMode { mode: arguments::mode(options).to_owned() }],
            guards: Guards::of_type(CLI_TYPE),
            begin: vec![AgentCommand::Open { directory, resume }],
        })
    }

    fn spawn(
        &self,
        program: PathBuf,
        directory: &Path,
        start: Start<'_>,
        options: &SessionOptions,
    ) -> Result<StdioTransport, OpenError> {
        let session =
            SessionTag::new(start.session()).map_err(|error| OpenError::Unusable(error.to_string()))?;
        let process = AgentProcess::spawn(&ProcessSpec {
            program,
            args: arguments::arguments(start, options, &self.settings.arguments),
            wrapper: self.settings.confinement.wrapper.clone(),
            cwd: directory.to_owned(),
            environment: arguments::environment(self.environment(), options),
            instance: self.settings.instance.clone(),
            session,
        })?;
        Ok(StdioTransport::new(process, &self.settings.limits)?)
    }

    fn environment(&self) -> Environment {
        environment(&self.settings)
    }

    async fn history(&self, directory: PathBuf, session_id: SessionId) -> Result<History, OpenError> {
        let session = agent_session(&session_id)?;
        let sessions = Arc::clone(&self.sessions);
        let read = move || lock(&sessions).open(&directory, &session);
        let history = tokio::task::spawn_blocking(read).await.map_err(std::io::Error::other)?;
        history.map_err(|error| match error {
            DiscoveryError::NotFound { .. } => OpenError::SessionNotFound(session_id),
            DiscoveryError::Read { .. } => unusable(error),
        })
    }
}

impl Provider for ClaudeCode {
    fn cli_type(&self) -> &str {
        CLI_TYPE
    }

    fn open(&self, request: OpenRequest) -> Opening<'_> {
        Box::pin(self.start(request))
    }

    fn abilities(&self) -> Abilities {
        Abilities { fork: true, permission_modes: permission_mode_choices(), ..Abilities::default() }
    }

    fn initial_mode(&self) -> Option<&'static str> {
        Some(DEFAULT_MODE)
    }

    fn fork(&self, source: SessionId, request: OpenRequest) -> Asking<'_, Forked> {
        Box::pin(self.fork_off(source, request))
    }

    fn found(&self, directory: PathBuf) -> Asking<'_, Listing> {
        let sessions = Arc::clone(&self.sessions);
        Box::pin(blocking(move || lock(&sessions).list(&directory).map_err(unusable)))
    }

    fn known_directories(&self) -> Asking<'_, KnownDirectories> {
        let directory = configuration(&self.environment());
        Box::pin(blocking(move || Ok(known(&directory))))
    }

    fn past(
        &self,
        directory: PathBuf,
        session_id: SessionId,
    ) -> Asking<'_, Option<Vec<StreamEventEnvelope>>> {
        Box::pin(async move { Ok(Some(self.history(directory, session_id).await?.events)) })
    }

    fn attachments(&self) -> AttachmentAbilities {
        AttachmentAbilities::ALL
    }

    fn modes(&self) -> Vec<Choice> {
        permission_mode_choices()
    }

    /// The program refuses `bypassPermissions` unless it was started with it.
    fn restarts_to_unguard(&self) -> bool {
        true
    }

    fn note_login(&self, is_there: bool) {
        self.settings.launcher.iter().for_each(|launcher| launcher.note_login(is_there));
    }
}

/// The user's environment, and what makes the program keep on disk what it has told.
fn environment(settings: &Settings) -> Environment {
    let ours = settings
        .confinement
        .of(Environment::inherited_keeping(&KEPT))
        .with("CLAUDE_CODE_ENTRYPOINT", "liminal-builder")
        .with("CLAUDE_CODE_EAGER_FLUSH", "1");
    let more = settings.environment.iter().cloned();
    more.fold(ours, |environment, (name, value)| environment.with(name, value))
}

/// Where the program keeps its state.
fn configuration(environment: &Environment) -> PathBuf {
    let home = environment.get("HOME").map(PathBuf::from).unwrap_or_default();
    config_directory(environment.get("CLAUDE_CONFIG_DIR"), &home)
}

fn lock(sessions: &Mutex<Sessions>) -> MutexGuard<'_, Sessions> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn unusable(error: DiscoveryError) -> OpenError {
    OpenError::Unusable(error.to_string())
}

fn named(session: &str) -> SessionId {
    SessionId::from(format!("{CLI_TYPE}:{session}"))
}

/// The program's own id of a session.
fn agent_session(session_id: &SessionId) -> Result<String, OpenError> {
    let own = session_id.as_str().strip_prefix(CLI_TYPE).and_then(|rest| rest.strip_prefix(':'));
    let uuid = own.filter(|own| uuid::Uuid::try_parse(own).is_ok());
    uuid.map(str::to_owned).ok_or_else(|| OpenError::SessionNotFound(session_id.clone()))
}
