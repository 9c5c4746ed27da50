//! The tool calls of a turn. Owns which of them run and what they have put out, so that none is closed twice or
//! left open, whichever message tells of a call first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::call_news::{CallNews, CallStatus};
use crate::dialect::{Step, TurnWriter};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{
    CancelReason, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart,
    FunctionCallStart, ItemKind, ItemStart, StreamEvent, ToolArguments, ToolDetails,
};
use crate::ids::{CallId, ItemId};
use crate::item_limit::keep;
use crate::json;

/// How many calls of earlier turns are remembered. Commands go on after their turns, and tell of it.
const ENDED_KEPT: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Calls {
    known: BTreeMap<CallId, Call>,
    /// In the order in which they began.
    order: Vec<CallId>,
    /// A replayed call is told as completed first, and its output after.
    close_at_end: bool,
}

#[derive(Debug)]
struct Call {
    item_id: ItemId,
    name: String,
    details: ToolDetails,
    input: Map<String, Value>,
    status: CallStatus,
    live: Option<Live>,
    output: Option<String>,
    is_closed: bool,
}

/// The call that a permission request is about.
#[derive(Debug, Default)]
pub(super) struct RequestedCall {
    pub(super) name: String,
    pub(super) details: ToolDetails,
    /// What the tool will be given.
    pub(super) input: ToolArguments,
    /// The input with which it was announced, if that was a different one.
    pub(super) announced: Option<ToolArguments>,
}

/// What a call puts out while it runs.
#[derive(Debug)]
struct Live {
    item_id: ItemId,
    text: String,
}

impl Calls {
    pub(super) fn of_history() -> Self {
        Self { close_at_end: true, ..Self::default() }
    }

    pub(super) fn knows(&self, id: &CallId) -> bool {
        self.known.contains_key(id)
    }

    /// The input with which a call was announced, if it was announced with any.
    pub(super) fn announced(&self, id: &CallId) -> Option<ToolArguments> {
        let call = self.known.get(id).filter(|call| !call.input.is_empty())?;
        Some(Arc::new(call.input.clone()))
    }

    /// The name and details of the call that a permission request is about.
    pub(super) fn requested(&self, id: &CallId) -> RequestedCall {
        let Some(call) = self.known.get(id) else { return RequestedCall::default() };
        RequestedCall { name: call.name.clone(), details: call.details.clone(), ..RequestedCall::default() }
    }

    /// Takes what a message tells of a call, known or not.
    pub(super) fn tell(&mut self, news: CallNews, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let id = news.id.clone();
        if !self.known.contains_key(&id) {
            let call = Call::begin(&news, writer, step);
            self.known.insert(id.clone(), call);
            self.order.push(id.clone());
        }
        let Some(call) = self.known.get_mut(&id).filter(|call| !call.is_closed) else { return };
        let is_silent = self.close_at_end || news.is_end();
        call.status = news.status.unwrap_or(call.status);
        if call.learn(&news) && !is_silent {
            call.show_again(&id, writer, step);
        }
        call.append(&id, &news.appended, writer, step);
        call.output = news.output.or(call.output.take());
        if call.status.is_end() && !self.close_at_end {
            call.close(&id, call.status == CallStatus::Failed, writer, step);
        }
    }

    /// People did not allow a call. Some agents tell nothing more of it.
    pub(super) fn reject(&mut self, id: &CallId) {
        if let Some(call) = self.known.get_mut(id) {
            call.status = CallStatus::Failed;
        }
    }

    /// The turn is complete. A call that still runs does so in the background, and its turn does not wait for it.
    pub(super) fn finish(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        for id in &self.order {
            let Some(call) = self.known.get_mut(id).filter(|call| !call.is_closed) else { continue };
            match call.status {
                CallStatus::Running | CallStatus::Completed => call.close(id, false, writer, step),
                CallStatus::Failed => call.close(id, true, writer, step),
                CallStatus::Pending => {
                    let message = "the turn ended before the tool told its result";
                    call.is_closed = true;
                    writer.fail(&call.item_id, ErrorInfo::new(ErrorCode::StreamEnded, message), step);
                }
            }
        }
    }

    /// The turn was stopped. Agents do not tell what became of calls then; what they put out is kept.
    pub(super) fn cancel(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        for id in &self.order {
            let Some(call) = self.known.get_mut(id).filter(|call| !call.is_closed) else { continue };
            if call.live.is_some() || call.status == CallStatus::Failed {
                call.close(id, true, writer, step);
            } else {
                call.is_closed = true;
                writer.cancel(&call.item_id, Some(CancelReason::UserCancel), step);
            }
        }
    }

    pub(super) fn into_ids(self) -> impl Iterator<Item = CallId> {
        self.order.into_iter()
    }
}

impl Call {
    fn begin(news: &CallNews, writer: &mut TurnWriter, step: &mut Step<'_>) -> Self {
        let item_id = writer.next_item(step);
        let name = news.name.as_ref().or(news.nickname.as_ref()).cloned();
        let call = Self {
            item_id,
            name: name.unwrap_or_else(|| "tool".to_owned()),
            details: news.details.clone(),
            input: news.input.clone().unwrap_or_default(),
            status: CallStatus::Pending,
            live: None,
            output: None,
            is_closed: false,
        };
        call.show_again(&news.id, writer, step);
        call
    }

    /// Takes over what is new; tells whether anything was.
    fn learn(&mut self, news: &CallNews) -> bool {
        if news.is_only_output() {
            return false;
        }
        let before = (self.name.clone(), self.details.clone(), self.input.clone());
        if let Some(name) = &news.name {
            self.name.clone_from(name);
        }
        self.details.merge(&news.details);
        if let Some(input) = news.input.as_ref().filter(|input| !input.is_empty()) {
            self.input.clone_from(input);
        }
        before != (self.name.clone(), self.details.clone(), self.input.clone())
    }

    /// Starts the item, or tells more of one that was started.
    fn show_again(&self, id: &CallId, writer: &mut TurnWriter, step: &mut Step<'_>) {
        let call = FunctionCallStart {
            name: self.name.clone(),
            call_id: id.clone(),
            details: self.details.clone(),
            detached: false,
        };
        let start = ItemStart {
            item_id: self.item_id.clone(),
            kind: ItemKind::FunctionCall(call),
            initial_content: (!self.input.is_empty()).then(|| json::text(&self.input)),
            parent_call_id: None,
        };
        writer.write(StreamEvent::ItemStart(start), step);
    }

    fn append(&mut self, id: &CallId, added: &str, writer: &mut TurnWriter, step: &mut Step<'_>) {
        if added.is_empty() {
            return;
        }
        let live = self.live.get_or_insert_with(|| {
            let kind = ItemKind::FunctionCallOutput(FunctionCallOutputStart { call_id: Some(id.clone()) });
            Live { item_id: writer.start(kind, None, step), text: String::new() }
        });
        keep(&mut live.text, added);
        writer.delta(&live.item_id, added, step);
    }

    fn close(&mut self, id: &CallId, is_error: bool, writer: &mut TurnWriter, step: &mut Step<'_>) {
        self.is_closed = true;
        let call = FunctionCallItem {
            name: self.name.clone(),
            call_id: id.clone(),
            arguments: Arc::new(std::mem::take(&mut self.input)),
            raw_arguments: None,
            details: self.details.clone(),
        };
        writer.done(&self.item_id, FinalItem::FunctionCall(call), step);
        // What came piece by piece is told again as a whole by some.
        let (item_id, output) = match self.live.take() {
            Some(live) => (live.item_id, live.text),
            None => (writer.next_item(step), self.output.take().unwrap_or_default()),
        };
        let details = ToolDetails::default();
        let output = FunctionCallOutputItem { call_id: id.clone(), output, is_error, details };
        writer.done(&item_id, FinalItem::FunctionCallOutput(output), step);
    }
}

/// The calls of turns that are over.
#[derive(Debug, Default)]
pub(super) struct EndedCalls {
    order: VecDeque<CallId>,
    ids: BTreeSet<CallId>,
}

impl EndedCalls {
    pub(super) fn add(&mut self, calls: Calls) {
        for id in calls.into_ids() {
            if self.ids.insert(id.clone()) {
                self.order.push_back(id);
            }
        }
        while self.order.len() > ENDED_KEPT {
            if let Some(oldest) = self.order.pop_front() {
                self.ids.remove(&oldest);
            }
        }
    }

    pub(super) fn contains(&self, id: &CallId) -> bool {
        self.ids.contains(id)
    }
}
