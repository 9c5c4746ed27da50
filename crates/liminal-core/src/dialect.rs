//! How agents speak, as machines without input or output. Owns the contract between an agent's protocol and
//! the session that runs it: frames and commands in, canonical events, frames and notices out. Knows nothing of
//! batching, processes or clients.
//!
//! The owner of a dialect gives it every line of the agent and every wish of the user, writes the frames it
//! leaves in the [`Outbox`], and calls it with [`Input::Timeout`] when [`Dialect::next_deadline`] has come. A
//! dialect keeps three promises: no input makes it fail, every turn it began ends in exactly one
//! `response_done` or `response_error`, and what the agent asks is never allowed without an answer.

pub mod acp;
pub mod anthropic;
pub mod claude;
pub mod codex_rollout;
mod fields;
mod login;
mod message_blocks;
pub mod model_api;
mod one_line;
pub mod openai;
mod plan_item;
mod requested_input;
mod retry_note;
pub mod sse;
mod turn_writer;
mod user_message;

use std::fmt::Debug;
use std::time::Duration;

use serde::Serialize;

use crate::envelope::StreamEventEnvelope;
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::ToolArguments;
use crate::ids::{ItemId, TurnId};
use crate::json;
use crate::time::Now;
use crate::wire::rest::PermissionAnswer;

pub use crate::wire::abilities::{
    Abilities, AgentOption, AttachmentAbilities, Choice, ModelChoice, SlashCommand,
};
pub use user_message::{AttachedFile, FileKind, UserMessage, decoded_length};

pub(crate) use turn_writer::TurnWriter;

/// One agent's way of speaking.
pub trait Dialect: Send + Debug {
    /// Takes one input; what follows from it is added to `out`.
    fn handle(&mut self, input: Input<'_>, now: Now, out: &mut Outbox);

    /// When to call with [`Input::Timeout`], on the clock of [`Now::mono`].
    fn next_deadline(&self) -> Option<Duration>;
}

/// Anything that can happen to a dialect.
#[derive(Debug)]
pub enum Input<'a> {
    /// A line of the agent, without its newline.
    Frame(&'a [u8]),
    /// A line of the agent that was longer than its reader allows, and is lost.
    FrameTooLong {
        /// How long it was.
        bytes: u64,
    },
    /// What a command in the background has written since the last time, of a file that is followed.
    TaskOutput {
        /// The agent's own id of the task.
        task: &'a str,
        /// What was added.
        text: &'a str,
    },
    /// A wish of our side.
    Command(AgentCommand),
    /// A deadline has come.
    Timeout,
    /// The agent is gone. The last input that has an effect.
    Closed(Closed),
}

/// What our side wants of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentCommand {
    /// Begin to speak. An agent that was told these things on its command line ignores them here.
    Open {
        /// Where the agent works.
        directory: String,
        /// The agent's own id of the session to go on with.
        resume: Option<String>,
    },
    /// Answer this.
    Prompt {
        /// The turn it begins.
        turn: TurnId,
        /// What the user says.
        message: UserMessage,
    },
    /// Take this into the turn that runs.
    Steer {
        /// What it is known by until it is taken; the turn that it begins, if it comes too late.
        turn: TurnId,
        /// What the user says.
        message: UserMessage,
    },
    /// Stop the turn that runs, or the one that is about to.
    Cancel,
    /// Stop what runs in the background; a turn that runs goes on.
    StopBackground,
    /// The answer to what the agent asked.
    Answer {
        /// The permission item.
        item_id: ItemId,
        /// The answer.
        answer: PermissionAnswer,
    },
    /// Think with this model from the next turn on.
    SetModel {
        /// The agent's own name of it; without one, its default.
        model: Option<String>,
    },
    /// Ask more or less often.
    SetPermissionMode {
        /// The agent's own word for it.
        mode: String,
    },
    /// Choose a value of an option that the agent offers.
    SetOption {
        /// The agent's own name of the option.
        id: String,
        /// The agent's own name of the value.
        value: String,
    },
}

/// How an agent went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closed {
    /// The exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal, if one ended it.
    pub signal: Option<i32>,
    /// The end of what it wrote to its standard error.
    pub stderr_tail: String,
    /// Why our side ended it, if it did.
    pub reason: Option<ErrorInfo>,
}

impl Closed {
    /// What became of the turns of an agent that is gone.
    #[must_use]
    pub fn error(&self) -> ErrorInfo {
        if let Some(reason) = &self.reason {
            return reason.clone();
        }
        let (code, what) = match (self.code, self.signal) {
            (Some(0), None) => {
                (ErrorCode::ProcessExitNoResult, "the agent ended without finishing its turn".to_owned())
            }
            (Some(code), _) => (ErrorCode::ProcessCrash, format!("the agent ended with exit code {code}")),
            (None, Some(signal)) => {
                (ErrorCode::ProcessCrash, format!("the agent was ended by signal {signal}"))
            }
            (None, None) => (ErrorCode::ProcessCrash, "the agent is gone".to_owned()),
        };
        match self.stderr_tail.trim() {
            "" => ErrorInfo::new(code, what),
            said => ErrorInfo::new(code, format!("{what}: {said}")),
        }
    }
}

/// What a dialect wants done.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Lines for the agent, without their newlines.
    pub frames: Vec<Vec<u8>>,
    /// What happened, for the processor.
    pub events: Vec<StreamEventEnvelope>,
    /// What happened, for the session.
    pub notices: Vec<Notice>,
}

impl Outbox {
    /// Forgets everything, once it is done.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.events.clear();
        self.notices.clear();
    }
}

/// What a session should know and no item shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The agent is ready for prompts.
    Ready(Abilities),
    /// The agent took the prompt of this turn.
    TurnBound {
        /// The turn.
        turn: TurnId,
    },
    /// The agent began a turn by itself.
    TurnOpened {
        /// The turn.
        turn: TurnId,
    },
    /// The agent took the prompt of a turn into one that already runs; the turn will not be.
    TurnMerged {
        /// The turn that will not be.
        turn: TurnId,
        /// The turn that runs.
        into: TurnId,
    },
    /// The agent took a message into the turn that runs, or will take it as soon as it can.
    Steered {
        /// What the message is known by.
        turn: TurnId,
        /// The turn that shows it.
        into: TurnId,
    },
    /// The agent did not take a message into the turn that runs, and never will.
    NotSteered {
        /// What the message is known by.
        turn: TurnId,
        /// Why.
        error: ErrorInfo,
    },
    /// The agent's own id of the session, or a new one.
    AgentSession {
        /// The id.
        id: String,
    },
    /// The agent thinks with this model.
    Model {
        /// The agent's own name of it.
        model: String,
    },
    /// How often the agent asks.
    PermissionMode {
        /// The agent's own word for it.
        mode: String,
    },
    /// What the conversation is about, in the agent's words.
    Title {
        /// The title.
        title: String,
    },
    /// The commands that a prompt may begin with, from now on.
    Commands(Vec<SlashCommand>),
    /// The agent's options and what is chosen of them, from now on.
    AgentOptions(Vec<AgentOption>),
    /// How full the model's context is.
    Context {
        /// The tokens in it.
        used: u64,
        /// The tokens that it holds.
        size: u64,
    },
    /// The whole input of a permission request that is shown cut.
    WholeInput {
        /// The permission item.
        item_id: ItemId,
        /// The input.
        input: ToolArguments,
    },
    /// A command in the background writes its output to a file; what is added there goes to [`Input::TaskOutput`].
    FollowOutput {
        /// The agent's own id of the task.
        task: String,
        /// The file.
        path: String,
    },
    /// The task is over, and its file is not followed any more.
    UnfollowOutput {
        /// The agent's own id of the task.
        task: String,
    },
    /// An answer had no effect.
    AnswerRefused {
        /// The permission item that was to be answered.
        item_id: ItemId,
        /// Why.
        error: ErrorInfo,
    },
    /// A command had no effect.
    CommandRefused(ErrorInfo),
    /// A line that this version does not understand. Not an error; to be counted and kept for diagnosis.
    Unknown {
        /// What it seems to be.
        kind: String,
        /// The beginning of the line.
        sample: String,
    },
    /// The agent is of no use any more and should be ended.
    Failed(ErrorInfo),
}

impl Notice {
    /// A message that is not taken into the turn that runs.
    pub(crate) fn not_steered(turn: TurnId, why: impl Into<String>) -> Self {
        Self::NotSteered { turn, error: ErrorInfo::new(ErrorCode::NotSteerable, why) }
    }

    /// A line that nobody understands, by its beginning.
    pub(crate) fn unknown(kind: impl Into<String>, line: &[u8]) -> Self {
        const SAMPLE: usize = 400;
        let sample = String::from_utf8_lossy(line.get(..SAMPLE).unwrap_or(line)).into_owned();
        let kind = kind.into().chars().take(SAMPLE).collect();
        Self::Unknown { kind, sample }
    }
}

/// One call of a dialect: when it is, and where its effects go.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    pub(crate) now: Now,
    pub(crate) out: &'a mut Outbox,
}

impl Step<'_> {
    /// Sends a line to the agent.
    pub(crate) fn send(&mut self, frame: &impl Serialize) {
        let mut line = Vec::new();
        json::append(&mut line, frame);
        self.out.frames.push(line);
    }

    /// Tells the session.
    pub(crate) fn notify(&mut self, notice: Notice) {
        self.out.notices.push(notice);
    }

    /// Keeps the beginning of a line that nobody understands.
    pub(crate) fn unknown(&mut self, kind: impl Into<String>, line: &[u8]) {
        self.notify(Notice::unknown(kind, line));
    }
}
