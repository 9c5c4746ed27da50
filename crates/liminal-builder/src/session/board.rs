//! What a session is and does right now, for everybody who looks. Owns the one view of it: the session's task writes it
//! while an agent runs, its keeper at other times, and readers are told of every change.

use std::collections::{BTreeMap, VecDeque};

use liminal_core::dialect::Notice;
use liminal_core::error::ErrorInfo;
use liminal_core::event::ToolArguments;
use liminal_core::ids::{ItemId, TurnId};
use liminal_core::queue_gate::{QueueEvent, QueueGate};
use liminal_core::session::Phase;
use liminal_core::time::{Now, Timestamp};
use liminal_core::upsert::{Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::guard::Guard;
use liminal_core::wire::rest::{QueuedMessage, SessionState};
use liminal_core::wire::view::{AgentView, BackgroundWork, ContextUse, QueuePause, SessionView};
use tokio::sync::watch;

use super::unstored::Unstored;
use crate::log::Batch;
use crate::provider::Guards;

/// Whoever answers later than so many questions has looked at an old page.
const SETTLED_KEPT: usize = 64;

/// A session right now.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// What clients are told.
    pub view: SessionView,
    /// The questions that wait for an answer, as they stand.
    pub asked: BTreeMap<ItemId, Upsert>,
    /// The whole inputs of those questions whose items show them cut.
    pub whole_inputs: BTreeMap<ItemId, ToolArguments>,
    /// Questions that were answered or lapsed, the newest last; so that whoever comes late is told that.
    pub settled: VecDeque<ItemId>,
    /// How many turns have ended, and whether the last one failed.
    pub turns_ended: u64,
    /// Whether the last turn failed.
    pub has_failed: bool,
    /// Whether the last turn showed a login, or failed for want of one; nothing, if it shows neither.
    pub login: Option<bool>,
    /// What the agent calls the conversation.
    pub agent_title: Option<String>,
    /// How many wishes the agent has refused, and why the last one.
    pub refused: (u64, Option<ErrorInfo>),
    /// Which modes and options ask.
    pub guards: Guards,
    /// Whether a person confirmed that the agent may act without asking.
    pub is_confirmed: bool,
    /// The last mode in which the agent was not unguarded, to which it can be moved back.
    pub guarded_mode: Option<String>,
    /// How often the agent became unguarded though nobody confirmed it.
    pub escapes: u64,
    /// Whether queued messages may be sent. Only its owner's: the view of another server's session has its pause alone.
    gate: QueueGate,
}

impl Live {
    fn new() -> Self {
        let view = SessionView {
            state: SessionState::Idle,
            is_alive: false,
            title: None,
            turn: None,
            turn_started_at: None,
            pending: Vec::new(),
            queue: Vec::new(),
            queue_paused: None,
            timed_out: false,
            background: None,
            is_stalled: false,
            is_diverged: false,
            is_archived: false,
            is_unguarded: false,
            guard: Guard::default(),
            failure: None,
            agent: AgentView::default(),
        };
        Self {
            view,
            asked: BTreeMap::new(),
            whole_inputs: BTreeMap::new(),
            settled: VecDeque::new(),
            turns_ended: 0,
            has_failed: false,
            login: None,
            agent_title: None,
            refused: (0, None),
            guards: Guards::default(),
            is_confirmed: false,
            guarded_mode: None,
            escapes: 0,
            gate: QueueGate::default(),
        }
    }

    /// The gate of the queue.
    #[must_use]
    pub const fn gate(&self) -> &QueueGate {
        &self.gate
    }

    /// The queued message to send now, if no turn runs and the queue is not paused.
    #[must_use]
    pub fn next_queued(&self) -> Option<&QueuedMessage> {
        self.gate.next(&self.view.queue).filter(|_| self.view.turn.is_none())
    }

    /// Shows a queue as it was stored, with the reason that was stored for its pause.
    pub fn restore_queue(&mut self, queue: Vec<QueuedMessage>, reason: Option<QueuePause>) {
        self.gate = QueueGate::restored(reason, &queue);
        (self.view.queue, self.view.queue_paused) = (queue, self.gate.paused());
    }

    fn queue_event(&mut self, event: QueueEvent<'_>) {
        self.gate.handle(event, &self.view.queue);
        self.view.queue_paused = self.gate.paused();
    }
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a session's view hangs. Clones are the same board.
#[derive(Debug, Clone, Default)]
pub struct Board(watch::Sender<Live>, watch::Sender<Unstored>);

impl Board {
    /// A reader of it.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Live> {
        self.0.subscribe()
    }

    /// A reader of what the full disk has not taken yet.
    #[must_use]
    pub fn unstored(&self) -> watch::Receiver<Unstored> {
        self.1.subscribe()
    }

    /// Shows what waits for room on the disk.
    pub(super) fn show_unstored(&self, batch: &Batch) {
        self.1.send_if_modified(|unstored| unstored.show(batch));
    }

    /// The disk has taken everything.
    pub(super) fn stored(&self) {
        self.1.send_if_modified(Unstored::clear);
    }

    /// What hangs there now.
    #[must_use]
    pub fn now(&self) -> Live {
        self.0.borrow().clone()
    }

    /// Changes it; readers are told only if something is different afterwards.
    pub fn change(&self, change: impl FnOnce(&mut Live)) {
        self.0.send_if_modified(|live| {
            let before = live.clone();
            change(live);
            *live != before
        });
    }

    /// Hangs up the messages that wait.
    pub fn queue(&self, queue: Vec<QueuedMessage>) {
        self.change(|live| {
            live.view.queue = queue;
            live.queue_event(QueueEvent::Changed);
        });
    }

    /// Something happened that may pause the queue or end its pause.
    pub fn queue_event(&self, event: QueueEvent<'_>) {
        self.change(|live| {
            live.view.timed_out |= event == QueueEvent::TimedOut;
            live.queue_event(event);
        });
    }

    /// A person acted in the session.
    pub fn acted(&self) {
        self.change(|live| live.view.timed_out = false);
    }

    /// The phase of a session whose agent runs, and how much it does in the background.
    pub(super) fn phase(&self, phase: Phase, turn: Option<&TurnId>, background: usize, now: Now) {
        let running = u32::try_from(background).unwrap_or(u32::MAX);
        let background = (running > 0).then_some(BackgroundWork { running });
        let unchanged = |live: &Live| {
            live.view.turn.as_ref() == turn
                && live.view.state == state(phase, live)
                && live.view.is_alive
                && live.view.background == background
        };
        if unchanged(&self.0.borrow()) {
            return;
        }
        self.change(|live| {
            if live.view.turn.as_ref() != turn {
                live.view.turn = turn.cloned();
                live.view.turn_started_at = turn.map(|_| Timestamp::from(now.wall));
            }
            live.view.is_alive = phase != Phase::Closed;
            live.view.background = background;
            live.view.state = state(phase, live);
        });
    }

    /// An agent serves the session from here on.
    pub(super) fn started(&self, pid: Option<u32>, guards: Guards) {
        self.change(|live| {
            live.guards = guards;
            (live.view.failure, live.view.is_stalled) = (None, false);
            live.view.agent.pid = pid;
        });
    }

    pub(super) fn stalled(&self, is_stalled: bool) {
        self.change(|live| live.view.is_stalled = is_stalled);
    }

    /// A permission item has a new state.
    pub(super) fn asked(&self, upsert: &Upsert) {
        if !matches!(upsert.body, UpsertBody::Permission(_)) {
            return;
        }
        self.change(|live| {
            match upsert.status {
                UpsertStatus::Create | UpsertStatus::Update => {
                    live.asked.insert(upsert.item_id.clone(), upsert.clone());
                }
                UpsertStatus::Complete | UpsertStatus::Error => live.settle(&upsert.item_id),
            }
            live.tell_pending();
        });
    }

    /// What the end of a turn shows of the agent's login.
    pub(super) fn login(&self, login: Option<bool>) {
        self.change(|live| live.login = login);
    }

    pub(super) fn turn_ended(&self, has_failed: bool) {
        self.change(|live| {
            live.turns_ended += 1;
            live.has_failed = has_failed;
        });
    }

    pub(super) fn notice(&self, notice: Notice) {
        self.change(|live| live.notice(notice));
    }

    /// The agent is gone; why, unless that was wished.
    pub(super) fn ended(&self, failure: Option<ErrorInfo>) {
        self.change(|live| {
            live.view.agent.pid = None;
            if failure.is_some() {
                live.queue_event(QueueEvent::AgentLost);
            }
            live.view.failure = failure;
        });
    }
}

impl Live {
    /// Judges the mode and the options in force; the view shows the result.
    pub fn judge(&mut self) {
        let agent = &mut self.view.agent;
        self.guards.mark(&mut agent.abilities);
        let guard = self.guards.in_force(agent).guard();
        let before = std::mem::replace(&mut self.view.guard, guard);
        self.view.is_unguarded = guard == Guard::Unguarded;
        if !self.view.is_unguarded {
            self.guarded_mode.clone_from(&agent.permission_mode);
        } else if before != Guard::Unguarded && !self.is_confirmed {
            self.escapes += 1;
        }
    }

    fn settle(&mut self, item: &ItemId) {
        self.asked.remove(item);
        self.whole_inputs.remove(item);
        if self.settled.len() >= SETTLED_KEPT {
            self.settled.pop_front();
        }
        self.settled.push_back(item.clone());
    }

    fn tell_pending(&mut self) {
        self.view.pending = self.asked.keys().cloned().collect();
        let is_in_turn = self.view.turn.is_some();
        let phase = match self.view.state {
            SessionState::Running | SessionState::Waiting if is_in_turn => Phase::Running,
            SessionState::Idle | SessionState::Waiting if self.view.is_alive => Phase::Idle,
            SessionState::Starting
            | SessionState::Idle
            | SessionState::Running
            | SessionState::Cancelling
            | SessionState::Waiting
            | SessionState::Closed => return,
        };
        self.view.state = state(phase, self);
    }

    fn notice(&mut self, notice: Notice) {
        let is_judged =
            matches!(notice, Notice::Ready(_) | Notice::PermissionMode { .. } | Notice::AgentOptions(_));
        self.take(notice);
        if is_judged {
            self.judge();
        }
    }

    fn take(&mut self, notice: Notice) {
        let agent = &mut self.view.agent;
        match notice {
            Notice::Ready(abilities) => agent.abilities = abilities,
            Notice::Model { model } => agent.model = Some(model),
            Notice::PermissionMode { mode } => agent.permission_mode = Some(mode),
            Notice::Title { title } => self.agent_title = Some(title),
            Notice::Commands(commands) => agent.abilities.commands = commands,
            Notice::AgentOptions(options) => agent.abilities.options = options,
            Notice::Context { used, size } => agent.context = Some(ContextUse { used, size }),
            Notice::WholeInput { item_id, input } => drop(self.whole_inputs.insert(item_id, input)),
            Notice::CommandRefused(error) => self.refused = (self.refused.0 + 1, Some(error)),
            Notice::Unknown { .. } => agent.unknown_lines += 1,
            Notice::TurnBound { .. }
            | Notice::TurnOpened { .. }
            | Notice::TurnMerged { .. }
            | Notice::Steered { .. }
            | Notice::NotSteered { .. }
            | Notice::AgentSession { .. }
            | Notice::FollowOutput { .. }
            | Notice::UnfollowOutput { .. }
            | Notice::AnswerRefused { .. }
            | Notice::Failed(_) => {}
        }
    }
}

/// In the words of the wire: a turn that asked something waits, and so does work in the background without a turn.
fn state(phase: Phase, live: &Live) -> SessionState {
    match phase {
        Phase::Starting => SessionState::Starting,
        Phase::Idle if live.asked.is_empty() => SessionState::Idle,
        Phase::Idle => SessionState::Waiting,
        Phase::Running if live.asked.is_empty() => SessionState::Running,
        Phase::Running => SessionState::Waiting,
        Phase::Cancelling => SessionState::Cancelling,
        Phase::Closed => SessionState::Closed,
    }
}
