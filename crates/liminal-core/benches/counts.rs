//! What the core costs in instructions and allocations, which do not depend on what else the machine does. Prints a line
//! of JSON per figure; `./x bench --check` compares them. Instructions are counted by callgrind in a process of their own.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark prints, starts itself under valgrind and fails by panicking"
)]

#[path = "counts/callgrind.rs"]
mod callgrind;
#[path = "counts/processing.rs"]
mod processing;
#[path = "counts/remembering.rs"]
mod remembering;
#[path = "counts/speaking.rs"]
mod speaking;

use std::alloc::System;

use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Asks this program to do one scenario, and nothing else.
const ALONE: &str = "--alone";

/// Work that is prepared, and not done yet.
type Work = Box<dyn FnOnce()>;

/// Something that is done so many times.
struct Scenario {
    name: &'static str,
    times: usize,
    prepare: fn(usize) -> Work,
}

const fn scenario(name: &'static str, times: usize, prepare: fn(usize) -> Work) -> Scenario {
    Scenario { name, times, prepare }
}

const SCENARIOS: [Scenario; 13] = [
    scenario("processor.1k", 1_000, processing::emitting),
    scenario("processor.10k", 10_000, processing::emitting),
    scenario("processor.100k", 100_000, processing::emitting),
    scenario("processor.silent.1k", 1_000, processing::silent),
    scenario("processor.silent.100k", 100_000, processing::silent),
    scenario("sessions.1k", 20_000, processing::many_sessions),
    scenario("ndjson.10k", 10_000, processing::ndjson),
    scenario("stream-b.1k", 1_000, processing::stream_b),
    scenario("stream-b.10k", 10_000, processing::stream_b),
    scenario("claude.delta", 10_000, speaking::claude),
    scenario("acp.delta", 10_000, speaking::acp),
    scenario("claude.history", 10_000, remembering::history),
    scenario("merge.known", 10_000, remembering::merging),
];

/// Growth from the first scenario to the second one.
const GROWTH: [(&str, &str, &str); 3] = [
    ("processor.growth", "processor.1k", "processor.100k"),
    ("processor.silent.growth", "processor.silent.1k", "processor.silent.100k"),
    ("stream-b.growth", "stream-b.1k", "stream-b.10k"),
];

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != ALONE).skip(1);
    if let Some(name) = arguments.next() {
        let scenario = find(&name);
        measured((scenario.prepare)(scenario.times));
        return;
    }
    instructions();
    allocations("processor.silent", 10_000, processing::silent);
    allocations("processor.emitting", 10_000, processing::emitting);
}

fn find(name: &str) -> &'static Scenario {
    SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap_or_else(|| panic!("no scenario {name}"))
}

/// Only what is done below this function is counted.
#[inline(never)]
fn measured(work: Work) {
    work();
}

fn instructions() {
    let count = |scenario: &Scenario| callgrind::instructions(scenario.name) as f64 / scenario.times as f64;
    let counts: Vec<(&str, f64)> =
        SCENARIOS.iter().map(|scenario| (scenario.name, count(scenario))).collect();
    for (name, count) in &counts {
        println!(
            "{}",
            json!({ "figure": format!("{name}.instructions"), "unit": "count", "samples": [count] })
        );
    }
    let of = |wanted: &str| counts.iter().find(|(name, _)| *name == wanted).unwrap().1;
    for (name, from, to) in GROWTH {
        let figure = format!("{name}.instructions");
        println!("{}", json!({ "figure": figure, "unit": "ratio", "samples": [of(to)], "base": [of(from)] }));
    }
}

/// Per event, with the growth of buffers.
fn allocations(name: &str, times: usize, prepare: fn(usize) -> Work) {
    let work = prepare(times);
    let region = Region::new(ALLOCATOR);
    measured(work);
    let stats = region.change();
    let each = (stats.allocations + stats.reallocations) as f64 / times as f64;
    println!("{}", json!({ "figure": format!("{name}.allocations"), "unit": "count", "samples": [each] }));
}
