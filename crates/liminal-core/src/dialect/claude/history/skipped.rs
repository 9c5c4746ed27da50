//! What could not be read, counted by its name. Owns the bound: names come from files that anybody may have written.

use std::collections::BTreeMap;

const NAMES: usize = 64;
const NAME_LENGTH: usize = 64;

/// Counts by name.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    counts: BTreeMap<String, u64>,
}

impl Skipped {
    pub(super) fn count(&mut self, name: &str) {
        let name: String = name.chars().take(NAME_LENGTH).collect();
        let is_full = self.counts.len() >= NAMES && !self.counts.contains_key(&name);
        *self.counts.entry(if is_full { "other".to_owned() } else { name }).or_default() += 1;
    }

    pub(super) fn into_counts(self) -> BTreeMap<String, u64> {
        self.counts
    }
}
