//! What an agent said that nobody understood, and whether it is silent. Owns counts and the newest samples, in bounded
//! memory, for whoever looks into a session that behaves oddly.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

const SAMPLE_BYTES: usize = 64 * 1024;
/// Kinds are the agent's own words; more than these are counted together.
const KINDS: usize = 256;
const OTHERS: &str = "others";

/// A look at what gathered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// How often each kind came.
    pub counts: BTreeMap<String, u64>,
    /// The newest of them, oldest first.
    pub samples: Vec<String>,
    /// Whether a turn runs and nothing has been heard for long.
    pub is_stalled: bool,
}

/// Shared between whoever hears the agent and whoever looks.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics(Arc<Mutex<Gathered>>);

#[derive(Debug, Default)]
struct Gathered {
    counts: BTreeMap<String, u64>,
    samples: VecDeque<String>,
    bytes: usize,
    is_stalled: bool,
}

impl Diagnostics {
    /// What has gathered so far.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.with(|gathered| Snapshot {
            counts: gathered.counts.clone(),
            samples: gathered.samples.iter().cloned().collect(),
            is_stalled: gathered.is_stalled,
        })
    }

    pub(crate) fn unknown(&self, kind: &str, sample: &str) {
        self.with(|gathered| gathered.add(kind, sample));
    }

    pub(crate) fn stalled(&self, is_stalled: bool) {
        self.with(|gathered| gathered.is_stalled = is_stalled);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Gathered) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Gathered {
    fn add(&mut self, kind: &str, sample: &str) {
        let is_room = self.counts.len() < KINDS || self.counts.contains_key(kind);
        *self.counts.entry(if is_room { kind } else { OTHERS }.to_owned()).or_default() += 1;
        self.bytes += sample.len();
        self.samples.push_back(sample.to_owned());
        while self.bytes > SAMPLE_BYTES {
            let Some(oldest) = self.samples.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_and_samples_stay_bounded() {
        let diagnostics = Diagnostics::default();
        for number in 0..10_000 {
            diagnostics.unknown(&format!("kind {}", number % 1_000), &"x".repeat(100));
        }
        let Snapshot { counts, samples, .. } = diagnostics.snapshot();
        assert_eq!(counts.values().sum::<u64>(), 10_000);
        assert_eq!(counts.len(), KINDS + 1);
        assert!(samples.iter().map(String::len).sum::<usize>() <= SAMPLE_BYTES);
    }
}
