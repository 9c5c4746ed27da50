//! Agents that speak the Agent Client Protocol: Codex and any other. Owns how such an agent is started, and that one
//! process serves all sessions of its kind; a process that died or was ended comes back with the next session.

mod asking;
mod codex;
mod connection;
mod fork;
mod guarding;
mod list;
mod login;
mod pipe;
mod remembered;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use liminal_core::dialect::acp::{AcpDialect, Options};
use liminal_core::dialect::{AgentCommand, AttachmentAbilities};
use liminal_core::ids::SessionId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{
    Asking, Forked, Guards, OpenError, OpenRequest, OpenedAgent, Opening, Provider, SessionOptions, blocking,
    handshake,
};
use crate::agents::{Launch, Launcher};
use crate::asking::ask;
use crate::clock::Clock;
use crate::config::CwdPolicy;
use crate::demo;
use crate::diagnostics::{Diagnostics, Snapshot};
use crate::discovery::{KnownDirectories, Listing, codex as codex_files};
use crate::process::{AgentProcess, Confinement, Environment, InstanceId, ProcessSpec, SessionTag};
use crate::transport::{Later, StdioLimits, StdioTransport};
use asking::is_unknown_session;
pub use codex::login as codex_login;
use connection::{ConnectionTask, Request};
use guarding::Wanted;
pub use list::ListedSession;
use pipe::SharedPipe;
use remembered::Remembered;

/// Requests that may wait for the process's task; each session has at most a few.
const REQUESTS_WAITING: usize = 256;
/// A process that nobody has used for so long is ended; starting it again takes about a second.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// A cold agent and a long history take seconds.
const ASK_PATIENCE: Duration = Duration::from_secs(60);
/// How long a process lives on that was started for a list: the next directory is asked for at once.
const LIST_LIVES_ON: Duration = Duration::from_secs(3);

/// The word for Codex.
pub const CODEX: &str = "codex";

/// How one kind of agent is started and spoken to.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The CLI type it is chosen by.
    pub name: String,
    /// How it is started.
    pub launch: Launcher,
    /// More environment, or other.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it is started.
    pub cwd_policy: CwdPolicy,
    /// This installation of ours, by which leftover processes are found.
    pub instance: InstanceId,
    /// How its processes are confined.
    pub confinement: Confinement,
    /// How it is spoken to.
    pub options: Options,
    /// The bounds of its pipe.
    pub limits: StdioLimits,
    /// How long it may be idle.
    pub idle_timeout: Duration,
    /// Whether it may have sessions that were not made here.
    pub has_others: bool,
    /// Modes that ask, as the user says.
    pub asking_modes: Vec<String>,
}

impl Settings {
    /// The defaults for an agent of this name.
    #[must_use]
    pub fn new(name: &str, launch: impl Into<Launcher>, instance: InstanceId) -> Self {
        Self {
            name: name.to_owned(),
            launch: launch.into(),
            environment: own_environment(name),
            cwd_policy: CwdPolicy::default(),
            instance,
            confinement: Confinement::default(),
            options: Options { provider_id: name.to_owned(), ..Options::default() },
            limits: StdioLimits::default(),
            idle_timeout: IDLE_TIMEOUT,
            has_others: true,
            asking_modes: Vec::new(),
        }
    }
}

/// Codex asks a reviewing model instead of the user, unless it is told in which mode to begin.
fn own_environment(name: &str) -> Vec<(OsString, OsString)> {
    if name == CODEX { vec![("INITIAL_AGENT_MODE".into(), "workspace-write".into())] } else { Vec::new() }
}

/// Opens sessions of one kind of agent, all in one process.
#[derive(Debug)]
pub struct AcpAgent {
    settings: Settings,
    process: tokio::sync::Mutex<Option<mpsc::Sender<Request>>>,
    tasks: Mutex<JoinSet<()>>,
    diagnostics: Diagnostics,
    /// What Codex has on disk; others tell what they remember.
    rollouts: Option<Arc<Mutex<codex_files::Sessions>>>,
    remembered: Remembered,
    /// What the agent called itself when it last ran.
    own_name: Mutex<Option<String>>,
    /// Directories are asked for one after another.
    listing: tokio::sync::Mutex<()>,
}

impl AcpAgent {
    /// A provider with these settings; nothing is started yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let (process, tasks) = (tokio::sync::Mutex::default(), Mutex::default());
        let rollouts = (settings.name == CODEX).then(|| codex::rollouts(&environment(&settings)));
        let (diagnostics, remembered) = (Diagnostics::default(), Remembered::default());
        let (own_name, listing) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { settings, process, tasks, diagnostics, rollouts, remembered, own_name, listing }
    }

    /// What its process said that belongs to no session.
    #[must_use]
    pub fn diagnostics(&self) -> Snapshot {
        self.diagnostics.snapshot()
    }

    /// The sessions of a directory that the agent itself remembers; nothing if it has no such list.
    pub async fn list(&self, directory: &Path) -> Result<Option<Vec<ListedSession>>, OpenError> {
        let mut pipe = self.pipe(directory, LIST_LIVES_ON).await?;
        timeout(ASK_PATIENCE, list::sessions(&mut pipe, directory)).await.unwrap_or_else(|_| {
            Err(OpenError::Unusable("the agent does not answer when its sessions are listed".to_owned()))
        })
    }

    async fn ask_for_sessions(&self, directory: &Path) -> Result<bool, OpenError> {
        let Some(asking) = self.remembered.begin(directory, self.is_running()) else { return Ok(false) };
        let _turn = self.listing.lock().await;
        if asking.is_in_vain() {
            return Ok(false);
        }
        match self.list(directory).await {
            Ok(Some(listed)) => Ok(asking.told(&listed, Clock::start().now().wall)),
            Ok(None) => {
                asking.has_no_list();
                Ok(false)
            }
            Err(error) => {
                asking.failed();
                Err(error)
            }
        }
    }

    fn is_running(&self) -> bool {
        let process = self.process.try_lock();
        process.is_ok_and(|process| process.as_ref().is_some_and(|requests| !requests.is_closed()))
    }

    async fn start(&self, request: OpenRequest) -> Result<OpenedAgent, OpenError> {
        let OpenRequest { directory, resume, options, .. } = request;
        self.check_trust(&options)?;
        check_directory(&directory)?;
        let agent_session = resume.as_ref().map(|session_id| self.agent_session(session_id)).transpose()?;
        let pipe = self.pipe(&directory, self.settings.idle_timeout).await?;
        self.begin(pipe, directory, agent_session, options).await
    }

    /// The fork is loaded by the same share that it was made with, because a session belongs to one.
    async fn fork_off(&self, source: SessionId, request: OpenRequest) -> Result<Forked, OpenError> {
        let OpenRequest { directory, options, .. } = request;
        self.check_trust(&options)?;
        check_directory(&directory)?;
        let session = self.agent_session(&source)?;
        let mut pipe = self.pipe(&directory, self.settings.idle_timeout).await?;
        let asked = timeout(ASK_PATIENCE, fork::fork(&mut pipe, &directory, &session)).await;
        let fork = asked.unwrap_or_else(|_| {
            Err(OpenError::Unusable("the agent does not answer when a session is forked".to_owned()))
        })?;
        let agent = self.begin(pipe, directory, Some(fork), options).await?;
        Ok(Forked { agent, origin: None })
    }

    async fn begin(
        &self,
        mut pipe: SharedPipe,
        directory: PathBuf,
        resume: Option<String>,
        options: SessionOptions,
    ) -> Result<OpenedAgent, OpenError> {
        let clock = Clock::start();
        let (session_id, is_resumed) =
            (self.session_id(resume.as_deref().unwrap_or("new")), resume.is_some());
        let launch = self.launch().await?;
        let mut dialect = AcpDialect::new(session_id.clone(), self.options(&launch));
        let open = AgentCommand::Open { directory: directory.display().to_string(), resume };
        let mut opened = match handshake::open(&mut pipe, &mut dialect, open, &clock).await {
            Ok(opened) => opened,
            Err(OpenError::Refused(error)) if is_resumed && is_unknown_session(&error) => {
                return Err(OpenError::SessionNotFound(session_id));
            }
            Err(error) => return Err(self.explained(error, &launch).await),
        };
        let wanted = Wanted::new(&options, is_resumed);
        let guards = self.settle(wanted, &mut opened, (&mut pipe, &mut dialect, &clock)).await?;
        self.settings.launch.note_login(true);
        let session_id = opened.agent_session.map_or(session_id, |id| self.session_id(&id));
        dialect.name_session(session_id.clone());
        let begin = options.model.map(|model| AgentCommand::SetModel { model: Some(model) });
        Ok(OpenedAgent {
            session_id,
            transport: Box::new(pipe),
            dialect: Box::new(dialect),
            clock,
            history: opened.history,
            notices: opened.notices,
            guards,
            begin: begin.into_iter().collect(),
        })
    }

    /// Nothing in the protocol keeps an agent from what a project brings, and Codex's adapter declares every project
    /// trusted.
    fn check_trust(&self, options: &SessionOptions) -> Result<(), OpenError> {
        if !options.restricted {
            return Ok(());
        }
        let name = &self.settings.name;
        let problem =
            format!("{name} cannot run in an untrusted project; trust the project, or use Claude Code");
        Err(OpenError::InvalidOption { option: "restricted", problem })
    }

    /// A share in the process, which is started if it does not run and lives on for a while after it.
    async fn pipe(&self, directory: &Path, lives_on: Duration) -> Result<SharedPipe, OpenError> {
        let mut process = self.process.lock().await;
        for _ in 0..2 {
            let requests = match process.as_ref().filter(|requests| !requests.is_closed()) {
                Some(requests) => requests.clone(),
                None => process.insert(self.spawn(directory, self.launch().await?)?).clone(),
            };
            if let Some(share) = ask(&requests, |reply| Request::Open { lives_on, reply }).await {
                return Ok(SharedPipe::new(share, requests, self.settings.limits.send_patience));
            }
            // It ended between two looks; the next one is new.
            *process = None;
        }
        Err(OpenError::Unusable(format!("{} ends as soon as it is started", self.settings.name)))
    }

    fn spawn(&self, directory: &Path, launch: Launch) -> Result<mpsc::Sender<Request>, OpenError> {
        let settings = &self.settings;
        let environment = environment(settings);
        let session =
            SessionTag::new(&settings.name).map_err(|error| OpenError::Unusable(error.to_string()))?;
        let process = AgentProcess::spawn(&ProcessSpec {
            program: launch.program,
            args: launch.args.into_iter().map(OsString::from).collect(),
            wrapper: settings.confinement.wrapper.clone(),
            cwd: self.working_directory(directory, &environment),
            environment,
            instance: settings.instance.clone(),
            session,
        })?;
        let transport = Box::new(StdioTransport::new(process, &settings.limits)?);
        let (requests, received) = mpsc::channel(REQUESTS_WAITING);
        let task = ConnectionTask::new(transport, received, self.diagnostics.clone());
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(task.run());
        Ok(requests)
    }

    fn working_directory(&self, directory: &Path, environment: &Environment) -> PathBuf {
        match self.settings.cwd_policy {
            CwdPolicy::Project => directory.to_owned(),
            CwdPolicy::Home => environment.get("HOME").map_or_else(|| directory.to_owned(), PathBuf::from),
        }
    }

    fn session_id(&self, agent_session: &str) -> SessionId {
        SessionId::from(format!("{}:{agent_session}", self.settings.name))
    }

    /// The agent's own id of a session.
    fn agent_session(&self, session_id: &SessionId) -> Result<String, OpenError> {
        let own =
            session_id.as_str().strip_prefix(&self.settings.name).and_then(|rest| rest.strip_prefix(':'));
        let sound = own.filter(|own| !own.is_empty() && own.len() <= 128);
        sound.map(str::to_owned).ok_or_else(|| OpenError::SessionNotFound(session_id.clone()))
    }
}

impl Provider for AcpAgent {
    fn cli_type(&self) -> &str {
        &self.settings.name
    }

    fn open(&self, request: OpenRequest) -> Opening<'_> {
        Box::pin(self.start(request))
    }

    fn fork(&self, source: SessionId, request: OpenRequest) -> Asking<'_, Forked> {
        Box::pin(self.fork_off(source, request))
    }

    fn found(&self, directory: PathBuf) -> Asking<'_, Listing> {
        match self.rollouts.clone() {
            Some(rollouts) => Box::pin(blocking(move || codex::found(&rollouts, &directory))),
            None => Box::pin(async move { Ok(self.remembered.listing(&directory)) }),
        }
    }

    fn known_directories(&self) -> Asking<'_, KnownDirectories> {
        if self.rollouts.is_none() {
            return Box::pin(async { Ok(KnownDirectories::default()) });
        }
        let directory = codex::home(&environment(&self.settings));
        Box::pin(blocking(move || Ok(codex_files::known(&directory))))
    }

    fn is_stale(&self, directory: &Path) -> bool {
        let is_asked = self.rollouts.is_none() && self.settings.has_others;
        is_asked && self.remembered.is_stale(directory, self.is_running()) && self.settings.launch.is_there()
    }

    fn recall(&self, directory: PathBuf) -> Asking<'_, bool> {
        Box::pin(async move { self.ask_for_sessions(&directory).await })
    }

    /// Both adapters of Codex say so, and the demo is ours; of others it is known when they run.
    fn attachments(&self) -> AttachmentAbilities {
        match [CODEX, demo::NAME].contains(&self.settings.name.as_str()) {
            true => AttachmentAbilities::ALL,
            false => AttachmentAbilities::default(),
        }
    }

    fn guards(&self) -> Guards {
        self.judged()
    }

    fn note_login(&self, is_there: bool) {
        self.settings.launch.note_login(is_there);
    }

    fn close(&self) -> Later<'_, ()> {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(async move { tasks.shutdown().await })
    }
}

fn environment(settings: &Settings) -> Environment {
    let own = settings.environment.iter().cloned();
    let inherited = settings.confinement.of(Environment::inherited());
    own.fold(inherited, |environment, (name, value)| environment.with(name, value))
}

/// Agents accept a directory that is not there, and fail much later.
fn check_directory(directory: &Path) -> Result<(), OpenError> {
    if directory.is_absolute() && directory.is_dir() {
        return Ok(());
    }
    let directory = directory.to_owned();
    Err(OpenError::Spawn(crate::process::SpawnError::DirectoryMissing { directory }))
}
