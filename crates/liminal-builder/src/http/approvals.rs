//! Routes of what agents ask. Owns their form.

use axum::Json;
use axum::extract::State;
use liminal_core::wire::approvals::ApprovalList;
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::{Map, Value};

use super::app::App;
use super::extract::{JsonBody, Path};
use super::problem::ApiError;

pub(super) async fn list(State(app): State<App>) -> Json<ApprovalList> {
    Json(app.sessions().approvals())
}

pub(super) async fn answer(
    State(app): State<App>,
    Path(id): Path<String>,
    JsonBody(answer): JsonBody<PermissionAnswer>,
) -> Result<Json<Map<String, Value>>, ApiError> {
    app.sessions().answer_approval(&id, answer).await?;
    Ok(Json(Map::new()))
}
