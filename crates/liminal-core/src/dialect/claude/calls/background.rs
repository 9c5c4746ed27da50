//! Calls whose work goes on in the background. Owns their live output and how they end; whatever a sub-agent has open ends
//! with the call that started it.

use super::{Calls, Known, State};
use crate::dialect::claude::launch;
use crate::dialect::claude::task_end::TaskEnd;
use crate::dialect::claude::wire::CallResult;
use crate::dialect::{Step, TurnWriter};
use crate::event::{
    FinalItem, FunctionCallOutputItem, FunctionCallOutputStart, FunctionCallStart, ItemKind, ItemStart,
    StreamEvent, ToolDetails,
};
use crate::ids::{CallId, ItemId};
use crate::item_limit;

/// How deep sub-agents may nest; an agent may name a call as its own parent.
const DEPTH: usize = 64;

/// What a call in the background has shown so far.
#[derive(Debug, Default)]
pub(super) struct Background {
    output_item: Option<ItemId>,
    /// What its command has written.
    written: String,
    /// What its sub-agent said last.
    said: String,
}

impl Calls {
    /// A call goes into the background: the end of its turn will leave it open.
    pub(crate) fn detach(&mut self, id: &CallId, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let Some(known) = self.known.get_mut(id).filter(|known| known.state != State::Closed) else { return };
        if known.background.is_some() {
            return;
        }
        known.background = Some(Background::default());
        let details = ToolDetails::default();
        let call =
            FunctionCallStart { name: known.name.clone(), call_id: id.clone(), details, detached: true };
        let start = ItemStart {
            item_id: known.item_id.clone(),
            kind: ItemKind::FunctionCall(call),
            initial_content: None,
            parent_call_id: known.parent.clone(),
        };
        writer.write(StreamEvent::ItemStart(start), step);
    }

    /// Whether a call, or one that it belongs to, runs in the background.
    pub(crate) fn is_in_background(&self, id: &CallId) -> bool {
        self.chain(id).any(|known| known.state != State::Closed && known.background.is_some())
    }

    pub(crate) fn has_background(&self) -> bool {
        self.known.values().any(|known| known.state != State::Closed && known.background.is_some())
    }

    /// The calls that run in the background.
    pub(crate) fn in_background(&self) -> Vec<CallId> {
        let is_it = |known: &Known| known.state != State::Closed && known.background.is_some();
        self.known.iter().filter(|(_, known)| is_it(known)).map(|(id, _)| id.clone()).collect()
    }

    /// Shows the immediate result of a call in the background. Tells whether the call is one.
    pub(crate) fn launched(
        &mut self,
        result: &CallResult,
        shown: &str,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) -> bool {
        let known = self.known.get_mut(&result.id).filter(|known| known.state != State::Closed);
        let Some(background) = known.and_then(|known| known.background.as_mut()) else { return false };
        background.show(&result.id, shown, writer, step);
        true
    }

    /// The sub-agent of a call says something.
    pub(crate) fn said(&mut self, id: &CallId, text: &str) {
        if let Some(background) = self.known.get_mut(id).and_then(|known| known.background.as_mut()) {
            text.clone_into(&mut background.said);
        }
    }

    /// Shows what the command of a call has written.
    pub(crate) fn written(&mut self, id: &CallId, text: &str, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let known = self.known.get_mut(id).filter(|known| known.state != State::Closed);
        let Some(background) = known.and_then(|known| known.background.as_mut()) else { return };
        let is_first = background.written.is_empty() && background.output_item.is_some();
        item_limit::keep(&mut background.written, text);
        let separator = if is_first { "\n" } else { "" };
        background.show(id, &format!("{separator}{text}"), writer, step);
    }

    /// The work of a call in the background is over.
    pub(crate) fn end_background(
        &mut self,
        id: &CallId,
        end: TaskEnd,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        if self.known.get(id).is_none_or(|known| known.background.is_none()) {
            return;
        }
        self.end_below(id, &end, writer, step);
        let Some(known) = self.known.get_mut(id).filter(|known| known.state != State::Closed) else { return };
        let Background { output_item, written, said } = known.background.take().unwrap_or_default();
        known.close();
        match end {
            TaskEnd::Ended(error) => writer.fail(&known.item_id, error, step),
            TaskEnd::Finished { report, is_bare, is_error, exit_code } => {
                let item_id = output_item.unwrap_or_else(|| writer.next_item(step));
                let report = if is_bare && !said.is_empty() { said } else { report };
                let written = launch::without_trailer(&written);
                let output = if written.is_empty() { report } else { written.to_owned() };
                let details = ToolDetails { exit_code, ..ToolDetails::default() };
                let output = FunctionCallOutputItem { call_id: id.clone(), output, is_error, details };
                writer.done(&item_id, FinalItem::FunctionCallOutput(output), step);
            }
        }
    }

    /// Nothing more is heard of the calls that are not in the background: their turn has ended.
    pub(crate) fn forget_rest(&mut self) {
        let rest: Vec<CallId> = self.known.keys().filter(|id| !self.is_in_background(id)).cloned().collect();
        for id in rest {
            self.requested.remove(&id);
            self.known.get_mut(&id).into_iter().for_each(Known::close);
        }
    }

    /// Ends the calls below one, but for those that are in the background themselves: these outlive it.
    fn end_below(&mut self, id: &CallId, end: &TaskEnd, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let error = end.of_calls_below();
        let is_below = |other: &CallId| {
            let mut chain = self.chain(other).take_while(|known| known.background.is_none());
            chain.any(|known| known.parent.as_ref() == Some(id))
        };
        let below: Vec<CallId> =
            self.known.keys().filter(|other| *other != id && is_below(other)).cloned().collect();
        below.iter().for_each(|below| self.fail(below, &error, writer, step));
    }

    /// A call and those around it, from the inside out.
    fn chain<'a>(&'a self, id: &CallId) -> impl Iterator<Item = &'a Known> {
        let around = |known: &&'a Known| self.known.get(known.parent.as_ref()?);
        std::iter::successors(self.known.get(id), around).take(DEPTH)
    }
}

impl Background {
    fn show(&mut self, call_id: &CallId, text: &str, writer: &mut TurnWriter, step: &mut Step<'_>) {
        if text.is_empty() {
            return;
        }
        let start =
            || ItemKind::FunctionCallOutput(FunctionCallOutputStart { call_id: Some(call_id.clone()) });
        let item_id = self.output_item.get_or_insert_with(|| writer.start(start(), None, step));
        writer.delta(item_id, text, step);
    }
}
