//! What the processor costs, as ratios measured in one run. Prints figures; asserts nothing, because machines are noisy.
//! Those that have an aim are lines of JSON, too, which `./x bench --full` compares.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark prints, reads the clock, starts itself under valgrind and fails by panicking"
)]

use std::alloc::System;
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use liminal_core::envelope::{EventReader, StreamEventEnvelope};
use liminal_core::event::{ItemDelta, ItemKind, ItemStart, StreamEvent};
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, Emission, Profile, Sink, TurnChange, TurnRef, UpsertProcessor};
use liminal_core::time::{Now, Timestamp};
use liminal_core::turns::Turns;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const RUNS: usize = 7;
const NEVER: [u64; 1] = [u64::MAX];

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "count").skip(1);
    if let Some(tokens) = arguments.next() {
        black_box(deltas(tokens.parse().unwrap(), &Config::default()));
        return;
    }
    println!("processor: one item, one token per delta, gradient 10/20/40/80/120; medians of {RUNS} runs\n");
    let emitting = growth("with emissions", &Config::default(), "at most 4x");
    let silent = growth("without emissions", &Config::default().with_gradient(&NEVER), "flat within 10 %");
    emissions(emitting, silent);
    allocations();
    many_sessions();
    pipeline();
    instructions();
}

/// Prints ns per delta at each size, and gives the one at the largest.
fn growth(title: &str, config: &Config, aim: &str) -> f64 {
    let costs = SIZES.map(|tokens| {
        let (median, spread) = measure(|| deltas(tokens, config));
        println!(
            "{title:>18} {tokens:>7} tokens  {:>8.1} ns per delta  (spread {spread:.0} %)",
            per(median, tokens)
        );
        per(median, tokens)
    });
    let [smallest, .., largest] = costs;
    println!("{title:>18} growth 1k -> 100k  {:>5.2}x  (aim: {aim})\n", largest / smallest);
    figure(&format!("{}.growth", title.replace(' ', "-")), "ratio", largest, Some(smallest));
    largest
}

/// What an emission costs beyond gathering, against copying and scanning the same bytes.
fn emissions(emitting: f64, silent: f64) {
    let tokens = 100_000;
    let mut lengths = Lengths::default();
    feed(tokens, &Config::default(), &mut lengths);
    let text = "word ".repeat(tokens);
    let mut copy = Vec::with_capacity(text.len());
    let mut floor = |scan: fn(&[u8]) -> bool| {
        let (median, _) = measure(|| {
            for length in &lengths.0 {
                copy.clear();
                copy.extend_from_slice(text.as_bytes().get(..*length).unwrap_or_default());
                black_box(scan(&copy));
            }
        });
        per(median, tokens)
    };
    let copied = floor(|_| false);
    let scanned = floor(|bytes| bytes.iter().fold(false, |found, byte| found | needs_escape(*byte)));
    let (count, bytes) = (lengths.0.len(), lengths.0.iter().sum::<usize>());
    println!("emissions at 100k tokens: {count}, {:.0} MB", bytes as f64 / 1e6);
    println!("  beyond gathering {:>7.1} ns per delta", emitting - silent);
    println!("  memcpy           {copied:>7.1} ns per delta");
    println!("  memcpy + scan    {scanned:>7.1} ns per delta");
    println!("  ratio            {:>7.2}x  (aim: at most 2x)\n", (emitting - silent) / scanned);
    figure("emission", "ratio", emitting - silent, Some(scanned));
}

const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn allocations() {
    for (title, config) in [("with", Config::default()), ("without", Config::default().with_gradient(&NEVER))]
    {
        let tokens = 10_000;
        let region = Region::new(ALLOCATOR);
        black_box(deltas(tokens, &config));
        let stats = region.change();
        let count = stats.allocations + stats.reallocations;
        println!(
            "allocations {title:>7} emissions: {:.4} per delta at 10k tokens",
            count as f64 / tokens as f64
        );
    }
    println!("  (aim: at most 0.03 per delta that does not emit)\n");
}

/// One delta for each of a thousand sessions, round and round.
fn many_sessions() {
    let (sessions, rounds) = (1_000, 100);
    let ids: Vec<String> = (0..sessions).map(|number| format!("claude-code:{number:08}")).collect();
    let events: Vec<_> = ids.iter().map(|id| event(id, delta("word "))).collect();
    let mut turns = Turns::new(Config::default());
    let mut lines = Lines::new(Profile::UpsertV1);
    for id in &ids {
        turns.handle_event(&event(id, start()), now(0), &mut lines);
    }
    let began = Instant::now();
    for round in 0..rounds {
        for event in &events {
            turns.handle_event(event, now(round), &mut lines);
        }
        lines.clear();
    }
    let cost = per(began.elapsed(), sessions * rounds as usize);
    println!("{sessions} interleaved sessions: {cost:.0} ns per delta\n");
}

/// A line of JSON in, lines of JSON out, as `liminal process` does it.
fn pipeline() {
    let tokens = 10_000;
    let mut input = String::new();
    for number in 0..tokens {
        let mut event = event("claude-code:0f3c2a54", delta("word "));
        event.event_id = format!("0190a1b2-turn#{number}").into();
        writeln!(input, "{}", serde_json::to_string(&event).unwrap()).unwrap();
    }
    let (median, spread) = measure(|| {
        let mut turns = Turns::new(Config::default());
        let mut lines = Lines::new(Profile::UpsertV1);
        turns.handle_event(&event("claude-code:0f3c2a54", start()), now(0), &mut lines);
        let mut reader = EventReader::default();
        for line in input.lines() {
            let event = reader.read(line).unwrap().event().unwrap();
            let now = Now::at(event.timestamp.instant());
            turns.handle_timeout(now.mono, &mut lines);
            turns.handle_event(&event, now, &mut lines);
        }
        black_box(lines.bytes().len());
    });
    println!(
        "NDJSON in -> NDJSON out, 10k tokens: {:.0} ns per event  (spread {spread:.0} %; aim: at most 700)\n",
        per(median, tokens)
    );
    figure("ndjson.10k", "us", per(median, tokens) / 1e3, None);
}

/// A line that `./x bench` compares; a ratio has a base.
fn figure(name: &str, unit: &str, value: f64, base: Option<f64>) {
    let base: Vec<f64> = base.into_iter().collect();
    println!("{}", json!({ "figure": name, "unit": unit, "samples": [value], "base": base }));
}

/// Instructions do not depend on what else the machine does.
fn instructions() {
    let count = |tokens: usize| instructions_of(tokens);
    let Some(idle) = count(0) else {
        println!("instructions: valgrind is not installed; apt-get install valgrind");
        return;
    };
    let costs = SIZES.map(|tokens| count(tokens).map(|total| (total - idle) as f64 / tokens as f64));
    for (tokens, cost) in SIZES.iter().zip(costs) {
        println!(
            "instructions {tokens:>7} tokens  {:>8.0} per delta, emissions included",
            cost.unwrap_or(f64::NAN)
        );
    }
}

fn instructions_of(tokens: usize) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args(["count", &tokens.to_string()])
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    report.lines().find_map(|line| line.split("Collected :").nth(1))?.trim().parse().ok()
}

fn deltas(tokens: usize, config: &Config) -> usize {
    let mut lines = ClearedLines { lines: Lines::new(Profile::UpsertV1), bytes: 0 };
    feed(tokens, config, &mut lines);
    lines.bytes
}

fn feed(tokens: usize, config: &Config, sink: &mut dyn Sink) {
    let session = "claude-code:0f3c2a54";
    let mut processor = UpsertProcessor::new(session.into(), "turn".into(), config.clone());
    processor.handle_event(&event(session, start()), now(0), sink);
    let delta = event(session, delta("word "));
    for _ in 0..tokens {
        processor.handle_event(&delta, now(0), sink);
    }
}

/// Lines that are written away as soon as they come.
struct ClearedLines {
    lines: Lines,
    bytes: usize,
}

impl Sink for ClearedLines {
    fn item(&mut self, emission: Emission<'_>) {
        self.lines.item(emission);
        self.bytes += self.lines.bytes().len();
        self.lines.clear();
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.lines.turn(turn, change);
    }
}

/// How long the content of each emission is.
#[derive(Default)]
struct Lengths(Vec<usize>);

impl Sink for Lengths {
    fn item(&mut self, emission: Emission<'_>) {
        let mut json = Vec::new();
        emission.write_json(&mut json);
        self.0.push(json.len());
    }

    fn turn(&mut self, _: &TurnRef<'_>, _: TurnChange) {}
}

fn measure<T>(mut work: impl FnMut() -> T) -> (Duration, f64) {
    black_box(work());
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let began = Instant::now();
            black_box(work());
            began.elapsed()
        })
        .collect();
    times.sort();
    let median = times.get(RUNS / 2).copied().unwrap_or_default();
    let spread = times.last().copied().unwrap_or_default() - times.first().copied().unwrap_or_default();
    (median, 100.0 * spread.as_secs_f64() / median.as_secs_f64())
}

fn per(time: Duration, count: usize) -> f64 {
    time.as_nanos() as f64 / count as f64
}

fn now(milliseconds: i64) -> Now {
    Now::at(jiff::Timestamp::from_millisecond(1_790_000_000_000 + milliseconds).unwrap())
}

fn event(session: &str, payload: StreamEvent) -> StreamEventEnvelope {
    StreamEventEnvelope {
        event_id: "turn#1".into(),
        timestamp: Timestamp::from(now(0).wall),
        turn_id: "turn".into(),
        session_id: session.into(),
        trace_context: None,
        payload,
    }
}

fn start() -> StreamEvent {
    let kind = ItemKind::Message;
    StreamEvent::ItemStart(ItemStart {
        item_id: "turn/1".into(),
        kind,
        initial_content: None,
        parent_call_id: None,
    })
}

fn delta(content: &str) -> StreamEvent {
    StreamEvent::ItemDelta(ItemDelta { item_id: "turn/1".into(), delta_content: content.to_owned() })
}
