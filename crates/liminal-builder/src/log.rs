//! The stream log: a session's outputs in order, compacted by key. Owns what a log is asked, what it gives back and
//! how a reader follows it; knows nothing of sessions' phases, of agents or of HTTP.
//!
//! An output gets the session's next `seq` and replaces the earlier one of its key. So a log is a state and not a
//! queue: whoever reads after a cursor ends in the same state, however much it missed.

mod batch;
mod cursor;
mod endings;
mod events;
mod key;
pub mod memory;
pub mod redis;
mod sequence;
pub mod shared;
pub mod sqlite;
mod starts;
mod subscription;
mod text;
mod window;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use tokio::sync::watch;

use crate::redis_store::LinkError;

pub use batch::{Batch, Encoder, Record};
pub use cursor::{BadCursor, Cursor, Head};
pub use endings::endings;
pub use events::EventLog;
pub use key::{Key, Kind};
pub use subscription::{Delivery, Subscription};
pub use text::Text;

/// An output with its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place; grows with every new state of the key.
    pub seq: u64,
    /// The place of the key's first state: the order in which people see items.
    pub first_seq: u64,
    /// What it replaces.
    pub key: Key,
    /// Whether more states of an item are to come.
    pub is_open: bool,
    /// The payload of `session:upsert` or `session:turn`, as it is sent.
    pub bytes: Bytes,
    /// Where its growing text is, if it has one.
    pub text: Option<Text>,
}

impl Entry {
    /// What the payload is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.key.kind()
    }

    /// The growing text, escaped as inside a JSON string; empty where there is none.
    #[must_use]
    pub fn escaped_text(&self) -> &[u8] {
        self.text.map_or(&[], |text| text::escaped(&self.bytes, text.start))
    }
}

/// What one read gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The entries found.
    pub entries: Vec<Entry>,
    /// Where a reader stands that has applied them.
    pub through: u64,
    /// The newest place when it was read, and the life of the log it belongs to.
    pub head: Head,
}

impl Page {
    /// A page of a history that is read forward.
    fn later(entries: Vec<Entry>, is_cut: bool, head: Head) -> Self {
        let last = entries.last().map(|entry| entry.first_seq).filter(|_| is_cut);
        Self { through: last.unwrap_or(head.seq), entries, head }
    }
}

/// How much to read at once. At least one entry is given, however large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// So many entries.
    pub entries: usize,
    /// So many bytes of payload.
    pub bytes: usize,
}

impl Limit {
    /// Everything.
    pub const NONE: Self = Self { entries: usize::MAX, bytes: usize::MAX };
    /// What a reader is given at once. Whoever reads nothing holds two of them at most, so they are small.
    pub const MOUTHFUL: Self = Self { entries: 64, bytes: 32 << 10 };
    /// What is read of a history at once.
    pub const PAGE: Self = Self { entries: 256, bytes: 1 << 20 };

    /// Whether a page of this size takes no more.
    pub(crate) const fn is_reached(self, entries: usize, bytes: usize) -> bool {
        entries >= self.entries || bytes >= self.bytes
    }
}

/// What an append has survived when it is acknowledged and readers see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The death of this process. After a power failure the last 20 ms may be missing.
    Grouped,
    /// A power failure too.
    Synced,
}

/// Why a log did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// No room for more.
    #[error("the disk is full; free some space and try again, nothing stored was touched")]
    Full,
    /// The file cannot be written or read.
    #[error("{path}: {problem}; make the file and its directory readable and writable for this user")]
    Inaccessible {
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// What is stored is not what was written.
    #[error("the stored log is damaged ({0}); stop the server and start it again to have the file checked")]
    Damaged(String),
    /// A newer version of this program made the file.
    #[error("{path} has schema {found}, and this version knows {known}; start the version that made it")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// Another server writes this session now.
    #[error("another server has taken this session over; reload it")]
    Fenced,
    /// What several servers share is not at hand.
    #[error("Redis does not answer ({0}); check that it runs and can be reached from this server")]
    Unreachable(String),
    /// The log was closed.
    #[error("the log is closed because the server is stopping")]
    Closed,
    /// Anything else the store said.
    #[error("the log failed: {0}")]
    Failed(String),
}

impl From<LinkError> for LogError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Unreachable(problem) => Self::Unreachable(problem),
            LinkError::Refused(_) | LinkError::Unusable(_) => Self::Failed(error.to_string()),
        }
    }
}

/// A boxed future, because logs are chosen at run time.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, LogError>> + Send + 'a>>;

/// Canonical events with their numbers.
pub type Events<'a> = Pending<'a, Vec<(u64, Bytes)>>;

/// A place for all sessions' outputs.
pub trait StreamLog: Send + Sync + std::fmt::Debug + 'static {
    /// Adds outputs; resolves when they have the durability asked for, and only then shows them to readers. Batches
    /// of a session get their places in the order in which the futures are first polled.
    fn append<'a>(
        &'a self,
        session: &'a SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Pending<'a, Cursor>;

    /// The latest states of what changed after a place, in order of `seq`.
    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page>;

    /// The newest of the entries that first appeared before a place, or of all, in order of `first_seq`.
    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page>;

    /// The oldest of the entries that first appeared after a place, in order of `first_seq`. Read through is up to the
    /// last of them, or to the head if there are no more.
    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page>;

    /// The latest state of a key.
    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>>;

    /// Tells whenever the log of a session has grown.
    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>>;

    /// Forgets entries whose latest state is at or before a place; cursors before it are of no use then.
    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()>;

    /// Forgets a session. What is appended later belongs to a new life of its log.
    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()>;
}
