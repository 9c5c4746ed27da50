//! Canonical events as they came, for programs that want more than states. Owns what such a log is asked; it keeps the
//! newest events of each session, within limits.

use bytes::Bytes;
use liminal_core::ids::SessionId;
use tokio::sync::watch;

use super::{Events, Pending};

/// A place for all sessions' canonical events.
pub trait EventLog: Send + Sync + std::fmt::Debug + 'static {
    /// Adds events, each as the JSON of its envelope; the oldest beyond the limits are forgotten.
    fn record<'a>(&'a self, session: &'a SessionId, events: Vec<Bytes>) -> Pending<'a, ()>;

    /// Events after a number, with theirs, oldest first. Numbers are dense per session.
    fn events<'a>(&'a self, session: &'a SessionId, after: u64, limit: usize) -> Events<'a>;

    /// Tells whenever there are more events of a session.
    fn follow(&self, session: &SessionId) -> watch::Receiver<()>;
}
