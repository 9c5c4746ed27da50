//! Which agents this machine has, for clients.

use axum::Json;
use axum::extract::State;

use super::app::App;
use crate::agents::AgentReport;

pub(super) async fn list(State(app): State<App>) -> Json<Vec<AgentReport>> {
    Json(app.find_agents().await)
}
