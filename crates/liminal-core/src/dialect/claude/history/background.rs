//! Lines that tell how work in the background ended. Owns when such a line begins a turn: only if the agent answers it.

use serde_json::Value;

use super::HistoryReader;
use super::line::Line;
use super::notification::{Notification, joined_notifications, notification};
use super::turn::{Turn, What};
use crate::event::Origin;
use crate::ids::CallId;

impl HistoryReader {
    /// A notification between turns.
    pub(super) fn notified(&mut self, line: &Line, text: &str, note: String) {
        let run = line.value("origin").and_then(run_of);
        if let Some(continued) = notification(text).and_then(|told| self.ended(&told, run)) {
            self.continued(continued);
        }
        // When a process dies, the next one hears of its tasks with the next prompt.
        if !line.flag("queueTranscriptOnly") {
            self.wait_for_answer(line, note);
        }
    }

    /// A notification that came while the agent was at work.
    pub(super) fn notified_at_work(&mut self, line: &Line, attachment: &Value, text: &str, note: String) {
        if let Some(continued) = notification(text).and_then(|told| self.ended(&told, run_of(attachment))) {
            self.add(line, What::Continued(continued));
        }
        match self.unanswered {
            Some(_) => self.wait_for_answer(line, note),
            None => self.note(line, note),
        }
    }

    /// A message to a sub-agent. It hears of its own work only.
    pub(super) fn sub_agent_notified(&mut self, text: &str) {
        for told in joined_notifications(text) {
            self.ended(&told, None);
        }
    }

    /// The agent answers the notifications that wait for it.
    pub(super) fn begin_answer(&mut self) {
        self.turns.extend(self.unanswered.take());
    }

    fn wait_for_answer(&mut self, line: &Line, note: String) {
        let now = self.now();
        let waiting = self.unanswered.take();
        let mut turn = waiting.unwrap_or_else(|| Turn::new(self.turn_id(line), now));
        if !note.trim().is_empty() {
            turn.add(now, What::message(Origin::System, note));
        }
        self.unanswered = Some(turn);
    }

    fn ended(&mut self, told: &Notification<'_>, run: Option<&str>) -> Option<CallId> {
        let continued = self.runs.end(told, run, self.now());
        continued.filter(|call| self.calls.begin_unseen(call))
    }

    /// A sub-agent has continued by itself, in a turn that waits for nothing.
    fn continued(&mut self, call: CallId) {
        let now = self.now();
        let mut turn = Turn::new(self.unused_turn_id(call.to_string()), now);
        turn.add(now, What::Continued(call));
        self.turns.push(turn);
    }
}

fn run_of(told: &Value) -> Option<&str> {
    told.get("runId")?.as_str()
}
