//! Which agents this machine has, for clients.

use axum::Json;
use axum::extract::State;

use super::app::{AgentsAsked, App};
use crate::agents::AgentReport;

pub(super) async fn list(State(app): State<App>) -> Json<Vec<AgentReport>> {
    Json(app.find_agents(AgentsAsked::AsKnown).await)
}

pub(super) async fn refresh(State(app): State<App>) -> Json<Vec<AgentReport>> {
    Json(app.find_agents(AgentsAsked::Again).await)
}
