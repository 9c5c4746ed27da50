//! Directories the user works in. Owns their order and that each is there once.

use std::path::PathBuf;

use liminal_core::ids::ProjectId;
use liminal_core::wire::projects::Trust;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::{Store, bodies, offers, text};
use crate::log::LogError;
use crate::log::sqlite::records::{PROJECTS, Record};

/// A directory the user works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRow {
    /// The project.
    pub id: ProjectId,
    /// Its directory.
    pub path: PathBuf,
    /// What people call it.
    pub name: String,
    /// Whether what it brings may run.
    pub trust: Trust,
    /// What it brought when that was decided.
    #[serde(default)]
    pub trust_hash: Option<String>,
}

impl Store {
    /// All, in the order in which they were added.
    pub async fn projects(&self) -> Result<Vec<ProjectRow>, LogError> {
        self.read(|connection| Ok(bodies(PROJECTS.select(connection, "ORDER BY position", [])?))).await
    }

    /// The one with this id.
    pub async fn project(&self, id: &ProjectId) -> Result<Option<ProjectRow>, LogError> {
        let id = id.clone();
        self.read(move |connection| Ok(find(connection, &id)?.map(|record| record.body))).await
    }

    /// Adds one behind the others; `false` if its path or id is there already.
    pub async fn add_project(&self, project: ProjectRow) -> Result<bool, LogError> {
        self.synced(move |connection| {
            let path = project.path.to_string_lossy().into_owned();
            let same = PROJECTS.select::<ProjectRow>(
                connection,
                "WHERE id = ?1 OR path = ?2",
                params![project.id.as_str(), path],
            )?;
            if !same.is_empty() {
                return Ok(false);
            }
            let next: i64 =
                connection
                    .query_row("SELECT coalesce(max(position), 0) + 1 FROM project", [], |row| row.get(0))?;
            PROJECTS.put(connection, vec![text(&project.id), next.into(), path.into()], &project)?;
            Ok(true)
        })
        .await
    }

    /// Forgets one, but nothing of its sessions; `false` if there is none.
    pub async fn remove_project(&self, id: &ProjectId) -> Result<bool, LogError> {
        let id = id.clone();
        self.synced(move |connection| {
            offers::remove(connection, &id)?;
            Ok(PROJECTS.delete(connection, "id = ?1", [id.as_str()])? > 0)
        })
        .await
    }

    /// Notes whether what a project brings may run, and what that was; `false` if there is no such project.
    pub async fn decide_trust(
        &self,
        id: &ProjectId,
        trust: Trust,
        hash: Option<String>,
    ) -> Result<bool, LogError> {
        let id = id.clone();
        self.synced(move |connection| {
            let Some(Record { keys, body }) = find(connection, &id)? else { return Ok(false) };
            PROJECTS.put(connection, keys, &ProjectRow { trust, trust_hash: hash, ..body })?;
            Ok(true)
        })
        .await
    }
}

fn find(connection: &Connection, id: &ProjectId) -> Result<Option<Record<ProjectRow>>, LogError> {
    Ok(PROJECTS.select(connection, "WHERE id = ?1", [id.as_str()])?.pop())
}
