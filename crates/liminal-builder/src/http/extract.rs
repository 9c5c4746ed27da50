//! What handlers take out of requests. Owns that a fault in one is a problem like any other.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use liminal_core::read;
use serde::de::DeserializeOwned;

use super::problem::ApiError;

/// The body, read as one JSON object. The gates have seen to its type and size.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await.map_err(|_| ApiError::internal())?;
        Ok(Self(read::body(&bytes)?))
    }
}
