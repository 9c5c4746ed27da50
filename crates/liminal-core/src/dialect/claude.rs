//! Claude Code's stream-json. Owns the state of one process of it: which prompts it was given, which turn it is
//! in, and what our side asked of it. Knows its lines and nothing of processes, batching or clients.
//!
//! A turn begins with the line that tells so, not with the prompt: the CLI takes prompts when it likes, joins
//! them, and begins turns by itself when work in the background ends.

mod background;
mod beginning;
mod blocks;
mod calls;
mod control;
pub mod history;
mod launch;
mod lines;
mod modes;
mod notices;
mod permissions;
mod prompts;
mod repair;
mod repetition;
mod spending;
mod suggestions;
mod task_end;
mod task_list;
mod tasks;
mod tool_result;
mod turn;
mod wire;

use std::time::Duration;

use serde_json::{Value, json};

use super::requested_input;
use super::{AgentCommand, Closed, Dialect, Input, Notice, Outbox, Step, UserMessage};
use crate::error::{ErrorCode, ErrorInfo};
use crate::ids::{ItemId, SessionId, TurnId};
use crate::time::Now;
use crate::wire::rest::PermissionAnswer;
use control::{Control, Request};
pub use modes::{DEFAULT_MODE, is_permission_mode, permission_mode_choices, permission_modes};
use permissions::Asked;
pub use permissions::{ALLOW_ONCE, DENY, DENY_AND_STOP};
use prompts::{Prompt, Prompts};
use repetition::Seen;
use spending::Spending;
use task_end::TaskNote;
use task_list::TaskList;
use tasks::Tasks;
use turn::{Ending, Finish, Turn, TurnCause};
use wire::Line;

/// Who offers the models, as events tell it.
const PROVIDER_ID: &str = "claude-code";

/// How patient the dialect is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// With the answer to `initialize`.
    pub handshake_timeout: Duration,
    /// With an agent that was given a prompt and says nothing at all.
    pub prompt_timeout: Duration,
    /// How long a permission request waits before it is rejected automatically; without it, for ever.
    pub permission_timeout: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_secs(60),
            prompt_timeout: Duration::from_secs(30),
            permission_timeout: None,
        }
    }
}

/// One process of Claude Code.
#[derive(Debug)]
pub struct ClaudeDialect {
    session_id: SessionId,
    options: Options,
    control: Control,
    prompts: Prompts,
    turn: Option<Turn>,
    /// Turns that have ended and have calls in the background.
    background: Vec<Turn>,
    /// A turn that the agent has announced by itself. It begins with the first thing that happens in it: some have none.
    announced: Option<String>,
    agent: AgentState,
    spending: Spending,
    tasks: Tasks,
    /// How tasks in the background ended of which the agent has not spoken yet: it may begin a turn because of them.
    task_notes: Vec<TaskNote>,
    task_list: TaskList,
    turns_by_agent: u64,
    handshake_until: Option<Duration>,
    quiet_since: Duration,
    seen: Seen,
    /// A turn was ended here while the agent was still in it; what comes of it is to be skipped.
    is_draining: bool,
    is_closed: bool,
}

/// What the process said of itself last.
#[derive(Debug, Default)]
struct AgentState {
    session: Option<String>,
    model: Option<String>,
    permission_mode: Option<String>,
}

impl ClaudeDialect {
    /// A process that was not spoken to yet.
    #[must_use]
    pub fn new(session_id: SessionId, options: Options) -> Self {
        Self {
            session_id,
            options,
            control: Control::default(),
            prompts: Prompts::default(),
            turn: None,
            background: Vec::new(),
            announced: None,
            agent: AgentState::default(),
            spending: Spending::default(),
            tasks: Tasks::default(),
            task_notes: Vec::new(),
            task_list: TaskList::default(),
            turns_by_agent: 0,
            handshake_until: None,
            quiet_since: Duration::ZERO,
            seen: Seen::default(),
            is_draining: false,
            is_closed: false,
        }
    }
}

impl Dialect for ClaudeDialect {
    fn handle(&mut self, input: Input<'_>, now: Now, out: &mut Outbox) {
        let step = &mut Step { now, out };
        match input {
            Input::Frame(bytes) => self.frame(bytes, step),
            Input::FrameTooLong { bytes } => self.frame_too_long(bytes, step),
            Input::TaskOutput { task, text } => self.task_output(task, text, step),
            Input::Command(command) => self.command(command, step),
            Input::Timeout => self.timeout(step),
            Input::Closed(closed) => self.close(&closed, step),
        }
    }

    fn next_deadline(&self) -> Option<Duration> {
        let expiry = self.turn.iter().chain(&self.background).filter_map(Turn::next_expiry).min();
        [self.handshake_until, self.prompt_deadline(), expiry].into_iter().flatten().min()
    }
}

impl ClaudeDialect {
    fn frame(&mut self, bytes: &[u8], step: &mut Step<'_>) {
        self.quiet_since = step.now.mono;
        if self.is_closed || bytes.trim_ascii().is_empty() {
            return;
        }
        let repaired;
        let mut read = Line::read(bytes);
        if read.is_none() {
            repaired = repair::repaired(bytes);
            read = repaired.as_deref().and_then(|line| Line::read(line.as_bytes()));
        }
        match read {
            Some((Some(id), _)) if !self.seen.insert(id) => step.unknown("repeated", bytes),
            Some((_, Line::Part(part))) => self.part(&part, bytes, step),
            Some((_, Line::NestedPart)) => {}
            Some((_, Line::Whole(kind, line))) => self.whole_line(&kind, &line, bytes, step),
            None => step.unknown("unreadable", bytes),
        }
    }

    /// Nobody can tell what was lost, perhaps the end of the turn: so the turn ends here.
    fn frame_too_long(&mut self, bytes: u64, step: &mut Step<'_>) {
        self.quiet_since = step.now.mono;
        let message = format!("the agent sent a line of {bytes} bytes, which is too long to be read");
        if self.turn.is_none() {
            return step.unknown(message, b"");
        }
        self.control.request(Request::Interrupt, Value::Null, step);
        self.is_draining = true;
        self.end_turn(Ending::Broken(ErrorInfo::new(ErrorCode::LineTooLong, message)), step);
    }

    fn command(&mut self, command: AgentCommand, step: &mut Step<'_>) {
        match command {
            AgentCommand::Open { .. } => {
                self.handshake_until = Some(step.now.mono + self.options.handshake_timeout);
                self.control.request(
                    Request::Initialize,
                    json!({ "hooks": null, "forwardSubagentText": true }),
                    step,
                );
            }
            AgentCommand::Prompt { turn, message } => self.prompt(turn, message, step),
            AgentCommand::Steer { turn, message } => self.steer(turn, message, step),
            AgentCommand::Cancel => self.cancel(step),
            AgentCommand::StopBackground => self.stop_background(step),
            AgentCommand::Answer { item_id, answer } => self.answer(item_id, &answer, step),
            AgentCommand::SetModel { model } => {
                let arguments = model.map_or(Value::Null, |model| json!({ "model": model }));
                self.control.request(Request::SetModel, arguments, step);
            }
            AgentCommand::SetPermissionMode { mode } => self.set_permission_mode(&mode, step),
            AgentCommand::SetOption { id, .. } => {
                let message = format!("this kind of agent has no option `{id}`");
                step.notify(Notice::CommandRefused(ErrorInfo::new(ErrorCode::InvalidRequest, message)));
            }
        }
    }

    fn prompt(&mut self, turn: TurnId, message: UserMessage, step: &mut Step<'_>) {
        let prompt = Prompt::new(turn, message);
        if self.is_closed {
            let gone = ErrorInfo::new(ErrorCode::ProcessCrash, "the agent is not running any more");
            return self.refuse_prompt(prompt, gone, step);
        }
        step.send(&prompt.frame());
        self.quiet_since = step.now.mono;
        self.prompts.push(prompt);
    }

    /// The CLI takes it in after the tool that runs, or makes a turn of it when this one ends: either way the user
    /// said it now, and here it is shown.
    fn steer(&mut self, id: TurnId, message: UserMessage, step: &mut Step<'_>) {
        let running =
            self.turn.as_mut().filter(|turn| turn.cause != TurnCause::Request && !turn.is_cancel_asked);
        let Some(turn) = running else { return step.notify(Notice::not_steered(id, "no turn runs")) };
        let prompt = Prompt::shown(id.clone(), message);
        step.send(&prompt.frame());
        step.notify(Notice::Steered { turn: id, into: turn.id().clone() });
        turn.writer.say(prompt.message.shown(), step);
        self.prompts.push(prompt);
    }

    fn cancel(&mut self, step: &mut Step<'_>) {
        let Some(turn) = &mut self.turn else { return self.prompts.cancel_all() };
        if turn.is_cancel_asked {
            return;
        }
        turn.is_cancel_asked = true;
        match turn.cause {
            TurnCause::Prompt | TurnCause::Agent => {
                self.control.request(Request::Interrupt, Value::Null, step);
            }
            // No turn of the agent runs that could be interrupted.
            TurnCause::Request => {
                turn.reject_all(step);
                self.end_turn(Ending::Cancelled(Finish::default()), step);
            }
        }
    }

    fn answer(&mut self, item_id: ItemId, answer: &PermissionAnswer, step: &mut Step<'_>) {
        let mut turns = self.turn.iter_mut().chain(&mut self.background);
        let asked = turns.find_map(|turn| Some((turn.find_asked(&item_id)?.clone(), turn)));
        let Some((asked, turn)) = asked else {
            let error = ErrorInfo::new(ErrorCode::AlreadyAnswered, "the agent does not wait for this answer");
            return step.notify(Notice::AnswerRefused { item_id, error });
        };
        match asked.decide(answer) {
            Ok(decision) => {
                turn.is_cancel_asked |= decision.stops;
                control::answer(&asked.request_id, &decision.response, step);
                turn.answered(&item_id, decision.outcome, step);
                self.end_answered_request(step);
            }
            Err(error) => step.notify(Notice::AnswerRefused { item_id, error }),
        }
    }

    fn set_permission_mode(&mut self, mode: &str, step: &mut Step<'_>) {
        // The CLI takes any word.
        if !is_permission_mode(mode) {
            let message = format!("`{mode}` is none of {}", permission_modes());
            let error = ErrorInfo::new(ErrorCode::InvalidRequest, message);
            return step.notify(Notice::CommandRefused(error));
        }
        self.control.request(Request::SetPermissionMode, json!({ "mode": mode }), step);
    }

    fn timeout(&mut self, step: &mut Step<'_>) {
        let now = step.now.mono;
        if self.handshake_until.is_some_and(|until| until <= now) {
            self.handshake_until = None;
            let error =
                ErrorInfo::new(ErrorCode::AgentNotReading, "the agent did not answer when it was started");
            step.notify(Notice::Failed(error));
        }
        if self.prompt_deadline().is_some_and(|until| until <= now) {
            self.give_prompts_up(step);
        }
        for turn in self.turn.iter_mut().chain(&mut self.background) {
            turn.expire(self.options.permission_timeout, step);
        }
        self.end_answered_request(step);
    }

    fn close(&mut self, closed: &Closed, step: &mut Step<'_>) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        self.handshake_until = None;
        let error = closed.error();
        self.end_background(&error, step);
        if let Some(mut turn) = self.turn.take() {
            let ending = match turn.is_cancel_asked {
                true => Ending::Cancelled(Finish::default()),
                false => Ending::Broken(error.clone()),
            };
            drop(turn.end(ending, step));
            // What was said inside the turn ends with it.
            self.prompts.forget_shown();
        }
        while let Some(prompt) = self.prompts.take_first() {
            self.refuse_prompt(prompt, error.clone(), step);
        }
    }

    fn give_prompts_up(&mut self, step: &mut Step<'_>) {
        let seconds = self.options.prompt_timeout.as_secs();
        let message = format!("the agent was told something and said nothing for {seconds} seconds");
        let error = ErrorInfo::new(ErrorCode::AgentNotReading, message);
        step.notify(Notice::Failed(error.clone()));
        self.is_draining = true;
        while let Some(prompt) = self.prompts.take_first() {
            self.refuse_prompt(prompt, error.clone(), step);
        }
    }

    /// Ends the turn of a prompt that the agent never took.
    fn refuse_prompt(&self, prompt: Prompt, error: ErrorInfo, step: &mut Step<'_>) {
        let ending = match prompt.is_cancelled {
            true => Ending::Cancelled(Finish::default()),
            false => Ending::Broken(error),
        };
        let said = prompt.unsaid();
        let mut turn = self.new_turn(prompt.turn, said, TurnCause::Prompt);
        drop(turn.end(ending, step));
    }

    /// When an agent that has a prompt and is in no turn has been silent for too long.
    fn prompt_deadline(&self) -> Option<Duration> {
        let waits = self.turn.is_none() && !self.prompts.is_empty();
        waits.then(|| self.quiet_since + self.options.prompt_timeout)
    }

    /// Ends the turn. What sub-agents in the background still ask is asked again, so that it stays answerable.
    fn end_turn(&mut self, ending: Ending, step: &mut Step<'_>) {
        let Some(mut turn) = self.turn.take() else { return };
        self.quiet_since = step.now.mono;
        let carried = turn.end(ending, step);
        self.keep_background(turn);
        carried.into_iter().for_each(|asked| self.ask(asked, step));
    }

    /// A turn that was there only for a question ends with its answer.
    fn end_answered_request(&mut self, step: &mut Step<'_>) {
        let turn = self.turn.as_ref();
        if turn.is_some_and(|turn| turn.cause == TurnCause::Request && !turn.is_waiting()) {
            self.end_turn(Ending::Completed(Finish::default()), step);
        }
    }

    fn ask(&mut self, mut asked: Asked, step: &mut Step<'_>) {
        let task = asked.agent_id.as_deref().and_then(|agent| self.tasks.get(agent));
        let parent = task.map(|task| task.call.clone());
        let (deadline, until) = requested_input::deadline(self.options.permission_timeout, step.now);
        asked.shown.deadline = deadline;
        if let Some((turn, parent)) = parent.as_ref().and_then(|call| Some((self.turn_of_call(call)?, call)))
        {
            return turn.ask(asked, Some(parent), until, step);
        }
        self.open_announced(step);
        if self.turn.is_none() {
            self.open_by_agent(&asked.request_id, TurnCause::Request, step);
        }
        if let Some(turn) = &mut self.turn {
            turn.ask(asked, parent.as_ref(), until, step);
        }
    }
}
