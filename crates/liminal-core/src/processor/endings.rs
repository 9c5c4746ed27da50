//! How items and turns end other than by being done. Owns what becomes of whatever is open then.

use std::sync::Arc;

use super::deadlines::Deadlines;
use super::emission::{Emission, Outcome, Sink, TurnChange};
use super::items::{CallItem, ItemState, Known, OpenItem, OutputItem, TextItem};
use super::rules::{EndingRule, ToolRule};
use super::tool_calls::unknown_call;
use super::{Cause, Phase, UpsertProcessor};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{
    ItemError, Origin, PermissionItem, PermissionOutcome, PermissionRequest, ResponseDone, ResponseStatus,
    SettledBy,
};
use crate::ids::{CallId, ItemId};
use crate::time::Now;
use crate::trace_context::TraceContext;
use crate::upsert::{MessageBody, PermissionBody, PlanBody, ToolCallBody, Upsert, UpsertBody, UpsertStatus};

/// What becomes of an open item.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate<'a> {
    Complete,
    Fail(&'a ErrorInfo),
    /// What is unemitted goes out; the item has no end.
    Flush,
}

/// Which open items end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    /// Those that end with their turn: neither detached calls nor anything that belongs to one.
    OfTurn,
}

/// What becomes of an item, and why now.
#[derive(Debug, Clone, Copy)]
struct Ending<'a> {
    fate: Fate<'a>,
    cause: Cause<'a>,
}

impl UpsertProcessor {
    /// Ends the turn from outside: every open item and the turn fail for this reason. A second call does nothing.
    pub fn finish(&mut self, reason: &ErrorInfo, now: Now, out: &mut dyn Sink) {
        if self.turn.phase == Phase::Ended {
            return self.finish_detached(reason, now, out);
        }
        match self.rules.ending {
            EndingRule::CloseItems => {
                self.end_items(Fate::Fail(reason), Scope::All, None, now, out);
                self.end(TurnChange::Broken(reason.clone()), now, None, out);
            }
            EndingRule::FlushItems => {
                self.end_items(Fate::Flush, Scope::All, None, now, out);
                self.turn.phase = Phase::Ended;
            }
        }
    }

    pub(super) fn end_turn(&mut self, done: &ResponseDone, cause: Cause<'_>, out: &mut dyn Sink) {
        let outcome = match done.status {
            ResponseStatus::Completed => Outcome::Completed,
            ResponseStatus::Cancelled => Outcome::Cancelled,
            ResponseStatus::Error => Outcome::Failed(turn_failure(done)),
        };
        let fate = match (self.rules.ending, &outcome) {
            (EndingRule::FlushItems, _) | (_, Outcome::Cancelled) => Fate::Flush,
            (EndingRule::CloseItems, Outcome::Completed) => Fate::Complete,
            (EndingRule::CloseItems, Outcome::Failed(error)) => Fate::Fail(error),
        };
        self.end_items(fate, self.scope_of_turn(), Some(cause), cause.now, out);
        self.end(TurnChange::Done { outcome, usage: done.usage }, cause.now, cause.trace, out);
    }

    pub(super) fn break_turn(&mut self, error: &ErrorInfo, cause: Cause<'_>, out: &mut dyn Sink) {
        let fate = match self.rules.ending {
            EndingRule::CloseItems => Fate::Fail(error),
            EndingRule::FlushItems => Fate::Flush,
        };
        self.end_items(fate, self.scope_of_turn(), Some(cause), cause.now, out);
        self.end(TurnChange::Broken(error.clone()), cause.now, cause.trace, out);
    }

    pub(super) fn fail_item(&mut self, failed: &ItemError, cause: Cause<'_>, out: &mut dyn Sink) {
        match self.items.find(&failed.item_id) {
            Some(Known::Closed) => self.dropped.late += 1,
            Some(Known::Open(ordinal)) => {
                let Some(item) = self.items.close(ordinal) else { return };
                if self.rules.ending == EndingRule::FlushItems {
                    self.end_item(&item, Ending { fate: Fate::Flush, cause }, out);
                }
                self.end_item(&item, Ending { fate: Fate::Fail(&failed.error), cause }, out);
            }
            None => self.fail_unknown_item(failed, cause, out),
        }
    }

    /// An error is never swallowed: of an item that nobody knows it is told as a note of the system.
    fn fail_unknown_item(&mut self, failed: &ItemError, cause: Cause<'_>, out: &mut dyn Sink) {
        self.items.mark_closed(&failed.item_id);
        let body = UpsertBody::Message(MessageBody::new(Origin::System, String::new()));
        let upsert = self.turn.upsert(&failed.item_id, None, UpsertStatus::Error, cause, body);
        out.item(Emission::whole(with_error(upsert, &failed.error), cause));
    }

    /// A profile whose items have no end of their own has none that outlive their turn.
    const fn scope_of_turn(&self) -> Scope {
        match self.rules.ending {
            EndingRule::CloseItems => Scope::OfTurn,
            EndingRule::FlushItems => Scope::All,
        }
    }

    fn end(&mut self, change: TurnChange, now: Now, trace: Option<&Arc<TraceContext>>, out: &mut dyn Sink) {
        self.turn.phase = Phase::Ended;
        self.turn.change(change, now, trace, out);
    }

    /// Ends open items, in the order of their start. Without a cause each goes by its own last event.
    pub(super) fn end_items(
        &mut self,
        fate: Fate<'_>,
        scope: Scope,
        cause: Option<Cause<'_>>,
        now: Now,
        out: &mut dyn Sink,
    ) {
        for ordinal in self.items.ordinals() {
            if scope == Scope::OfTurn && self.items.is_detached(ordinal) {
                continue;
            }
            let Some(item) = self.items.close(ordinal) else { continue };
            let cause = cause.unwrap_or(Cause { source: item.source, now, trace: item.trace.as_ref() });
            self.end_item(&item, Ending { fate, cause }, out);
        }
        if self.items.is_empty() {
            self.deadlines = Deadlines::default();
        }
    }

    fn end_item(&mut self, item: &OpenItem, ending: Ending<'_>, out: &mut dyn Sink) {
        match &item.state {
            ItemState::Text(text) => self.end_text(item, text, ending, out),
            ItemState::Call(call) => {
                let output =
                    self.items.output_of(&call.call_id).and_then(|ordinal| self.items.close(ordinal));
                let output = output.as_ref().and_then(OpenItem::as_output);
                self.end_call(item, call, output, ending, out);
            }
            ItemState::Output(output) => self.end_output(item, output, ending, out),
            ItemState::Plan(plan) => {
                let body = UpsertBody::Plan(PlanBody { entries: plan.entries.clone() });
                self.end_whole(item, body, ending, out);
            }
            ItemState::Permission(asked) => self.end_permission(item, asked, ending, out),
        }
    }

    fn end_text(&self, item: &OpenItem, text: &TextItem, ending: Ending<'_>, out: &mut dyn Sink) {
        let status = match ending.fate.end_status() {
            Some(status) => status,
            None if !text.growing.has_unemitted() => return,
            None if text.held => UpsertStatus::Complete,
            None if text.growing.is_created() => UpsertStatus::Update,
            None => UpsertStatus::Create,
        };
        let upsert = self.ended(item, self.turn.text_body(text), status, ending);
        out.item(Emission::growing(upsert, text.growing.text(), ending.cause));
    }

    fn end_call(
        &self,
        item: &OpenItem,
        call: &CallItem,
        output: Option<&OutputItem>,
        ending: Ending<'_>,
        out: &mut dyn Sink,
    ) {
        let has_news = || output.is_some_and(|output| output.growing.has_unemitted());
        let status = match ending.fate.end_status() {
            Some(status) => status,
            None if self.rules.tools == ToolRule::OneItem && has_news() => UpsertStatus::Update,
            None => return,
        };
        self.emit_ended_call(item, call.body(), output, (status, ending), out);
    }

    /// An output that is open by itself: its call is over, or was never announced, or started after it.
    fn end_output(&mut self, item: &OpenItem, output: &OutputItem, ending: Ending<'_>, out: &mut dyn Sink) {
        let call_id = output.call_id.as_ref().filter(|_| self.rules.tools == ToolRule::OneItem);
        match call_id.and_then(|call_id| self.items.find_call(call_id)) {
            Some(Known::Closed) => {}
            Some(Known::Open(ordinal)) => {
                let Some(call_item) = self.items.close(ordinal) else { return };
                let ItemState::Call(call) = &call_item.state else { return };
                self.end_call(&call_item, call, Some(output), ending, out);
            }
            None => self.end_unannounced_output(item, output, ending, out),
        }
    }

    fn end_unannounced_output(
        &self,
        item: &OpenItem,
        output: &OutputItem,
        ending: Ending<'_>,
        out: &mut dyn Sink,
    ) {
        let call_id = output.call_id.clone().unwrap_or_else(|| CallId::from(item.id.as_str()));
        let mut body = unknown_call(&call_id);
        let status = match ending.fate.end_status() {
            Some(status) => status,
            // Nothing follows the end of a turn in this profile, so what is known of the output then is all of it.
            None if self.items.detached_outputs.contains(&call_id) => {
                body.tool_output_is_error = Some(false);
                UpsertStatus::Complete
            }
            None => return,
        };
        self.emit_ended_call(item, body, Some(output), (status, ending), out);
    }

    fn emit_ended_call(
        &self,
        item: &OpenItem,
        mut body: ToolCallBody,
        output: Option<&OutputItem>,
        (status, ending): (UpsertStatus, Ending<'_>),
        out: &mut dyn Sink,
    ) {
        let text = output.map(|output| output.growing.text()).filter(|text| !text.is_empty());
        body.tool_output = text.map(|_| String::new());
        let upsert = self.ended(item, UpsertBody::ToolCall(body), status, ending);
        out.item(match text {
            Some(text) => Emission::growing(upsert, text, ending.cause),
            None => Emission::whole(upsert, ending.cause),
        });
    }

    /// Withdraws a request that nobody answered: however the turn ended, its request was not completed.
    fn end_permission(
        &self,
        item: &OpenItem,
        asked: &PermissionRequest,
        ending: Ending<'_>,
        out: &mut dyn Sink,
    ) {
        let outcome = match (ending.fate, self.rules.ending) {
            (Fate::Flush, EndingRule::FlushItems) => return,
            (Fate::Flush, EndingRule::CloseItems) => {
                PermissionOutcome::unanswered(SettledBy::User, "the turn was stopped before an answer came")
            }
            (Fate::Complete, _) => {
                PermissionOutcome::unanswered(SettledBy::Agent, "the turn ended before an answer came")
            }
            (Fate::Fail(error), _) => PermissionOutcome::unanswered(SettledBy::Agent, error.message.clone()),
        };
        let error = match ending.fate {
            Fate::Fail(error) => error.clone(),
            Fate::Complete | Fate::Flush => withdrawal(&outcome),
        };
        let body = UpsertBody::Permission(PermissionBody { request: asked.clone(), outcome: Some(outcome) });
        let ending = Ending { fate: Fate::Fail(&error), cause: ending.cause };
        self.end_whole(item, body, ending, out);
    }

    /// An answered request is complete; one that was withdrawn or timed out is an error.
    pub(super) fn finish_permission(
        &mut self,
        id: &ItemId,
        settled: &PermissionItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let matching = |state: &ItemState| matches!(state, ItemState::Permission(_));
        let Some(closed) = self.close_matching(id, matching) else { return };
        let parent = closed.and_then(|item| item.parent_call_id);
        let PermissionItem { request, outcome } = settled.clone();
        let error = (!outcome.is_answered()).then(|| withdrawal(&outcome));
        let status = if error.is_some() { UpsertStatus::Error } else { UpsertStatus::Complete };
        let body = UpsertBody::Permission(PermissionBody { request, outcome: Some(outcome) });
        let upsert = self.turn.upsert(id, parent.as_ref(), status, cause, body);
        let upsert = match error {
            Some(error) => with_error(upsert, &error),
            None => upsert,
        };
        self.give_out(upsert, cause, out);
    }

    fn end_whole(&self, item: &OpenItem, body: UpsertBody, ending: Ending<'_>, out: &mut dyn Sink) {
        let Some(status) = ending.fate.end_status() else { return };
        self.give_out(self.ended(item, body, status, ending), ending.cause, out);
    }

    fn ended(&self, item: &OpenItem, body: UpsertBody, status: UpsertStatus, ending: Ending<'_>) -> Upsert {
        let upsert = self.turn.upsert(&item.id, item.parent_call_id.as_ref(), status, ending.cause, body);
        match ending.fate {
            Fate::Fail(error) => with_error(upsert, error),
            Fate::Complete | Fate::Flush => upsert,
        }
    }
}

impl OpenItem {
    const fn as_output(&self) -> Option<&OutputItem> {
        match &self.state {
            ItemState::Output(output) => Some(output),
            ItemState::Text(_) | ItemState::Call(_) | ItemState::Plan(_) | ItemState::Permission(_) => None,
        }
    }
}

impl Fate<'_> {
    /// The status of an item that ends; a flushed one does not.
    const fn end_status(self) -> Option<UpsertStatus> {
        match self {
            Self::Complete => Some(UpsertStatus::Complete),
            Self::Fail(_) => Some(UpsertStatus::Error),
            Self::Flush => None,
        }
    }
}

fn with_error(mut upsert: Upsert, error: &ErrorInfo) -> Upsert {
    upsert.error_code = Some(error.code.clone());
    upsert.error_message = Some(error.message.clone());
    upsert
}

fn withdrawal(outcome: &PermissionOutcome) -> ErrorInfo {
    let why = outcome.reason.as_deref().unwrap_or("the agent withdrew the request");
    ErrorInfo::new(ErrorCode::PermissionLapsed, why)
}

/// Why a turn failed, from the best that its end tells.
fn turn_failure(done: &ResponseDone) -> ErrorInfo {
    if let Some(error) = &done.error {
        return error.clone();
    }
    let code = done.finish_reason.clone().unwrap_or_else(|| ErrorCode::ResponseError.as_str().to_owned());
    ErrorInfo { code, message: "the turn ended with an error".to_owned() }
}
