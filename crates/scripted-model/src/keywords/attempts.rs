//! Counts how often a fault struck the same request, for faults that strike only some times.

use std::collections::BTreeMap;

/// Enough for any test; retries that were given up must not pile up for ever.
const KEPT_REQUESTS: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Attempts {
    struck: BTreeMap<String, u32>,
}

impl Attempts {
    /// Whether a fault that strikes `times` times strikes now. When it no longer does, the count starts anew.
    pub(super) fn strikes(&mut self, identity: &str, times: Option<u32>) -> bool {
        let Some(times) = times else { return true };
        let struck = self.struck.get(identity).copied().unwrap_or_default();
        if struck >= times {
            self.struck.remove(identity);
            return false;
        }
        if self.struck.len() >= KEPT_REQUESTS {
            self.struck.pop_first();
        }
        self.struck.insert(identity.to_owned(), struck + 1);
        true
    }
}
