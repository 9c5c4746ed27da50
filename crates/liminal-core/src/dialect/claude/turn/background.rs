//! Calls of a turn whose work goes on in the background, also after the end of the turn. What they show is the calls' own
//! business.

use serde_json::Value;

use super::{Turn, Waiting};
use crate::dialect::claude::launch;
use crate::dialect::claude::task_end::TaskEnd;
use crate::dialect::claude::wire::{Call, CallResult};
use crate::dialect::{Notice, Step};
use crate::event::SettledBy;
use crate::ids::CallId;

impl Turn {
    /// Takes a result that only says that the work has begun in the background.
    pub(in crate::dialect::claude) fn is_launch(
        &mut self,
        result: &CallResult,
        extras: Option<&Value>,
        step: &mut Step<'_>,
    ) -> bool {
        if result.is_error {
            return false;
        }
        if launch::is_launch(extras) {
            self.calls.detach(&result.id, &mut self.writer, step);
        }
        let shown = launch::shown(&result.output);
        let is_launch = self.calls.launched(result, shown, &mut self.writer, step);
        if let Some((task, path)) = launch::output_file(&result.output).filter(|_| is_launch) {
            let (task, path) = (task.to_owned(), path.to_owned());
            step.notify(Notice::FollowOutput { task, path });
        }
        is_launch
    }

    pub(in crate::dialect::claude) fn knows_call(&self, id: &CallId) -> bool {
        self.calls.is_known(id)
    }

    /// Whether a call, or one that it belongs to, runs in the background.
    pub(in crate::dialect::claude) fn is_in_background(&self, id: &CallId) -> bool {
        self.calls.is_in_background(id)
    }

    pub(in crate::dialect::claude) fn has_background(&self) -> bool {
        self.calls.has_background()
    }

    /// A call goes into the background.
    pub(in crate::dialect::claude) fn detach(&mut self, id: &CallId, step: &mut Step<'_>) {
        self.calls.detach(id, &mut self.writer, step);
    }

    /// A call that no line announced begins in the background.
    pub(in crate::dialect::claude) fn begin_in_background(&mut self, call: Call, step: &mut Step<'_>) {
        let id = call.id.clone();
        self.calls.call(call, None, &mut self.writer, step);
        self.calls.detach(&id, &mut self.writer, step);
    }

    /// The command of a call in the background has written something.
    pub(in crate::dialect::claude) fn written(&mut self, id: &CallId, text: &str, step: &mut Step<'_>) {
        self.calls.written(id, text, &mut self.writer, step);
    }

    /// The work of a call in the background is over, and so is what its sub-agent asks.
    pub(in crate::dialect::claude) fn end_background(
        &mut self,
        id: &CallId,
        end: TaskEnd,
        step: &mut Step<'_>,
    ) {
        let asks = |waiting: &mut Waiting| waiting.parent.as_ref() == Some(id);
        for waiting in self.waiting.extract_if(.., asks).collect::<Vec<_>>() {
            self.withdrawn(waiting, SettledBy::Agent, "the sub-agent ended before an answer came", step);
        }
        self.calls.end_background(id, end, &mut self.writer, step);
    }

    /// The calls that run in the background.
    pub(in crate::dialect::claude) fn calls_in_background(&self) -> Vec<CallId> {
        self.calls.in_background()
    }
}
