//! What the page remembers. Owns its size; what is in it is the page's business.

use axum::extract::State;
use liminal_core::error::ErrorCode;
use serde_json::{Map, Value};

use super::answers::{Done, Written};
use super::app::App;
use super::extract::JsonBody;
use super::problem::ApiError;

const LARGEST: usize = 256 * 1024;

pub(super) async fn show(State(app): State<App>) -> Result<Written<Map<String, Value>>, ApiError> {
    let state = app.sessions().store().ui_state().await?.unwrap_or_else(|| "{}".to_owned());
    Ok(Written::new(state))
}

pub(super) async fn keep(
    State(app): State<App>,
    JsonBody(state): JsonBody<Map<String, Value>>,
) -> Result<Done, ApiError> {
    let text = Value::Object(state).to_string();
    if text.len() > LARGEST {
        return Err(ApiError::new(ErrorCode::BodyTooLarge, "the page's state may have 256 KiB"));
    }
    app.sessions().store().set_ui_state(text).await?;
    Ok(Done)
}
