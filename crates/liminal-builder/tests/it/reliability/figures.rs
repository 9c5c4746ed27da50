//! Figures: how long things take, and how often they are done.

use std::time::Duration;

use liminal_builder::clock::Clock;

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
pub(super) struct Stopwatch(Clock);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Clock::start())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.now().mono
    }
}

/// Durations, to be told by how they are spread.
#[derive(Debug, Default)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(super) fn measure<T>(&mut self, work: impl FnOnce() -> T) -> T {
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
}

/// Printed where `--nocapture` shows it, and where a failure does.
pub(super) fn tell(row: &str, figure: &str) {
    println!("{row}: {figure}");
}

pub(super) fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Chance that can be repeated: the seed is told with every failure.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
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
