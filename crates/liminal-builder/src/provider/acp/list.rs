//! The sessions that an agent itself remembers. Owns asking for them page by page; it needs no session of its own.

use std::path::Path;

use liminal_core::dialect::acp::greeting;
use serde::Deserialize;
use serde_json::{Value, json};

use super::asking::ask;
use crate::provider::OpenError;
use crate::transport::AgentPipe;

/// Agents hand out pages of a few dozen; one that never ends would keep us for ever.
const PAGES: usize = 1_000;
/// More than anybody looks through.
const MOST: usize = 10_000;

/// A session as its agent tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    /// The agent's own id of it.
    pub session_id: String,
    /// Where it works.
    #[serde(default)]
    pub cwd: Option<String>,
    /// What it is about.
    #[serde(default)]
    pub title: Option<String>,
    /// When something last happened in it, in the agent's words.
    #[serde(default)]
    pub updated_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    sessions: Vec<ListedSession>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// Asks for every session of a directory; gives nothing if the agent cannot tell, or could not go on with what it tells.
/// An empty page may have a next one, so only the cursor tells the end.
pub(super) async fn sessions(
    pipe: &mut dyn AgentPipe,
    directory: &Path,
) -> Result<Option<Vec<ListedSession>>, OpenError> {
    let greeted = ask(pipe, 1, "initialize", greeting(env!("CARGO_PKG_VERSION"))).await.map_err(unusable)?;
    if !has_list(&greeted) {
        return Ok(None);
    }
    let (mut listed, mut cursor) = (Vec::new(), None);
    for number in 2..PAGES {
        let page = page(pipe, number, directory, cursor.as_deref()).await?;
        listed.extend(page.sessions.into_iter().filter(|session| session.is_in(directory)));
        let is_stuck = page.next_cursor.is_none() || page.next_cursor == cursor;
        if is_stuck || listed.len() >= MOST {
            break;
        }
        cursor = page.next_cursor;
    }
    Ok(Some(listed))
}

async fn page(
    pipe: &mut dyn AgentPipe,
    number: usize,
    directory: &Path,
    cursor: Option<&str>,
) -> Result<Page, OpenError> {
    let mut params = json!({ "cwd": directory });
    if let (Some(cursor), Value::Object(fields)) = (cursor, &mut params) {
        fields.insert("cursor".to_owned(), Value::from(cursor));
    }
    let page = ask(pipe, number, "session/list", params).await.map_err(unusable)?;
    serde_json::from_value(page).map_err(unusable)
}

fn has_list(greeted: &Value) -> bool {
    let can_load = greeted.pointer("/agentCapabilities/loadSession") == Some(&Value::Bool(true));
    let list = greeted.pointer("/agentCapabilities/sessionCapabilities/list");
    can_load && list.is_some_and(|list| !list.is_null() && *list != Value::Bool(false))
}

impl ListedSession {
    /// Not every agent heeds which directory it was asked for.
    fn is_in(&self, directory: &Path) -> bool {
        self.cwd.as_deref().is_none_or(|cwd| Path::new(cwd) == directory)
    }
}

fn unusable(error: impl std::fmt::Display) -> OpenError {
    OpenError::Unusable(format!("the agent's sessions cannot be listed: {error}"))
}
