//! What each line of Claude Code means for the process it comes from. Owns the choice of the turn that a line
//! belongs to, and the beginning and the end of turns.

use serde_json::{Map, Value};

use super::control::{self, Request};
use super::notices::{self, Known};
use super::permissions::Asked;
use super::prompts::is_echo;
use super::spending::Spending;
use super::task_end::notified_task;
use super::task_list::TaskList;
use super::turn::{Finish, Turn};
use super::wire::{Block, Part, blocks, flag, list, object, text};
use super::{ClaudeDialect, Notice, Step};
use crate::dialect::login;
use crate::error::{ErrorCode, ErrorInfo};
use crate::ids::CallId;

/// The model's name on lines that no model wrote.
const SYNTHETIC: &str = "<synthetic>";
/// What the CLI puts where an answer is missing after a crash, and where a command has no output.
const NOTHING_SAID: [&str; 2] = ["No response requested.", "(no content)"];
/// What is told when the agent goes on in another session of its own, after `/clear`.
const CLEARED: &str = "The agent has begun anew, and does not know what was said before.";
/// What `/compact` prints when it is done.
const COMPACTED: &str = "Compacted";
/// The capability to report how far the agent is with each prompt, in `command_lifecycle` lines.
const LIFECYCLE: &str = "msg_lifecycle_v1";

impl ClaudeDialect {
    pub(super) fn part(&mut self, part: &Part<'_>, bytes: &[u8], step: &mut Step<'_>) {
        if !is_known_part(&part.kind) {
            return step.unknown(format!("stream_event {}", part.kind), bytes);
        }
        self.open_announced(step);
        match &mut self.turn {
            Some(turn) => turn.part(part, step),
            None => self.outside("stream_event", bytes, step),
        }
    }

    pub(super) fn whole_line(
        &mut self,
        kind: &str,
        line: &Map<String, Value>,
        bytes: &[u8],
        step: &mut Step<'_>,
    ) {
        match kind {
            "system" => self.system(line, bytes, step),
            "assistant" => self.assistant(line, bytes, step),
            "user" => self.user(line, step),
            "result" => self.result(line, bytes, step),
            "control_request" => self.control_request(line, bytes, step),
            "control_response" => self.control_response(line, step),
            "control_cancel_request" => self.control_cancel(line, step),
            "rate_limit_event" => self.note(notices::rate_limit(line), step),
            "command_lifecycle" => self.prompt_reported(line),
            // The next `init` names the new session; its costs are counted anew.
            "conversation_reset" => self.spending = Spending::default(),
            "keep_alive" | "tool_progress" => {}
            _ => step.unknown(kind, bytes),
        }
    }

    fn system(&mut self, line: &Map<String, Value>, bytes: &[u8], step: &mut Step<'_>) {
        let subtype = text(line, "subtype").unwrap_or_default();
        match subtype {
            "init" => return self.init(line, step),
            "status" => self.status(line, step),
            "task_started" => return self.task_started(line, step),
            "task_updated" => return self.task_updated(line, step),
            "task_notification" => return self.task_ended(line, step),
            "background_tasks_changed" => return self.tasks_listed(line, step),
            _ => {}
        }
        match notices::note(subtype, line) {
            Known::Note(note) => self.note(Some(note), step),
            Known::Silent => {}
            Known::No => step.unknown(format!("system {subtype}"), bytes),
        }
    }

    /// A turn begins, whoever asked for it.
    fn init(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        self.is_draining = false;
        let has_lifecycle = list(line, "capabilities").iter().any(|capability| capability == LIFECYCLE);
        self.prompts.expect_reports(has_lifecycle);
        let is_another = self.learn_session(line, step);
        if let Some(model) = text(line, "model") {
            self.learn_model(model, step);
        }
        self.learn_permission_mode(line, step);
        self.begin_after_init(line, step);
        if let Some(turn) = &mut self.turn {
            turn.writer.set_model(self.agent.model.as_deref().unwrap_or("unknown"));
            turn.writer.open(step);
        }
        if is_another {
            self.task_list = TaskList::default();
            self.note(Some(CLEARED.to_owned()), step);
        }
    }

    /// Before a long compaction this is all that is said of the turn.
    fn status(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        self.learn_permission_mode(line, step);
        let is_at_work = text(line, "status").is_some() && !self.is_draining;
        if !is_at_work || self.turn.is_some() {
            return;
        }
        if self.announced.is_some() {
            return self.open_announced(step);
        }
        if self.prompts.are_starts_reported() || self.task_notes.is_empty() {
            self.begin_first(step);
        }
    }

    fn assistant(&mut self, line: &Map<String, Value>, bytes: &[u8], step: &mut Step<'_>) {
        let parent = self.parent_of(line);
        if parent.is_none() {
            self.open_announced(step);
        }
        let message = object(line, "message");
        let of_message = |key| message.and_then(|message| text(message, key));
        let found = blocks(line);
        if parent.is_none() && of_message("model") == Some(SYNTHETIC) {
            return self.synthetic(text(line, "error"), &found, step);
        }
        for block in &found {
            if let Block::Call(call) = block {
                self.task_list.call(&call.id, &call.name, &call.input);
            }
        }
        match self.turn_of(parent.as_ref()) {
            Some(turn) => {
                turn.assistant(of_message("id").unwrap_or_default(), parent.as_ref(), found, step);
            }
            None => self.outside("assistant", bytes, step),
        }
    }

    /// The turn that a line belongs to, by the call whose sub-agent sent it.
    fn turn_of(&mut self, parent: Option<&CallId>) -> Option<&mut Turn> {
        let is_elsewhere =
            parent.is_some_and(|parent| self.background.iter().any(|turn| turn.knows_call(parent)));
        match parent.filter(|_| is_elsewhere) {
            Some(parent) => self.turn_of_call(parent),
            None => self.turn.as_mut(),
        }
    }

    /// The program speaks in the model's place: it failed, or a command of its own has an output.
    fn synthetic(&mut self, error: Option<&str>, found: &[Block], step: &mut Step<'_>) {
        let Some(turn) = &mut self.turn else { return };
        let message = plain_text(found);
        match error {
            Some(code) => turn.fail(login::failure(code, message)),
            None if message.is_empty() || NOTHING_SAID.contains(&message.as_str()) => {}
            None => turn.note(message, step),
        }
    }

    fn user(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        if flag(line, "isReplay") {
            return self.echo(line, step);
        }
        for block in blocks(line) {
            match block {
                Block::Result(result) => {
                    let told = line.get("tool_use_result");
                    let plan = self.task_list.result(&result.id, result.is_error, told);
                    let Some(turn) = self.turn_of(Some(&result.id)) else { continue };
                    turn.result(result, told, step);
                    plan.into_iter().for_each(|plan| turn.plan(plan, step));
                }
                // The sub-agent's prompt stands in its call, nudges and summaries are for the model.
                Block::Text(_) | Block::Thinking(_) | Block::Call(_) | Block::Unknown(_) => {}
            }
        }
    }

    /// A prompt comes back: it began its turn, or was taken into the one that runs.
    fn echo(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let (said, uuid) = (plain_text(&blocks(line)), text(line, "uuid"));
        if let Some(output) = local_output(&said) {
            // The boundary has told it already, and in numbers.
            let is_news = !output.starts_with(COMPACTED);
            return self.note(is_news.then(|| output.to_owned()), step);
        }
        if let Some(task) = notified_task(&said) {
            return self.task_notified(task, step);
        }
        if let Some(turn) = &mut self.turn {
            let own = turn.echo.take_if(|prompt| is_echo(turn.writer.turn_id(), prompt, uuid, &said));
            if own.is_some() {
                return;
            }
        }
        let Some(prompt) = self.prompts.take_echoed(uuid, &said) else { return };
        match &mut self.turn {
            None => self.begin(prompt, step),
            Some(turn) => {
                let Some(said) = prompt.unsaid() else { return };
                step.notify(Notice::TurnMerged { turn: prompt.turn, into: turn.id().clone() });
                turn.writer.say(said, step);
            }
        }
    }

    fn result(&mut self, line: &Map<String, Value>, bytes: &[u8], step: &mut Step<'_>) {
        self.learn_session(line, step);
        // A turn in which nothing happened shows nothing, unless it failed. What it cost counts for the next one.
        if self.turn.is_none() && !flag(line, "is_error") && self.announced.take().is_some() {
            return;
        }
        let finish = self.finish(line);
        if std::mem::take(&mut self.is_draining) {
            return;
        }
        self.open_announced(step);
        if self.turn.is_none() {
            self.begin_first(step);
        }
        match &mut self.turn {
            Some(turn) => {
                let ending = turn.ending(line, finish);
                if let Some(next) = self.prompts.left_over() {
                    step.notify(Notice::TurnOpened { turn: next.clone() });
                }
                self.end_turn(ending, step);
            }
            None if flag(line, "is_error") && self.handshake_until.is_some() => {
                step.notify(Notice::Failed(start_failure(line)));
            }
            None => step.unknown("result outside a turn", bytes),
        }
    }

    fn finish(&mut self, line: &Map<String, Value>) -> Finish {
        let unusual = text(line, "terminal_reason").filter(|reason| *reason != "completed");
        let reason = unusual.or_else(|| text(line, "stop_reason")).map(str::to_owned);
        Finish { reason, usage: self.spending.of_turn(line) }
    }

    fn control_request(&mut self, line: &Map<String, Value>, bytes: &[u8], step: &mut Step<'_>) {
        let (Some(id), Some(request)) = (text(line, "request_id"), object(line, "request")) else {
            return step.unknown("control_request", bytes);
        };
        match text(request, "subtype") {
            Some("can_use_tool") => self.ask(Asked::read(id, request), step),
            other => {
                let subtype = other.unwrap_or("without a subtype");
                step.unknown(format!("control_request {subtype}"), bytes);
                control::refuse(id, "this client does not support the request", step);
            }
        }
    }

    fn control_response(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let Some(response) = self.control.response(line) else { return };
        match (response.request, response.answer) {
            (Request::Initialize, Ok(answer)) => {
                self.handshake_until = None;
                step.notify(Notice::Ready(control::abilities(answer)));
            }
            (Request::Initialize, Err(why)) => {
                self.handshake_until = None;
                step.notify(Notice::Failed(ErrorInfo::new(ErrorCode::SpawnFailed, why)));
            }
            (
                Request::Interrupt | Request::SetModel | Request::SetPermissionMode | Request::StopTask,
                Ok(_),
            ) => {}
            (
                Request::Interrupt | Request::SetModel | Request::SetPermissionMode | Request::StopTask,
                Err(why),
            ) => {
                step.notify(Notice::CommandRefused(ErrorInfo::new(ErrorCode::InvalidRequest, why)));
            }
        }
    }

    fn control_cancel(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let Some(id) = text(line, "request_id") else { return };
        for turn in self.turn.iter_mut().chain(&mut self.background) {
            turn.withdraw(id, step);
        }
        self.end_answered_request(step);
    }

    /// A line that belongs to a turn, and there is none.
    fn outside(&self, kind: &str, bytes: &[u8], step: &mut Step<'_>) {
        if !self.is_draining {
            step.unknown(format!("{kind} outside a turn"), bytes);
        }
    }

    /// Notes belong to a turn; between turns nobody would see them.
    pub(super) fn note(&mut self, note: Option<String>, step: &mut Step<'_>) {
        if note.is_some() {
            self.open_announced(step);
        }
        if let (Some(turn), Some(note)) = (&mut self.turn, note) {
            turn.note(note, step);
        }
    }

    /// Tells whether it is another session than before.
    fn learn_session(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) -> bool {
        let id = text(line, "session_id").filter(|id| !id.is_empty());
        let Some(id) = id.filter(|id| self.agent.session.as_deref() != Some(id)) else { return false };
        step.notify(Notice::AgentSession { id: id.to_owned() });
        self.agent.session.replace(id.to_owned()).is_some()
    }

    fn learn_model(&mut self, model: &str, step: &mut Step<'_>) {
        if self.agent.model.as_deref() != Some(model) {
            self.agent.model = Some(model.to_owned());
            step.notify(Notice::Model { model: model.to_owned() });
        }
    }

    fn learn_permission_mode(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let Some(mode) = text(line, "permissionMode") else { return };
        if self.agent.permission_mode.as_deref() != Some(mode) {
            self.agent.permission_mode = Some(mode.to_owned());
            step.notify(Notice::PermissionMode { mode: mode.to_owned() });
        }
    }
}

fn is_known_part(kind: &str) -> bool {
    let known = ["message_start", "content_block_start", "content_block_delta", "content_block_stop"];
    known.contains(&kind) || ["message_delta", "message_stop", "ping", "error"].contains(&kind)
}

fn plain_text(found: &[Block]) -> String {
    let texts = found.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::Thinking(_) | Block::Call(_) | Block::Result(_) | Block::Unknown(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What a command of the program printed.
fn local_output(said: &str) -> Option<&str> {
    let inner = said.trim().strip_prefix("<local-command-stdout>")?;
    inner.strip_suffix("</local-command-stdout>").map(str::trim)
}

fn start_failure(line: &Map<String, Value>) -> ErrorInfo {
    let errors: Vec<&str> = list(line, "errors").iter().filter_map(Value::as_str).collect();
    ErrorInfo::new(ErrorCode::SpawnFailed, errors.join("\n"))
}
