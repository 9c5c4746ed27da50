//! Which deltas of an answer a client has, and how long they took to get there. Pure: times come in as arguments, and
//! both ways are judged by the same rules. `tests/it/bench_deltas.rs` tests it.

use std::time::{Duration, Instant};

/// A delta that the model wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delta {
    /// How many bytes of the answer a client has that shows it. White space at its end is not visible.
    end: usize,
    written: Instant,
}

/// How much of the answer a client has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) at: Instant,
    pub(crate) bytes: usize,
}

/// The deltas of one answer, from their texts and times.
pub(crate) fn of_answer<'a>(writes: impl IntoIterator<Item = (&'a str, Instant)>) -> Vec<Delta> {
    let mut before = 0;
    let place = |(text, written): (&str, Instant)| {
        let end = before + text.trim_end().len();
        before += text.len();
        Delta { end, written }
    };
    writes.into_iter().map(place).collect()
}

/// For each emission the delta that triggered it, by its index: the last one in it.
pub(crate) fn triggers(deltas: &[Delta], emissions: &[Shown]) -> Vec<usize> {
    let newest = |shown: &Shown| deltas.iter().rposition(|delta| delta.end <= shown.bytes);
    let mut triggers: Vec<usize> = emissions.iter().filter_map(newest).collect();
    triggers.dedup();
    triggers
}

/// From the writing of a delta until the client has it; nothing if it never does.
pub(crate) fn latency(delta: &Delta, shown: &[Shown]) -> Option<Duration> {
    let first = shown.iter().find(|shown| shown.bytes >= delta.end)?;
    Some(first.at.saturating_duration_since(delta.written))
}
