//! What the server tells of itself: that it lives, that it can work, what it counts and what it can do.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use liminal_core::error::ErrorCode;
use liminal_core::wire::rest::Meta;
use serde_json::{Value, json};

use super::answers::Counts;
use super::app::App;
use super::problem::ApiError;

/// Grows when something is taken away from the wire.
const PROTOCOL_VERSION: u32 = 1;

pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// Whether a message could be sent to an agent now, as far as that depends on this machine.
pub(super) async fn ready(State(app): State<App>) -> Result<&'static str, ApiError> {
    let obstacles = app.sessions().obstacles().await;
    if obstacles.is_empty() {
        return Ok("ready\n");
    }
    Err(ApiError::new(ErrorCode::NotReady, obstacles.join("; ")))
}

pub(super) async fn metrics(State(app): State<App>) -> Result<Counts, ApiError> {
    Ok(Counts(app.sessions().render_metrics().await?))
}

pub(super) async fn meta(State(app): State<App>) -> Json<Meta> {
    Json(Meta {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol_version: PROTOCOL_VERSION,
        capabilities: capabilities(&app),
    })
}

fn capabilities(app: &App) -> BTreeMap<String, Value> {
    let (settings, limits) = (app.sessions().settings(), app.limits());
    let capabilities = [
        ("append", json!(true)),
        ("approvals", json!(true)),
        ("bodyBytes", json!(limits.body_bytes)),
        ("bypass", json!(settings.allow_bypass)),
        ("events", json!(true)),
        ("exportFormats", json!(["md", "json", "jsonl"])),
        ("idempotency", json!(true)),
        ("maxAgents", json!(settings.most_agents)),
        ("insecureNoAuth", json!(app.takes_anyone())),
        ("messageBytes", json!(limits.message_bytes)),
        ("queueLength", json!(settings.longest_queue)),
        ("search", json!(true)),
        ("trust", json!(true)),
        ("window", json!(true)),
    ];
    capabilities.map(|(name, value)| (name.to_owned(), value)).into()
}
