//! A disk that is full. Owns that the server looks for room by itself until there is some.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::Sessions;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(1);

impl Sessions {
    /// Whether the disk is full, from now on.
    #[must_use]
    pub fn is_full(&self) -> watch::Receiver<bool> {
        self.0.parts.database.is_full()
    }

    /// Looks for room whenever the disk is full, until the server stops.
    pub fn watch_room(&self) {
        let (database, mut is_full) = (std::sync::Arc::downgrade(self.database()), self.is_full());
        self.tasks().spawn(async move {
            while is_full.wait_for(|is_full| *is_full).await.is_ok() {
                timeout(EVERY, std::future::pending::<()>()).await.ok();
                let Some(database) = database.upgrade() else { return };
                // A disk that is still full is looked at again.
                database.look_for_room().await.ok();
            }
        });
    }

    pub(super) fn room_obstacle(&self) -> Option<String> {
        self.is_full().borrow().then(|| "the disk is full: nothing can be stored".to_owned())
    }
}
