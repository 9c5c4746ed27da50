//! What this program keeps beside the streams: projects, what is known of sessions, messages that wait or are on their
//! way, answers to repeat, browsers that were let in. Owns what these records say and how they change; lives in the
//! log's file, written by its one writer. Knows nothing of running sessions or of HTTP.
//!
//! Every record carries a sum, so a damaged one is told as [`LogError::Damaged`] and never taken for what was stored.

mod adoption;
mod browsers;
mod deliveries;
mod offers;
mod page;
mod projects;
mod queue;
mod receipts;
mod sessions;
#[cfg(test)]
mod tests;
mod timestamp;

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::log::sqlite::SqliteLog;
use crate::log::sqlite::records::Record;
use crate::log::{Durability, LogError};

pub use adoption::Adopted;
pub use browsers::Browser;
pub use deliveries::Delivery;
pub use projects::ProjectRow;
pub use receipts::{KeptReceipt, Receipt};
pub use sessions::{ForkSource, InForce, SessionChange, SessionRow, StoredOptions, TitleSource};

/// The records of this program. Clones share them.
#[derive(Debug, Clone)]
pub struct Store {
    log: Arc<SqliteLog>,
}

impl Store {
    /// The records in a log's file.
    #[must_use]
    pub const fn new(log: Arc<SqliteLog>) -> Self {
        Self { log }
    }

    /// What is changed has survived a power failure when this resolves.
    async fn synced<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        self.log.write(Durability::Synced, work).await
    }

    /// What is changed has survived the death of this process when this resolves.
    async fn grouped<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        self.log.write(Durability::Grouped, work).await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        self.log.read_with(read).await
    }
}

fn text(text: &(impl ToString + ?Sized)) -> Value {
    Value::Text(text.to_string())
}

fn bodies<T>(records: Vec<Record<T>>) -> Vec<T> {
    records.into_iter().map(|record| record.body).collect()
}
