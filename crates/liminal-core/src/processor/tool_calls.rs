//! Tool calls: an invocation, perhaps live output, and a result, joined by the call id. Owns that joining.

use super::emission::{Emission, Sink};
use super::growing::GrowingText;
use super::items::{CallItem, ItemState, Known, OpenItem, Ordinal, OutputItem};
use super::limits::Fit;
use super::rules::{Config, ToolRule};
use super::{Cause, UpsertProcessor};
use crate::event::{
    FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart, FunctionCallStart, ItemStart,
    ToolArguments, ToolDetails,
};
use crate::ids::{CallId, ItemId};
use crate::item_limit::CUT;
use crate::json;
use crate::upsert::{ToolCallBody, UpsertBody, UpsertStatus};

impl UpsertProcessor {
    pub(super) fn start_call(
        &mut self,
        start: &ItemStart,
        call: &FunctionCallStart,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let mut call = CallItem {
            name: call.name.clone(),
            call_id: call.call_id.clone(),
            streamed: start.initial_content.clone().unwrap_or_default(),
            is_cut: false,
            arguments: None,
            shown: ToolArguments::default(),
            details: call.details.clone(),
            detached: call.detached,
        };
        call.shown = call.known_arguments();
        let ordinal = self.insert(start, ItemState::Call(call), cause);
        self.emit_call(ordinal, UpsertStatus::Create, cause, out);
    }

    /// More is known of a call that runs. Clients see it as soon as they see arguments, and at once if it is that the end of
    /// the turn will leave the call open.
    pub(super) fn restart_call(
        &mut self,
        ordinal: Ordinal,
        start: &ItemStart,
        news: &FunctionCallStart,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let item = self.items.get_mut(ordinal);
        let Some(OpenItem { state: ItemState::Call(call), source, trace, .. }) =
            item.filter(|item| item.is_call(&news.call_id))
        else {
            self.dropped.contradiction += 1;
            return;
        };
        *source = cause.source;
        *trace = cause.trace.cloned();
        let arguments = start.initial_content.as_deref().and_then(|json| serde_json::from_str(json).ok());
        let becomes_detached = news.detached && !call.detached;
        let has_news = call.learn(news, arguments);
        if becomes_detached || (has_news && self.config.announce_arguments) {
            self.emit_running_call(ordinal, cause, out);
        }
    }

    pub(super) fn start_output(
        &mut self,
        start: &ItemStart,
        output: &FunctionCallOutputStart,
        cause: Cause<'_>,
    ) {
        let mut output = OutputItem {
            call_id: output.call_id.clone(),
            growing: GrowingText::new(&self.config, self.rules),
        };
        let content = start.initial_content.as_deref().unwrap_or_default();
        self.dropped.too_long += output.grow(content, cause, &self.config);
        let ordinal = self.insert(start, ItemState::Output(output), cause);
        self.watch_live_output(ordinal);
    }

    pub(super) fn finish_call(
        &mut self,
        id: &ItemId,
        done: &FunctionCallItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        match (self.rules.tools, self.items.find(id)) {
            (_, Some(Known::Closed)) => self.dropped.late += 1,
            (ToolRule::SeparateItems, known) => self.finish_separate_call(id, known, done, cause, out),
            (ToolRule::OneItem, Some(Known::Open(ordinal))) => self.settle_call(ordinal, done, cause, out),
            (ToolRule::OneItem, None) => self.open_settled_call(id, done, cause, out),
        }
    }

    pub(super) fn finish_output(
        &mut self,
        id: &ItemId,
        done: &FunctionCallOutputItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let Some(closed) = self.close_matching(id, |state| matches!(state, ItemState::Output(_))) else {
            return;
        };
        let parent = closed.and_then(|item| item.parent_call_id);
        let known = match self.rules.tools {
            ToolRule::OneItem => self.items.find_call(&done.call_id),
            ToolRule::SeparateItems => None,
        };
        match known {
            Some(Known::Closed) => self.dropped.late += 1,
            Some(Known::Open(call)) => self.complete_call(call, done, cause, out),
            None => {
                self.items.mark_call_closed(&done.call_id);
                let body = with_output(unknown_call(&done.call_id), done);
                let body = UpsertBody::ToolCall(body);
                let upsert = self.turn.upsert(id, parent.as_ref(), UpsertStatus::Complete, cause, body);
                out.item(Emission::whole(upsert, cause));
            }
        }
    }

    /// Gives live output out if its batch is full, and sees to its deadline if not.
    pub(super) fn show_live_output(&mut self, ordinal: Ordinal, cause: Cause<'_>, out: &mut dyn Sink) {
        let rules = self.rules;
        let growing = self.items.get_mut(ordinal).and_then(OpenItem::growing_mut);
        if growing.is_some_and(|growing| growing.is_due(rules)) {
            self.emit_live_output(ordinal, cause, out);
        } else {
            self.watch_live_output(ordinal);
        }
    }

    pub(super) fn emit_live_output(&mut self, ordinal: Ordinal, cause: Cause<'_>, out: &mut dyn Sink) {
        let Some(call) = self.call_of_output(ordinal) else { return };
        let Some((id, parent, body)) = self.call_with_room(call) else { return };
        let Some(growing) = self.items.get_mut(ordinal).and_then(OpenItem::growing_mut) else { return };
        growing.emit(&self.config, self.rules);
        let upsert = self.turn.upsert(&id, parent.as_ref(), UpsertStatus::Update, cause, body);
        out.item(Emission::growing(upsert, growing.text(), cause));
    }

    /// The open call that an output belongs to, if outputs show with their calls.
    pub(super) fn call_of_output(&self, ordinal: Ordinal) -> Option<Ordinal> {
        let ItemState::Output(output) = &self.items.get(ordinal)?.state else { return None };
        match self.items.find_call(output.call_id.as_ref()?)? {
            Known::Open(call) => (self.rules.tools == ToolRule::OneItem).then_some(call),
            Known::Closed => None,
        }
    }

    fn watch_live_output(&mut self, ordinal: Ordinal) {
        if self.call_of_output(ordinal).is_none() {
            return;
        }
        if let Some(growing) = self.items.get_mut(ordinal).and_then(OpenItem::growing_mut) {
            self.deadlines.watch(ordinal, growing);
        }
    }

    fn finish_separate_call(
        &mut self,
        id: &ItemId,
        known: Option<Known>,
        done: &FunctionCallItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let Some(closed) = self.close_matching(id, |state| matches!(state, ItemState::Call(_))) else {
            return;
        };
        debug_assert_eq!(closed.is_some(), known.is_some(), "an open item is closed, an unknown one is not");
        let parent = closed.and_then(|item| item.parent_call_id);
        let body = UpsertBody::ToolCall(settled_call(done).body());
        let upsert = self.turn.upsert(id, parent.as_ref(), UpsertStatus::Complete, cause, body);
        out.item(Emission::whole(upsert, cause).with_raw_arguments(done.raw_arguments.as_deref()));
    }

    /// Keeps the final arguments of a call that waits for its output.
    fn settle_call(
        &mut self,
        ordinal: Ordinal,
        done: &FunctionCallItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let item = self.items.get_mut(ordinal);
        let Some(OpenItem { state: ItemState::Call(call), source, trace, .. }) = item else {
            self.dropped.contradiction += 1;
            return;
        };
        if call.arguments.is_some() {
            self.dropped.contradiction += 1;
            return;
        }
        *source = cause.source;
        *trace = cause.trace.cloned();
        call.name.clone_from(&done.name);
        call.call_id.clone_from(&done.call_id);
        call.arguments = Some(done.arguments.clone());
        call.streamed = String::new();
        call.details.merge(&done.details);
        let news = call.shown != done.arguments;
        call.shown = done.arguments.clone();
        self.items.rename_call(ordinal, &done.call_id);
        if news && self.config.announce_arguments {
            self.emit_call(ordinal, UpsertStatus::Update, cause, out);
        }
    }

    fn open_settled_call(
        &mut self,
        id: &ItemId,
        done: &FunctionCallItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let ordinal = self.items.insert(OpenItem {
            id: id.clone(),
            parent_call_id: None,
            source: cause.source,
            trace: cause.trace.cloned(),
            state: ItemState::Call(settled_call(done)),
        });
        self.emit_call(ordinal, UpsertStatus::Create, cause, out);
    }

    fn emit_call(&self, ordinal: Ordinal, status: UpsertStatus, cause: Cause<'_>, out: &mut dyn Sink) {
        if self.rules.tools == ToolRule::SeparateItems {
            return;
        }
        let Some(item) = self.items.get(ordinal) else { return };
        let ItemState::Call(call) = &item.state else { return };
        let body = UpsertBody::ToolCall(call.body());
        let upsert = self.turn.upsert(&item.id, item.parent_call_id.as_ref(), status, cause, body);
        out.item(Emission::whole(upsert, cause));
    }

    /// Gives out a call with whatever output it has so far: a state without it would take the output back.
    fn emit_running_call(&mut self, ordinal: Ordinal, cause: Cause<'_>, out: &mut dyn Sink) {
        let Some(OpenItem { state: ItemState::Call(call), .. }) = self.items.get(ordinal) else { return };
        let output = self.items.output_of(&call.call_id);
        let has_text = |output: &Ordinal| self.items.get(*output).is_some_and(OpenItem::has_output);
        match output.filter(has_text) {
            Some(output) => self.emit_live_output(output, cause, out),
            None => self.emit_call(ordinal, UpsertStatus::Update, cause, out),
        }
    }

    fn complete_call(
        &mut self,
        ordinal: Ordinal,
        done: &FunctionCallOutputItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let Some(item) = self.items.close(ordinal) else { return };
        let ItemState::Call(call) = &item.state else { return };
        let body = UpsertBody::ToolCall(with_output(call.body(), done));
        let parent = item.parent_call_id.as_ref();
        let upsert = self.turn.upsert(&item.id, parent, UpsertStatus::Complete, cause, body);
        out.item(Emission::whole(upsert, cause));
    }

    /// An open call's identity and its body with room for its output.
    fn call_with_room(&self, ordinal: Ordinal) -> Option<(ItemId, Option<CallId>, UpsertBody)> {
        let item = self.items.get(ordinal)?;
        let ItemState::Call(call) = &item.state else { return None };
        let body = ToolCallBody { tool_output: Some(String::new()), ..call.body() };
        Some((item.id.clone(), item.parent_call_id.clone(), UpsertBody::ToolCall(body)))
    }
}

impl OpenItem {
    fn is_call(&self, call_id: &CallId) -> bool {
        matches!(&self.state, ItemState::Call(call) if call.call_id == *call_id)
    }

    fn has_output(&self) -> bool {
        matches!(&self.state, ItemState::Output(output) if !output.growing.text().is_empty())
    }
}

impl OutputItem {
    /// Adds what fits, and tells how much was dropped.
    pub(super) fn grow(&mut self, added: &str, cause: Cause<'_>, config: &Config) -> u64 {
        match self.growing.push(added, cause.now.mono, config) {
            Fit::Whole => return 0,
            Fit::Cut => self.growing.append(CUT, cause.now.mono, config),
            Fit::Not => {}
        }
        1
    }
}

impl CallItem {
    /// Takes over what is news; tells whether anything was.
    fn learn(&mut self, news: &FunctionCallStart, arguments: Option<ToolArguments>) -> bool {
        let before = self.body();
        self.name.clone_from(&news.name);
        self.details.merge(&news.details);
        self.detached |= news.detached;
        if let Some(arguments) = arguments {
            self.shown = arguments.clone();
            self.arguments = self.arguments.is_some().then(|| arguments.clone());
            self.streamed = if self.arguments.is_some() { String::new() } else { json::text(&arguments) };
        }
        self.body() != before
    }

    pub(super) fn body(&self) -> ToolCallBody {
        ToolCallBody {
            tool_name: self.name.clone(),
            tool_arguments: self.known_arguments(),
            call_id: self.call_id.clone(),
            details: self.details.clone(),
            detached: self.detached,
            tool_output_is_error: None,
            tool_output: None,
        }
    }
}

/// The body of a call that nobody announced.
pub(super) fn unknown_call(call_id: &CallId) -> ToolCallBody {
    ToolCallBody {
        tool_name: "unknown".to_owned(),
        tool_arguments: ToolArguments::default(),
        call_id: call_id.clone(),
        details: ToolDetails::default(),
        detached: false,
        tool_output_is_error: None,
        tool_output: None,
    }
}

fn settled_call(done: &FunctionCallItem) -> CallItem {
    CallItem {
        name: done.name.clone(),
        call_id: done.call_id.clone(),
        streamed: String::new(),
        is_cut: false,
        arguments: Some(done.arguments.clone()),
        shown: done.arguments.clone(),
        details: done.details.clone(),
        detached: false,
    }
}

fn with_output(mut body: ToolCallBody, done: &FunctionCallOutputItem) -> ToolCallBody {
    body.details.merge(&done.details);
    body.tool_output_is_error = Some(done.is_error);
    body.tool_output = Some(done.output.clone());
    body
}
