//! That a session was killed, while the store does not know it yet. Owns that one attempt to store it runs at a time.

use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Default)]
pub(super) struct KillMark {
    is_set: AtomicBool,
    is_retried: AtomicBool,
    /// Held while the store is changed, so that a later change is not overtaken by an earlier one.
    pub(super) storing: tokio::sync::Mutex<()>,
}

impl KillMark {
    pub(super) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }

    /// Removes the mark; returns whether it was set.
    pub(super) fn take(&self) -> bool {
        self.is_set.swap(false, Ordering::AcqRel)
    }

    /// Whether nobody tries to store it yet; the caller does from here on.
    pub(super) fn begin_retrying(&self) -> bool {
        !self.is_retried.swap(true, Ordering::AcqRel)
    }

    pub(super) fn end_retrying(&self) {
        self.is_retried.store(false, Ordering::Release);
    }
}
