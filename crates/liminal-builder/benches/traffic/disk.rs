//! Bytes and rows that the database takes per event, and its size in the end. Whole turns, with their ends and the index.

use liminal_builder::sessions::Settings;
use liminal_core::processor::Config;

use crate::agent::Pace;
use crate::figure;
use crate::machine::{Machine, Written, simulate};

/// So many agents, each at a pace; 50 bytes a delta.
pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    pub(crate) agents: u64,
    pub(crate) every_ms: u64,
    pub(crate) deltas: u64,
}

pub(crate) const PATTERNS: [Pattern; 3] = [
    Pattern { name: "1x500", agents: 1, every_ms: 2, deltas: 2_000 },
    Pattern { name: "20x50", agents: 20, every_ms: 20, deltas: 100 },
    Pattern { name: "200x20", agents: 200, every_ms: 50, deltas: 40 },
];

/// An event a second.
const ALONE: Pattern = Pattern { name: "alone", agents: 1, every_ms: 1_000, deltas: 60 };

pub(crate) fn measure() {
    for pattern in &PATTERNS {
        report(pattern.name, pattern, None);
        report(&format!("{}.each", pattern.name), pattern, Some(emitting_each()));
    }
    report(ALONE.name, &ALONE, None);
    one_megabyte();
    many_items();
    index();
}

/// Every event is shown at once, and so is every state kept.
fn emitting_each() -> Config {
    Settings::default().batching.with_gradient(&[1])
}

fn report(name: &str, pattern: &Pattern, batching: Option<Config>) {
    let written = simulate(run(pattern, batching));
    let each = |count: u64| count as f64 / (pattern.agents * pattern.deltas) as f64;
    figure::bytes(&format!("disk.{name}.written"), each(written.bytes));
    figure::counts(&format!("disk.{name}.rows"), &[each(written.rows)]);
    figure::counts(&format!("disk.{name}.syncs"), &[each(written.syncs)]);
}

pub(crate) async fn run(pattern: &Pattern, batching: Option<Config>) -> Written {
    let machine = Machine::start(batching).await;
    let mut sessions = Vec::new();
    for _ in 0..pattern.agents {
        sessions.push(machine.create().await);
    }
    machine.log.indexed().await.unwrap();
    let before = machine.written();
    for (number, session) in (0..).zip(&sessions) {
        // Those who begin later wait less, so that all speak at the same time and at different moments.
        let after_ms = number * pattern.every_ms / pattern.agents;
        let pace = Pace { deltas: pattern.deltas, bytes: 50, every_ms: pattern.every_ms, after_ms };
        machine.prompt(session, pace).await;
    }
    for session in &sessions {
        machine.until_idle(session).await;
    }
    machine.log.indexed().await.unwrap();
    let written = machine.written().since(before);
    machine.stop().await;
    written
}

/// The database after an answer of 1 MB.
fn one_megabyte() {
    let pace = Pace { deltas: 5_000, bytes: 200, every_ms: 10, after_ms: 0 };
    let size = simulate(stored(1, pace));
    figure::ratio("disk.1mb.database", size, pace.content());
}

/// The database of many answers of 1.3 KB.
fn many_items() {
    const ITEMS: u64 = 500;
    let pace = Pace { deltas: 1, bytes: 1_300, every_ms: 1, after_ms: 0 };
    let size = simulate(stored(ITEMS, pace));
    figure::ratio("disk.items.database", size, ITEMS * pace.content());
}

/// What the index of many answers writes, when it is made after them.
fn index() {
    const ITEMS: u64 = 200;
    let pace = Pace { deltas: 1, bytes: 1_300, every_ms: 1, after_ms: 0 };
    let written = simulate(async {
        let machine = Machine::busy().await;
        turns(&machine, ITEMS, pace).await;
        let before = machine.written();
        machine.log.indexed().await.unwrap();
        let written = machine.written().since(before);
        machine.stop().await;
        written
    });
    figure::ratio("disk.index.written", written.bytes, ITEMS * pace.content());
}

/// The size of the database after so many turns of one session.
async fn stored(turns: u64, pace: Pace) -> u64 {
    let machine = Machine::start(None).await;
    self::turns(&machine, turns, pace).await;
    machine.log.indexed().await.unwrap();
    machine.stop().await
}

async fn turns(machine: &Machine, turns: u64, pace: Pace) {
    let session = machine.create().await;
    for _ in 0..turns {
        machine.prompt(&session, pace).await;
        machine.until_idle(&session).await;
    }
}
