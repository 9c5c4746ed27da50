//! One conversation with one agent: a dialect, the turn that runs, and what may happen when. Owns the phase of the
//! session and promises that at most one turn runs and that each ends once. Knows no pipe and no clock.

mod background;
mod step;

use std::collections::BTreeMap;
use std::time::Duration;

pub use step::{News, SessionStep};

use crate::dialect::{AgentCommand, Closed, Dialect, Input, Notice, Outbox, UserMessage};
use crate::envelope::StreamEventEnvelope;
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{ItemKind, StreamEvent};
use crate::ids::{CallId, ItemId, TurnId};
use crate::processor::Config;
use crate::time::Now;
use crate::turns::Turns;
use crate::wire::rest::PermissionAnswer;
use background::Background;

/// How patient a session is with its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long a turn may take to stop before its agent is ended.
    pub cancel: Duration,
    /// How long a running turn may be silent before that is told.
    pub stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { cancel: Duration::from_secs(5), stall: Duration::from_secs(60) }
    }
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The agent is coming up.
    Starting,
    /// Nothing; a prompt is welcome.
    Idle,
    /// A turn.
    Running,
    /// A turn that is to stop.
    Cancelling,
    /// Nothing, ever again: the agent is gone.
    Closed,
}

/// Why a session did not take a prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A turn is running.
    #[error("a turn is running; wait for its end, cancel it, or queue the message")]
    Busy,
    /// The agent is gone.
    #[error("the agent of this session has ended; open the session again")]
    Gone,
    /// No turn runs that a message could be taken into.
    #[error("no turn runs that the message could be taken into; send it")]
    NotRunning,
}

/// One conversation with one agent.
#[derive(Debug)]
pub struct Session {
    dialect: Box<dyn Dialect>,
    turns: Turns,
    phase: Phase,
    /// The turn that runs.
    turn: Option<TurnId>,
    /// The turn whose prompt the agent has not taken yet.
    unbound: Option<TurnId>,
    /// The turn that the agent goes on with when this one ends.
    next: Option<TurnId>,
    cancel_until: Option<Duration>,
    /// When the agent was last heard, or given something to do.
    heard_at: Duration,
    is_stalled: bool,
    /// What the agent asks, and the calls whose sub-agents ask: while it waits for people, its silence means nothing.
    asked: BTreeMap<ItemId, Option<CallId>>,
    background: Background,
    patience: Patience,
    outbox: Outbox,
}

impl Session {
    /// A session whose agent was not spoken to yet.
    #[must_use]
    pub fn new(dialect: Box<dyn Dialect>, config: Config, patience: Patience) -> Self {
        Self {
            dialect,
            turns: Turns::new(config),
            phase: Phase::Starting,
            turn: None,
            unbound: None,
            next: None,
            cancel_until: None,
            heard_at: Duration::ZERO,
            is_stalled: false,
            asked: BTreeMap::new(),
            background: Background::default(),
            patience,
            outbox: Outbox::default(),
        }
    }

    /// What it is doing.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The turn that runs.
    #[must_use]
    pub const fn turn(&self) -> Option<&TurnId> {
        self.turn.as_ref()
    }

    /// How many detached calls are open: what runs in the background, in a turn or after its end.
    #[must_use]
    pub fn background(&self) -> usize {
        self.background.len()
    }

    /// When to come back with [`Input::Timeout`].
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let deadlines =
            [self.dialect.next_deadline(), self.turns.next_deadline(), self.cancel_until, self.stall_at()];
        deadlines.into_iter().flatten().min()
    }

    /// What was told of the agent before the session had it.
    pub fn tell(&mut self, notices: Vec<Notice>, step: &mut SessionStep<'_>) {
        for notice in notices {
            self.notice(notice, step);
        }
    }

    /// Takes one input. Only a prompt can be refused.
    pub fn handle(&mut self, input: Input<'_>, now: Now, step: &mut SessionStep<'_>) -> Result<(), Refused> {
        match input {
            Input::Command(AgentCommand::Prompt { turn, message }) => {
                return self.prompt(turn, message, now, step);
            }
            Input::Command(AgentCommand::Steer { .. }) => return self.steer(input, now, step),
            Input::Command(AgentCommand::Cancel) => self.cancel(now, step),
            Input::Timeout => self.timeout(now, step),
            Input::Closed(closed) => self.close(closed, now, step),
            Input::Frame(_) | Input::FrameTooLong { .. } | Input::TaskOutput { .. } => {
                self.heard(now, step);
                self.pass(input, now, step);
            }
            Input::Command(AgentCommand::Answer { item_id, answer }) => {
                self.answer(item_id, answer, now, step);
            }
            Input::Command(_) => self.pass(input, now, step),
        }
        Ok(())
    }

    fn stall_at(&self) -> Option<Duration> {
        let waits = self.phase == Phase::Running && !self.is_stalled && self.asked.is_empty();
        waits.then(|| self.heard_at.saturating_add(self.patience.stall))
    }

    /// The agent gives a sign of life, or is given something to do.
    fn heard(&mut self, now: Now, step: &mut SessionStep<'_>) {
        self.heard_at = now.mono;
        if std::mem::replace(&mut self.is_stalled, false) {
            step.news.push(News::Stalled(false));
        }
    }

    fn prompt(
        &mut self,
        turn: TurnId,
        message: UserMessage,
        now: Now,
        step: &mut SessionStep<'_>,
    ) -> Result<(), Refused> {
        match self.phase {
            Phase::Closed => return Err(Refused::Gone),
            Phase::Running | Phase::Cancelling => return Err(Refused::Busy),
            Phase::Starting | Phase::Idle => {}
        }
        self.heard(now, step);
        self.phase = Phase::Running;
        self.turn = Some(turn.clone());
        self.unbound = Some(turn.clone());
        self.command(AgentCommand::Prompt { turn, message }, now, step);
        Ok(())
    }

    /// What becomes of the message is told by the dialect.
    fn steer(&mut self, input: Input<'_>, now: Now, step: &mut SessionStep<'_>) -> Result<(), Refused> {
        match self.phase {
            Phase::Closed => return Err(Refused::Gone),
            Phase::Running if self.unbound.is_none() => {}
            Phase::Starting | Phase::Idle | Phase::Running | Phase::Cancelling => {
                return Err(Refused::NotRunning);
            }
        }
        self.heard(now, step);
        self.pass(input, now, step);
        Ok(())
    }

    /// Asking twice is asking once.
    fn cancel(&mut self, now: Now, step: &mut SessionStep<'_>) {
        if self.phase != Phase::Running {
            return;
        }
        self.phase = Phase::Cancelling;
        self.cancel_until = Some(now.mono.saturating_add(self.patience.cancel));
        self.command(AgentCommand::Cancel, now, step);
    }

    /// A turn that is being stopped is not given permissions any more.
    fn answer(&mut self, item_id: ItemId, answer: PermissionAnswer, now: Now, step: &mut SessionStep<'_>) {
        if matches!(self.phase, Phase::Cancelling | Phase::Closed) {
            let error =
                ErrorInfo::new(ErrorCode::AlreadyAnswered, "the turn of this request is being stopped");
            return self.notice(Notice::AnswerRefused { item_id, error }, step);
        }
        self.heard(now, step);
        self.command(AgentCommand::Answer { item_id, answer }, now, step);
    }

    fn timeout(&mut self, now: Now, step: &mut SessionStep<'_>) {
        if self.stall_at().is_some_and(|at| at <= now.mono) {
            self.is_stalled = true;
            step.news.push(News::Stalled(true));
        }
        self.turns.handle_timeout(now.mono, step.outputs);
        if self.cancel_until.is_some_and(|until| until <= now.mono) {
            self.cancel_until = None;
            let message = "the agent did not stop its turn when it was asked to";
            step.news.push(News::EndAgent(ErrorInfo::new(ErrorCode::AgentNotReading, message)));
        }
        if self.dialect.next_deadline().is_some_and(|deadline| deadline <= now.mono) {
            self.pass(Input::Timeout, now, step);
        }
    }

    fn close(&mut self, closed: Closed, now: Now, step: &mut SessionStep<'_>) {
        if self.phase == Phase::Closed {
            return;
        }
        self.pass(Input::Closed(closed), now, step);
        // A dialect ends its turns; this is for one that forgot.
        let reason = ErrorInfo::new(ErrorCode::ProcessCrash, "the agent ended inside the turn");
        self.turns.finish(&reason, Some(now), step.outputs);
        self.refuse_unbound(&reason, step);
        self.background = Background::default();
        (self.phase, self.turn, self.cancel_until) = (Phase::Closed, None, None);
    }

    fn command(&mut self, command: AgentCommand, now: Now, step: &mut SessionStep<'_>) {
        self.pass(Input::Command(command), now, step);
    }

    fn pass(&mut self, input: Input<'_>, now: Now, step: &mut SessionStep<'_>) {
        let mut outbox = std::mem::take(&mut self.outbox);
        self.dialect.handle(input, now, &mut outbox);
        step.frames.append(&mut outbox.frames);
        for notice in outbox.notices.drain(..) {
            self.notice(notice, step);
        }
        for event in outbox.events.drain(..) {
            self.event(event, now, step);
        }
        self.next = None;
        self.outbox = outbox;
    }

    fn notice(&mut self, notice: Notice, step: &mut SessionStep<'_>) {
        match &notice {
            Notice::Ready(_) if self.phase == Phase::Starting => self.phase = Phase::Idle,
            Notice::TurnBound { turn } => self.bind(turn, turn, step),
            Notice::TurnMerged { turn, into } => self.bind(turn, into, step),
            Notice::TurnOpened { turn } if self.phase == Phase::Idle => {
                self.phase = Phase::Running;
                self.turn = Some(turn.clone());
            }
            // The end of the turn that runs is told in the same breath.
            Notice::TurnOpened { turn } => self.next = Some(turn.clone()),
            Notice::Failed(error) => step.news.push(News::EndAgent(error.clone())),
            Notice::Ready(_)
            | Notice::Steered { .. }
            | Notice::NotSteered { .. }
            | Notice::AgentSession { .. }
            | Notice::Model { .. }
            | Notice::PermissionMode { .. }
            | Notice::Title { .. }
            | Notice::Commands(_)
            | Notice::AgentOptions(_)
            | Notice::Context { .. }
            | Notice::WholeInput { .. }
            | Notice::FollowOutput { .. }
            | Notice::UnfollowOutput { .. }
            | Notice::AnswerRefused { .. }
            | Notice::CommandRefused(_)
            | Notice::Unknown { .. } => {}
        }
        step.news.push(News::Notice(notice));
    }

    fn bind(&mut self, asked: &TurnId, turn: &TurnId, step: &mut SessionStep<'_>) {
        if self.unbound.as_ref() != Some(asked) {
            return;
        }
        self.unbound = None;
        self.turn = Some(turn.clone());
        step.news.push(News::Bound { asked: asked.clone(), turn: turn.clone() });
    }

    fn event(&mut self, event: StreamEventEnvelope, now: Now, step: &mut SessionStep<'_>) {
        self.turns.handle_event(&event, now, step.outputs);
        self.background.note(&event.payload);
        self.note_question(&event.payload);
        if let Some(failure) = end_of_turn(&event.payload) {
            self.turn_ended(&event.turn_id, &failure, step);
        }
        step.events.push(event);
    }

    fn note_question(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::ItemStart(start) if matches!(start.kind, ItemKind::Permission(_)) => {
                self.asked.insert(start.item_id.clone(), start.parent_call_id.clone());
            }
            StreamEvent::ItemDone(done) => drop(self.asked.remove(&done.item_id)),
            StreamEvent::ItemError(failed) => drop(self.asked.remove(&failed.item_id)),
            StreamEvent::ItemCancelled(cancelled) => drop(self.asked.remove(&cancelled.item_id)),
            // A sub-agent in the background still waits.
            StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_) => {
                self.asked.retain(|_, parent| parent.is_some() && !self.background.is_empty());
            }
            StreamEvent::ItemStart(_)
            | StreamEvent::ItemDelta(_)
            | StreamEvent::ResponseStart(_)
            | StreamEvent::UsageUpdate(_) => {}
        }
    }

    fn turn_ended(&mut self, turn: &TurnId, failure: &ErrorInfo, step: &mut SessionStep<'_>) {
        if self.unbound.as_ref() == Some(turn) {
            self.refuse_unbound(failure, step);
        }
        if self.turn.as_ref() != Some(turn) {
            return;
        }
        (self.turn, self.cancel_until) = (self.next.take(), None);
        if self.phase != Phase::Closed {
            self.phase = if self.turn.is_some() { Phase::Running } else { Phase::Idle };
        }
    }

    fn refuse_unbound(&mut self, error: &ErrorInfo, step: &mut SessionStep<'_>) {
        if let Some(asked) = self.unbound.take() {
            step.news.push(News::NotBound { asked, error: error.clone() });
        }
    }
}

/// How a turn ended, if this ends it: what to tell somebody whose prompt was never taken.
fn end_of_turn(event: &StreamEvent) -> Option<ErrorInfo> {
    match event {
        StreamEvent::ResponseError(failed) => Some(failed.error.clone()),
        StreamEvent::ResponseDone(done) => Some(done.error.clone().unwrap_or_else(|| {
            ErrorInfo::new(ErrorCode::ResponseError, "the turn ended before the agent took its prompt")
        })),
        StreamEvent::ResponseStart(_)
        | StreamEvent::ItemStart(_)
        | StreamEvent::ItemDelta(_)
        | StreamEvent::ItemDone(_)
        | StreamEvent::ItemError(_)
        | StreamEvent::ItemCancelled(_)
        | StreamEvent::UsageUpdate(_) => None,
    }
}
