//! Turns as canonical events. Owns ids and order: a sub-agent's items stand next to the result of the call that
//! started it, and nothing is left open at the end of a turn. Work in the background is written where it began, though it
//! may have ended after the turn.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::super::task_end::TaskEnd;
use super::super::tasks::Task;
use super::calls::{self, Calls};
use super::runs::{Ended, Runs};
use super::sub_agents::SubAgents;
use super::turn::{Ending, Entry, Turn, What};
use crate::envelope::StreamEventEnvelope;
use crate::error::ErrorInfo;
use crate::event::{
    FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart, FunctionCallStart,
    ItemDone, ItemError, ItemKind, ItemStart, ReasoningItem, ResponseDone, ResponseStart, ResponseStatus,
    StreamEvent, ToolDetails,
};
use crate::ids::{CallId, EventId, ItemId, SessionId, TurnId};
use crate::json;
use crate::time::Timestamp;

/// Who offers the models.
const PROVIDER: &str = "claude-code";
/// The code of a call that never got its result.
pub(crate) const INTERRUPTED: &str = "INTERRUPTED";
/// Sub-agents of sub-agents beyond this depth are no work of an agent.
const DEPTH: usize = 16;

/// Writes the turns of one session.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    session_id: &'a SessionId,
    calls: &'a Calls,
    runs: &'a Runs,
    sub_agents: &'a mut SubAgents,
    /// The calls in the background.
    launched: HashMap<CallId, (ItemId, Task)>,
    /// The model of the turn before, for turns that no model answered.
    model: String,
    turn_id: TurnId,
    next_item: u64,
    next_event: u64,
    events: Vec<StreamEventEnvelope>,
}

/// A conversation: the main one, or that of a sub-agent.
#[derive(Debug)]
struct Lane<'a> {
    parent: Option<&'a CallId>,
    depth: usize,
    /// What becomes of its calls without a result.
    cut_off: ErrorInfo,
}

impl Lane<'_> {
    fn main() -> Self {
        Self { parent: None, depth: 0, cut_off: interrupted() }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        session_id: &'a SessionId,
        calls: &'a Calls,
        runs: &'a Runs,
        sub_agents: &'a mut SubAgents,
    ) -> Self {
        Self {
            session_id,
            calls,
            runs,
            sub_agents,
            launched: HashMap::new(),
            model: "unknown".to_owned(),
            turn_id: TurnId::from(""),
            next_item: 0,
            next_event: 0,
            events: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<StreamEventEnvelope> {
        self.events
    }

    pub(super) fn turn(&mut self, mut turn: Turn, is_last: bool) {
        (self.turn_id, self.next_item, self.next_event) = (turn.id.clone(), 0, 0);
        if let Some(model) = turn.model.take() {
            self.model = model;
        }
        let start = ResponseStart { model_id: self.model.clone(), provider_id: PROVIDER.to_owned() };
        self.event(turn.started, StreamEvent::ResponseStart(start));
        let is_dangling = self.entries(std::mem::take(&mut turn.entries), &Lane::main());
        let is_unanswered = is_last && turn.asked && !turn.answered;
        let at = turn.touched;
        let done = response_done(turn, is_dangling || is_unanswered);
        self.event(at, StreamEvent::ResponseDone(done));
    }

    /// Writes entries and the end of each call that has none; tells whether there was one.
    fn entries(&mut self, entries: Vec<Entry>, lane: &Lane<'_>) -> bool {
        let parent = lane.parent;
        let mut dangling = Vec::new();
        let mut last = None;
        for Entry { at, what } in entries {
            last = Some(at);
            match what {
                What::Call(call) if !self.calls.is_answered(&call.call_id) => {
                    dangling.push((self.dangling_call(at, &call, parent), call.call_id));
                }
                What::Output(output) => {
                    let call_id = output.call_id.clone();
                    // The call of a background agent has its result before the agent has begun.
                    let is_background = self.sub_agents.begins_after(&call_id, at);
                    if !is_background {
                        self.sub_agent(&call_id, lane, interrupted());
                    }
                    self.done(at, FinalItem::FunctionCallOutput(output), None);
                    self.sub_agent(&call_id, lane, interrupted());
                }
                What::Launch(call_id) => self.background(at, &call_id, lane),
                What::Continued(call_id) => {
                    self.continued_call(at, &call_id);
                    self.background(at, &call_id, lane);
                }
                What::Message(message) => self.done(at, FinalItem::Message(message), parent),
                What::Reasoning(content) => {
                    let reasoning = ReasoningItem { content, provider_id: PROVIDER.to_owned() };
                    self.done(at, FinalItem::Reasoning(reasoning), parent);
                }
                What::Plan(plan) => self.done(at, FinalItem::Plan(plan), parent),
                What::Call(call) if self.runs.has(&call.call_id) => self.detached_call(at, call, parent),
                What::Call(call) => self.done(at, FinalItem::FunctionCall(call), parent),
            }
        }
        let is_dangling = !dangling.is_empty();
        for ((item_id, call_id), at) in dangling.into_iter().zip(last.into_iter().cycle()) {
            self.sub_agent(&call_id, lane, interrupted());
            self.event(at, StreamEvent::ItemError(ItemError { item_id, error: lane.cut_off.clone() }));
        }
        is_dangling
    }

    fn sub_agent(&mut self, call_id: &CallId, lane: &Lane<'_>, cut_off: ErrorInfo) {
        if lane.depth < DEPTH {
            let entries = self.sub_agents.take(call_id);
            self.entries(entries, &Lane { parent: Some(call_id), depth: lane.depth + 1, cut_off });
        }
    }

    /// Starts a call that runs in the background.
    fn detached_call(&mut self, at: Timestamp, call: FunctionCallItem, parent: Option<&CallId>) {
        let item_id = self.item_id();
        let mut task = Task::of_call(&call);
        if let Some((_, original)) = self.launched.get(self.runs.original(&call.call_id)) {
            task.description.clone_from(&original.description);
        }
        self.launched.insert(call.call_id.clone(), (item_id.clone(), task));
        let start = ItemStart {
            item_id: item_id.clone(),
            kind: call_start(&call, true),
            initial_content: None,
            parent_call_id: parent.cloned(),
        };
        self.event(at, StreamEvent::ItemStart(start));
        let final_item = FinalItem::FunctionCall(call);
        self.event(at, StreamEvent::ItemDone(ItemDone { item_id, final_item }));
    }

    /// Starts the call of a sub-agent that has continued by itself, as it shows while the agent is watched.
    fn continued_call(&mut self, at: Timestamp, call_id: &CallId) {
        let Some((_, original)) = self.launched.get(self.runs.original(call_id)) else { return };
        let description = Value::from(original.description.as_str());
        let input = Map::from_iter([("description".to_owned(), description)]);
        let call = calls::item("Agent", input, call_id.clone());
        self.detached_call(at, call, None);
    }

    /// Writes what a call did in the background, and how it ended.
    fn background(&mut self, at: Timestamp, call_id: &CallId, lane: &Lane<'_>) {
        let Some((item_id, task)) = self.launched.get(call_id).cloned() else { return };
        let Some(Ended { at: ended, how, shown }) = self.runs.ended(call_id, &task) else { return };
        self.sub_agent(call_id, lane, how.of_calls_below());
        let (at, call_id) = (ended.unwrap_or(at), call_id.clone());
        match how {
            TaskEnd::Finished { report: output, is_error, exit_code, .. } => {
                let details = ToolDetails { exit_code, ..ToolDetails::default() };
                let output = FunctionCallOutputItem { call_id, output, is_error, details };
                self.done(at, FinalItem::FunctionCallOutput(output), None);
            }
            TaskEnd::Ended(error) => {
                self.live_output(at, call_id, shown);
                self.event(at, StreamEvent::ItemError(ItemError { item_id, error }));
            }
        }
    }

    /// Shows what a call had shown when it was cut off.
    fn live_output(&mut self, at: Timestamp, call_id: CallId, shown: String) {
        if shown.is_empty() {
            return;
        }
        let start = ItemStart {
            item_id: self.item_id(),
            kind: ItemKind::FunctionCallOutput(FunctionCallOutputStart { call_id: Some(call_id) }),
            initial_content: Some(shown),
            parent_call_id: None,
        };
        self.event(at, StreamEvent::ItemStart(start));
    }

    /// Starts a call that nothing ends; its arguments are there from the start, since no later event brings them.
    fn dangling_call(&mut self, at: Timestamp, call: &FunctionCallItem, parent: Option<&CallId>) -> ItemId {
        let item_id = self.item_id();
        let start = ItemStart {
            item_id: item_id.clone(),
            kind: call_start(call, false),
            initial_content: Some(json::text(&call.arguments)),
            parent_call_id: parent.cloned(),
        };
        self.event(at, StreamEvent::ItemStart(start));
        item_id
    }

    /// Writes a finished item. Only a start can tell whose sub-agent it belongs to.
    fn done(&mut self, at: Timestamp, final_item: FinalItem, parent: Option<&CallId>) {
        let item_id = self.item_id();
        if let Some(parent) = parent {
            let kind = start_of(&final_item);
            let parent_call_id = Some(parent.clone());
            let start = ItemStart { item_id: item_id.clone(), kind, initial_content: None, parent_call_id };
            self.event(at, StreamEvent::ItemStart(start));
        }
        self.event(at, StreamEvent::ItemDone(ItemDone { item_id, final_item }));
    }

    fn item_id(&mut self) -> ItemId {
        let id = format!("{}/{}", self.turn_id, self.next_item);
        self.next_item += 1;
        ItemId::from(id)
    }

    fn event(&mut self, at: Timestamp, payload: StreamEvent) {
        self.events.push(StreamEventEnvelope {
            event_id: EventId::from(format!("{}#{}", self.turn_id, self.next_event)),
            timestamp: at,
            turn_id: self.turn_id.clone(),
            session_id: self.session_id.clone(),
            trace_context: None,
            payload,
        });
        self.next_event += 1;
    }
}

fn start_of(item: &FinalItem) -> ItemKind {
    match item {
        FinalItem::Reasoning(_) => ItemKind::Reasoning,
        FinalItem::FunctionCall(call) => call_start(call, false),
        FinalItem::Plan(plan) => ItemKind::Plan(plan.clone()),
        FinalItem::Message(_) | FinalItem::FunctionCallOutput(_) | FinalItem::Permission(_) => {
            ItemKind::Message
        }
    }
}

fn call_start(call: &FunctionCallItem, detached: bool) -> ItemKind {
    let FunctionCallItem { name, call_id, details, .. } = call.clone();
    ItemKind::FunctionCall(FunctionCallStart { name, call_id, details, detached })
}

fn response_done(turn: Turn, is_cut_short: bool) -> ResponseDone {
    let usage = turn.usage();
    let interrupted = || Some("interrupted".to_owned());
    let (status, finish_reason, error) = match turn.ending {
        Some(Ending::Failed(error)) => (ResponseStatus::Error, None, Some(error)),
        Some(Ending::Cancelled | Ending::Abandoned) => (ResponseStatus::Cancelled, interrupted(), None),
        None if is_cut_short => (ResponseStatus::Cancelled, interrupted(), None),
        None => (ResponseStatus::Completed, turn.finish_reason, None),
    };
    ResponseDone { status, finish_reason, error, usage }
}

fn interrupted() -> ErrorInfo {
    ErrorInfo {
        code: INTERRUPTED.to_owned(),
        message: "the call was interrupted before its result".to_owned(),
    }
}
