//! Recordings of agents, played through their dialects. Owns the virtual time of a replay: every line comes at
//! the time it was recorded, and deadlines fire between them. Reads no file and writes none.
//!
//! A recording is NDJSON, one `{"t": milliseconds, "dir": "in" | "out" | "err" | "meta", "line": …}` per line:
//! `out` is the agent's, `err` its standard error, `in` what was sent to it and `meta` what happened to its
//! process. What our side sent is turned back into the commands it came from, so a replay shows what would
//! have been shown.

mod acp;
mod audience;
mod claude;
mod model_api;
mod recording;

use std::fmt::Debug;

use serde_json::Value;

pub use acp::AcpPlayback;
pub use audience::{Audience, EventLines, UpsertLines};
pub use claude::ClaudePlayback;
pub use model_api::ModelPlayback;
pub use recording::{Direction, RecordedLine, Recording, RecordingError};

use crate::dialect::{AgentCommand, Closed, Dialect, Input, Outbox};
use crate::envelope::StreamEventEnvelope;
use crate::error::{ErrorCode, ErrorInfo};
use crate::time::Now;

/// How the recordings of one dialect are understood. It joins what was recorded to what the dialect does now:
/// ids that our side makes differ from run to run.
pub trait Playback: Debug {
    /// The machine that is played to.
    fn dialect(&mut self) -> &mut dyn Dialect;

    /// The command that our side must have had to send this.
    fn command(&mut self, sent: &Value) -> Option<AgentCommand>;

    /// Told after a command, with the frames it led to.
    fn sent(&mut self, sent: &Value, frames: &[Vec<u8>]);

    /// The agent's line, in the ids of this run.
    fn frame(&mut self, heard: &Value) -> Vec<u8>;

    /// Told after a line of the agent, with the events it led to.
    fn heard(&mut self, heard: &Value, events: &[StreamEventEnvelope]);
}

/// Plays a recording to its end, whatever it holds.
pub fn play(recording: &Recording, playback: &mut dyn Playback, audience: &mut dyn Audience) {
    let mut player =
        Player { playback, audience, out: Outbox::default(), errors: Vec::new(), is_closed: false };
    for line in recording.lines() {
        let now = Recording::moment(line.at);
        player.fire_deadlines(now);
        player.line(line, now);
    }
    let end = Recording::moment(recording.lines().last().map_or_else(Default::default, |line| line.at));
    let ended = ErrorInfo::new(ErrorCode::StreamEnded, "the recording ended before the agent did");
    player.close(Closed { reason: Some(ended), ..Closed::default() }, end);
    player.audience.end(end);
}

struct Player<'a> {
    playback: &'a mut dyn Playback,
    audience: &'a mut dyn Audience,
    out: Outbox,
    errors: Vec<String>,
    is_closed: bool,
}

impl Player<'_> {
    fn line(&mut self, line: &RecordedLine, now: Now) {
        match line.direction {
            Direction::In => self.sent(&line.line, now),
            Direction::Out => self.heard(&line.line, now),
            Direction::File => self.written(&line.line, now),
            Direction::Err => self.errors.push(text_of(&line.line)),
            Direction::Meta => self.happened(&line.line, now),
        }
    }

    fn sent(&mut self, sent: &Value, now: Now) {
        let Some(command) = self.playback.command(sent) else { return };
        self.playback.dialect().handle(Input::Command(command), now, &mut self.out);
        self.playback.sent(sent, &self.out.frames);
        self.hand_over(now);
    }

    fn heard(&mut self, heard: &Value, now: Now) {
        let frame = self.playback.frame(heard);
        self.playback.dialect().handle(Input::Frame(&frame), now, &mut self.out);
        self.playback.heard(heard, &self.out.events);
        self.hand_over(now);
    }

    fn written(&mut self, file: &Value, now: Now) {
        let field = |name: &str| file.get(name).and_then(Value::as_str).unwrap_or_default();
        let input = Input::TaskOutput { task: field("task"), text: field("text") };
        self.playback.dialect().handle(input, now, &mut self.out);
        self.hand_over(now);
    }

    /// The recorder notes an exit code as a number, a signal as a negative one.
    fn happened(&mut self, meta: &Value, now: Now) {
        let Some(exit) = meta.get("exit").and_then(Value::as_i64).and_then(|exit| i32::try_from(exit).ok())
        else {
            return;
        };
        let (code, signal) = if exit < 0 { (None, Some(exit.saturating_neg())) } else { (Some(exit), None) };
        self.close(Closed { code, signal, stderr_tail: self.errors.join("\n"), reason: None }, now);
    }

    fn close(&mut self, closed: Closed, now: Now) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        self.playback.dialect().handle(Input::Closed(closed), now, &mut self.out);
        self.hand_over(now);
    }

    fn fire_deadlines(&mut self, now: Now) {
        while let Some(deadline) = self.playback.dialect().next_deadline().filter(|at| *at <= now.mono) {
            let at = Recording::moment(deadline);
            self.audience.advance(at);
            self.playback.dialect().handle(Input::Timeout, at, &mut self.out);
            self.hand_over(at);
            if self.playback.dialect().next_deadline() == Some(deadline) {
                break; // a machine that does not move on is not waited for
            }
        }
        self.audience.advance(now);
    }

    fn hand_over(&mut self, now: Now) {
        for event in &self.out.events {
            self.audience.event(event, now);
        }
        for notice in &self.out.notices {
            self.audience.notice(notice);
        }
        self.out.clear();
    }
}

fn text_of(line: &Value) -> String {
    line.as_str().map_or_else(|| line.to_string(), str::to_owned)
}
