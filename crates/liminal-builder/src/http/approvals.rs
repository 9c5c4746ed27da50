//! Routes of what agents ask. Owns their form.

use axum::Json;
use axum::extract::{Extension, State};
use liminal_core::wire::approvals::ApprovalList;
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::{Map, Value};

use super::app::App;
use super::credentials::Caller;
use super::extract::{JsonBody, Path};
use super::gate::Peer;
use super::ledger::Party;
use super::problem::ApiError;
use crate::audit::Action;

pub(super) async fn list(State(app): State<App>) -> Json<ApprovalList> {
    Json(app.sessions().approvals())
}

/// The body is the input itself, as the tool would get it.
pub(super) async fn input(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Map<String, Value>>, ApiError> {
    Ok(Json(Map::clone(&*app.sessions().approval_input(&id)?)))
}

pub(super) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Extension(Peer(peer)): Extension<Peer>,
    Path(id): Path<String>,
    JsonBody(answer): JsonBody<PermissionAnswer>,
) -> Result<Json<Map<String, Value>>, ApiError> {
    let party = Party::new(Some(caller), peer);
    let mut begun = app.ledger().begin(&party, Action::Permission, Some(id.clone()));
    let option = answer.option_id.clone();
    let witness = app.ledger().witness(&mut begun, option.as_deref());
    let result = app.sessions().answer_approval(&id, answer, witness).await;
    begun.ended(None, result.as_ref().err().map(|failure| failure.code)).await;
    result?;
    Ok(Json(Map::new()))
}
