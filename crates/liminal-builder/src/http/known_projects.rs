//! Directories that agents have worked in and that are no projects yet, for clients. Owns which of them are offered.

use std::collections::btree_map::{BTreeMap, Entry};
use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use liminal_core::time::Timestamp;
use liminal_core::wire::projects::{KnownProject, KnownProjectList};

use super::app::App;
use super::problem::ApiError;
use super::project::{boundaries, off_thread};
use crate::projects::Boundaries;
use crate::sessions::WorkedIn;

/// More are not chosen from a list.
const MOST: usize = 100;

pub(super) async fn list(State(app): State<App>) -> Result<Json<KnownProjectList>, ApiError> {
    let rows = app.sessions().store().projects().await?;
    let registered: Vec<PathBuf> = rows.into_iter().map(|row| row.path).collect();
    let (found, is_cut) = app.sessions().worked_in().await;
    let boundaries = boundaries(&app);
    let mut real = off_thread(move || real(found, &boundaries)).await?;
    real.retain(|path, _| !registered.contains(path));
    let mut projects: Vec<KnownProject> = real.into_iter().map(shown).collect();
    projects.sort_by_key(|project| std::cmp::Reverse(project.last_activity.instant()));
    let is_cut = is_cut || projects.len() > MOST;
    projects.truncate(MOST);
    Ok(Json(KnownProjectList { projects, is_cut }))
}

/// Those that are there and may be projects, by their real paths.
fn real(found: BTreeMap<PathBuf, WorkedIn>, boundaries: &Boundaries) -> BTreeMap<PathBuf, WorkedIn> {
    let mut real = BTreeMap::new();
    for (path, work) in found {
        let Some(path) = path.to_str().and_then(|path| boundaries.check(path).ok()) else { continue };
        match real.entry(path) {
            Entry::Vacant(entry) => drop(entry.insert(work)),
            Entry::Occupied(mut entry) => entry.get_mut().join(work),
        }
    }
    real
}

fn shown((path, work): (PathBuf, WorkedIn)) -> KnownProject {
    let WorkedIn { sessions, agents, last_activity } = work;
    KnownProject {
        name: path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        path: path.display().to_string(),
        sessions,
        agents,
        last_activity: Timestamp::from(last_activity),
    }
}
