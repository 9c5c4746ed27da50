//! Routes of projects. Owns what a project looks like to clients; which directories may be one is decided elsewhere.

use axum::Json;
use axum::extract::State;
use liminal_core::error::ErrorCode;
use liminal_core::ids::ProjectId;
use liminal_core::wire::projects::{AddProject, DecideTrust, PathList, Project, ProjectList, Trust};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answers::{Created, Done};
use super::app::App;
use super::extract::{JsonBody, Path, Query};
use super::ledger::Target;
use super::problem::ApiError;
use crate::projects::{Boundaries, FileSearch, ProjectError};
use crate::sessions::standing;
use crate::store::{ProjectRow, Store};
use crate::{clock, projects};

/// Reading a project's files is fast, but a disk may not be.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ApiError::internal())
}

fn store(app: &App) -> &Store {
    app.sessions().store()
}

pub(super) async fn list(State(app): State<App>) -> Result<Json<ProjectList>, ApiError> {
    let mut rows = store(&app).projects().await?;
    rows.extend(app.sessions().projects_of_others().await?);
    let projects = off_thread(move || rows.iter().map(shown).collect()).await?;
    Ok(Json(ProjectList { projects }))
}

pub(super) async fn add(
    State(app): State<App>,
    JsonBody(AddProject { path, create }): JsonBody<AddProject>,
) -> Result<Created<Project>, ApiError> {
    let boundaries = boundaries(&app);
    let real =
        off_thread(move || if create { boundaries.make(&path) } else { boundaries.check(&path) }).await?;
    let real = real.map_err(unusable)?;
    let row = ProjectRow {
        id: ProjectId::from(clock::new_turn_id().to_string()),
        name: real.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        path: real,
        trust: Trust::Unknown,
        trust_hash: None,
    };
    let row = app.sessions().name_project(row).await?;
    if !store(&app).add_project(row.clone()).await? {
        return Err(ApiError::new(ErrorCode::ProjectExists, "this directory is a project already"));
    }
    app.sessions().announce_all();
    let target = Target(row.path.display().to_string());
    Ok(Created(off_thread(move || shown(&row)).await?, target))
}

pub(super) async fn remove(State(app): State<App>, Path(id): Path<ProjectId>) -> Result<Done, ApiError> {
    if !store(&app).remove_project(&id).await? {
        return Err(unknown());
    }
    app.sessions().leave_project(&id).await;
    Ok(Done)
}

pub(super) async fn decide_trust(
    State(app): State<App>,
    Path(id): Path<ProjectId>,
    JsonBody(DecideTrust { trusted }): JsonBody<DecideTrust>,
) -> Result<Json<Project>, ApiError> {
    let row = find(&app, &id).await?;
    let (row, hash) = off_thread(move || {
        projects::inside(&row.path, &row.path)?;
        let hash = standing(&row).1.fingerprint();
        Ok((row, hash))
    })
    .await?
    .map_err(unusable)?;
    let decided = if trusted { Trust::Trusted } else { Trust::Untrusted };
    store(&app).decide_trust(&id, decided, Some(hash.clone())).await?;
    let row = ProjectRow { trust: decided, trust_hash: Some(hash), ..row };
    Ok(Json(off_thread(move || shown(&row)).await?))
}

/// Which files are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Wanted {
    /// What is in their paths; without it, any file.
    #[serde(default)]
    q: String,
}

/// What was typed so far.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Typed {
    /// The beginning of an absolute path.
    #[serde(default)]
    path: String,
}

pub(super) async fn files(
    State(app): State<App>,
    Path(id): Path<ProjectId>,
    Query(wanted): Query<Wanted>,
) -> Result<Json<PathList>, ApiError> {
    let row = find(&app, &id).await?;
    let (search, clock) = (FileSearch::default(), app.clock());
    let paths = off_thread(move || projects::files(&row.path, &wanted.q, search, &clock)).await?;
    Ok(Json(PathList { paths: paths.map_err(unusable)? }))
}

pub(super) async fn complete(
    State(app): State<App>,
    Query(typed): Query<Typed>,
) -> Result<Json<PathList>, ApiError> {
    let boundaries = boundaries(&app);
    // Whoever types a dot means it.
    let with_hidden = typed.path.rsplit('/').next().is_some_and(|last| last.starts_with('.'));
    let paths = off_thread(move || projects::complete(&typed.path, boundaries.home(), with_hidden)).await?;
    Ok(Json(PathList { paths }))
}

pub(super) fn boundaries(app: &App) -> Boundaries {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    Boundaries::new(home.as_deref(), app.data_directory())
}

async fn find(app: &App, id: &ProjectId) -> Result<ProjectRow, ApiError> {
    store(app).project(id).await?.ok_or_else(unknown)
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::ProjectNotFound, "there is no such project; add it first")
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn unusable(error: ProjectError) -> ApiError {
    ApiError::new(ErrorCode::ProjectDirInvalid, error.to_string())
}

/// A project whose path now leads elsewhere counts as missing: what lies there is nobody's to see.
fn shown(row: &ProjectRow) -> Project {
    let is_missing = projects::inside(&row.path, &row.path).is_err();
    let (trust, findings) = if is_missing {
        (Trust::Unknown, Vec::new())
    } else {
        let (trust, found) = standing(row);
        (trust, found.findings)
    };
    Project {
        id: row.id.clone(),
        path: row.path.display().to_string(),
        name: row.name.clone(),
        is_missing,
        trust,
        findings,
    }
}
