//! The upsert processor: one turn's events in, full states of its items out. Owns the items of that turn and
//! when they go out. Knows no clock, no agent and no wire: time is given, and a [`Sink`] takes what leaves.
//!
//! Its owner calls [`handle_event`](UpsertProcessor::handle_event) for each event and
//! [`handle_timeout`](UpsertProcessor::handle_timeout) when [`next_deadline`](UpsertProcessor::next_deadline) has
//! come. A delta that does not fill a batch costs the same however long its text has grown.

mod buffers;
mod deadlines;
mod detached;
mod emission;
mod endings;
mod escaped;
mod gradient;
mod growing;
mod items;
mod limits;
mod rules;
mod texts;
mod tokens;
mod tool_calls;
mod whole_items;

use std::sync::Arc;
use std::time::Duration;

pub use buffers::BufferInfo;
pub use emission::{Emission, Outcome, Sink, TurnChange, TurnRef};
pub use escaped::EscapedText;
pub use rules::{Config, ExtraItems, Profile};

use crate::envelope::StreamEventEnvelope;
use crate::event::{FinalItem, ItemDelta, ItemDone, ItemKind, ItemStart, ResponseStart, StreamEvent};
use crate::ids::{CallId, ItemId, SessionId, TurnId};
use crate::time::{Now, Timestamp};
use crate::trace_context::TraceContext;
use crate::upsert::{PlanBody, Upsert, UpsertBody, UpsertStatus};
use deadlines::Deadlines;
use items::{ItemState, Items, Known, OpenItem, Ordinal};
use limits::Fit;
use rules::{Rules, ToolRule};

/// Turns one turn's events into outputs.
#[derive(Debug)]
pub struct UpsertProcessor {
    turn: Turn,
    config: Config,
    rules: Rules,
    items: Items,
    deadlines: Deadlines,
    dropped: Dropped,
}

/// Events that had no effect, by reason. Not an error: agents are untrusted writers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// The turn was over.
    pub after_end: u64,
    /// The item was over.
    pub late: u64,
    /// No such item.
    pub unknown_item: u64,
    /// The event contradicts an earlier one, or belongs to another turn.
    pub contradiction: u64,
    /// The item was as long as it may be.
    pub too_long: u64,
}

impl std::ops::Add for Dropped {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            after_end: self.after_end + other.after_end,
            late: self.late + other.late,
            unknown_item: self.unknown_item + other.unknown_item,
            contradiction: self.contradiction + other.contradiction,
            too_long: self.too_long + other.too_long,
        }
    }
}

#[derive(Debug)]
struct Turn {
    session_id: SessionId,
    turn_id: TurnId,
    provider_id: Option<String>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Started,
    Ended,
}

/// Where and when an emission comes from.
#[derive(Debug, Clone, Copy)]
struct Cause<'a> {
    source: Timestamp,
    now: Now,
    /// The trace of the event that it comes from.
    trace: Option<&'a Arc<TraceContext>>,
}

impl UpsertProcessor {
    /// A processor for one turn.
    #[must_use]
    pub fn new(session_id: SessionId, turn_id: TurnId, config: Config) -> Self {
        Self {
            turn: Turn { session_id, turn_id, provider_id: None, phase: Phase::Waiting },
            rules: config.profile.rules(),
            config,
            items: Items::default(),
            deadlines: Deadlines::default(),
            dropped: Dropped::default(),
        }
    }

    /// Takes one event; what is due because of it goes to `out`.
    pub fn handle_event(&mut self, event: &StreamEventEnvelope, now: Now, out: &mut dyn Sink) {
        if event.turn_id != self.turn.turn_id || event.session_id != self.turn.session_id {
            let is_over = self.turn.phase == Phase::Ended;
            *(if is_over { &mut self.dropped.after_end } else { &mut self.dropped.contradiction }) += 1;
            return;
        }
        let cause = Cause { source: event.timestamp, now, trace: event.trace_context.as_ref() };
        if self.turn.phase == Phase::Ended {
            return self.handle_after_end(&event.payload, cause, out);
        }
        self.handle_payload(&event.payload, cause, out);
    }

    fn handle_payload(&mut self, payload: &StreamEvent, cause: Cause<'_>, out: &mut dyn Sink) {
        match payload {
            StreamEvent::ItemDelta(delta) => self.delta(delta, cause, out),
            StreamEvent::ResponseStart(start) => self.start_turn(start, cause, out),
            StreamEvent::ItemStart(start) => self.start_item(start, cause, out),
            StreamEvent::ItemDone(done) => self.finish_item(done, cause, out),
            StreamEvent::ItemError(failed) => self.fail_item(failed, cause, out),
            StreamEvent::ItemCancelled(cancelled) => self.forget_item(&cancelled.item_id, cause, out),
            StreamEvent::UsageUpdate(_) => {} // the session's state shows it; no item does
            StreamEvent::ResponseDone(done) => self.end_turn(done, cause, out),
            StreamEvent::ResponseError(failed) => self.break_turn(&failed.error, cause, out),
        }
    }

    /// When to call [`handle_timeout`](Self::handle_timeout), on the clock of [`Now::mono`]. It may turn out that
    /// nothing is due then; nothing is due before.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        self.deadlines.next()
    }

    /// Gives out what has waited long enough.
    pub fn handle_timeout(&mut self, now: Now, out: &mut dyn Sink) {
        while let Some(ordinal) = self.deadlines.pop_until(now.mono) {
            let Some(growing) = self.items.get_mut(ordinal).and_then(OpenItem::growing_mut) else { continue };
            growing.queued = false;
            match growing.deadline() {
                Some(deadline) if deadline > now.mono => self.deadlines.watch(ordinal, growing),
                Some(_) => self.emit_growing(ordinal, now, out),
                None => {}
            }
        }
    }

    /// Whether the turn is over and nothing of it runs in the background: nothing goes out any more.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.turn.phase == Phase::Ended && self.items.is_empty()
    }

    /// How many events had no effect.
    #[must_use]
    pub const fn dropped(&self) -> Dropped {
        self.dropped
    }

    fn start_turn(&mut self, start: &ResponseStart, cause: Cause<'_>, out: &mut dyn Sink) {
        if self.turn.phase != Phase::Waiting {
            self.dropped.contradiction += 1;
            return;
        }
        self.turn.phase = Phase::Started;
        self.turn.provider_id = Some(start.provider_id.clone());
        let ResponseStart { model_id, provider_id } = start.clone();
        self.turn.change(TurnChange::Started { model_id, provider_id }, cause.now, cause.trace, out);
    }

    fn start_item(&mut self, start: &ItemStart, cause: Cause<'_>, out: &mut dyn Sink) {
        match (self.items.find(&start.item_id), &start.kind) {
            (None, _) => {}
            (Some(Known::Closed), ItemKind::FunctionCall(call))
                if call.detached && self.rules.tools == ToolRule::SeparateItems =>
            {
                self.items.detached_outputs.insert(call.call_id.clone());
                return;
            }
            (Some(Known::Closed), _) => return self.dropped.late += 1,
            (Some(Known::Open(ordinal)), ItemKind::Plan(plan)) => {
                return self.replace_plan(ordinal, plan, cause, out);
            }
            (Some(Known::Open(ordinal)), ItemKind::FunctionCall(call)) => {
                return self.restart_call(ordinal, start, call, cause, out);
            }
            (Some(Known::Open(_)), _) => return self.dropped.contradiction += 1,
        }
        match &start.kind {
            ItemKind::Message | ItemKind::Reasoning => self.start_text(start, cause, out),
            ItemKind::FunctionCall(call) => self.start_call(start, call, cause, out),
            ItemKind::FunctionCallOutput(output) => self.start_output(start, output, cause),
            ItemKind::Plan(plan) => self.start_whole(start, ItemState::Plan(plan.clone()), cause, out),
            ItemKind::Permission(asked) => {
                self.start_whole(start, ItemState::Permission(asked.clone()), cause, out);
            }
        }
    }

    fn delta(&mut self, delta: &ItemDelta, cause: Cause<'_>, out: &mut dyn Sink) {
        let Some(ordinal) = self.find_open(&delta.item_id) else { return };
        let Some(item) = self.items.get_mut(ordinal) else { return };
        item.source = cause.source;
        item.trace = cause.trace.cloned();
        match &mut item.state {
            ItemState::Text(text) => {
                let fit = text.growing.push(&delta.delta_content, cause.now.mono, &self.config);
                if fit != Fit::Whole {
                    return self.end_too_long(&delta.item_id, cause, out);
                }
                if text.held {
                    return;
                }
                if text.growing.is_due(self.rules) {
                    let status = text.growing.emit(&self.config, self.rules);
                    self.turn.emit_text(item, status, cause, out);
                } else {
                    self.deadlines.watch(ordinal, &mut text.growing);
                }
            }
            ItemState::Output(output) => {
                self.dropped.too_long += output.grow(&delta.delta_content, cause, &self.config);
                self.show_live_output(ordinal, cause, out);
            }
            ItemState::Call(call) => {
                let fit = call.stream(&delta.delta_content, self.config.item_bytes);
                self.dropped.too_long += u64::from(fit != Fit::Whole);
            }
            ItemState::Plan(_) | ItemState::Permission(_) => self.dropped.contradiction += 1,
        }
    }

    fn finish_item(&mut self, done: &ItemDone, cause: Cause<'_>, out: &mut dyn Sink) {
        match &done.final_item {
            FinalItem::Message(message) => self.finish_message(&done.item_id, message, cause, out),
            FinalItem::Reasoning(reasoning) => self.finish_reasoning(&done.item_id, reasoning, cause, out),
            FinalItem::FunctionCall(call) => self.finish_call(&done.item_id, call, cause, out),
            FinalItem::FunctionCallOutput(output) => self.finish_output(&done.item_id, output, cause, out),
            FinalItem::Plan(plan) => {
                let body = UpsertBody::Plan(PlanBody { entries: plan.entries.clone() });
                self.finish_whole(
                    &done.item_id,
                    body,
                    |state| matches!(state, ItemState::Plan(_)),
                    cause,
                    out,
                );
            }
            FinalItem::Permission(settled) => self.finish_permission(&done.item_id, settled, cause, out),
        }
    }

    /// Ends the item that a finished one names. The inner `None` is an item that was never started; the outer one
    /// is an event to be dropped.
    #[expect(clippy::option_option, reason = "both questions have the answer no")]
    fn close_matching(&mut self, id: &ItemId, matching: fn(&ItemState) -> bool) -> Option<Option<OpenItem>> {
        match self.items.find(id) {
            Some(Known::Closed) => {
                self.dropped.late += 1;
                None
            }
            Some(Known::Open(ordinal)) => {
                if self.items.get(ordinal).is_some_and(|item| matching(&item.state)) {
                    return Some(self.items.close(ordinal));
                }
                self.dropped.contradiction += 1;
                None
            }
            None => {
                self.items.mark_closed(id);
                Some(None)
            }
        }
    }

    fn forget_item(&mut self, id: &ItemId, cause: Cause<'_>, out: &mut dyn Sink) {
        match self.items.find(id) {
            Some(Known::Open(ordinal)) if self.items.get(ordinal).is_some_and(OpenItem::is_detached_call) => {
                self.abandon_detached(id, cause, out);
            }
            Some(Known::Open(ordinal)) => drop(self.items.close(ordinal)),
            Some(Known::Closed) => self.dropped.late += 1,
            None => self.items.mark_closed(id),
        }
    }

    fn find_open(&mut self, id: &ItemId) -> Option<Ordinal> {
        match self.items.find(id) {
            Some(Known::Open(ordinal)) => return Some(ordinal),
            Some(Known::Closed) => self.dropped.late += 1,
            None => self.dropped.unknown_item += 1,
        }
        None
    }

    fn insert(&mut self, start: &ItemStart, state: ItemState, cause: Cause<'_>) -> Ordinal {
        self.items.insert(OpenItem {
            id: start.item_id.clone(),
            parent_call_id: start.parent_call_id.clone(),
            source: cause.source,
            trace: cause.trace.cloned(),
            state,
        })
    }
}

impl Turn {
    fn upsert(
        &self,
        id: &ItemId,
        parent: Option<&CallId>,
        status: UpsertStatus,
        cause: Cause<'_>,
        body: UpsertBody,
    ) -> Upsert {
        Upsert {
            turn_id: self.turn_id.clone(),
            session_id: self.session_id.clone(),
            item_id: id.clone(),
            source_timestamp: cause.source,
            emitted_at: cause.now.wall.into(),
            started_at: None,
            status,
            error_code: None,
            error_message: None,
            parent_call_id: parent.cloned(),
            body,
        }
    }

    fn change(
        &self,
        change: TurnChange,
        now: Now,
        trace_context: Option<&Arc<TraceContext>>,
        out: &mut dyn Sink,
    ) {
        let (turn_id, session_id) = (&self.turn_id, &self.session_id);
        out.turn(&TurnRef { turn_id, session_id, emitted_at: now.wall, trace_context }, change);
    }

    fn provider(&self) -> String {
        self.provider_id.clone().unwrap_or_else(|| "unknown".to_owned())
    }
}
