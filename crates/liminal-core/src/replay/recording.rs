//! Recordings as they are read. Owns their format and what is wrong with one, line by line.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::time::Now;

/// What went in and out of an agent, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    lines: Vec<RecordedLine>,
}

/// One line of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedLine {
    /// How long after the beginning.
    pub at: Duration,
    /// Who said it.
    pub direction: Direction,
    /// What was said: JSON, or a text that is none.
    pub line: Value,
}

/// Who says a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Our side, to the agent.
    In,
    /// The agent.
    Out,
    /// The agent, on its standard error.
    Err,
    /// A file that the agent's background command writes to: `{"task", "text"}`, what was added.
    File,
    /// The recorder, of the process.
    Meta,
}

/// Why a recording cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the recording: {problem}")]
pub struct RecordingError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

#[derive(Deserialize)]
struct Wire {
    t: f64,
    dir: Direction,
    line: Value,
}

/// A thousand years: longer than any recording, and far from the end of the clock.
const LATEST_MS: f64 = 3.2e13;

impl Recording {
    /// Reads a recording; one line that is not as it should be makes it unreadable.
    pub fn read(text: &str) -> Result<Self, RecordingError> {
        let mut lines: Vec<RecordedLine> = Vec::new();
        for (index, json) in text.lines().enumerate().filter(|(_, json)| !json.trim().is_empty()) {
            let fault = |problem: String| RecordingError { line: index + 1, problem };
            let mut line = read_line(json).map_err(fault)?;
            // Pipes are read side by side, so a recorder may note a line a little late.
            line.at = lines.last().map_or(line.at, |before| before.at.max(line.at));
            lines.push(line);
        }
        Ok(Self { lines })
    }

    /// Its lines, in order.
    #[must_use]
    pub fn lines(&self) -> &[RecordedLine] {
        &self.lines
    }

    /// When a line comes in a replay: every recording begins at the same moment.
    #[must_use]
    pub fn moment(at: Duration) -> Now {
        Now { mono: Duration::ZERO, wall: BEGINNING }.advanced_to(at)
    }
}

/// 2026-01-01T00:00:00Z.
const BEGINNING: jiff::Timestamp = jiff::Timestamp::constant(1_767_225_600, 0);

fn read_line(json: &str) -> Result<RecordedLine, String> {
    let Wire { t, dir, line } = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if !(0.0..=LATEST_MS).contains(&t) {
        return Err(format!("its time `t` is {t}, which is no number of milliseconds since the start"));
    }
    let at = Duration::from_secs_f64(t / 1000.0);
    Ok(RecordedLine { at: round(at), direction: dir, line })
}

/// Whole microseconds, so that times read from decimal fractions do not carry their dust.
fn round(at: Duration) -> Duration {
    let micros = (at.as_nanos() + 500) / 1000;
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_wrong_is_named() {
        let good = r#"{"t":1.5,"dir":"out","line":{"type":"x"}}"#;
        assert_eq!(Recording::read(good).unwrap().lines()[0].at, Duration::from_micros(1500));
        assert_eq!(Recording::read("").unwrap().lines(), []);
        for (bad, line) in [
            ("{", 2),
            (r#"{"t":2,"dir":"up","line":1}"#, 2),
            (r#"{"t":-1,"dir":"in","line":1}"#, 2),
            (r#"{"t":1e300,"dir":"in","line":1}"#, 2),
            (r#"{"t":2,"dir":"in"}"#, 2),
            ("\n{}", 3),
        ] {
            let error = Recording::read(&format!("{good}\n{bad}\n")).unwrap_err();
            assert_eq!(error.line, line, "{bad}: {error}");
        }
    }

    #[test]
    fn a_line_noted_late_does_not_turn_time_back() {
        let recording = Recording::read(
            "{\"t\":5,\"dir\":\"out\",\"line\":1}\n{\"t\":4,\"dir\":\"err\",\"line\":\"x\",\"more\":1}\n",
        );
        let times: Vec<_> = recording.unwrap().lines().iter().map(|line| line.at.as_millis()).collect();
        assert_eq!(times, [5, 5]);
    }
}
