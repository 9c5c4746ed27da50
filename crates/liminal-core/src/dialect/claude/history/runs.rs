//! Work that calls have started in the background. Owns which call shows which part of it, and how each part ended.
//!
//! A sub-agent that has ended may continue: because it is sent a message, or because work of its own has ended. Every run of it
//! shows in a call, as it does while the agent is watched.

use std::collections::{BTreeMap, BTreeSet};

use super::super::launch;
use super::super::task_end::TaskEnd;
use super::super::tasks::Task;
use super::notification::Notification;
use crate::ids::CallId;
use crate::item_limit;
use crate::time::Timestamp;

#[derive(Debug, Default)]
pub(super) struct Runs {
    by_call: BTreeMap<CallId, Run>,
    /// The calls that show the runs of a task, in order.
    by_task: BTreeMap<String, Vec<CallId>>,
    /// The tasks that somebody has stopped.
    stopped: BTreeSet<String>,
}

/// One run of a sub-agent, or a command.
#[derive(Debug, Default)]
struct Run {
    task: String,
    /// What its call showed at once.
    shown: String,
    output_path: Option<String>,
    /// What its command has written.
    written: String,
    end: Option<End>,
}

#[derive(Debug)]
struct End {
    at: Timestamp,
    /// Every run has an id of its own.
    run: Option<String>,
    status: Option<String>,
    summary: String,
    result: Option<String>,
}

/// How a call in the background ends.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) at: Option<Timestamp>,
    pub(super) how: TaskEnd,
    /// What it showed until then.
    pub(super) shown: String,
}

impl Runs {
    /// A call starts a task, or continues it.
    pub(super) fn begin(&mut self, call: &CallId, task: &str, shown: &str, output_path: Option<&str>) {
        // A task without an id is only known by its call.
        let task = if task.is_empty() { call.to_string() } else { task.to_owned() };
        let shown = shown.to_owned();
        self.by_task.entry(task.clone()).or_default().push(call.clone());
        let run = Run { task, shown, output_path: output_path.map(str::to_owned), ..Run::default() };
        self.by_call.insert(call.clone(), run);
    }

    pub(super) fn has(&self, call: &CallId) -> bool {
        self.by_call.contains_key(call)
    }

    /// The first call of the same task.
    pub(super) fn original<'a>(&'a self, call: &'a CallId) -> &'a CallId {
        let task = self.by_call.get(call).and_then(|run| self.by_task.get(&run.task));
        task.and_then(|calls| calls.first()).unwrap_or(call)
    }

    /// The call that shows what the sub-agent of a call did at some time.
    pub(super) fn call_at(&self, call: &CallId, at: Timestamp) -> CallId {
        let calls = self.by_call.get(call).and_then(|run| self.by_task.get(&run.task));
        let calls = calls.map(Vec::as_slice).unwrap_or_default();
        let runs_then = |call: &&CallId| {
            let end = self.by_call.get(*call).and_then(|run| run.end.as_ref());
            end.is_none_or(|end| at.instant() <= end.at.instant())
        };
        calls.iter().find(runs_then).or_else(|| calls.last()).unwrap_or(call).clone()
    }

    /// A task has ended. Gives the call that must show the run if none does: the task had ended before, so it has continued.
    pub(super) fn end(
        &mut self,
        told: &Notification<'_>,
        run: Option<&str>,
        at: Timestamp,
    ) -> Option<CallId> {
        let named = told.call.map(CallId::from).filter(|call| self.has(call));
        let call = named.or_else(|| self.by_task.get(told.task)?.last().cloned())?;
        let ended = self.by_call.get(&call)?.end.as_ref();
        let Some(before) = ended else {
            self.by_call.get_mut(&call)?.end = Some(End::read(told, run, at));
            return None;
        };
        let run = run.filter(|run| before.run.as_deref() != Some(run))?;
        let continued = CallId::from(format!("{}~{run}", self.original(&call)));
        if self.has(&continued) {
            return None;
        }
        self.begin(&continued, told.task, "", None);
        self.by_call.get_mut(&continued)?.end = Some(End::read(told, Some(run), at));
        Some(continued)
    }

    /// Somebody has stopped a task. Not every such end is reported to the model.
    pub(super) fn stop(&mut self, task: &str) {
        self.stopped.insert(task.to_owned());
    }

    /// The files that commands have written to, by task.
    pub(super) fn output_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_call.values().filter_map(|run| Some((run.task.as_str(), run.output_path.as_deref()?)))
    }

    pub(super) fn written(&mut self, task: &str, text: &str) {
        let call = self.by_task.get(task).and_then(|calls| calls.first());
        if let Some(run) = call.and_then(|call| self.by_call.get_mut(call)) {
            item_limit::keep(&mut run.written, text);
        }
    }

    /// How a call that is in the background ends.
    pub(super) fn ended(&self, call: &CallId, task: &Task) -> Option<Ended> {
        let run = self.by_call.get(call)?;
        let how = match &run.end {
            Some(end) => end.how(task, &run.written),
            None if self.stopped.contains(&run.task) || launch::is_killed(&run.written) => {
                TaskEnd::stopped(task)
            }
            None => TaskEnd::unrecorded(task),
        };
        let parts = [run.shown.as_str(), run.written.as_str()].into_iter().filter(|part| !part.is_empty());
        let shown = parts.collect::<Vec<_>>().join("\n");
        Some(Ended { at: run.end.as_ref().map(|end| end.at), how, shown })
    }
}

impl End {
    fn read(told: &Notification<'_>, run: Option<&str>, at: Timestamp) -> Self {
        Self {
            at,
            run: run.map(str::to_owned),
            status: told.status.map(str::to_owned),
            summary: told.summary.to_owned(),
            result: told.result.map(str::to_owned),
        }
    }

    fn how(&self, task: &Task, written: &str) -> TaskEnd {
        match TaskEnd::new(task, self.status.as_deref(), &self.summary) {
            TaskEnd::Finished { is_error, exit_code, .. } => {
                let written = Some(launch::without_trailer(written)).filter(|written| !written.is_empty());
                let report = self.result.as_deref().or(written).unwrap_or_else(|| self.reason(task));
                TaskEnd::Finished { report: report.to_owned(), is_bare: false, is_error, exit_code }
            }
            ended @ TaskEnd::Ended(_) => ended,
        }
    }

    /// Why a sub-agent failed, without its name.
    fn reason(&self, task: &Task) -> &str {
        let named = format!("Agent \"{}\" failed: ", task.description);
        self.summary.strip_prefix(&named).unwrap_or(&self.summary)
    }
}
