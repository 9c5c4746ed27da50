//! The Agent Client Protocol, version 1. Owns the state of one session of an agent: what our side asked of it, which
//! turn it is in, and what it offers. Knows messages and nothing of processes, batching or clients.
//!
//! An agent is one process for many sessions, and [`Connection`] is what joins them. Each session speaks as if the
//! process were its own: it says `initialize`, numbers its requests from 1, and hears only its own messages. The
//! connection answers all but the first `initialize` from what it heard, and gives requests numbers of the process.
//! So this machine also runs alone on a process of its own.
//!
//! Messages are read field by field and not into the types of the protocol's schema crate: with those a kind, a
//! status or a block from a later version costs the whole message, what agents tell in `_meta` and `models` is lost,
//! and building them makes every map of the program keep its order. Version 2 is another reading of the same turns:
//! `updates` and `handshake` are all that know the words.

mod adapter_words;
mod asking;
mod call_news;
mod connection;
mod content;
mod forms;
mod handshake;
mod history;
mod login;
mod messages;
mod permissions;
mod prompt;
mod requests;
mod responses;
mod rpc;
mod settings;
mod steering;
mod tool_calls;
mod trouble;
mod turn;
mod updates;

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use super::turn_writer::Opening;
use super::{AgentCommand, Closed, Dialect, Input, Notice, Outbox, Step, TurnWriter, UserMessage};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::MessageItem;
use crate::ids::{SessionId, TurnId};
use crate::time::Now;
pub use connection::{Channel, Connection, Routed};
pub use content::name_in;
pub use handshake::greeting;
use handshake::{Agent, Stage};
use prompt::Prompt;
use requests::{Request, Requests};
use rpc::Message;
use settings::Settings;
use tool_calls::EndedCalls;
use turn::{Cause, Ending, Finish, Turn};

/// How long the agent is silent before something that it said unasked is over.
const ASIDE_PAUSE: Duration = Duration::from_millis(500);

const NOT_TAKEN: &str = "this agent does not take such files; send the message without them";

/// How one kind of agent is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Who offers the models, as events tell it.
    pub provider_id: String,
    /// Our own version, for the agent's records.
    pub client_version: String,
    /// What people run to log in, where that is known.
    pub login_command: Option<String>,
    /// Whether a session that is gone on with tells what was before. Not wanted where that is known already: the
    /// turns of a replay have ids of their own.
    pub replays_history: bool,
    /// How patient to be with the answers to `initialize` and to opening the session, each.
    pub handshake_timeout: Duration,
    /// How long a permission request waits before it is rejected automatically; without it, for ever.
    pub permission_timeout: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            provider_id: "acp".to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            login_command: None,
            replays_history: true,
            handshake_timeout: Duration::from_secs(60),
            permission_timeout: None,
        }
    }
}

/// One session of an ACP agent.
#[derive(Debug)]
pub struct AcpDialect {
    session_id: SessionId,
    options: Options,
    requests: Requests,
    stage: Stage,
    agent: Agent,
    settings: Settings,
    turn: Option<Turn>,
    /// What is wanted while the session is not open yet.
    early: Vec<AgentCommand>,
    /// The prompts that wait for the end of the turn.
    prompts: VecDeque<Prompt>,
    /// The request of a turn that was ended here while the agent was still in it; what comes of it is skipped.
    draining: Option<u64>,
    ended_calls: EndedCalls,
    /// Whether the agent's texts have ids.
    uses_message_ids: bool,
    turns_by_agent: u64,
}

impl AcpDialect {
    /// A session that was not opened yet.
    #[must_use]
    pub fn new(session_id: SessionId, options: Options) -> Self {
        Self {
            session_id,
            options,
            requests: Requests::default(),
            stage: Stage::New,
            agent: Agent::default(),
            settings: Settings::default(),
            turn: None,
            early: Vec::new(),
            prompts: VecDeque::new(),
            draining: None,
            ended_calls: EndedCalls::default(),
            uses_message_ids: false,
            turns_by_agent: 0,
        }
    }
}

impl AcpDialect {
    /// Names the session, once the agent has told what it is called.
    pub fn name_session(&mut self, session_id: SessionId) {
        self.session_id = session_id;
    }

    /// What the agent called itself in its answer to `initialize`.
    #[must_use]
    pub fn agent_name(&self) -> Option<&str> {
        self.agent.name.as_deref()
    }
}

impl Dialect for AcpDialect {
    fn handle(&mut self, input: Input<'_>, now: Now, out: &mut Outbox) {
        let step = &mut Step { now, out };
        match input {
            Input::Frame(bytes) => self.frame(bytes, step),
            // Only Claude Code tells of files to follow.
            Input::TaskOutput { .. } => {}
            Input::FrameTooLong { bytes } => self.frame_too_long(bytes, step),
            Input::Command(command) => self.command(command, step),
            Input::Timeout => self.timeout(step),
            Input::Closed(closed) => self.close(&closed, step),
        }
    }

    fn next_deadline(&self) -> Option<Duration> {
        let turn = self.turn.as_ref();
        let of_turn = turn.and_then(|turn| turn.next_expiry().or_else(|| turn.quiet_at()));
        [self.stage.deadline(), of_turn].into_iter().flatten().min()
    }
}

impl AcpDialect {
    fn frame(&mut self, bytes: &[u8], step: &mut Step<'_>) {
        if self.stage.is_closed() || bytes.trim_ascii().is_empty() {
            return;
        }
        match Message::read(bytes) {
            Some(Message::Request { id, method, params }) => match method.as_ref() {
                "session/request_permission" => self.ask(id, &rpc::read(params), step),
                "elicitation/create" => self.ask_form(id, &rpc::read(params), bytes, step),
                _ => {
                    step.unknown(method.as_ref(), bytes);
                    let why = "this client does not support the method";
                    step.send(&rpc::refusal(&id, rpc::METHOD_NOT_FOUND, why));
                }
            },
            Some(Message::Notification { method, params }) => match method.as_ref() {
                "session/update" => self.update(params, bytes, step),
                "$/cancel_request" => self.withdraw(&rpc::read(params), step),
                method if rpc::is_extension(method) => {}
                _ => step.unknown(method, bytes),
            },
            Some(Message::Response { id, answer }) => match self.requests.take(&id) {
                Some((number, request)) => self.response(number, request, answer, step),
                None => step.unknown("response to no request", bytes),
            },
            None => step.unknown("unreadable", bytes),
        }
    }

    /// Nobody can tell what was lost, perhaps the end of the turn: so the turn ends here.
    fn frame_too_long(&mut self, bytes: u64, step: &mut Step<'_>) {
        let message = format!("the agent sent a line of {bytes} bytes, which is too long to be read");
        let cause = self.turn.as_ref().map(|turn| turn.cause);
        let Some(Cause::Prompt { request }) = cause else { return step.unknown(message, b"") };
        self.send_cancel(step);
        self.draining = Some(request);
        self.end_turn(Ending::Broken(ErrorInfo::new(ErrorCode::LineTooLong, message)), step);
    }

    fn command(&mut self, command: AgentCommand, step: &mut Step<'_>) {
        match command {
            AgentCommand::Open { directory, resume } => self.open(directory, resume, step),
            AgentCommand::Cancel => self.cancel(step),
            // The protocol has no work that outlives its turn.
            AgentCommand::StopBackground => {}
            AgentCommand::Answer { item_id, answer } => self.answer(item_id, &answer, step),
            AgentCommand::Steer { turn, message } => self.steer(Prompt { turn, message }, step),
            AgentCommand::Prompt { .. }
            | AgentCommand::SetModel { .. }
            | AgentCommand::SetPermissionMode { .. }
            | AgentCommand::SetOption { .. } => match &self.stage {
                Stage::New | Stage::Opening { .. } => self.early.push(command),
                Stage::Open => self.wish(command, step),
                Stage::Failed(error) => self.refuse(command, error.clone(), step),
                Stage::Closed => {
                    let gone = ErrorInfo::new(ErrorCode::ProcessCrash, "the agent is not running any more");
                    self.refuse(command, gone, step);
                }
            },
        }
    }

    /// A command for a session that is open.
    fn wish(&mut self, command: AgentCommand, step: &mut Step<'_>) {
        match command {
            AgentCommand::Prompt { turn, message } => self.prompt(Prompt { turn, message }, step),
            AgentCommand::SetModel { model } => self.set_model(model, step),
            AgentCommand::SetPermissionMode { mode } => self.set_mode(mode, step),
            AgentCommand::SetOption { id, value } => self.set_option(&id, &value, step),
            AgentCommand::Open { .. }
            | AgentCommand::Steer { .. }
            | AgentCommand::Cancel
            | AgentCommand::StopBackground
            | AgentCommand::Answer { .. } => {}
        }
    }

    fn refuse(&mut self, command: AgentCommand, error: ErrorInfo, step: &mut Step<'_>) {
        match command {
            AgentCommand::Prompt { turn, message } => {
                self.refuse_prompt(Prompt { turn, message }, Ending::Broken(error), step);
            }
            AgentCommand::Open { .. }
            | AgentCommand::Steer { .. }
            | AgentCommand::Cancel
            | AgentCommand::StopBackground
            | AgentCommand::Answer { .. }
            | AgentCommand::SetModel { .. }
            | AgentCommand::SetPermissionMode { .. }
            | AgentCommand::SetOption { .. } => step.notify(Notice::CommandRefused(error)),
        }
    }

    /// One prompt at a time: agents queue a second one, or take it in and never answer it.
    fn prompt(&mut self, prompt: Prompt, step: &mut Step<'_>) {
        if !content::is_taken(&prompt.message, self.agent.attachments) {
            let error = ErrorInfo::new(ErrorCode::AttachmentNotTaken, NOT_TAKEN);
            return self.refuse_prompt(prompt, Ending::Broken(error), step);
        }
        let is_running = self.turn.as_ref().is_some_and(|turn| matches!(turn.cause, Cause::Prompt { .. }));
        if is_running || self.draining.is_some() {
            self.prompts.push_back(prompt);
        } else {
            self.end_turn(Ending::Completed(Finish::default()), step);
            self.begin(prompt, step);
        }
    }

    fn begin(&mut self, prompt: Prompt, step: &mut Step<'_>) {
        let request = self.requests.send(Request::Prompt, &self.prompt_params(&prompt.message), step);
        step.notify(Notice::TurnBound { turn: prompt.turn.clone() });
        let mut turn = self.new_turn(prompt.turn, Some(prompt.message.shown()), Cause::Prompt { request });
        turn.writer.open(step);
        self.turn = Some(turn);
    }

    fn prompt_params(&self, message: &UserMessage) -> Value {
        json!({ "sessionId": self.agent.session(), "prompt": content::blocks(message) })
    }

    fn cancel(&mut self, step: &mut Step<'_>) {
        match self.turn.as_mut().map(|turn| (turn.cause, turn)) {
            Some((Cause::Prompt { .. }, turn)) => {
                if std::mem::replace(&mut turn.is_cancel_asked, true) {
                    return;
                }
                turn.withdraw_all(step);
                self.send_cancel(step);
            }
            // Nothing of the agent runs that could be stopped.
            Some((Cause::Aside { .. }, _)) => self.end_turn(Ending::Cancelled(Finish::default()), step),
            Some((Cause::History, _)) | None => self.cancel_prompts(step),
        }
    }

    /// Ends the turns of prompts that the agent was not given.
    fn cancel_prompts(&mut self, step: &mut Step<'_>) {
        for prompt in self.take_prompts() {
            self.refuse_prompt(prompt, Ending::Cancelled(Finish::default()), step);
        }
    }

    fn take_prompts(&mut self) -> Vec<Prompt> {
        let is_prompt = |command: &mut AgentCommand| matches!(command, AgentCommand::Prompt { .. });
        let early = self.early.extract_if(.., is_prompt).filter_map(Prompt::of);
        early.chain(self.prompts.drain(..)).collect()
    }

    fn send_cancel(&self, step: &mut Step<'_>) {
        step.send(&rpc::notification("session/cancel", &json!({ "sessionId": self.agent.session() })));
    }

    fn timeout(&mut self, step: &mut Step<'_>) {
        let now = step.now.mono;
        if self.stage.deadline().is_some_and(|until| until <= now) {
            let message = "the agent did not answer when it was started";
            self.fail(ErrorInfo::new(ErrorCode::AgentNotReading, message), step);
        }
        if let Some(turn) = &mut self.turn {
            turn.expire(self.options.permission_timeout, step);
        }
        if self.turn.as_ref().and_then(Turn::quiet_at).is_some_and(|until| until <= now) {
            self.end_turn(Ending::Completed(Finish::default()), step);
        }
    }

    fn close(&mut self, closed: &Closed, step: &mut Step<'_>) {
        if self.stage.is_closed() {
            return;
        }
        let error = closed.error();
        if self.stage.opening().is_some() {
            let message = format!("the session could not be opened: {}", error.message);
            step.notify(Notice::Failed(ErrorInfo::new(ErrorCode::SpawnFailed, message)));
        }
        self.stage = Stage::Closed;
        if let Some(turn) = self.turn.take() {
            let ending = match turn.cause {
                Cause::Prompt { .. } if turn.is_cancel_asked => Ending::Cancelled(Finish::default()),
                Cause::Prompt { .. } => Ending::Broken(error.clone()),
                Cause::History | Cause::Aside { .. } => Ending::Completed(Finish::default()),
            };
            drop(turn.end(ending, step));
        }
        self.refuse_all(&error, step);
    }

    /// Ends the turns of all prompts that the agent did not take.
    fn refuse_all(&mut self, error: &ErrorInfo, step: &mut Step<'_>) {
        for turn in self.requests.take_steered() {
            step.notify(Notice::NotSteered { turn, error: error.clone() });
        }
        for prompt in self.take_prompts() {
            self.refuse_prompt(prompt, Ending::Broken(error.clone()), step);
        }
    }

    fn refuse_prompt(&self, prompt: Prompt, ending: Ending, step: &mut Step<'_>) {
        let turn = self.new_turn(prompt.turn, Some(prompt.message.shown()), Cause::Prompt { request: 0 });
        drop(turn.end(ending, step));
    }

    fn new_turn(&self, turn: TurnId, prompt: Option<MessageItem>, cause: Cause) -> Turn {
        let model_id = self.settings.model().unwrap_or("unknown").to_owned();
        let provider_id = self.options.provider_id.clone();
        let echo = prompt.as_ref().map(|prompt| prompt.content.clone()).unwrap_or_default();
        let opening = Opening { model_id, provider_id: provider_id.clone(), prompt };
        Turn::new(TurnWriter::new(self.session_id.clone(), turn, opening), cause, provider_id, &echo)
    }

    fn end_turn(&mut self, ending: Ending, step: &mut Step<'_>) {
        if let Some(turn) = self.turn.take() {
            self.ended_calls.add(turn.end(ending, step));
        }
    }

    fn begin_next(&mut self, step: &mut Step<'_>) {
        if self.turn.is_none()
            && self.draining.is_none()
            && let Some(prompt) = self.prompts.pop_front()
        {
            self.begin(prompt, step);
        }
    }
}
