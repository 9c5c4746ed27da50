//! How a task in the background ends. Owns what a notification means for the call that shows the task.

use std::time::Duration;

use serde_json::{Map, Value};

use super::tasks::{Task, TaskKind};
use super::wire::text;
use crate::error::{ErrorCode, ErrorInfo};

/// How version 2.1.197 reports a sub-agent that its process took with it. Newer versions call it stopped.
const LOST: &str = "was running when the previous Claude Code process exited";

/// The end of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaskEnd {
    /// It ran to its end.
    Finished {
        /// What it reported, or how its command ended.
        report: String,
        /// The report only says that the sub-agent has finished; what it said last is its report.
        is_bare: bool,
        is_error: bool,
        exit_code: Option<i32>,
    },
    /// It was ended before.
    Ended(ErrorInfo),
}

impl TaskEnd {
    /// What a `task_notification` says.
    pub(super) fn read(task: &Task, line: &Map<String, Value>) -> Self {
        Self::new(task, text(line, "status"), text(line, "summary").unwrap_or_default())
    }

    pub(super) fn new(task: &Task, status: Option<&str>, summary: &str) -> Self {
        match status {
            Some("stopped" | "killed") => Self::stopped(task),
            Some("failed") if summary.contains(LOST) => Self::lost(task),
            status => {
                let exit_code = exit_code(summary).filter(|_| task.kind == TaskKind::Command);
                let report = summary.to_owned();
                let is_bare = task.kind == TaskKind::SubAgent && report.starts_with("Agent \"");
                Self::Finished { report, is_bare, is_error: status == Some("failed"), exit_code }
            }
        }
    }

    pub(super) fn stopped(task: &Task) -> Self {
        Self::Ended(ended(format!("the {} was stopped", task.name())))
    }

    fn lost(task: &Task) -> Self {
        Self::Ended(ended(format!("the {} was running when its agent ended", task.name())))
    }

    /// A task of which the agent's files say no more than that it began.
    pub(super) fn unrecorded(task: &Task) -> Self {
        Self::Ended(ended(format!("the end of the {} is not in the session's file", task.name())))
    }

    /// A task that left the list of the running ones without a word.
    pub(super) fn unreported(task: &Task) -> Self {
        Self::Ended(ended(format!("the {} ended, and its agent did not report how", task.name())))
    }

    /// What becomes of the calls below a task that have no result.
    pub(super) fn of_calls_below(&self) -> ErrorInfo {
        match self {
            Self::Ended(error) => error.clone(),
            Self::Finished { .. } => {
                ErrorInfo::new(ErrorCode::StreamEnded, "the sub-agent ended before the tool told its result")
            }
        }
    }

    /// A task whose agent is gone.
    pub(super) fn with_agent(task: Option<&Task>, why: &ErrorInfo) -> Self {
        let name = task.map_or_else(|| "background task".to_owned(), Task::name);
        Self::Ended(ended(format!("the {name} was ended with its agent: {}", why.message)))
    }
}

/// How a task ended, until the agent speaks of it.
#[derive(Debug)]
pub(super) struct TaskNote {
    pub(super) at: Duration,
    pub(super) task: String,
    pub(super) text: String,
}

/// The task that a notification for the model is about.
pub(super) fn notified_task(said: &str) -> Option<&str> {
    let (_, rest) = said.trim_start().strip_prefix("<task-notification>")?.split_once("<task-id>")?;
    rest.split_once("</task-id>").map(|(task, _)| task)
}

/// Why the agent begins a turn by itself, in the words that it keeps on disk. The summary of a sub-agent may be its whole
/// report, which its call shows.
pub(super) fn note(task: &Task, line: &Map<String, Value>) -> String {
    let summary = text(line, "summary").unwrap_or_default();
    let description = &task.description;
    match text(line, "status") {
        Some("stopped" | "killed") if summary == description => format!("Task \"{description}\" was stopped"),
        Some("completed") if task.kind == TaskKind::SubAgent && !summary.starts_with("Agent \"") => {
            format!("Agent \"{description}\" finished")
        }
        Some("failed") if task.kind == TaskKind::SubAgent && !summary.starts_with("Agent \"") => {
            format!("Agent \"{description}\" failed: {summary}")
        }
        _ => summary.to_owned(),
    }
}

fn ended(message: String) -> ErrorInfo {
    ErrorInfo::new(ErrorCode::BackgroundEnded, message)
}

/// The number in `… completed (exit code 0)` or `… failed with exit code 3`.
fn exit_code(summary: &str) -> Option<i32> {
    let (_, rest) = summary.rsplit_once("exit code ")?;
    rest.trim_end_matches([')', '.']).parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sub_agent_that_its_process_took_with_it_has_not_failed() {
        let line = json!({ "tool_use_id": "t", "task_type": "local_agent", "description": "look" });
        let task = Task::read(line.as_object().unwrap()).unwrap();
        let lost = "Background agent \"look\" was running when the previous Claude Code process exited and did not complete.";
        let TaskEnd::Ended(error) = TaskEnd::new(&task, Some("failed"), lost) else { panic!() };
        assert_eq!(error.code, ErrorCode::BackgroundEnded.as_str());
        let failed = TaskEnd::new(&task, Some("failed"), "Agent \"look\" failed: overloaded");
        assert!(matches!(failed, TaskEnd::Finished { is_error: true, .. }));
    }

    #[test]
    fn the_exit_code_is_read_from_the_summary() {
        assert_eq!(exit_code("Background command \"a\" completed (exit code 0)"), Some(0));
        assert_eq!(exit_code("Background command \"a\" failed with exit code 3"), Some(3));
        assert_eq!(exit_code("Background command \"exit code 9\" completed"), None);
        assert_eq!(exit_code("done"), None);
    }
}
