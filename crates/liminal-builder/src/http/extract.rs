//! What handlers take out of requests. Owns that a fault in one is a problem like any other.

use axum::body::to_bytes;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use liminal_core::error::ErrorCode;
use liminal_core::read;
use serde::de::DeserializeOwned;

use super::problem::ApiError;

/// The body, read as one JSON object. The gates have seen to its type and size.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        // It is in memory already; whoever extracts bytes by the framework's own means is held to its own limit.
        let bytes = to_bytes(request.into_body(), usize::MAX).await.map_err(|_| ApiError::internal())?;
        Ok(Self(read::body(&bytes)?))
    }
}

/// The same for a body that may be left out.
#[derive(Debug)]
pub(super) struct OptionalBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        let bytes = to_bytes(request.into_body(), usize::MAX).await.map_err(|_| ApiError::internal())?;
        Ok(Self(if bytes.is_empty() { T::default() } else { read::body(&bytes)? }))
    }
}

/// The same for a body that carries a file, which may be larger.
#[derive(Debug)]
pub(super) struct FileBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for FileBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let JsonBody(body) = JsonBody::from_request(request, state).await?;
        Ok(Self(body))
    }
}

/// What stands in the path.
#[derive(Debug)]
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0)).map_err(|error| not_found(&error))
    }
}

/// What cannot be read as a name names nothing.
fn not_found(error: &PathRejection) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at this path: {error}"))
}

/// What stands behind the question mark.
#[derive(Debug)]
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let wrong = |error: QueryRejection| ApiError::new(ErrorCode::InvalidRequest, error.body_text());
        query.map(|query| Self(query.0)).map_err(wrong)
    }
}
