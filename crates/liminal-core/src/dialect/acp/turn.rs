//! One turn of an ACP agent. Owns what happened in it so far and how it ends: whatever is open then is closed here,
//! so that a turn leaves nothing behind.

use std::time::Duration;

use serde_json::Value;

use super::call_news::CallNews;
use super::forms::Form;
use super::messages::{Chunk, TextKind, Texts};
use super::permissions::Waiting;
use super::tool_calls::Calls;
use super::trouble::{Retry, Trouble};
use super::{adapter_words, rpc};
use crate::dialect::plan_item::PlanItem;
use crate::dialect::requested_input::timed_out;
use crate::dialect::{Notice, Step, TurnWriter};
use crate::error::ErrorInfo;
use crate::event::{
    FinalItem, ItemKind, MessageItem, Origin, PermissionItem, PermissionOutcome, PermissionRequest, Plan,
    ResponseDone, ResponseError, ResponseStatus, SettledBy, StreamEvent, ToolArguments, Usage,
};
use crate::ids::ItemId;

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) writer: TurnWriter,
    pub(super) cause: Cause,
    pub(super) calls: Calls,
    pub(super) trouble: Trouble,
    pub(super) is_cancel_asked: bool,
    /// The prompt, as far as the agent has not repeated it. In version 1 it need not.
    echo: String,
    /// What made the agent try again last; it is told once, however often it tries.
    retried: Option<String>,
    texts: Texts,
    plan: PlanItem,
    waiting: Vec<Waiting>,
}

/// Why a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Our side asked; the turn ends with the response to this request.
    Prompt { request: u64 },
    /// It was, and is replayed.
    History,
    /// The agent says something that nobody asked for. Nothing ends that but silence.
    Aside { until: Duration },
}

/// What is asked of people.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request_id: Value,
    pub(super) shown: PermissionRequest,
    /// What the tool will be given, complete.
    pub(super) input: ToolArguments,
    pub(super) form: Option<Form>,
    /// When it is rejected automatically, if the user set a time-out.
    pub(super) until: Option<Duration>,
}

/// How a turn ends.
#[derive(Debug)]
pub(super) enum Ending {
    Completed(Finish),
    Cancelled(Finish),
    /// The agent does not go on; what it said until then is whole.
    Stopped(ErrorInfo, Finish),
    /// The agent could not go on; nobody knows whether what is open is whole.
    Failed(ErrorInfo, Finish),
    /// It breaks off.
    Broken(ErrorInfo),
}

/// What the end tells besides.
#[derive(Debug, Clone, Default)]
pub(super) struct Finish {
    pub(super) reason: Option<String>,
    pub(super) usage: Option<Usage>,
}

impl Turn {
    pub(super) fn new(writer: TurnWriter, cause: Cause, provider_id: String, prompt: &str) -> Self {
        let (texts, calls) = match cause {
            Cause::History => (Texts::of_history(provider_id), Calls::of_history()),
            Cause::Prompt { .. } | Cause::Aside { .. } => (Texts::new(provider_id), Calls::default()),
        };
        Self {
            writer,
            cause,
            calls,
            trouble: Trouble::default(),
            is_cancel_asked: false,
            echo: prompt.to_owned(),
            retried: None,
            texts,
            plan: PlanItem::default(),
            waiting: Vec::new(),
        }
    }

    /// A piece of the model's text, or of the program around it: that one has no id where others have.
    pub(super) fn chunk(&mut self, chunk: &Chunk<'_>, agent_uses_ids: bool, step: &mut Step<'_>) {
        let is_adapters = chunk.kind == TextKind::Message && chunk.message_id.is_none();
        if is_adapters && self.trouble.is_fatal() {
            return self.trouble.explain(chunk.text);
        }
        if is_adapters && (agent_uses_ids || adapter_words::is_adapters(chunk.text)) {
            return self.note(chunk.text.trim_end().to_owned(), Origin::System, step);
        }
        self.texts.chunk(chunk, &mut self.writer, step);
    }

    /// The user's words; those of the prompt are there already.
    pub(super) fn user_chunk(&mut self, text: &str, step: &mut Step<'_>) {
        match self.echo.strip_prefix(text) {
            Some(rest) => self.echo = rest.to_owned(),
            None => self.note(text.to_owned(), Origin::User, step),
        }
    }

    /// A message that is there as a whole.
    pub(super) fn note(&mut self, text: String, origin: Origin, step: &mut Step<'_>) {
        self.texts.finish(&mut self.writer, step);
        if !text.is_empty() {
            self.writer.message(text, origin, step);
        }
    }

    /// A message of the user inside the turn.
    pub(super) fn user_message(&mut self, message: MessageItem, step: &mut Step<'_>) {
        self.texts.finish(&mut self.writer, step);
        self.writer.say(message, step);
    }

    pub(super) fn call(&mut self, news: CallNews, step: &mut Step<'_>) {
        if !self.calls.knows(&news.id) {
            self.texts.finish(&mut self.writer, step);
        }
        self.calls.tell(news, &mut self.writer, step);
    }

    pub(super) fn plan(&mut self, plan: Plan, step: &mut Step<'_>) {
        self.texts.finish(&mut self.writer, step);
        self.plan.show(plan, None, &mut self.writer, step);
    }

    /// The model's API failed; the agent tries again, and what was half written is written anew.
    pub(super) fn retry(&mut self, retry: Retry, step: &mut Step<'_>) {
        self.texts.supersede(&mut self.writer, step);
        if self.retried.as_ref() != Some(&retry.cause) {
            self.retried = Some(retry.cause);
            self.note(retry.message, Origin::System, step);
        }
    }

    /// The model's answer is there as a whole.
    pub(super) fn model_answered(&mut self, step: &mut Step<'_>) {
        self.texts.answered(&mut self.writer, step);
    }

    pub(super) fn ask(&mut self, asked: Asked, step: &mut Step<'_>) {
        let Asked { request_id, shown, input, form, until } = asked;
        self.texts.finish(&mut self.writer, step);
        let item_id = self.writer.start(ItemKind::Permission(shown.clone()), None, step);
        if shown.input_truncated {
            step.notify(Notice::WholeInput { item_id: item_id.clone(), input });
        }
        self.waiting.push(Waiting { request_id, shown, form, item_id, until });
    }

    pub(super) fn find_asked(&self, item_id: &ItemId) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.item_id == *item_id)
    }

    pub(super) const fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn is_asked(&self, request_id: &Value) -> bool {
        self.waiting.iter().any(|waiting| waiting.request_id == *request_id)
    }

    pub(super) fn answered(&mut self, item_id: &ItemId, outcome: PermissionOutcome, step: &mut Step<'_>) {
        let position = self.waiting.iter().position(|waiting| waiting.item_id == *item_id);
        if let Some(position) = position {
            let waiting = self.waiting.remove(position);
            if waiting.is_rejected_by(&outcome) {
                self.calls.reject(&waiting.shown.call_id);
            }
            self.close(waiting, outcome, step);
        }
    }

    /// The agent does not want to know any more.
    pub(super) fn withdraw(&mut self, request_id: &Value, step: &mut Step<'_>) {
        let position = self.waiting.iter().position(|waiting| waiting.request_id == *request_id);
        if let Some(position) = position {
            let waiting = self.waiting.remove(position);
            step.send(&rpc::refusal(request_id, rpc::REQUEST_CANCELLED, "the request was cancelled"));
            self.withdrawn(waiting, SettledBy::Agent, "the agent withdrew the request", step);
        }
    }

    /// Rejects what nobody answered within the time-out.
    pub(super) fn expire(&mut self, timeout: Option<Duration>, step: &mut Step<'_>) {
        let now = step.now.mono;
        let is_due = |waiting: &mut Waiting| waiting.until.is_some_and(|until| until <= now);
        for waiting in self.waiting.extract_if(.., is_due).collect::<Vec<_>>() {
            step.send(&rpc::result(&waiting.request_id, &waiting.unanswered()));
            self.close(waiting, timed_out(timeout), step);
        }
    }

    /// The turn is to stop: nothing that it asks is allowed any more.
    pub(super) fn withdraw_all(&mut self, step: &mut Step<'_>) {
        for waiting in std::mem::take(&mut self.waiting) {
            step.send(&rpc::result(&waiting.request_id, &waiting.unanswered()));
            self.withdrawn(waiting, SettledBy::User, "the turn was stopped before an answer came", step);
        }
    }

    pub(super) fn next_expiry(&self) -> Option<Duration> {
        self.waiting.iter().filter_map(|waiting| waiting.until).min()
    }

    /// When it ends by itself: an aside, unless it waits for an answer.
    pub(super) fn quiet_at(&self) -> Option<Duration> {
        match self.cause {
            Cause::Aside { until } if self.waiting.is_empty() => Some(until),
            Cause::Aside { .. } | Cause::Prompt { .. } | Cause::History => None,
        }
    }

    /// Ends the turn. Gives back its calls, of which more may be heard.
    pub(super) fn end(mut self, ending: Ending, step: &mut Step<'_>) -> Calls {
        self.close_waiting(&ending, step);
        match ending {
            Ending::Completed(finish) => {
                self.texts.finish(&mut self.writer, step);
                self.calls.finish(&mut self.writer, step);
                self.plan.finish(&mut self.writer, step);
                self.respond(ResponseStatus::Completed, None, finish, step);
            }
            Ending::Cancelled(finish) => {
                self.calls.cancel(&mut self.writer, step);
                self.respond(ResponseStatus::Cancelled, None, finish, step);
            }
            Ending::Stopped(error, finish) => {
                self.texts.finish(&mut self.writer, step);
                self.respond(ResponseStatus::Error, Some(error), finish, step);
            }
            Ending::Failed(error, finish) => {
                self.respond(ResponseStatus::Error, Some(error), finish, step);
            }
            Ending::Broken(error) => {
                self.writer.write(StreamEvent::ResponseError(ResponseError { error }), step);
            }
        }
        self.calls
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

    fn close_waiting(&mut self, ending: &Ending, step: &mut Step<'_>) {
        match ending {
            Ending::Cancelled(_) => self.withdraw_all(step),
            Ending::Completed(_) | Ending::Stopped(..) | Ending::Failed(..) | Ending::Broken(_) => {
                for waiting in std::mem::take(&mut self.waiting) {
                    step.send(&rpc::result(&waiting.request_id, &waiting.unanswered()));
                    self.withdrawn(waiting, SettledBy::Agent, "the turn ended before an answer came", step);
                }
            }
        }
    }

    fn close(&mut self, waiting: Waiting, outcome: PermissionOutcome, step: &mut Step<'_>) {
        let item = PermissionItem { request: waiting.shown, outcome };
        self.writer.done(&waiting.item_id, FinalItem::Permission(item), step);
    }

    fn withdrawn(&mut self, waiting: Waiting, by: SettledBy, why: &str, step: &mut Step<'_>) {
        self.close(waiting, PermissionOutcome::unanswered(by, why), step);
    }
}
