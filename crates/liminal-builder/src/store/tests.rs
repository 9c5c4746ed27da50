//! What the store keeps, over restarts and kills.

mod deliveries;
mod queue;
mod records;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use liminal_core::wire::rest::QueuedMessage;
use tempfile::TempDir;

use super::*;
use crate::log::sqlite::Settings;

/// A store in a directory of its own.
struct World {
    directory: TempDir,
    log: Arc<SqliteLog>,
    store: Store,
}

impl World {
    fn new() -> Self {
        Self::open(tempfile::tempdir().unwrap())
    }

    fn open(directory: TempDir) -> Self {
        let (log, moved_aside) =
            SqliteLog::open(&directory.path().join("liminal.db"), Settings::default()).unwrap();
        assert_eq!(moved_aside, None);
        let log = Arc::new(log);
        Self { directory, store: Store::new(Arc::clone(&log)), log }
    }

    /// The store as it is found after this process was killed now.
    fn after_kill(&self) -> Self {
        let copy = tempfile::tempdir().unwrap();
        for file in ["liminal.db", "liminal.db-wal"] {
            fs::copy(self.directory.path().join(file), copy.path().join(file)).unwrap();
        }
        Self::open(copy)
    }

    async fn restarted(self) -> Self {
        self.log.close().await.unwrap();
        Self::open(self.directory)
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn queued(id: &str, message: &str) -> QueuedMessage {
    let (id, message) = (id.to_owned(), message.to_owned());
    QueuedMessage { id, message, client_message_id: None, attachments: Vec::new(), failure: None }
}
