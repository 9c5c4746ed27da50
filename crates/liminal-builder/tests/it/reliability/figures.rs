//! What the tests measure. A figure that has an aim is compared with its limit in `bench/limits.toml`; all others are
//! only printed.

use std::time::Duration;

use ::figures::{Samples, Unit};
use liminal_builder::clock::Clock;

/// The group of these figures in `bench/limits.toml`.
const GROUP: &str = "reliability";
/// How many samples of a P99 are taken from one series of times.
const ROUNDS: usize = 10;

/// Many times more with `./x soak`.
pub(super) fn times(usual: usize, in_soak: usize) -> usize {
    if std::env::var_os("LIMINAL_SOAK").is_some() { in_soak } else { usual }
}

/// How long `./x soak` goes on where it is not counted in times; nothing otherwise.
pub(super) fn soak_minutes() -> Duration {
    let minutes = std::env::var("LIMINAL_SOAK_MINUTES").ok().and_then(|minutes| minutes.parse().ok());
    Duration::from_secs(60 * times(0, minutes.unwrap_or(10)) as u64)
}

#[derive(Debug)]
pub(crate) struct Stopwatch(Clock);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Clock::start())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.now().mono
    }
}

/// A series of durations.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn measure<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Stopwatch::start();
        let result = work();
        self.add(begun.elapsed());
        result
    }

    /// The one that so many percent are not longer than.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Fails if these samples of a figure exceed its limit.
    #[track_caller]
    pub(crate) fn gate(&self, figure: &str) {
        gate(&Samples::times(figure, &self.0));
    }

    /// The same for a figure that is a P99. Each tenth of the series is a sample, so that the best one is free of the noise
    /// of a busy machine, but not of delays that come again and again.
    #[track_caller]
    pub(crate) fn gate_p99(&self, figure: &str) {
        let rounds = self.0.chunks(self.0.len().div_ceil(ROUNDS).max(1));
        let worst: Vec<Duration> = rounds.map(|round| Self(round.to_vec()).percentile(99)).collect();
        gate(&Samples::times(figure, &worst));
    }
}

impl From<Duration> for Times {
    fn from(only: Duration) -> Self {
        Self(vec![only])
    }
}

/// Fails if the time beyond a deadline exceeds the limit of the figure.
#[track_caller]
pub(crate) fn gate_lateness(figure: &str, deadline: Duration, took: Duration) {
    Times::from(took.saturating_sub(deadline)).gate(figure);
}

/// Fails if `bytes` exceed the limit of the figure.
#[track_caller]
pub(super) fn gate_bytes(figure: &str, bytes: u64) {
    gate(&Samples::new(figure, Unit::Bytes, vec![bytes as f64]));
}

/// Fails if `bytes` per byte of content exceed the limit of the figure.
#[track_caller]
pub(super) fn gate_ratio(figure: &str, bytes: u64, content: u64) {
    gate(&Samples::ratio(figure, vec![bytes as f64], vec![content as f64]));
}

#[track_caller]
fn gate(samples: &Samples) {
    ::figures::gate(GROUP, samples);
}

/// Prints a figure that has no aim; `--nocapture` and a failure show it.
pub(super) fn tell(row: &str, figure: &str) {
    println!("{row}: {figure}");
}

pub(super) fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// What `./x soak` draws for each run; 0 otherwise, so that the tests do the same in every run.
pub(super) fn seed_of_run() -> u64 {
    std::env::var("LIMINAL_SEED").map_or(0, |text| text.parse().expect("LIMINAL_SEED is a number"))
}

/// Chance that can be repeated: the seed is told with every failure.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        let seed = seed.wrapping_add(seed_of_run());
        println!("seed {seed}");
        Self(seed | 1)
    }

    /// One of many: neighbouring seeds have nothing in common, and nothing is told.
    pub(super) const fn of_many(seed: u64) -> Self {
        let mixed =
            (seed ^ (seed >> 30)).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((mixed ^ (mixed >> 31)) | 1)
    }

    /// Another one, for somebody whose choices are to change nobody else's.
    pub(super) fn fork(&mut self) -> Self {
        Self::of_many(self.below(u64::MAX))
    }

    /// One of so many; of none, one that is not there.
    pub(super) fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).unwrap()
    }

    pub(super) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Below `bound`.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16) % bound.max(1)
    }
}
