//! Routes of messages that wait for their turn. Owns their form.

use axum::Json;
use axum::extract::State;
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{EditQueued, MessageAccepted, Queue};

use super::answers::Accepted;
use super::app::App;
use super::extract::{JsonBody, Path};
use super::problem::ApiError;

pub(super) async fn show(State(app): State<App>, Path(id): Path<SessionId>) -> Result<Json<Queue>, ApiError> {
    Ok(Json(app.sessions().queue(&id).await?))
}

pub(super) async fn edit(
    State(app): State<App>,
    Path((id, queued)): Path<(SessionId, String)>,
    JsonBody(edit): JsonBody<EditQueued>,
) -> Result<Json<Queue>, ApiError> {
    Ok(Json(app.sessions().edit_queued(&id, &queued, edit).await?))
}

pub(super) async fn remove(
    State(app): State<App>,
    Path((id, queued)): Path<(SessionId, String)>,
) -> Result<Json<Queue>, ApiError> {
    Ok(Json(app.sessions().remove_queued(&id, &queued).await?))
}

pub(super) async fn send_now(
    State(app): State<App>,
    Path((id, queued)): Path<(SessionId, String)>,
) -> Result<Accepted<MessageAccepted>, ApiError> {
    Ok(Accepted(app.sessions().send_queued_now(&id, &queued).await?))
}

pub(super) async fn resume(
    State(app): State<App>,
    Path(id): Path<SessionId>,
) -> Result<Json<Queue>, ApiError> {
    Ok(Json(app.sessions().resume_queue(&id).await?))
}

pub(super) async fn steer(
    State(app): State<App>,
    Path((id, queued)): Path<(SessionId, String)>,
) -> Result<Json<MessageAccepted>, ApiError> {
    Ok(Json(app.sessions().steer(&id, &queued).await?))
}
