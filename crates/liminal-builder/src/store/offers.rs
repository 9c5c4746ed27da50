//! What agents last offered to choose from. Owns where that is kept: once per kind of agent and once per project, because
//! projects bring commands of their own.

use liminal_core::ids::ProjectId;
use liminal_core::wire::abilities::Abilities;
use rusqlite::Connection;

use super::{Store, bodies, text};
use crate::log::LogError;
use crate::log::sqlite::records::PAGE_STATES;

impl Store {
    /// What an agent of this kind last offered in a project; if none ran there, in any project.
    pub async fn offers(
        &self,
        cli_type: &str,
        project: Option<&ProjectId>,
    ) -> Result<Option<Abilities>, LogError> {
        let names = names(cli_type, project);
        self.read(move |connection| {
            names.iter().find_map(|name| find(connection, name).transpose()).transpose()
        })
        .await
    }

    /// Keeps what an agent offers.
    pub async fn keep_offers(
        &self,
        cli_type: &str,
        project: Option<&ProjectId>,
        offers: Abilities,
    ) -> Result<(), LogError> {
        let names = names(cli_type, project);
        self.grouped(move |connection| {
            names.iter().try_for_each(|name| PAGE_STATES.put(connection, vec![text(name)], &offers))
        })
        .await
    }
}

/// Forgets what agents offered in a project.
pub(super) fn remove(connection: &Connection, project: &ProjectId) -> Result<(), LogError> {
    const OF_PROJECT: &str = "name LIKE 'offers %' AND substr(name, -length(?1)) = ?1";
    PAGE_STATES.delete(connection, OF_PROJECT, [format!(" {project}")])?;
    Ok(())
}

/// The more specific one first.
fn names(cli_type: &str, project: Option<&ProjectId>) -> Vec<String> {
    let of_kind = format!("offers {cli_type}");
    project.map(|project| format!("{of_kind} {project}")).into_iter().chain([of_kind.clone()]).collect()
}

fn find(connection: &Connection, name: &str) -> Result<Option<Abilities>, LogError> {
    Ok(bodies(PAGE_STATES.select(connection, "WHERE name = ?1", [name])?).pop())
}
