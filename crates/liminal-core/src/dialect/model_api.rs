//! Plain conversations with a model's own API. Owns what is the same for every such API: one request at a time, asking
//! again when that helps, stopping, and the conversation that is sent along; how an API words all this is its module's
//! business. Tools are never run here: a call is shown as what it is.
//!
//! Its frames are those of [`exchange`]: a request goes out as an [`exchange::Order`], the payloads of the
//! stream come in as they are, and what happens to the connection comes in as an [`exchange::Record`].

mod conversation;
pub mod exchange;
mod retry;
mod turn;

use std::fmt::Debug;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::retry_note::Answer;
use super::turn_writer::Opening;
use super::{
    Abilities, AgentCommand, AttachedFile, AttachmentAbilities, Closed, Dialect, Input, Notice, Outbox, Step,
    TurnWriter, UserMessage,
};
use crate::envelope::StreamEventEnvelope;
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::MessageItem;
use crate::ids::{SessionId, TurnId};
use crate::time::Now;
use conversation::{Conversation, Message};
use exchange::{AbortCause, OrderFrame, Record};
pub use retry::RetryPolicy;
use retry::{Failure, Retries};
pub(super) use turn::{Ending, Finish, Place, TextKind, Turn};

/// What a conversation is held with.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The model, until another is chosen.
    pub model: String,
    /// More fields of each request, in the API's own words.
    pub request: Map<String, Value>,
    /// When a request is made again.
    pub retry: RetryPolicy,
}

impl Options {
    /// The defaults for a model.
    #[must_use]
    pub fn new(model: &str) -> Self {
        Self { model: model.to_owned(), request: Map::new(), retry: RetryPolicy::default() }
    }
}

/// What an API is asked.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) model: &'a str,
    pub(super) request: &'a Map<String, Value>,
    /// Everything that was said, the newest prompt last; each `{"role", "content"}`, as both APIs take it.
    pub(super) messages: Vec<&'a RawValue>,
}

/// One API's words.
pub(super) trait Api: Send + Debug {
    /// Who offers the models, as events tell it.
    fn provider_id(&self) -> &'static str;

    /// What a user says, as the content of a message.
    fn content(&self, message: &UserMessage) -> Value;

    /// The body of a request.
    fn body(&self, question: &Question<'_>) -> Box<RawValue>;

    /// What hears the answer to one request.
    fn listener(&self) -> Box<dyn Listener>;

    /// The error that a body or a payload tells.
    fn error(&self, body: &Map<String, Value>) -> Option<ErrorInfo>;

    /// Whether an error of this code passes by itself, as far as the code tells.
    fn passes(&self, code: &str) -> Option<bool>;
}

/// Hears the payloads of one stream.
pub(super) trait Listener: Send + Debug {
    fn hear(&mut self, payload: &Map<String, Value>, turn: &mut Turn, step: &mut Step<'_>) -> Heard;
}

/// What a payload was.
#[derive(Debug)]
pub(super) enum Heard {
    /// A part of the answer, or nothing worth telling.
    Part,
    /// The end of the answer.
    End(Finish),
    /// The API could not go on.
    Error(ErrorInfo),
    /// Something that this version does not know.
    Unknown(String),
}

/// One conversation with a model's API.
#[derive(Debug)]
pub struct ModelDialect {
    session_id: SessionId,
    api: Box<dyn Api>,
    options: Options,
    model: String,
    conversation: Conversation,
    running: Option<Running>,
    requests: u64,
    is_closed: bool,
}

/// The turn that runs, and how far its request is.
#[derive(Debug)]
struct Running {
    turn: Turn,
    prompt: Message,
    request: u64,
    retries: Retries,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// The request is on its way.
    Asked,
    Answering(Box<dyn Listener>),
    /// It is made again then.
    BackingOff(Duration),
}

impl ModelDialect {
    pub(super) fn new(session_id: SessionId, api: Box<dyn Api>, options: Options) -> Self {
        Self {
            session_id,
            api,
            model: options.model.clone(),
            options,
            conversation: Conversation::default(),
            running: None,
            requests: 0,
            is_closed: false,
        }
    }

    /// Goes on with a conversation that was held before, as its own events tell it, with the files that came with it.
    #[must_use]
    pub fn after(mut self, past: &[StreamEventEnvelope], files: Vec<AttachedFile>) -> Self {
        self.conversation.learn(files);
        past.iter().for_each(|event| self.conversation.hear(event, &*self.api));
        self.conversation.settle(&*self.api);
        self
    }
}

impl Dialect for ModelDialect {
    fn handle(&mut self, input: Input<'_>, now: Now, out: &mut Outbox) {
        let before = out.events.len();
        let step = &mut Step { now, out };
        match input {
            Input::Frame(bytes) => self.frame(bytes, step),
            // Only Claude Code tells of files to follow.
            Input::TaskOutput { .. } => {}
            Input::FrameTooLong { bytes } => self.too_long(bytes, step),
            Input::Command(command) => self.command(command, step),
            Input::Timeout => self.timeout(step),
            Input::Closed(closed) => self.close(&closed, step),
        }
        // The conversation is what was shown of it: so it is the same after a restart.
        out.events.iter().skip(before).for_each(|event| self.conversation.hear(event, &*self.api));
    }

    fn next_deadline(&self) -> Option<Duration> {
        match self.running.as_ref()?.phase {
            Phase::BackingOff(until) => Some(until),
            Phase::Asked | Phase::Answering(_) => None,
        }
    }
}

impl ModelDialect {
    fn command(&mut self, command: AgentCommand, step: &mut Step<'_>) {
        match command {
            AgentCommand::Open { .. } => {
                step.notify(Notice::Model { model: self.model.clone() });
                let attachments = AttachmentAbilities::ALL;
                step.notify(Notice::Ready(Abilities { attachments, ..Abilities::default() }));
            }
            AgentCommand::Prompt { turn, message } => self.prompt(turn, message, step),
            AgentCommand::Steer { turn, .. } => {
                step.notify(Notice::not_steered(turn, "a model's API takes no message into an answer"));
            }
            AgentCommand::Cancel => self.cancel(step),
            // A model's API does nothing after its answer.
            AgentCommand::StopBackground => {}
            AgentCommand::SetModel { model } => {
                self.model = model.unwrap_or_else(|| self.options.model.clone());
                step.notify(Notice::Model { model: self.model.clone() });
            }
            AgentCommand::Answer { item_id, .. } => {
                let error =
                    ErrorInfo::new(ErrorCode::AlreadyAnswered, "a model's API asks for no permission");
                step.notify(Notice::AnswerRefused { item_id, error });
            }
            AgentCommand::SetPermissionMode { mode: id, .. } | AgentCommand::SetOption { id, .. } => {
                let message = format!("a model's API has no `{id}` to choose");
                step.notify(Notice::CommandRefused(ErrorInfo::new(ErrorCode::InvalidRequest, message)));
            }
        }
    }

    fn prompt(&mut self, turn_id: TurnId, message: UserMessage, step: &mut Step<'_>) {
        let prompt = Message::user(&self.api.content(&message));
        let mut turn = self.new_turn(turn_id.clone(), message.shown());
        self.conversation.learn(message.files);
        let refused = match (self.is_closed, &self.running) {
            (true, _) => {
                Some(ErrorInfo::new(ErrorCode::ProcessCrash, "this session is closed; open it again"))
            }
            (false, Some(_)) => {
                Some(ErrorInfo::new(ErrorCode::TurnInProgress, "a turn is running; wait for its end"))
            }
            (false, None) => None,
        };
        if let Some(error) = refused {
            return turn.end(Ending::Broken(error), step);
        }
        step.notify(Notice::TurnBound { turn: turn_id });
        turn.open(step);
        let retries = Retries::new(self.options.retry);
        self.running = Some(Running { turn, prompt, request: 0, retries, phase: Phase::Asked });
        self.ask(step);
    }

    fn new_turn(&self, turn_id: TurnId, prompt: MessageItem) -> Turn {
        let provider_id = self.api.provider_id();
        let opening = Opening {
            model_id: self.model.clone(),
            provider_id: provider_id.to_owned(),
            prompt: Some(prompt),
        };
        Turn::new(TurnWriter::new(self.session_id.clone(), turn_id, opening), provider_id)
    }

    /// Makes the request of the running turn, for the first time or again.
    fn ask(&mut self, step: &mut Step<'_>) {
        let Some(running) = &mut self.running else { return };
        self.requests += 1;
        (running.request, running.phase) = (self.requests, Phase::Asked);
        let body = self.api.body(&Question {
            model: &self.model,
            request: &self.options.request,
            messages: self.conversation.messages_and(&running.prompt),
        });
        step.send(&OrderFrame::Send {
            request: running.request,
            attempt: running.retries.made(),
            body: &body,
        });
    }

    fn cancel(&mut self, step: &mut Step<'_>) {
        let Some(running) = &self.running else { return };
        step.send(&OrderFrame::Abort { abort: running.request, cause: AbortCause::User });
        self.end(Ending::Cancelled, step);
    }

    fn timeout(&mut self, step: &mut Step<'_>) {
        if self.next_deadline().is_some_and(|until| until <= step.now.mono) {
            self.ask(step);
        }
    }

    fn frame(&mut self, bytes: &[u8], step: &mut Step<'_>) {
        // Some servers end every stream with a word of the older API.
        if self.is_closed || bytes.trim_ascii().is_empty() || bytes.trim_ascii() == b"[DONE]" {
            return;
        }
        match serde_json::from_slice::<Map<String, Value>>(bytes) {
            Ok(map) if exchange::is_record(&map) => match Record::read(map) {
                Some(record) => self.record(record, step),
                None => step.unknown("record", bytes),
            },
            Ok(payload) => self.payload(&payload, bytes, step),
            Err(_) => step.unknown("unreadable", bytes),
        }
    }

    /// What happened to the connection. Of an earlier request nobody wants to know.
    fn record(&mut self, record: Record, step: &mut Step<'_>) {
        let Some(running) = self.running.as_mut().filter(|running| running.request == record.request())
        else {
            return;
        };
        match record {
            Record::Begun { .. } => running.phase = Phase::Answering(self.api.listener()),
            Record::Refused { status, retry_after_ms, should_retry, body, .. } => {
                let failure = Failure {
                    answer: Answer::Status(status.into()),
                    retry_after: retry_after_ms.map(Duration::from_millis),
                    error: self.refusal(status, &body),
                };
                let passes = should_retry.unwrap_or_else(|| {
                    retry::status_passes(status) && self.api.passes(&failure.error.code) != Some(false)
                });
                self.failed(failure, passes, Ending::Failed, step);
            }
            Record::Ended { .. } => self.broke_off("the answer broke off before its end", step),
            Record::Failed { problem, .. } => match running.phase {
                Phase::Answering(_) => self.broke_off(&format!("the answer broke off: {problem}"), step),
                Phase::Asked | Phase::BackingOff(_) => {
                    let error = ErrorInfo::new(ErrorCode::ModelUnreachable, problem);
                    self.failed(Failure::silence(error), true, Ending::Broken, step);
                }
            },
        }
    }

    fn payload(&mut self, payload: &Map<String, Value>, bytes: &[u8], step: &mut Step<'_>) {
        let Some(running) = &mut self.running else { return };
        // Before its own request has begun to be answered, this is left over from another one.
        let Phase::Answering(listener) = &mut running.phase else { return };
        match listener.hear(payload, &mut running.turn, step) {
            Heard::Part if running.turn.is_too_long() => {
                let error = ErrorInfo::new(ErrorCode::LineTooLong, "the answer is too long to be kept");
                self.stop_listening(step);
                self.end(Ending::Broken(error), step);
            }
            Heard::Part => {}
            Heard::End(finish) => self.end(Ending::Completed(finish), step),
            Heard::Error(error) => {
                let passes = self.api.passes(&error.code) == Some(true);
                self.stop_listening(step);
                self.failed(Failure::inside(error), passes, Ending::Failed, step);
            }
            Heard::Unknown(kind) => step.unknown(kind, bytes),
        }
    }

    /// Nobody can tell what was lost, so the turn ends here.
    fn too_long(&mut self, bytes: u64, step: &mut Step<'_>) {
        let message = format!("the API sent an event of {bytes} bytes, which is too long to be read");
        if !self.running.as_ref().is_some_and(|running| matches!(running.phase, Phase::Answering(_))) {
            return step.unknown(message, b"");
        }
        self.stop_listening(step);
        self.end(Ending::Broken(ErrorInfo::new(ErrorCode::LineTooLong, message)), step);
    }

    fn broke_off(&mut self, message: &str, step: &mut Step<'_>) {
        let error = ErrorInfo::new(ErrorCode::StreamEnded, message);
        self.failed(Failure::silence(error), true, Ending::Broken, step);
    }

    /// Makes the request again, if that may help and nothing of the answer was shown; else the turn is over.
    fn failed(
        &mut self,
        failure: Failure,
        passes: bool,
        ending: fn(ErrorInfo) -> Ending,
        step: &mut Step<'_>,
    ) {
        let Some(running) = &mut self.running else { return };
        let may_repeat = passes && !running.turn.is_shown();
        match running.retries.next(&failure).filter(|_| may_repeat) {
            Some(delay) => {
                running.turn.restart();
                running.turn.note(running.retries.take(&failure, delay), step);
                running.phase = Phase::BackingOff(step.now.mono.saturating_add(delay));
            }
            None => self.end(ending(failure.told()), step),
        }
    }

    /// Why the API answered with anything but a stream.
    fn refusal(&self, status: u16, body: &str) -> ErrorInfo {
        let told = serde_json::from_str(body).ok().and_then(|body| self.api.error(&body));
        told.unwrap_or_else(|| retry::unnamed_refusal(status, body))
    }

    fn stop_listening(&self, step: &mut Step<'_>) {
        if let Some(running) = &self.running {
            step.send(&OrderFrame::Abort { abort: running.request, cause: AbortCause::Answer });
        }
    }

    fn end(&mut self, ending: Ending, step: &mut Step<'_>) {
        if let Some(mut running) = self.running.take() {
            running.turn.end(ending, step);
        }
    }

    fn close(&mut self, closed: &Closed, step: &mut Step<'_>) {
        self.is_closed = true;
        self.end(Ending::Broken(closed.error()), step);
    }
}
