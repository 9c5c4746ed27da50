//! Numbers messages, tool calls and requests: unique within a server, the same from run to run.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The numbers used so far, by the prefix of the identifier.
#[derive(Debug, Default)]
pub(crate) struct Identifiers {
    used: Mutex<BTreeMap<&'static str, u64>>,
}

impl Identifiers {
    /// The next identifier with this prefix, padded to the length of real ones, because clients show and
    /// store them.
    pub(crate) fn next(&self, prefix: &'static str) -> String {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let number = used.entry(prefix).or_default();
        *number += 1;
        format!("{prefix}{number:024}")
    }
}
