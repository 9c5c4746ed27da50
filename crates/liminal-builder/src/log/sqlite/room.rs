//! Whether there is room on the disk. A write that finds none says so; that there is some again is found out by writing
//! something, because no number that the system tells is as true.

use tokio::sync::watch;

use super::super::{Durability, LogError};
use super::{SqliteLog, meta};

/// As much as a few long messages need.
const ROOM: usize = 64 << 10;
const NAME: &str = "room";

impl SqliteLog {
    /// Whether the last write found no room, from now on.
    #[must_use]
    pub fn is_full(&self) -> watch::Receiver<bool> {
        self.is_full.subscribe()
    }

    /// Looks whether there is room again, if there was none.
    pub async fn look_for_room(&self) -> Result<(), LogError> {
        if !*self.is_full.borrow() {
            return Ok(());
        }
        self.write(Durability::Grouped, |connection| meta::set(connection, NAME, &"x".repeat(ROOM))).await?;
        self.write(Durability::Grouped, |connection| meta::remove(connection, NAME)).await?;
        self.is_full.send_replace(false);
        Ok(())
    }
}
