//! What the server adds between agents' pipes and clients' sockets, against a relay that only forwards, in the same run:
//! CPU time per event, and how old what an agent has said is when a client reads it. Also memory, start and size. Prints a
//! line of JSON per figure; `./x bench --full` compares them.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    dead_code,
    reason = "a benchmark prints, reads the clock and fails by panicking, and needs only a part of what tests do"
)]

#[path = "../tests/it/reliability/client.rs"]
mod client;
#[path = "load/ears.rs"]
mod ears;
#[path = "load/figure.rs"]
mod figure;
#[path = "../tests/it/reliability/figures.rs"]
mod figures;
#[path = "load/ours.rs"]
mod ours;
#[path = "../tests/it/reliability/reader.rs"]
mod reader;
#[path = "load/relay.rs"]
mod relay;
#[path = "load/resting.rs"]
mod resting;
#[path = "../tests/it/reliability/shown.rs"]
mod shown;
#[path = "../tests/it/reliability/socket.rs"]
mod socket;
#[path = "../tests/it/support.rs"]
mod support;
#[path = "../tests/it/reliability/world.rs"]
mod world;

use std::time::Duration;

use clap::Parser;

use figure::CpuTime;

/// A number of agents and the rate at which each of them speaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    pub(crate) agents: usize,
    pub(crate) every_ms: u64,
    pub(crate) deltas: u64,
}

impl Pattern {
    pub(crate) fn prompt(self) -> String {
        format!("!pace {} {}", self.deltas, self.every_ms)
    }

    const fn events(self) -> u64 {
        self.agents as u64 * self.deltas
    }
}

const PATTERNS: [Pattern; 4] = [
    Pattern { name: "1x500", agents: 1, every_ms: 2, deltas: 2_000 },
    Pattern { name: "20x50", agents: 20, every_ms: 20, deltas: 250 },
    Pattern { name: "200x20", agents: 200, every_ms: 50, deltas: 120 },
    Pattern { name: "1000x20", agents: 1_000, every_ms: 50, deltas: 300 },
];

/// What one run of a pattern costs.
#[derive(Debug)]
pub(crate) struct Cost {
    pub(crate) cpu: CpuTime,
    pub(crate) ages: Vec<Duration>,
}

#[derive(Debug, Parser)]
struct Arguments {
    /// Runs of each kind; they alternate.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Only the pattern of this name, as `200x20`, or `rest`.
    #[arg(long)]
    only: Option<String>,
    /// Cargo names what it runs.
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the relay that the server is compared with.
    #[arg(long, hide = true)]
    relay: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    if arguments.relay {
        return runtime.block_on(relay::serve());
    }
    let is_wanted = |name: &str| arguments.only.as_deref().is_none_or(|only| only == name);
    for pattern in PATTERNS.iter().filter(|pattern| is_wanted(pattern.name)) {
        compare(&runtime, *pattern, arguments.runs);
    }
    if is_wanted("rest") {
        resting::measure();
    }
}

fn compare(runtime: &tokio::runtime::Runtime, pattern: Pattern, runs: usize) {
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for run in 0..runs {
        eprintln!("{}: run {}", pattern.name, run + 1);
        ours.push(ours::run(runtime, pattern));
        floor.push(runtime.block_on(relay::run(pattern)));
    }
    let each = |costs: &[Cost]| -> Vec<f64> {
        costs.iter().map(|cost| cost.cpu.micros() / pattern.events() as f64).collect()
    };
    figure::comparison(&format!("{}.cpu", pattern.name), "us", &each(&ours), &each(&floor));
    for (quantile, percent) in [("p50", 50), ("p99", 99)] {
        let ages = |costs: &[Cost]| -> Vec<f64> {
            costs.iter().map(|cost| figure::percentile(&cost.ages, percent)).collect()
        };
        figure::comparison(&format!("{}.age.{quantile}", pattern.name), "ms", &ages(&ours), &ages(&floor));
    }
}
