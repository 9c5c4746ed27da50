//! What the page remembers. Owns its size; what is in it is the page's business.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use liminal_core::error::ErrorCode;
use serde_json::{Map, Value};

use super::app::App;
use super::extract::JsonBody;
use super::problem::ApiError;

const LARGEST: usize = 256 * 1024;

pub(super) async fn show(State(app): State<App>) -> Result<Response, ApiError> {
    let state = app.sessions().store().ui_state().await?.unwrap_or_else(|| "{}".to_owned());
    Ok(([(CONTENT_TYPE, "application/json")], state).into_response())
}

pub(super) async fn keep(
    State(app): State<App>,
    JsonBody(state): JsonBody<Map<String, Value>>,
) -> Result<StatusCode, ApiError> {
    let text = Value::Object(state).to_string();
    if text.len() > LARGEST {
        return Err(ApiError::new(ErrorCode::BodyTooLarge, "the page's state may have 256 KiB"));
    }
    app.sessions().store().set_ui_state(text).await?;
    Ok(StatusCode::NO_CONTENT)
}
