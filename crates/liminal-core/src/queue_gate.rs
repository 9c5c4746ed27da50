//! When queued messages may be sent. Owns the pause of a session's queue: what begins it, what ends it, and which
//! message goes next. Knows neither the agent nor the disk: the owner of the queue reports [`QueueEvent`]s and asks
//! [`QueueGate::next`] whenever no turn runs.
//!
//! The queue is *open*, or *paused* for the first reason that applied. An empty queue is always open.
//!
//! | event | open, with messages | paused for *R* |
//! |---|---|---|
//! | [`Rejected`](QueueEvent::Rejected) | paused, `rejected` | *R* stays |
//! | [`TimedOut`](QueueEvent::TimedOut) | paused, `timeout` | *R* stays |
//! | [`TurnEnded`](QueueEvent::TurnEnded), completed | open | *R* stays |
//! | [`TurnEnded`](QueueEvent::TurnEnded), cancelled | paused, `cancelled`; open if interrupted | *R* stays |
//! | [`TurnEnded`](QueueEvent::TurnEnded), failed | paused, `failed` | *R* stays |
//! | [`AgentLost`](QueueEvent::AgentLost) | paused, `failed` | *R* stays |
//! | [`NotSent`](QueueEvent::NotSent) | paused, `failed`; nothing is urgent | *R* stays; nothing is urgent |
//! | [`Stopped`](QueueEvent::Stopped) | paused, `cancelled`; nothing is urgent | *R* stays; nothing is urgent |
//! | [`Interrupted`](QueueEvent::Interrupted) | open; the turn may end cancelled | *R* stays |
//! | [`Restarted`](QueueEvent::Restarted) | paused, `restart`; nothing is urgent | *R* stays; nothing is urgent |
//! | [`Urgent`](QueueEvent::Urgent) | open; the message goes next | *R* stays; the message goes next |
//! | [`Resumed`](QueueEvent::Resumed) | open | open |
//! | [`Changed`](QueueEvent::Changed), now empty | open | open |

use crate::event::SettledBy;
use crate::upsert::{PermissionBody, TurnEvent, TurnStatus};
use crate::wire::rest::QueuedMessage;
use crate::wire::view::QueuePause;

/// Something that decides whether queued messages may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueEvent<'a> {
    /// A person rejected a request, or skipped a question.
    Rejected,
    /// A request was rejected because nobody answered it in time.
    TimedOut,
    /// A turn is over.
    TurnEnded(TurnOutcome),
    /// The agent ended by itself. It may have done so between two turns.
    AgentLost,
    /// A queued message could not be sent; it is in the queue again.
    NotSent,
    /// A person stopped the session.
    Stopped,
    /// The agent was asked to stop the running turn, for a person who stopped the session or sent an urgent message.
    Interrupted,
    /// The server was started anew, or took the session over from another server.
    Restarted,
    /// A person asked for this message to be sent next, whether or not the queue is paused.
    Urgent(&'a str),
    /// A person resumed the queue.
    Resumed,
    /// Messages were added, removed, changed or sent.
    Changed,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The agent finished.
    Completed,
    /// It was stopped.
    Cancelled,
    /// It failed.
    Failed,
}

/// What becomes of a message that a client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It goes to the agent at once, which refuses it while a turn runs.
    Now,
    /// It waits behind the others.
    Waits,
}

/// Decides which queued message may be sent. The messages themselves are passed in, because they are stored elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueGate {
    paused: Option<QueuePause>,
    /// The id of the message that goes next even while the queue is paused.
    urgent: Option<String>,
    /// The running turn was asked to stop, so a person knows that it ends cancelled. Who resumes the queue before it has
    /// ended need not do so again.
    is_interrupted: bool,
}

impl QueueGate {
    /// The gate of a queue that was stored by an earlier server, with the reason that was stored beside it.
    #[must_use]
    pub fn restored(reason: Option<QueuePause>, waiting: &[QueuedMessage]) -> Self {
        let mut gate = Self { paused: reason, ..Self::default() };
        gate.handle(QueueEvent::Restarted, waiting);
        gate
    }

    /// Why the queue is paused, if it is.
    #[must_use]
    pub const fn paused(&self) -> Option<QueuePause> {
        self.paused
    }

    /// Takes one event; `waiting` is the queue after it.
    pub fn handle(&mut self, event: QueueEvent<'_>, waiting: &[QueuedMessage]) {
        match event {
            QueueEvent::Rejected => self.pause(QueuePause::Rejected),
            QueueEvent::TimedOut => self.pause(QueuePause::Timeout),
            QueueEvent::TurnEnded(outcome) => self.turn_ended(outcome),
            QueueEvent::AgentLost => self.pause(QueuePause::Failed),
            QueueEvent::NotSent => self.halt(QueuePause::Failed),
            QueueEvent::Stopped => self.halt(QueuePause::Cancelled),
            QueueEvent::Interrupted => self.is_interrupted = true,
            QueueEvent::Restarted => self.halt(QueuePause::Restart),
            QueueEvent::Urgent(id) => self.urgent = Some(id.to_owned()),
            QueueEvent::Resumed => self.paused = None,
            QueueEvent::Changed => {}
        }
        if waiting.is_empty() {
            self.paused = None;
        }
        self.urgent.take_if(|urgent| waiting.iter().all(|message| message.id != *urgent));
    }

    /// The message to send when no turn runs.
    #[must_use]
    pub fn next<'q>(&self, waiting: &'q [QueuedMessage]) -> Option<&'q QueuedMessage> {
        match (&self.urgent, self.paused) {
            (Some(urgent), _) => waiting.iter().find(|message| message.id == *urgent),
            (None, None) => waiting.first(),
            (None, Some(_)) => None,
        }
    }

    /// Whether a message that a client sends waits. One that is sent while the queue is paused does not wait for the
    /// queue, only for a running turn.
    #[must_use]
    pub const fn admit(&self, waiting: &[QueuedMessage], is_busy: bool, may_wait: bool) -> Admission {
        let is_behind_others = self.paused.is_none() && !waiting.is_empty();
        if may_wait && (is_busy || is_behind_others) { Admission::Waits } else { Admission::Now }
    }

    fn turn_ended(&mut self, outcome: TurnOutcome) {
        let was_interrupted = std::mem::take(&mut self.is_interrupted);
        match outcome {
            TurnOutcome::Completed => {}
            TurnOutcome::Cancelled if was_interrupted => {}
            TurnOutcome::Cancelled => self.pause(QueuePause::Cancelled),
            TurnOutcome::Failed => self.pause(QueuePause::Failed),
        }
    }

    fn pause(&mut self, reason: QueuePause) {
        self.paused.get_or_insert(reason);
    }

    fn halt(&mut self, reason: QueuePause) {
        self.urgent = None;
        self.pause(reason);
    }
}

impl TurnOutcome {
    /// How a turn ended, if this event ends it.
    #[must_use]
    pub const fn of(event: &TurnEvent) -> Option<Self> {
        match event {
            TurnEvent::TurnStarted { .. } => None,
            TurnEvent::TurnComplete { status: TurnStatus::Completed, .. } => Some(Self::Completed),
            TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. } => Some(Self::Cancelled),
            TurnEvent::TurnError { .. } => Some(Self::Failed),
        }
    }
}

impl QueueEvent<'static> {
    /// What a settled request means for the queue, if it was rejected.
    #[must_use]
    pub fn of_request(request: &PermissionBody) -> Option<Self> {
        let outcome = request.outcome.as_ref()?;
        if outcome.by == SettledBy::Timeout {
            return Some(Self::TimedOut);
        }
        let chosen = outcome.option_id.as_deref()?;
        let option = request.request.options.iter().find(|option| option.option_id == chosen)?;
        option.kind.is_rejection().then_some(Self::Rejected)
    }
}

#[cfg(test)]
mod tests;
