//! Requests that may come twice. Owns the `Idempotency-Key` header: the same key and body are answered by the same
//! answer, and nothing is done again.

use std::future::Future;

use axum::http::HeaderMap;
use liminal_core::error::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::app::App;
use super::frames;
use super::problem::ApiError;
use crate::sessions::Failure;
use crate::store::Receipt;

const KEY: &str = "idempotency-key";
pub(super) const LONGEST: usize = 200;

/// The key of a request, if it has one.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(KEY) else { return Ok(None) };
    let text = value.to_str().ok().filter(|text| !text.is_empty() && text.len() <= LONGEST);
    let problem = format!("Idempotency-Key: expected 1 to {LONGEST} visible letters");
    text.map(|text| Some(text.to_owned())).ok_or_else(|| ApiError::new(ErrorCode::InvalidRequest, problem))
}

/// Does something once per key; without a key, every time.
pub(super) async fn once<T: Serialize + DeserializeOwned>(
    app: &App,
    scope: &str,
    headers: &HeaderMap,
    body: &impl Serialize,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, ApiError> {
    let Some(key) = key(headers)? else { return Ok(work.await?) };
    match app.sessions().begin_once(scope, &key, &digest(body)).await? {
        Receipt::New => {}
        Receipt::Done(answer) => return serde_json::from_value(answer).map_err(|_| ApiError::internal()),
        Receipt::Running => {
            let problem =
                "a request with this key is being answered, or was cut off; look before you repeat it";
            return Err(ApiError::new(ErrorCode::DeliveryUnknown, problem));
        }
        Receipt::Mismatch => {
            let problem = "this key came with another request before; use a new key for each";
            return Err(ApiError::new(ErrorCode::IdempotencyMismatch, problem));
        }
    }
    let result = work.await;
    let answer = result.as_ref().ok().and_then(|answer| serde_json::to_value(answer).ok());
    app.sessions().finish_once(scope, &key, answer).await?;
    Ok(result?)
}

fn digest(body: &impl Serialize) -> String {
    Sha256::digest(frames::json(body)).iter().map(|byte| format!("{byte:02x}")).collect()
}
