//! The tasks of one process: sub-agents and commands that Claude Code reports under ids of their own. Owns which call runs
//! which task; what the calls show is the turn's business.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::wire::{flag, list, object, text};
use crate::event::FunctionCallItem;
use crate::ids::CallId;

/// More tasks at once are not remembered.
const TASK_LIMIT: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Tasks {
    running: BTreeMap<String, Task>,
}

/// A sub-agent or a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    /// The call that shows it.
    pub(super) call: CallId,
    pub(super) kind: TaskKind,
    pub(super) description: String,
    /// A sub-agent started it, and is the one who hears of its end.
    pub(super) is_of_sub_agent: bool,
    /// Whether the agent's list of background tasks had it.
    is_listed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskKind {
    SubAgent,
    Command,
    Other,
}

impl Task {
    pub(super) fn read(line: &Map<String, Value>) -> Option<Self> {
        let kind = match text(line, "task_type") {
            Some("local_agent") => TaskKind::SubAgent,
            Some("local_bash") => TaskKind::Command,
            Some(_) | None => TaskKind::Other,
        };
        Some(Self {
            call: CallId::from(text(line, "tool_use_id")?),
            kind,
            description: text(line, "description").unwrap_or_default().to_owned(),
            is_of_sub_agent: text(line, "parent_task_id").is_some(),
            is_listed: false,
        })
    }

    /// The task that a stored call has started. A command without a description goes by itself.
    pub(super) fn of_call(call: &FunctionCallItem) -> Self {
        let kind = match call.name.as_str() {
            "Agent" | "Task" | "SendMessage" => TaskKind::SubAgent,
            "Bash" => TaskKind::Command,
            _ => TaskKind::Other,
        };
        let description = ["description", "command"].iter().find_map(|name| text(&call.arguments, name));
        Self {
            call: call.call_id.clone(),
            kind,
            description: description.unwrap_or_default().to_owned(),
            is_of_sub_agent: false,
            is_listed: false,
        }
    }

    /// The task in words, for errors.
    pub(super) fn name(&self) -> String {
        let kind = match self.kind {
            TaskKind::SubAgent => "sub-agent",
            TaskKind::Command => "background command",
            TaskKind::Other => "background task",
        };
        if self.description.is_empty() { kind.to_owned() } else { format!("{kind} \"{}\"", self.description) }
    }
}

impl Tasks {
    pub(super) fn start(&mut self, id: &str, task: Task) {
        if self.running.len() < TASK_LIMIT {
            self.running.insert(id.to_owned(), task);
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Task> {
        self.running.get(id)
    }

    pub(super) fn end(&mut self, id: &str) -> Option<Task> {
        self.running.remove(id)
    }

    /// The task that a call runs, with its id.
    pub(super) fn of_call(&self, call: &CallId) -> Option<(&str, &Task)> {
        let mut running = self.running.iter();
        running.find(|(_, task)| task.call == *call).map(|(id, task)| (id.as_str(), task))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Task)> {
        self.running.iter().map(|(id, task)| (id.as_str(), task))
    }

    /// Takes the agent's whole list of background tasks. Tasks that were on it and are no longer have ended, whether or not
    /// a notification said so; they are returned.
    pub(super) fn listed(&mut self, line: &Map<String, Value>) -> Vec<(String, Task)> {
        let ids: Vec<&str> =
            list(line, "tasks").iter().filter_map(|task| task.get("task_id")?.as_str()).collect();
        for id in &ids {
            if let Some(task) = self.running.get_mut(*id) {
                task.is_listed = true;
            }
        }
        let has_left = |id: &String, task: &mut Task| task.is_listed && !ids.contains(&id.as_str());
        self.running.extract_if(.., has_left).collect()
    }
}

/// Whether a task runs in the background, as far as this line says. Older versions say it with the call's result only.
pub(super) fn is_background(line: &Map<String, Value>) -> bool {
    flag(line, "is_backgrounded") || object(line, "patch").is_some_and(|patch| flag(patch, "is_backgrounded"))
}
