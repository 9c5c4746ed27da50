//! One turn of Claude Code. Owns what happened in it so far and how it ends: whatever is open then is closed
//! here, so that a turn leaves nothing behind.

mod background;

use std::time::Duration;

use serde_json::{Map, Value};

use super::blocks::{Blocks, Desk, nested};
use super::calls::Calls;
use super::permissions::{Asked, Waiting, unanswered};
use super::wire::{Block, CallResult, Part, list, text, usage};
use super::{control, tool_result};
use crate::dialect::requested_input::timed_out;
use crate::dialect::{Notice, Step, TurnWriter};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{
    CancelReason, FinalItem, ItemKind, Origin, PermissionItem, PermissionOutcome, Plan, ResponseDone,
    ResponseError, ResponseStatus, SettledBy, StreamEvent, Usage, UsageUpdate,
};
use crate::ids::{CallId, ItemId, TurnId};

/// What Claude Code answers for a tool that the user stopped or did not want.
const REJECTED: &str = "The user doesn't want to proceed with this tool use.";

/// Why a request ended that waited when a person stopped its turn.
const STOPPED: &str = "the turn was stopped before an answer came";

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) writer: TurnWriter,
    pub(super) cause: TurnCause,
    /// The prompt, until the agent has repeated it.
    pub(super) echo: Option<String>,
    pub(super) is_cancel_asked: bool,
    /// Why the model could not answer; the result says whether that ended the turn.
    failure: Option<ErrorInfo>,
    blocks: Blocks,
    calls: Calls,
    waiting: Vec<Waiting>,
    usage: Option<Usage>,
}

/// Why a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnCause {
    /// Our side asked.
    Prompt,
    /// The agent began by itself.
    Agent,
    /// A sub-agent in the background asks while no turn runs: it ends with the answer, not with a result.
    Request,
}

/// How a turn ends.
#[derive(Debug)]
pub(super) enum Ending {
    Completed(Finish),
    Cancelled(Finish),
    Failed(ErrorInfo, Finish),
    /// It breaks off.
    Broken(ErrorInfo),
}

/// What a result tells besides.
#[derive(Debug, Default)]
pub(super) struct Finish {
    pub(super) reason: Option<String>,
    pub(super) usage: Option<Usage>,
}

impl Turn {
    pub(super) fn new(writer: TurnWriter, cause: TurnCause) -> Self {
        Self {
            writer,
            cause,
            echo: None,
            is_cancel_asked: false,
            failure: None,
            blocks: Blocks::default(),
            calls: Calls::default(),
            waiting: Vec::new(),
            usage: None,
        }
    }

    pub(super) const fn id(&self) -> &TurnId {
        self.writer.turn_id()
    }

    /// A part of the main agent's message.
    pub(super) fn part(&mut self, part: &Part<'_>, step: &mut Step<'_>) {
        let (blocks, mut desk) = self.desk(step);
        blocks.part(part, &mut desk);
        if let ("message_delta", Some(counts)) = (part.kind.as_ref(), &part.usage) {
            self.count(&usage(counts), step);
        }
    }

    /// Whole blocks of the main agent, or of the sub-agent of a call.
    pub(super) fn assistant(
        &mut self,
        message_id: &str,
        parent: Option<&CallId>,
        found: Vec<Block>,
        step: &mut Step<'_>,
    ) {
        for block in found {
            if let (Some(parent), Block::Text(text)) = (parent, &block) {
                self.calls.said(parent, text);
            }
            match block {
                Block::Result(result) => self.result(result, None, step),
                Block::Unknown(kind) => step.unknown(kind, b""),
                Block::Text(_) | Block::Thinking(_) | Block::Call(_) => {
                    let (blocks, mut desk) = self.desk(step);
                    match parent {
                        Some(parent) => nested(block, parent, &mut desk),
                        None => blocks.whole(message_id, block, &mut desk),
                    }
                }
            }
        }
    }

    /// The model could not answer.
    pub(super) fn fail(&mut self, failure: ErrorInfo) {
        self.failure = Some(failure);
    }

    /// A note of the program around the agent.
    pub(super) fn note(&mut self, note: String, step: &mut Step<'_>) {
        self.writer.message(note, Origin::System, step);
    }

    /// A tool's result. A request for this call that nobody answered is withdrawn by it.
    pub(super) fn result(&mut self, result: CallResult, extras: Option<&Value>, step: &mut Step<'_>) {
        let (blocks, mut desk) = self.desk(step);
        blocks.finish_texts(&mut desk);
        let asked = self.waiting.iter().position(|waiting| waiting.asked.shown.call_id == result.id);
        if let Some(position) = asked {
            let waiting = self.waiting.remove(position);
            self.withdrawn(waiting, SettledBy::Agent, "the tool ended before an answer came", step);
        }
        if result.is_error && result.output.starts_with(REJECTED) {
            if self.is_in_background(&result.id) {
                // Its sub-agent was stopped, and says so next. The turn may have ended, so nothing else ends the call.
                return;
            }
            let reason = Some(CancelReason::UserCancel);
            return self.calls.cancel(&result.id, reason, &mut self.writer, step);
        }
        if self.is_launch(&result, extras, step) {
            return;
        }
        let details = tool_result::result_details(extras);
        self.calls.result(result, details, &mut self.writer, step);
    }

    /// The agent's task list is another.
    pub(super) fn plan(&mut self, plan: Plan, step: &mut Step<'_>) {
        self.calls.plan(plan, None, &mut self.writer, step);
    }

    pub(super) fn is_call_open(&self, id: &CallId) -> bool {
        self.calls.is_open(id)
    }

    /// The agent asks.
    pub(super) fn ask(
        &mut self,
        mut asked: Asked,
        parent: Option<&CallId>,
        until: Option<Duration>,
        step: &mut Step<'_>,
    ) {
        if self.waiting.iter().any(|waiting| waiting.asked.request_id == asked.request_id) {
            return;
        }
        self.calls.request(&mut asked, &mut self.writer, step);
        let item_id = self.writer.start(ItemKind::Permission(asked.shown.clone()), parent, step);
        if asked.shown.input_truncated {
            step.notify(Notice::WholeInput { item_id: item_id.clone(), input: asked.input.clone() });
        }
        self.waiting.push(Waiting { asked, item_id, parent: parent.cloned(), until });
    }

    /// Takes the request that an item shows.
    pub(super) fn find_asked(&self, item_id: &ItemId) -> Option<&Asked> {
        self.waiting.iter().find(|waiting| waiting.item_id == *item_id).map(|waiting| &waiting.asked)
    }

    pub(super) fn answered(&mut self, item_id: &ItemId, outcome: PermissionOutcome, step: &mut Step<'_>) {
        let Some(position) = self.waiting.iter().position(|waiting| waiting.item_id == *item_id) else {
            return;
        };
        let waiting = self.waiting.remove(position);
        self.close(waiting, outcome, step);
    }

    /// The agent does not want to know any more.
    pub(super) fn withdraw(&mut self, request_id: &str, step: &mut Step<'_>) {
        let mut waiting = self.waiting.iter();
        let Some(position) = waiting.position(|waiting| waiting.asked.request_id == request_id) else {
            return;
        };
        let waiting = self.waiting.remove(position);
        let (by, why) = match self.is_cancel_asked {
            true => (SettledBy::User, STOPPED),
            false => (SettledBy::Agent, "the agent withdrew the request"),
        };
        self.withdrawn(waiting, by, why, step);
    }

    /// Rejects what nobody answered within the time-out.
    pub(super) fn expire(&mut self, timeout: Option<Duration>, step: &mut Step<'_>) {
        let now = step.now.mono;
        let is_due = |waiting: &mut Waiting| waiting.until.is_some_and(|until| until <= now);
        for waiting in self.waiting.extract_if(.., is_due).collect::<Vec<_>>() {
            control::answer(&waiting.asked.request_id, &unanswered(), step);
            self.close(waiting, timed_out(timeout), step);
        }
    }

    /// Rejects everything that waits, because a person stops the turn.
    pub(super) fn reject_all(&mut self, step: &mut Step<'_>) {
        for waiting in std::mem::take(&mut self.waiting) {
            control::answer(&waiting.asked.request_id, &unanswered(), step);
            self.withdrawn(waiting, SettledBy::User, STOPPED, step);
        }
    }

    pub(super) fn next_expiry(&self) -> Option<Duration> {
        self.waiting.iter().filter_map(|waiting| waiting.until).min()
    }

    pub(super) const fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Ends the turn, but for what runs in the background. Gives back what sub-agents still ask of which no call in the
    /// background is known.
    pub(super) fn end(&mut self, ending: Ending, step: &mut Step<'_>) -> Vec<Asked> {
        let carried = self.close_waiting(&ending, step);
        match ending {
            Ending::Completed(finish) => self.complete(finish, step),
            Ending::Cancelled(finish) => {
                let (blocks, mut desk) = self.desk(step);
                blocks.stop(&mut desk);
                self.calls.cancel_all(&mut self.writer, step);
                self.respond(ResponseStatus::Cancelled, None, finish, step);
            }
            Ending::Failed(error, finish) => {
                let (blocks, mut desk) = self.desk(step);
                blocks.finish_texts(&mut desk);
                self.respond(ResponseStatus::Error, Some(error), finish, step);
            }
            Ending::Broken(error) => {
                let (blocks, mut desk) = self.desk(step);
                blocks.finish_texts(&mut desk);
                self.writer.write(StreamEvent::ResponseError(ResponseError { error }), step);
            }
        }
        self.calls.forget_rest();
        carried
    }

    /// How a result says that the turn ended.
    pub(super) fn ending(&mut self, result: &Map<String, Value>, finish: Finish) -> Ending {
        let aborted = text(result, "terminal_reason").is_some_and(|reason| reason.starts_with("aborted_"));
        let is_error = result.get("is_error").and_then(Value::as_bool).unwrap_or_default();
        let broken_off = text(result, "subtype") == Some("error_during_execution");
        match is_error {
            true if aborted || (self.is_cancel_asked && broken_off) => Ending::Cancelled(finish),
            true => Ending::Failed(self.failure.take().unwrap_or_else(|| failure(result)), finish),
            false => Ending::Completed(finish),
        }
    }

    fn complete(&mut self, finish: Finish, step: &mut Step<'_>) {
        let (blocks, mut desk) = self.desk(step);
        blocks.finish_texts(&mut desk);
        blocks.give_up_open(&mut desk);
        let lost = ErrorInfo::new(ErrorCode::StreamEnded, "the turn ended before the tool told its result");
        self.calls.fail_all(&lost, &mut self.writer, step);
        self.calls.finish_plans(&mut self.writer, step);
        if let Some(failure) = self.failure.take() {
            let item_id = self.writer.next_item(step);
            self.writer.fail(&item_id, failure, step);
        }
        self.respond(ResponseStatus::Completed, None, finish, step);
    }

    fn respond(
        &mut self,
        status: ResponseStatus,
        error: Option<ErrorInfo>,
        finish: Finish,
        step: &mut Step<'_>,
    ) {
        let Finish { reason: finish_reason, usage } = finish;
        let done = ResponseDone { status, finish_reason, error, usage };
        self.writer.write(StreamEvent::ResponseDone(done), step);
    }

    fn close_waiting(&mut self, ending: &Ending, step: &mut Step<'_>) -> Vec<Asked> {
        let mut carried = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.parent.as_ref().is_some_and(|parent| self.calls.is_in_background(parent)) {
                self.waiting.push(waiting);
                continue;
            }
            match ending {
                Ending::Broken(error) => {
                    self.withdrawn(waiting, SettledBy::Agent, &error.message, step);
                }
                Ending::Completed(_) | Ending::Cancelled(_) | Ending::Failed(..)
                    if waiting.asked.agent_id.is_some() =>
                {
                    carried.push(waiting.asked.clone());
                    self.withdrawn(waiting, SettledBy::Agent, "asked again after the turn's end", step);
                }
                Ending::Cancelled(_) => self.withdrawn(waiting, SettledBy::User, STOPPED, step),
                Ending::Completed(_) | Ending::Failed(..) => {
                    control::answer(&waiting.asked.request_id, &unanswered(), step);
                    self.withdrawn(waiting, SettledBy::Agent, "the turn ended before an answer came", step);
                }
            }
        }
        carried
    }

    fn close(&mut self, waiting: Waiting, outcome: PermissionOutcome, step: &mut Step<'_>) {
        let item = PermissionItem { request: waiting.asked.shown, outcome };
        self.writer.done(&waiting.item_id, FinalItem::Permission(item), step);
    }

    fn withdrawn(&mut self, waiting: Waiting, by: SettledBy, why: &str, step: &mut Step<'_>) {
        self.close(waiting, PermissionOutcome::unanswered(by, why), step);
    }

    fn count(&mut self, message: &Usage, step: &mut Step<'_>) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or_default().saturating_add(b.unwrap_or_default())),
        };
        let usage = self.usage.map_or(*message, |usage| Usage {
            input_tokens: usage.input_tokens.saturating_add(message.input_tokens),
            output_tokens: usage.output_tokens.saturating_add(message.output_tokens),
            cache_read_input_tokens: sum(usage.cache_read_input_tokens, message.cache_read_input_tokens),
            cache_creation_input_tokens: sum(
                usage.cache_creation_input_tokens,
                message.cache_creation_input_tokens,
            ),
            cost_usd: None,
        });
        self.usage = Some(usage);
        self.writer.write(StreamEvent::UsageUpdate(UsageUpdate { usage }), step);
    }

    const fn desk<'a, 'b>(&'a mut self, step: &'a mut Step<'b>) -> (&'a mut Blocks, Desk<'a, 'b>) {
        (&mut self.blocks, Desk { writer: &mut self.writer, calls: &mut self.calls, step })
    }
}

/// Why a turn failed, from its result alone.
fn failure(result: &Map<String, Value>) -> ErrorInfo {
    let errors: Vec<&str> = list(result, "errors").iter().filter_map(Value::as_str).collect();
    let code = text(result, "subtype").filter(|subtype| *subtype != "success");
    let message = match text(result, "result") {
        Some(message) if !message.is_empty() => message.to_owned(),
        _ if errors.is_empty() => "the agent did not say why the turn failed".to_owned(),
        _ => errors.join("\n"),
    };
    ErrorInfo { code: code.unwrap_or(ErrorCode::ResponseError.as_str()).to_owned(), message }
}
