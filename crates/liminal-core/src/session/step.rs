//! What comes of one input to a session. Owns these types; knows nothing of what led to them.

use crate::dialect::Notice;
use crate::envelope::StreamEventEnvelope;
use crate::error::ErrorInfo;
use crate::ids::TurnId;
use crate::processor::Sink;

/// What a session wants done after an input.
pub struct SessionStep<'a> {
    /// Lines for the agent, without their newlines.
    pub frames: Vec<Vec<u8>>,
    /// What happened, before it was batched.
    pub events: Vec<StreamEventEnvelope>,
    /// What happened to turns and to the agent.
    pub news: Vec<News>,
    /// Takes what clients see.
    pub outputs: &'a mut dyn Sink,
}

impl<'a> SessionStep<'a> {
    /// A step whose outputs go there.
    pub fn new(outputs: &'a mut dyn Sink) -> Self {
        Self { frames: Vec::new(), events: Vec::new(), news: Vec::new(), outputs }
    }
}

impl std::fmt::Debug for SessionStep<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { frames, events, news, .. } = self;
        formatter
            .debug_struct("SessionStep")
            .field("frames", frames)
            .field("events", events)
            .field("news", news)
            .finish()
    }
}

/// What the owner of a session should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The prompt of a turn was taken; from here on every output of it carries this turn.
    Bound {
        /// The turn that was asked for.
        asked: TurnId,
        /// The turn that it became.
        turn: TurnId,
    },
    /// The prompt of a turn was not taken.
    NotBound {
        /// The turn that was asked for.
        asked: TurnId,
        /// Why.
        error: ErrorInfo,
    },
    /// The agent is of no use any more and must be ended.
    EndAgent(ErrorInfo),
    /// A turn runs, and the agent has been silent for long; or it speaks again.
    Stalled(bool),
    /// Everything else the dialect told.
    Notice(Notice),
}
