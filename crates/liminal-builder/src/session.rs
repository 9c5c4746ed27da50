//! A running session as the rest of the program sees it. Owns the handle: what can be asked of a session, and how
//! it answers. The work is done by its task.

mod board;
mod journal;
mod outlet;
mod output_files;
mod task;
pub mod unstored;

use std::sync::Arc;

use liminal_core::dialect::{AgentCommand, UserMessage};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::processor::Config;
use liminal_core::session::{Patience, Phase};
use liminal_core::wire::rest::PermissionAnswer;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};

use crate::asking::ask;
use crate::config;
use crate::diagnostics::{Diagnostics, Snapshot};
use crate::process::StopLadder;
use crate::provider::OpenedAgent;
use crate::recording::Recorder;
pub use board::{Board, Live};
pub use outlet::{Counts, Outlet};
use task::{Command, SessionTask};
pub use unstored::Unstored;

/// Commands come from people; more than a few waiting means that the session is stuck.
const COMMANDS_WAITING: usize = 16;

/// Why a session did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// A turn is running.
    #[error("a turn is running; wait for its end, cancel it, or queue the message")]
    TurnInProgress,
    /// The agent is gone.
    #[error("the agent of this session has ended; open the session again")]
    AgentGone,
    /// No turn runs that a message could be taken into.
    #[error("no turn runs that the message could be taken into")]
    NotRunning,
    /// The agent did not take the prompt.
    #[error("{}", .0.message)]
    NotTaken(ErrorInfo),
    /// The answer to a permission request was refused.
    #[error("{}", .0.message)]
    AnswerRefused(ErrorInfo),
}

impl SessionError {
    /// The error for the wire.
    #[must_use]
    pub fn info(&self) -> ErrorInfo {
        match self {
            Self::TurnInProgress => ErrorInfo::new(ErrorCode::TurnInProgress, self.to_string()),
            Self::AgentGone => ErrorInfo::new(ErrorCode::ProcessCrash, self.to_string()),
            Self::NotRunning => ErrorInfo::new(ErrorCode::NotSteerable, self.to_string()),
            Self::NotTaken(error) | Self::AnswerRefused(error) => error.clone(),
        }
    }
}

/// How a session is to be run.
#[derive(Debug)]
pub struct Setup {
    /// How what it says is gathered.
    pub config: Config,
    /// How patient it is with a turn.
    pub patience: Patience,
    /// How its agent is ended.
    pub ladder: StopLadder,
    /// Notes what is said, if somebody wants to know.
    pub recorder: Option<Recorder>,
    /// What becomes of what was said before.
    pub history: History,
}

impl Default for Setup {
    /// As a server without any setting runs it.
    fn default() -> Self {
        Self {
            config: config::Batch::default().processor(),
            patience: Patience::default(),
            ladder: StopLadder::default(),
            recorder: None,
            history: History::default(),
        }
    }
}

/// What becomes of what the agent tells of a session's past.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum History {
    /// It goes into the log like what is said now.
    #[default]
    Tell,
    /// The log has it.
    Skip,
}

/// A running session. Clones are the same session; when the last one is dropped, its agent is ended.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    session_id: SessionId,
    commands: mpsc::Sender<Command>,
    phase: watch::Receiver<Phase>,
    diagnostics: Diagnostics,
    _task: Arc<Task>,
}

/// Sees to it that the task does not outlive everybody who knows of it.
#[derive(Debug)]
struct Task(AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        // The task owns the agent's process; ending it kills the whole tree.
        self.0.abort();
    }
}

impl SessionHandle {
    /// Starts a session's task among others. What happens in it goes to the outlet, its history first.
    pub fn start(agent: OpenedAgent, setup: Setup, outlet: Outlet, tasks: &mut JoinSet<()>) -> Self {
        let (commands, received) = mpsc::channel(COMMANDS_WAITING);
        let (phase_sender, phase) = watch::channel(Phase::Starting);
        let session_id = agent.session_id.clone();
        let diagnostics = Diagnostics::default();
        let task = SessionTask::new(agent, setup, received, (outlet, phase_sender), diagnostics.clone());
        let abort = tasks.spawn(task.run());
        Self { session_id, commands, phase, diagnostics, _task: Arc::new(Task(abort)) }
    }

    /// The session.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// Tells the agent something; comes back when it has taken it, with the turn that carries all that follows.
    pub async fn send(&self, turn: TurnId, message: UserMessage) -> Result<TurnId, SessionError> {
        let answer = ask(&self.commands, |reply| Command::Prompt { turn, message, reply }).await;
        answer.unwrap_or(Err(SessionError::AgentGone))
    }

    /// Has a message taken into the turn that runs; comes back with the turn that shows it.
    pub async fn steer(&self, turn: TurnId, message: UserMessage) -> Result<TurnId, SessionError> {
        let answer = ask(&self.commands, |reply| Command::Steer { turn, message, reply }).await;
        answer.unwrap_or(Err(SessionError::AgentGone))
    }

    /// Stops the running turn, if there is one.
    pub async fn cancel(&self) -> Result<(), SessionError> {
        self.command(Command::Cancel).await
    }

    /// Stops what runs in the background; a turn that runs goes on.
    pub async fn stop_background(&self) -> Result<(), SessionError> {
        self.command(Command::StopBackground).await
    }

    /// Answers a permission request; returns the dialect's verdict on the answer. A refused answer reaches no agent, and
    /// its request still waits.
    pub async fn answer(&self, item_id: ItemId, answer: PermissionAnswer) -> Result<(), SessionError> {
        let verdict = ask(&self.commands, |reply| Command::Answer { item_id, answer, reply }).await;
        verdict.unwrap_or(Err(SessionError::AgentGone))
    }

    /// Tells the agent to do something differently from now on; what becomes of it is told on the board.
    pub async fn configure(&self, wishes: Vec<AgentCommand>) -> Result<(), SessionError> {
        self.command(Command::Configure(wishes)).await
    }

    /// Ends the agent and all it started; comes back when nothing of it is left.
    pub async fn kill(&self) {
        // An error means that the task is gone, and so is the agent.
        self.command(Command::Kill).await.ok();
        self.gone().await;
    }

    /// Waits until the agent has ended and nothing more is written of what it said.
    pub async fn gone(&self) {
        self.commands.closed().await;
    }

    /// Ends the agent at once, for a reason of ours; comes back when nothing of it is left.
    pub async fn end(&self, reason: ErrorInfo) {
        if self.command(Command::End(reason)).await.is_ok() {
            self.reach(Phase::Closed).await;
        }
    }

    /// What the session is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        // A task that is gone cannot tell any more.
        if self.commands.is_closed() { Phase::Closed } else { *self.phase.borrow() }
    }

    /// Whether its agent runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.phase() != Phase::Closed
    }

    /// Whether a turn runs.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.phase(), Phase::Running | Phase::Cancelling)
    }

    /// What the agent said that nobody understood, and whether it is silent.
    #[must_use]
    pub fn diagnostics(&self) -> Snapshot {
        self.diagnostics.snapshot()
    }

    /// Waits until the session does this.
    pub async fn reach(&self, wanted: Phase) {
        let mut phase = self.phase.clone();
        drop(phase.wait_for(|phase| *phase == wanted || *phase == Phase::Closed).await);
    }

    async fn command(&self, command: Command) -> Result<(), SessionError> {
        self.commands.send(command).await.map_err(|_| SessionError::AgentGone)
    }
}
