//! Work in the background: sub-agents and commands that go on after the turn that started them. Owns the turns that have
//! ended and still have calls open, and which turn a line of such work belongs to.

use serde_json::{Map, Value, json};

use super::control::Request;
use super::task_end::{self, TaskEnd, TaskNote};
use super::tasks::{self, Task, TaskKind};
use super::turn::{Ending, Finish, Turn, TurnCause};
use super::wire::{Call, text};
use super::{ClaudeDialect, Notice, Step};
use crate::error::ErrorInfo;
use crate::ids::CallId;

/// More ends of tasks at once are not told.
const NOTE_LIMIT: usize = 64;

impl ClaudeDialect {
    /// The call that a line of a sub-agent belongs to. A sub-agent that was given another message still names the call that
    /// started it first, so the id of its task takes precedence.
    pub(super) fn parent_of(&self, line: &Map<String, Value>) -> Option<CallId> {
        let named = text(line, "parent_tool_use_id").map(CallId::from)?;
        let task = text(line, "agent_id").and_then(|agent| self.tasks.get(agent));
        Some(task.map_or(named, |task| task.call.clone()))
    }

    /// The turn that has a call: the one that runs, or one that has ended and has calls in the background.
    pub(super) fn turn_of_call(&mut self, call: &CallId) -> Option<&mut Turn> {
        let is_open = |turn: &Turn| turn.is_call_open(call) || turn.is_in_background(call);
        // An agent may repeat its ids, so a call that is over counts only if no other is open.
        let is_running = self.turn.as_ref().is_some_and(is_open);
        match self.background.iter_mut().find(|turn| !is_running && is_open(turn)) {
            Some(turn) => Some(turn),
            None => self.turn.as_mut().filter(|turn| turn.knows_call(call)),
        }
    }

    pub(super) fn task_started(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let (Some(id), Some(task)) = (text(line, "task_id"), Task::read(line)) else { return };
        let call = task.call.clone();
        self.tasks.start(id, task);
        if !tasks::is_background(line) {
            return;
        }
        match self.turn_of_call(&call).filter(|turn| turn.is_call_open(&call)) {
            Some(turn) => turn.detach(&call, step),
            None => self.continue_task(id, line, step),
        }
    }

    /// A task may go into the background after its start.
    pub(super) fn task_updated(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let task = text(line, "task_id").and_then(|id| self.tasks.get(id));
        let Some(call) = task.filter(|_| tasks::is_background(line)).map(|task| task.call.clone()) else {
            return;
        };
        if let Some(turn) = self.turn_of_call(&call) {
            turn.detach(&call, step);
        }
    }

    pub(super) fn task_ended(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        let id = text(line, "task_id").unwrap_or_default();
        let task = self.tasks.end(id);
        let running = task.as_ref().filter(|task| {
            self.turn_of_call(&task.call).is_some_and(|turn| turn.is_in_background(&task.call))
        });
        let Some(task) = running else { return self.foreign_task_ended(task.as_ref(), line, step) };
        self.end_task(id, &task.call, TaskEnd::read(task, line), step);
        // A sub-agent hears of the end of its own tasks, and nobody of what a person stopped with the turn.
        let is_stopped_by_user = text(line, "status") == Some("stopped")
            && self.turn.as_ref().is_some_and(|turn| turn.is_cancel_asked);
        if !task.is_of_sub_agent && !is_stopped_by_user {
            self.task_noted(id, task_end::note(task, line), step);
        }
    }

    /// Keeps a note until the agent speaks of it. Older versions do not report when that is inside a turn.
    fn task_noted(&mut self, id: &str, text: String, step: &mut Step<'_>) {
        match &mut self.turn {
            Some(turn) if !self.prompts.are_starts_reported() => turn.note(text, step),
            _ => self.keep_task_note(TaskNote { at: step.now.mono, task: id.to_owned(), text }),
        }
    }

    fn keep_task_note(&mut self, note: TaskNote) {
        if self.task_notes.len() < NOTE_LIMIT {
            self.task_notes.push(note);
        }
    }

    /// The agent hears of a task inside a turn.
    pub(super) fn task_notified(&mut self, id: &str, step: &mut Step<'_>) {
        let noted = self.task_notes.extract_if(.., |note| note.task == id).collect::<Vec<_>>();
        noted.into_iter().for_each(|note| self.note(Some(note.text), step));
    }

    /// A call that waits ends with its result. No call can show any other end, so that is a note.
    fn foreign_task_ended(&mut self, task: Option<&Task>, line: &Map<String, Value>, step: &mut Step<'_>) {
        let named = text(line, "tool_use_id").map(CallId::from);
        let call = named.or_else(|| task.map(|task| task.call.clone()));
        let Some(summary) = text(line, "summary") else { return };
        let is_stopped = text(line, "status") == Some("stopped");
        match &mut self.turn {
            // The user stopped it with the turn.
            Some(turn) if is_stopped && turn.is_cancel_asked => {}
            Some(turn) if call.is_some_and(|call| turn.is_call_open(&call)) => {}
            Some(turn) => turn.note(summary.to_owned(), step),
            None => self.keep_task_note(TaskNote {
                at: step.now.mono,
                task: text(line, "task_id").unwrap_or_default().to_owned(),
                text: summary.to_owned(),
            }),
        }
    }

    /// The whole list of background tasks. A task that left it has ended, even if nothing else says so.
    pub(super) fn tasks_listed(&mut self, line: &Map<String, Value>, step: &mut Step<'_>) {
        for (id, task) in self.tasks.listed(line) {
            self.end_task(&id, &task.call, TaskEnd::unreported(&task), step);
        }
    }

    /// The command of a task has written something.
    pub(super) fn task_output(&mut self, id: &str, text: &str, step: &mut Step<'_>) {
        let Some(call) = self.tasks.get(id).map(|task| task.call.clone()) else { return };
        if let Some(turn) = self.turn_of_call(&call) {
            turn.written(&call, text, step);
        }
    }

    /// Has every task in the background stopped; the agent reports the end of each.
    pub(super) fn stop_background(&mut self, step: &mut Step<'_>) {
        let turns = self.turn.iter().chain(&self.background);
        let calls: Vec<CallId> = turns.flat_map(Turn::calls_in_background).collect();
        let is_running = |task: &Task| calls.contains(&task.call);
        let ids: Vec<String> =
            self.tasks.iter().filter(|(_, task)| is_running(task)).map(|(id, _)| id.to_owned()).collect();
        for id in ids {
            self.control.request(Request::StopTask, json!({ "task_id": id }), step);
        }
    }

    /// Ends everything in the background, because the agent is gone.
    pub(super) fn end_background(&mut self, why: &ErrorInfo, step: &mut Step<'_>) {
        for turn in self.turn.iter_mut().chain(&mut self.background) {
            for call in turn.calls_in_background() {
                let (id, task) = self.tasks.of_call(&call).unzip();
                turn.end_background(&call, TaskEnd::with_agent(task, why), step);
                step.notify(Notice::UnfollowOutput { task: id.unwrap_or_default().to_owned() });
            }
        }
        self.background.clear();
    }

    /// Keeps a turn that has ended for as long as it has calls in the background.
    pub(super) fn keep_background(&mut self, turn: Turn) {
        if turn.has_background() {
            self.background.push(turn);
        }
    }

    fn end_task(&mut self, id: &str, call: &CallId, end: TaskEnd, step: &mut Step<'_>) {
        if let Some(turn) = self.turn_of_call(call) {
            turn.end_background(call, end, step);
            step.notify(Notice::UnfollowOutput { task: id.to_owned() });
        }
        self.background.retain(Turn::has_background);
    }

    /// A sub-agent that had ended continues, and the call that started it is over. A new call shows what it does: in the
    /// turn that runs, or in a turn of its own that does not wait for it.
    fn continue_task(&mut self, id: &str, line: &Map<String, Value>, step: &mut Step<'_>) {
        let Some(mut task) = self.tasks.end(id) else { return };
        let run = text(line, "run_id").or_else(|| text(line, "uuid")).unwrap_or_default();
        task.call = CallId::from(format!("{}~{run}", task.call));
        let call = continued_call(&task, line);
        self.tasks.start(id, task);
        let is_alone = self.turn.is_none();
        if is_alone {
            self.open_by_agent(text(line, "uuid").unwrap_or(id), TurnCause::Agent, step);
        }
        if let Some(turn) = &mut self.turn {
            turn.begin_in_background(call, step);
        }
        if is_alone {
            self.end_turn(Ending::Completed(Finish::default()), step);
        }
    }
}

fn continued_call(task: &Task, line: &Map<String, Value>) -> Call {
    let name = if task.kind == TaskKind::Command { "Bash" } else { "Agent" };
    let prompt = text(line, "prompt").unwrap_or_default();
    let input = Map::from_iter([
        ("description".to_owned(), Value::from(task.description.as_str())),
        ("prompt".to_owned(), Value::from(prompt)),
    ]);
    Call { id: task.call.clone(), name: name.to_owned(), input }
}
