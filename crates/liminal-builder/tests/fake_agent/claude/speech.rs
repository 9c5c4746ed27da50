//! Texts: messages and thoughts, piece by piece.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::Agent;

const PACE: Duration = Duration::from_millis(20);

#[expect(clippy::disallowed_methods, reason = "another process compares it with its own clock")]
fn microseconds() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

impl Agent {
    pub(super) fn start_message(&mut self) -> Result<String> {
        self.messages += 1;
        let message = format!("msg_{}", self.messages);
        let start = self.scribe.message_start(&message);
        self.output.line(start)?;
        Ok(message)
    }

    /// A text of so many pieces, and its end.
    pub(super) fn text(&mut self, kind: &str, pieces: u64) -> Result<()> {
        let (message, text) = self.open_text(kind, pieces)?;
        self.end_text(kind, &message, &text)
    }

    pub(super) fn end_text(&mut self, kind: &str, message: &str, text: &str) -> Result<()> {
        let lines = [
            self.scribe.whole(message, &block(kind, text)),
            self.scribe.block_stop(0),
            self.scribe.stop_reason("end_turn"),
            self.scribe.message_stop(),
        ];
        lines.into_iter().try_for_each(|line| self.output.line(line))
    }

    /// A text of so many pieces; gives its message and what it holds.
    pub(super) fn open_text(&mut self, kind: &str, pieces: u64) -> Result<(String, String)> {
        let message = self.start_message()?;
        let start = self.scribe.block_start(0, &block(kind, ""));
        self.output.line(start)?;
        let mut text = String::new();
        for _ in 0..pieces {
            self.look()?;
            if self.is_interrupted {
                break;
            }
            self.piece(kind, &mut text)?;
        }
        Ok((message, text))
    }

    pub(super) fn clock(&mut self, messages: u64) -> Result<()> {
        for _ in 0..messages {
            std::thread::sleep(PACE);
            let (message, _) = self.open_text("text", 0)?;
            let text = microseconds().to_string();
            let delta = self.scribe.delta(0, &delta("text", &text));
            self.output.line(delta)?;
            self.end_text("text", &message, &text)?;
        }
        Ok(())
    }

    /// Whoever is late says what is due without a pause.
    #[expect(clippy::disallowed_methods, reason = "the pace is kept whatever a piece costs")]
    pub(super) fn paced(&mut self, pieces: u64, pause: Duration) -> Result<()> {
        let (message, mut text) = self.open_text("text", 0)?;
        let mut due = Instant::now();
        for _ in 0..pieces {
            due += pause;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let piece = format!("{} ", microseconds());
            text.push_str(&piece);
            let delta = self.scribe.delta(0, &delta("text", &piece));
            self.output.line(delta)?;
        }
        self.end_text("text", &message, &text)
    }

    pub(super) fn piece(&mut self, kind: &str, text: &mut String) -> Result<()> {
        let piece = format!("s{} ", self.next_serial());
        text.push_str(&piece);
        let delta = self.scribe.delta(0, &delta(kind, &piece));
        self.output.line(delta)
    }
}

pub(super) fn block(kind: &str, text: &str) -> Value {
    json!({ "type": kind, kind: text })
}

pub(super) fn delta(kind: &str, text: &str) -> Value {
    json!({ "type": format!("{kind}_delta"), kind: text })
}
