//! The tool calls of a turn. Owns which of them wait for a result, so that none is closed twice or left open.

mod background;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Map;

use super::permissions::Asked;
use super::task_list;
use super::tool_result::call_details;
use super::wire::{Call, CallResult};
use crate::dialect::plan_item::PlanItem;
use crate::dialect::requested_input::shown_input;
use crate::dialect::{Step, TurnWriter};
use crate::error::ErrorInfo;
use crate::event::{
    CancelReason, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallStart, ItemKind,
    ItemStart, Plan, StreamEvent, ToolArguments, ToolDetails,
};
use crate::ids::{CallId, ItemId};
use crate::json;
use background::Background;

#[derive(Debug, Default)]
pub(super) struct Calls {
    known: BTreeMap<CallId, Known>,
    /// The tool and its input as permission was asked for them. They are the truth: what the model announces after the
    /// request changes nothing.
    requested: BTreeMap<CallId, (String, ToolArguments)>,
    /// The task lists of the agent, and of the sub-agent of each call.
    plans: BTreeMap<Option<CallId>, PlanItem>,
}

#[derive(Debug)]
struct Known {
    item_id: ItemId,
    name: String,
    /// The call whose sub-agent made it.
    parent: Option<CallId>,
    state: State,
    /// Its work goes on after its immediate result.
    background: Option<Background>,
    /// The tool and its input as the model announced them.
    announced: Option<(String, ToolArguments)>,
}

impl Known {
    fn new(item_id: ItemId, name: &str, parent: Option<&CallId>, state: State) -> Self {
        let (name, parent) = (name.to_owned(), parent.cloned());
        Self { item_id, name, parent, state, background: None, announced: None }
    }

    /// Nothing asks for the input of a call that is over, and a turn may have many.
    fn close(&mut self) {
        (self.state, self.announced, self.background) = (State::Closed, None, None);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its arguments are still being written.
    Announced,
    /// It is complete and waits for its result.
    Called,
    Closed,
}

impl Calls {
    /// A call begins, its arguments are to come. Gives nothing if the call is known, or may show as something else.
    pub(super) fn announce(
        &mut self,
        call: &Call,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) -> Option<ItemId> {
        if self.known.contains_key(&call.id) || call.name == task_list::WHOLE {
            return None;
        }
        let item_id = writer.start(started(call), None, step);
        self.insert(&call.id, Known::new(item_id.clone(), &call.name, None, State::Announced));
        Some(item_id)
    }

    /// A call's arguments grow.
    pub(super) fn grow(&self, id: &CallId, added: &str, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let Some(known) = self.known.get(id).filter(|known| known.state == State::Announced) else { return };
        writer.delta(&known.item_id, added, step);
    }

    /// A call is complete. A call that has been is not told again.
    pub(super) fn call(
        &mut self,
        mut call: Call,
        parent: Option<&CallId>,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        if let Some((name, input)) = self.requested.get(&call.id) {
            (call.name, call.input) = (name.clone(), Map::clone(input));
        }
        let item_id = match self.known.get_mut(&call.id) {
            Some(Known { state: State::Called | State::Closed, .. }) => return,
            Some(known) => {
                known.state = State::Called;
                known.item_id.clone()
            }
            None => {
                if let Some(plan) = task_list::whole(&call.name, &call.input) {
                    let item_id = ItemId::from(call.id.as_str());
                    self.insert(&call.id, Known::new(item_id, &call.name, parent, State::Closed));
                    return self.plan(plan, parent, writer, step);
                }
                self.insert_called(&call, parent, writer, step)
            }
        };
        let details = call_details(&call.name, &call.input);
        let Call { id, name, input } = call;
        let arguments = Arc::new(input);
        if let Some(known) = self.known.get_mut(&id) {
            known.name.clone_from(&name);
            known.announced = Some((name.clone(), arguments.clone()));
        }
        let call = FunctionCallItem { name, call_id: id, arguments, raw_arguments: None, details };
        writer.done(&item_id, FinalItem::FunctionCall(call), step);
    }

    /// The agent requests permission for a call. The request's own tool and input are what will run, so they replace what was
    /// announced, and the request says what that was if it differs.
    pub(super) fn request(&mut self, asked: &mut Asked, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let (id, name) = (&asked.shown.call_id, &asked.shown.tool_name);
        self.requested.insert(id.clone(), (name.clone(), asked.input.clone()));
        let Some(known) = self.known.get_mut(id) else { return };
        let Some(announced) = known.announced.take() else { return };
        let is_other_tool = announced.0 != *name;
        if !is_other_tool && announced.1 == asked.input {
            return;
        }
        asked.shown.announced_tool_name = is_other_tool.then_some(announced.0);
        asked.shown.announced_input = Some(shown_input(&announced.1).input);
        if known.state != State::Closed {
            let start = ItemStart {
                item_id: known.item_id.clone(),
                kind: requested_call(asked),
                initial_content: Some(json::text(&asked.input)),
                parent_call_id: None,
            };
            writer.write(StreamEvent::ItemStart(start), step);
        }
    }

    /// The task list is another.
    pub(super) fn plan(
        &mut self,
        plan: Plan,
        parent: Option<&CallId>,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        self.plans.entry(parent.cloned()).or_default().show(plan, parent, writer, step);
    }

    /// The task lists stay as they are.
    pub(super) fn finish_plans(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let is_over = |call: &Option<CallId>| call.as_ref().is_none_or(|call| !self.is_in_background(call));
        let over: Vec<Option<CallId>> = self.plans.keys().filter(|call| is_over(call)).cloned().collect();
        for call in over {
            self.plans.entry(call).or_default().finish(writer, step);
        }
    }

    /// A call that replaces one which was announced and never came.
    pub(super) fn replace(&mut self, old: &CallId, new: &CallId) {
        let announced = self.known.get_mut(old).filter(|known| known.state == State::Announced && old != new);
        let Some(known) = announced else { return };
        known.state = State::Closed;
        let replacement = Known::new(known.item_id.clone(), &known.name, None, State::Announced);
        if !self.known.contains_key(new) {
            self.insert(new, replacement);
        }
    }

    /// A call gives its result; one for a call that nobody knows is told as well.
    pub(super) fn result(
        &mut self,
        result: CallResult,
        details: ToolDetails,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        let CallResult { id: call_id, output, is_error } = result;
        self.requested.remove(&call_id);
        match self.known.get_mut(&call_id) {
            Some(known) if known.state == State::Closed => return,
            Some(known) => known.close(),
            None => {
                let nameless = ItemId::from(call_id.as_str());
                self.insert(&call_id, Known::new(nameless, "unknown", None, State::Closed));
            }
        }
        let item_id = writer.next_item(step);
        let output = FunctionCallOutputItem { call_id, output, is_error, details };
        writer.done(&item_id, FinalItem::FunctionCallOutput(output), step);
    }

    /// A call is given up.
    pub(super) fn cancel(
        &mut self,
        id: &CallId,
        reason: Option<CancelReason>,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        let Some(known) = self.known.get_mut(id).filter(|known| known.state != State::Closed) else { return };
        known.close();
        writer.cancel(&known.item_id, reason, step);
    }

    pub(super) fn is_known(&self, id: &CallId) -> bool {
        self.known.contains_key(id)
    }

    pub(super) fn is_open(&self, id: &CallId) -> bool {
        self.known.get(id).is_some_and(|known| known.state != State::Closed)
    }

    /// Gives up every call that waits and is not in the background.
    pub(super) fn cancel_all(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let reason = Some(CancelReason::UserCancel);
        self.waiting().iter().for_each(|id| self.cancel(id, reason, writer, step));
    }

    /// A call comes to nothing.
    pub(super) fn fail(
        &mut self,
        id: &CallId,
        error: &ErrorInfo,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        let Some(known) = self.known.get_mut(id).filter(|known| known.state != State::Closed) else { return };
        known.close();
        writer.fail(&known.item_id, error.clone(), step);
    }

    /// Fails every call that waits and is not in the background.
    pub(super) fn fail_all(&mut self, error: &ErrorInfo, writer: &mut TurnWriter, step: &mut Step<'_>) {
        self.waiting().iter().for_each(|id| self.fail(id, error, writer, step));
    }

    fn waiting(&self) -> Vec<CallId> {
        let waits = |id: &&CallId| self.is_open(id) && !self.is_in_background(id);
        self.known.keys().filter(waits).cloned().collect()
    }

    /// Only a call inside another needs a start: the start is where its parent is told.
    fn insert_called(
        &mut self,
        call: &Call,
        parent: Option<&CallId>,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) -> ItemId {
        let item_id = match parent {
            Some(_) => writer.start_with(started(call), Some(json::text(&call.input)), parent, step),
            None => writer.next_item(step),
        };
        self.insert(&call.id, Known::new(item_id.clone(), &call.name, parent, State::Called));
        item_id
    }

    fn insert(&mut self, id: &CallId, known: Known) {
        self.known.insert(id.clone(), known);
    }
}

fn requested_call(asked: &Asked) -> ItemKind {
    ItemKind::FunctionCall(FunctionCallStart {
        name: asked.shown.tool_name.clone(),
        call_id: asked.shown.call_id.clone(),
        details: call_details(&asked.shown.tool_name, &asked.input),
        detached: false,
    })
}

fn started(call: &Call) -> ItemKind {
    ItemKind::FunctionCall(FunctionCallStart {
        name: call.name.clone(),
        call_id: call.id.clone(),
        details: call_details(&call.name, &call.input),
        detached: false,
    })
}
