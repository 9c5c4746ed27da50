//! Kinds of agents that can be opened. Owns what a provider is asked and what it gives back: a pipe to a running
//! agent and the dialect it speaks. Knows nothing of sessions' phases, of logs or of HTTP.

pub mod acp;
pub mod claude_code;
mod guards;
mod handshake;
pub mod model_api;
mod registry;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use liminal_core::dialect::{
    Abilities, AgentCommand, AttachedFile, AttachmentAbilities, Choice, Dialect, Notice,
};
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;

use crate::clock::Clock;
use crate::discovery::{KnownDirectories, Listing};
use crate::process::SpawnError;
use crate::transport::{AgentPipe, Later};
pub use guards::{Guards, Standing};
pub use registry::ProviderRegistry;

/// What a session's agent is to be.
#[derive(Debug, Clone)]
pub struct OpenRequest {
    /// Where it works.
    pub directory: PathBuf,
    /// The session to go on with; without it a new one is made.
    pub resume: Option<SessionId>,
    /// What the user chose for this session.
    pub options: SessionOptions,
    /// What was said in the session to go on with, oldest first, as its own events told it; only for a provider that
    /// [needs it](Provider::needs_past).
    pub past: Vec<StreamEventEnvelope>,
}

/// What a user may choose for a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionOptions {
    /// The agent's own name of a model.
    pub model: Option<String>,
    /// The agent's own word for how often it asks.
    pub permission_mode: Option<String>,
    /// A person confirmed that the agent may act without asking, and the server allows it.
    pub is_confirmed: bool,
    /// More directories it may work in.
    pub extra_directories: Vec<PathBuf>,
    /// The project is not trusted: only the user's own settings apply, nothing that the project brings.
    pub restricted: bool,
    /// If the agent knows nothing of the session to go on with, it begins anew under its id: nothing was said in it
    /// that the agent kept.
    pub may_begin: bool,
    /// The fork that the session to go on with is: an agent that kept nothing of it yet makes it again.
    pub origin: Option<Origin>,
    /// The files that came with [`OpenRequest::past`].
    pub files: Vec<AttachedFile>,
}

/// What a session was forked from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The other session.
    pub session_id: SessionId,
    /// The agent's own id of the last answer in it; what was said later is not the fork's.
    pub through: Option<String>,
}

/// A session that was forked from another.
#[derive(Debug)]
pub struct Forked {
    /// Its agent.
    pub agent: OpenedAgent,
    /// What to make it of again, unless the agent has kept it.
    pub origin: Option<Origin>,
}

/// A running agent, not yet spoken to.
#[derive(Debug)]
pub struct OpenedAgent {
    /// The session it serves.
    pub session_id: SessionId,
    /// The pipe to it.
    pub transport: Box<dyn AgentPipe>,
    /// How it speaks.
    pub dialect: Box<dyn Dialect>,
    /// The clock that its dialect goes by.
    pub clock: Clock,
    /// What was said in the session before, oldest first.
    pub history: Vec<StreamEventEnvelope>,
    /// What the agent told of itself so far.
    pub notices: Vec<Notice>,
    /// Which of its modes and options ask.
    pub guards: Guards,
    /// What it is to be told first.
    pub begin: Vec<AgentCommand>,
}

/// Why an agent could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No provider has this CLI type.
    #[error("no agent of type {0} is known; known types: {1}")]
    UnsupportedCliType(String, String),
    /// There is no such session.
    #[error("there is no session {0} in this project")]
    SessionNotFound(SessionId),
    /// The session cannot be forked, and why.
    #[error("{0}")]
    NotForkable(String),
    /// An option has a value that the agent would not understand, or must not have.
    #[error("{option}: {problem}")]
    InvalidOption {
        /// The option.
        option: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// The agent's program could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The agent's program is of no use.
    #[error("{0}")]
    Unusable(String),
    /// The agent said why it will not serve.
    #[error("{}", .0.message)]
    Refused(ErrorInfo),
    /// Something on this machine failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl OpenError {
    /// The error for the wire.
    #[must_use]
    pub fn info(&self) -> ErrorInfo {
        let code = match self {
            Self::Refused(error) => return error.clone(),
            Self::UnsupportedCliType(..) => ErrorCode::UnsupportedCliType,
            Self::SessionNotFound(_) => ErrorCode::SessionNotFound,
            Self::NotForkable(_) => ErrorCode::NotForkable,
            Self::InvalidOption { .. } => ErrorCode::InvalidRequest,
            Self::Spawn(SpawnError::DirectoryMissing { .. }) => ErrorCode::ProjectDirInvalid,
            Self::Spawn(_) | Self::Unusable(_) | Self::Io(_) => ErrorCode::SpawnFailed,
        };
        ErrorInfo::new(code, self.to_string())
    }
}

/// A boxed future, because providers are chosen at run time.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = Result<T, OpenError>> + Send + 'a>>;

/// An agent on its way.
pub type Opening<'a> = Asking<'a, OpenedAgent>;

/// A kind of agent.
pub trait Provider: Send + Sync + std::fmt::Debug {
    /// The word for it.
    fn cli_type(&self) -> &str;

    /// Whether a session is kept by us alone, so that going on with it takes [`OpenRequest::past`].
    fn needs_past(&self) -> bool {
        false
    }

    /// Starts an agent for a new session, or for one to go on with.
    fn open(&self, request: OpenRequest) -> Opening<'_>;

    /// What is known of what it offers before it runs.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// The mode that an agent begins in if none was chosen, where that is known before it runs.
    fn initial_mode(&self) -> Option<&'static str> {
        None
    }

    /// Starts an agent for a new session that has the history of another one so far. The other one is not touched.
    fn fork(&self, _source: SessionId, _request: OpenRequest) -> Asking<'_, Forked> {
        let problem = format!("sessions of {} cannot be forked; start a new one", self.cli_type());
        Box::pin(async move { Err(OpenError::NotForkable(problem)) })
    }

    /// The sessions of a directory that the agent left on disk, or remembered when it was last asked, the latest first.
    fn found(&self, _directory: PathBuf) -> Asking<'_, Listing> {
        Box::pin(async { Ok(Listing::default()) })
    }

    /// The directories that the agent has worked in, as its files tell.
    fn known_directories(&self) -> Asking<'_, KnownDirectories> {
        Box::pin(async { Ok(KnownDirectories::default()) })
    }

    /// Whether what [`Provider::found`] tells is old, and only the agent knows better.
    fn is_stale(&self, _directory: &Path) -> bool {
        false
    }

    /// Asks the agent which sessions of a directory it remembers; it may be started for that. Tells whether they are
    /// others than before.
    fn recall(&self, _directory: PathBuf) -> Asking<'_, bool> {
        Box::pin(async { Ok(false) })
    }

    /// What was said in a session, if that can be known without starting the agent.
    fn past(
        &self,
        _directory: PathBuf,
        _session_id: SessionId,
    ) -> Asking<'_, Option<Vec<StreamEventEnvelope>>> {
        Box::pin(async { Ok(None) })
    }

    /// What may be attached to messages, as far as that is known while no agent runs.
    fn attachments(&self) -> AttachmentAbilities {
        AttachmentAbilities::default()
    }

    /// Which modes and options ask, as far as that is known while no agent runs.
    fn guards(&self) -> Guards {
        Guards::of_type(self.cli_type())
    }

    /// Every mode of the agent, where that is known while no agent runs.
    fn modes(&self) -> Vec<Choice> {
        Vec::new()
    }

    /// Whether an agent that was started guarded has to be started again to become unguarded.
    fn restarts_to_unguard(&self) -> bool {
        false
    }

    /// Hears whether a turn failed for want of a login, or one was there.
    fn note_login(&self, _is_there: bool) {}

    /// Ends what runs for no session alone, and comes back when it was struck: a program that ends in the midst of that
    /// would leave it behind.
    fn close(&self) -> Later<'_, ()> {
        Box::pin(async {})
    }
}

/// Does what reads files where that keeps nobody waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OpenError> + Send + 'static,
) -> Result<T, OpenError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| OpenError::Io(std::io::Error::other(error)))?
}
