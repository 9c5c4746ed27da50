//! Everything outside simulated from one seed: agents, disk, network, stops and power failures, on simulated time and in
//! one thread; inside it the real sessions, processor, dialect, log and database. A seed that fails is told with its
//! trace, and `LIMINAL_SIM_SEED` runs it alone; `LIMINAL_SIM_SEEDS` is how many are run.

mod agent;
mod client;
mod disk;
mod laws;
mod provider;
mod server;
mod speech;
mod view;
mod watched;
mod world;

use std::cell::Cell;
use std::collections::BTreeMap;

use super::figures::{Chance, Stopwatch, seed_of_run, tell, times};
use client::Client;
use disk::Disk;
use server::Place;
use world::World;

const SEED: &str = "LIMINAL_SIM_SEED";
const SEEDS: &str = "LIMINAL_SIM_SEEDS";

thread_local! {
    static PANICS: Cell<u64> = const { Cell::new(0) };
}

/// What came of a seed.
struct Outcome {
    trace: Vec<String>,
    violations: Vec<String>,
    tally: BTreeMap<&'static str, u64>,
}

#[test]
fn r27_p14_whatever_goes_wrong_in_whatever_order_the_promises_hold() {
    watch_panics();
    let (template, begun) = (server::template(), Stopwatch::start());
    let mut tally = BTreeMap::new();
    let seeds = seeds();
    let count = seeds.end - seeds.start;
    let failed: Vec<u64> = seeds.filter(|seed| !holds(*seed, &template, &mut tally)).collect();
    let told: Vec<String> = tally.iter().map(|(what, times)| format!("{what} {times}")).collect();
    tell("R27", &format!("{count} seeds in {:.1} s: {}", begun.elapsed().as_secs_f64(), told.join(", ")));
    assert!(failed.is_empty(), "{} of {count} seeds fail: {failed:?}; {SEED}=<seed> runs one", failed.len());
}

#[test]
fn r27_a_seed_always_gives_the_same_run() {
    let template = server::template();
    for seed in 0..times(30, 300) as u64 {
        let (first, second) = (run(seed, &template), run(seed, &template));
        let differs = first.trace.iter().zip(&second.trace).position(|(first, second)| first != second);
        let at = differs.unwrap_or(first.trace.len().min(second.trace.len()));
        let around = |trace: &[String]| trace[at.saturating_sub(8)..trace.len().min(at + 4)].join("\n");
        assert!(
            first.trace == second.trace,
            "seed {seed} differs in line {at}:\n{}\n---\n{}",
            around(&first.trace),
            around(&second.trace)
        );
    }
}

/// The one that was asked for, or many.
fn seeds() -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    if let Some(seed) = number(SEED) {
        return seed..seed + 1;
    }
    let (first, count) = (seed_of_run(), number(SEEDS).unwrap_or(times(250, 10_000) as u64));
    first..first + count
}

fn holds(seed: u64, template: &[u8], tally: &mut BTreeMap<&'static str, u64>) -> bool {
    let outcome = run(seed, template);
    for (what, times) in outcome.tally {
        *tally.entry(what).or_default() += times;
    }
    let is_told = !outcome.violations.is_empty() || std::env::var_os(SEED).is_some();
    if is_told {
        println!("seed {seed}:\n{}\n{}", outcome.trace.join("\n"), outcome.violations.join("\n"));
    }
    outcome.violations.is_empty()
}

fn run(seed: u64, template: &[u8]) -> Outcome {
    let world = World::new(seed);
    let panics = PANICS.get();
    let disk = Disk::new(&world, template);
    let mut chance: Chance = world.chance();
    let clients: Vec<Client> = (0..2 + chance.below(2)).map(|number| Client::new(number, &world)).collect();
    let earlier = chance.below(3);
    for life in 0..=earlier {
        let place = if life == earlier { Place::Last } else { Place::Earlier };
        server::live(&world, &disk, &clients, place);
    }
    world.must(PANICS.get() == panics, || "something has panicked".to_owned());
    let mut state = world.lock();
    Outcome {
        trace: std::mem::take(&mut state.trace),
        violations: std::mem::take(&mut state.violations),
        tally: std::mem::take(&mut state.tally),
    }
}

/// A task that panics is told to nobody.
fn watch_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.set(PANICS.get() + 1);
        before(panic);
    }));
}
