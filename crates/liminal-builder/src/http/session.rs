//! Routes of sessions. Owns how requests become wishes and what status they are answered with; what they mean is
//! decided where sessions are.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use liminal_core::error::ErrorCode;
use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::wire::rest::{
    Configure, CreateSession, ForkSession, LoadSession, MessageAccepted, Rename, SendMessage, SessionList,
    SessionOpened, SessionStatus,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answers::{Accepted, Created, Done};
use super::app::App;
use super::extract::{JsonBody, OptionalBody, Path, Query};
use super::ledger::Target;
use super::problem::ApiError;
use super::receipts;
use crate::sessions::ListQuery;

type Status = Result<Json<SessionStatus>, ApiError>;

/// Which sessions to list: those of a project, those that need attention, or those that match a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listing {
    /// The project whose sessions are listed. Required unless `attention` or `q` is given; then, without it, the
    /// sessions of all projects are.
    project_id: Option<ProjectId>,
    /// Only sessions that wait for an answer, have a running turn, or have entries beyond the `seq` that `seen` of
    /// `/api/ui-state` has for them.
    #[serde(default)]
    attention: bool,
    /// More sessions to list with `attention`, whatever they do: ids, separated by commas.
    session_ids: Option<String>,
    /// Only sessions whose title, directory, agent or id contain every word of this text. Case and accents don't
    /// matter.
    q: Option<String>,
    /// Those that were put away or ended, instead of the active ones.
    #[serde(default)]
    archived: bool,
    /// Where to go on: `next` of the page before.
    after: Option<String>,
    /// The most that are wanted.
    limit: Option<usize>,
}

pub(super) async fn list(
    State(app): State<App>,
    Query(listing): Query<Listing>,
) -> Result<Json<SessionList>, ApiError> {
    let project = listing.project_id.filter(|project| !project.as_str().is_empty());
    let text = listing.q.filter(|text| !text.trim().is_empty());
    if project.is_none() && text.is_none() && !listing.attention {
        return Err(ApiError::new(ErrorCode::ProjectIdRequired, "projectId is required"));
    }
    let Listing { attention, archived, after, limit, .. } = listing;
    let named = listing.session_ids.unwrap_or_default();
    let named = named.split(',').filter(|id| !id.is_empty()).map(SessionId::from).collect();
    let query = ListQuery { project, attention, named, text, archived, after, limit };
    Ok(Json(app.sessions().list(&query).await?))
}

pub(super) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<CreateSession>,
) -> Result<Created<SessionOpened>, ApiError> {
    let sessions = app.sessions().clone();
    let create = async move {
        let create = Box::pin(async { app.sessions().create(body.clone()).await });
        receipts::once(&app, "create", &headers, &body, create).await
    };
    let opened = sessions.finish(create).await?;
    let target = Target(opened.session_id.to_string());
    Ok(Created(opened, target))
}

pub(super) async fn fork(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<ForkSession>,
) -> Result<Created<SessionStatus>, ApiError> {
    let sessions = app.sessions().clone();
    let fork = async move {
        let fork = Box::pin(async { app.sessions().fork(&id, body.clone()).await });
        receipts::once(&app, &format!("fork {id}"), &headers, &body, fork).await
    };
    let forked = sessions.finish(fork).await?;
    let target = Target(forked.session_id.to_string());
    Ok(Created(forked, target))
}

pub(super) async fn load(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    OptionalBody(request): OptionalBody<LoadSession>,
) -> Result<Json<SessionOpened>, ApiError> {
    let sessions = app.sessions().clone();
    let load = async move { app.sessions().load(&id, request).await };
    Ok(Json(sessions.finish(load).await?))
}

pub(super) async fn status(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().status(&id).await?))
}

pub(super) async fn send(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    headers: HeaderMap,
    JsonBody(mut body): JsonBody<SendMessage>,
) -> Result<Accepted<MessageAccepted>, ApiError> {
    // Both are the sender's own id of the message; the one in the body is the message's own.
    body.client_message_id = body.client_message_id.or(receipts::key(&headers)?);
    Ok(Accepted(app.sessions().send(&id, body).await?))
}

pub(super) async fn cancel(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().cancel(&id).await?))
}

pub(super) async fn stop_background(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().stop_background(&id).await?))
}

pub(super) async fn kill(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().kill(&id).await?))
}

pub(super) async fn configure(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    JsonBody(wishes): JsonBody<Configure>,
) -> Status {
    Ok(Json(app.sessions().configure(&id, wishes).await?))
}

pub(super) async fn rename(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    JsonBody(Rename { title }): JsonBody<Rename>,
) -> Status {
    Ok(Json(app.sessions().rename(&id, &title).await?))
}

pub(super) async fn seen(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().seen(&id).await?))
}

pub(super) async fn archive(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().archive(&id, true).await?))
}

pub(super) async fn unarchive(State(app): State<App>, Path(id): Path<SessionId>) -> Status {
    Ok(Json(app.sessions().archive(&id, false).await?))
}

pub(super) async fn delete(State(app): State<App>, Path(id): Path<SessionId>) -> Result<Done, ApiError> {
    app.sessions().delete(&id).await?;
    Ok(Done)
}
