//! What the page keeps for itself. Owns where it is kept; of its content only `seen` is read here.

use std::collections::BTreeMap;

use liminal_core::ids::SessionId;
use serde_json::Value;

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

    /// The last `seq` that was on screen, by session. Whatever else stands there is ignored.
    pub async fn seen(&self) -> Result<BTreeMap<SessionId, u64>, LogError> {
        let state = self.ui_state().await?.and_then(|state| serde_json::from_str::<Value>(&state).ok());
        let seen = state.as_ref().and_then(|state| state.get("seen")?.as_object());
        let entries = seen.into_iter().flatten();
        Ok(entries.filter_map(|(id, seq)| Some((SessionId::from(id.as_str()), seq.as_u64()?))).collect())
    }

    /// Keeps something for the page.
    pub async fn set_ui_state(&self, state: String) -> Result<(), LogError> {
        self.grouped(move |connection| PAGE_STATES.put(connection, vec![text(UI)], &state)).await
    }
}
