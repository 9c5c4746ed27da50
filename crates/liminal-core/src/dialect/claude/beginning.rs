//! How turns begin: with a prompt that the agent takes, or by the agent itself. Owns which prompt a turn belongs to.

use std::time::Duration;

use serde_json::{Map, Value};

use super::control::Request;
use super::prompts::Prompt;
use super::task_end::TaskNote;
use super::turn::{Ending, Finish, Turn, TurnCause};
use super::wire::text;
use super::{ClaudeDialect, Notice, PROVIDER_ID, Step};
use crate::dialect::TurnWriter;
use crate::dialect::turn_writer::Opening;
use crate::event::MessageItem;
use crate::ids::TurnId;

/// How soon after the end of a task in the background a turn begins because of it.
const TASK_TURN_WITHIN: Duration = Duration::from_secs(1);

impl ClaudeDialect {
    pub(super) fn begin_after_init(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        if let Some(turn) = &mut self.turn {
            if turn.cause != TurnCause::Request {
                return;
            }
            if self.prompts.is_empty() {
                turn.cause = TurnCause::Agent;
                return;
            }
            let Some(mut request) = self.turn.take() else { return };
            let carried = request.end(Ending::Completed(Finish::default()), step);
            self.keep_background(request);
            self.begin_first(step);
            return carried.into_iter().for_each(|asked| self.ask(asked, step));
        }
        let id = text(line, "uuid").unwrap_or("unnamed");
        if self.prompts.are_starts_reported() {
            self.announced = Some(id.to_owned());
            return self.begin_first(step);
        }
        let is_of_agent = self.prompts.is_empty() || self.has_task_note(step);
        if is_of_agent {
            self.announced = Some(id.to_owned());
            return self.open_announced(step);
        }
        self.begin_first(step);
    }

    /// Opens the turn that the agent has announced, with the reason if that is known.
    pub(super) fn open_announced(&mut self, step: &mut Step<'_>) {
        let Some(id) = self.announced.take().filter(|_| self.turn.is_none()) else { return };
        self.open_by_agent(&id, TurnCause::Agent, step);
        for note in self.take_task_notes(step) {
            self.note(Some(note), step);
        }
    }

    pub(super) fn prompt_reported(&mut self, line: &Map<String, Value>) {
        if let (Some(uuid), Some(state)) = (text(line, "command_uuid"), text(line, "state")) {
            self.prompts.report(uuid, state);
        }
    }

    pub(super) fn begin_first(&mut self, step: &mut Step<'_>) {
        if let Some(prompt) = self.prompts.take_begun() {
            self.begin(prompt, step);
        }
    }

    pub(super) fn begin(&mut self, prompt: Prompt, step: &mut Step<'_>) {
        let said = prompt.unsaid();
        let Prompt { turn, message, is_cancelled, .. } = prompt;
        step.notify(Notice::TurnBound { turn: turn.clone() });
        self.announced = None;
        let mut turn = self.new_turn(turn, said, TurnCause::Prompt);
        turn.echo = Some(message.text);
        turn.is_cancel_asked = is_cancelled;
        self.turn = Some(turn);
        if is_cancelled {
            self.control.request(Request::Interrupt, Value::Null, step);
        }
    }

    fn has_task_note(&self, step: &Step<'_>) -> bool {
        self.task_notes.iter().any(|note| is_recent(note.at, step))
    }

    /// Takes how tasks ended because of which a turn begins now.
    fn take_task_notes(&mut self, step: &Step<'_>) -> Vec<String> {
        let notes = std::mem::take(&mut self.task_notes).into_iter();
        let is_due = |note: &TaskNote| self.prompts.are_starts_reported() || is_recent(note.at, step);
        notes.filter(is_due).map(|note| note.text).collect()
    }

    pub(super) fn new_turn(&self, turn: TurnId, prompt: Option<MessageItem>, cause: TurnCause) -> Turn {
        let model_id = self.agent.model.clone().unwrap_or_else(|| "unknown".to_owned());
        let opening = Opening { model_id, provider_id: PROVIDER_ID.to_owned(), prompt };
        Turn::new(TurnWriter::new(self.session_id.clone(), turn, opening), cause)
    }

    /// Opens a turn that nobody asked for. Numbered, because an agent may repeat its ids.
    pub(super) fn open_by_agent(&mut self, id: &str, cause: TurnCause, step: &mut Step<'_>) {
        self.turns_by_agent += 1;
        let turn = TurnId::from(format!("auto-{}-{id}", self.turns_by_agent));
        step.notify(Notice::TurnOpened { turn: turn.clone() });
        let mut turn = self.new_turn(turn, None, cause);
        turn.writer.open(step);
        self.turn = Some(turn);
    }
}

fn is_recent(at: Duration, step: &Step<'_>) -> bool {
    step.now.mono.saturating_sub(at) <= TASK_TURN_WITHIN
}
