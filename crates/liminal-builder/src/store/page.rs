//! What the page keeps for itself. Owns where it is kept; nobody here looks into it.

use super::{Store, bodies, text};
use crate::log::LogError;
use crate::log::sqlite::records::PAGE_STATES;

const UI: &str = "ui";

impl Store {
    /// What the page kept last.
    pub async fn ui_state(&self) -> Result<Option<String>, LogError> {
        self.read(|connection| Ok(bodies(PAGE_STATES.select(connection, "WHERE name = ?1", [UI])?).pop()))
            .await
    }

    /// Keeps something for the page.
    pub async fn set_ui_state(&self, state: String) -> Result<(), LogError> {
        self.grouped(move |connection| PAGE_STATES.put(connection, vec![text(UI)], &state)).await
    }
}
