//! How a request that cannot be met is answered. Owns the status of every code and the one form of every error; a
//! cause inside this program is kept out of the answer.

use std::time::Duration;

use axum::Json;
use axum::http::header::{ALLOW, CONTENT_RANGE, CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use liminal_core::error::ErrorCode;
use liminal_core::read::ReadError;
use liminal_core::wire::rest::Problem;

use super::credentials::CredentialFault;
use super::host::HostFault;
use super::origin::OriginFault;
use crate::log::LogError;
use crate::sessions::Failure;

/// When it is worth to try again what this machine could not do now.
const RETRY_SECONDS: u64 = 5;
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Why a request was not met. The only error that handlers and gates may answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    code: ErrorCode,
    detail: Option<String>,
    instance: Option<String>,
    hint: Hint,
}

/// What the status asks to be told in a header of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Hint {
    None,
    Allow(String),
    RetryAfter(u64),
    Challenge,
    Length(usize),
}

impl Hint {
    fn header(self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::None => None,
            Self::Allow(methods) => HeaderValue::try_from(methods).ok().map(|methods| (ALLOW, methods)),
            Self::RetryAfter(seconds) => Some((RETRY_AFTER, seconds.into())),
            Self::Length(total) => {
                HeaderValue::try_from(format!("bytes */{total}")).ok().map(|range| (CONTENT_RANGE, range))
            }
            Self::Challenge => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        }
    }
}

impl ApiError {
    /// An error whose code says it all.
    #[must_use]
    pub const fn bare(code: ErrorCode) -> Self {
        Self { code, detail: None, instance: None, hint: Hint::None }
    }

    /// An error with what happened and what to do.
    #[must_use]
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..Self::bare(code) }
    }

    /// A fault of this program. The client learns that there was one, and nothing of its cause.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(ErrorCode::Internal, "this is a fault of the server; try again, and report it if it stays")
    }

    /// Says what the problem is about.
    #[must_use]
    pub fn about(mut self, instance: impl Into<String>) -> Self {
        self.instance = Some(instance.into());
        self
    }

    /// A path that has other methods; `allow` lists them.
    #[must_use]
    pub fn method_not_allowed(allow: &str) -> Self {
        Self { hint: Hint::Allow(allow.to_owned()), ..Self::bare(ErrorCode::MethodNotAllowed) }
    }

    /// A range of which nothing lies inside something that is `total` bytes long.
    #[must_use]
    pub fn outside(total: usize) -> Self {
        let detail = format!("nothing of this range is there; there are {total} bytes");
        Self { hint: Hint::Length(total), ..Self::new(ErrorCode::RangeNotSatisfiable, detail) }
    }

    /// The code to branch on.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    fn unauthorized(code: ErrorCode, detail: &str) -> Self {
        Self { hint: Hint::Challenge, ..Self::new(code, detail) }
    }

    fn too_many(wait: Duration) -> Self {
        // A client that comes a fraction of a second early would be refused again.
        let hint = Hint::RetryAfter(wait.as_secs() + 1);
        let detail = "too many wrong credentials were sent; wait a little";
        Self { hint, ..Self::new(ErrorCode::TooManyAttempts, detail) }
    }
}

impl ApiError {
    /// The error as it is sent.
    #[must_use]
    pub fn problem(self) -> Problem {
        let status = status(self.code);
        Problem {
            r#type: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            code: self.code,
            detail: self.detail,
            instance: self.instance,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (code, status, hint) = (self.code, status(self.code), self.hint.clone().header());
        let mut response = (status, Json(self.problem())).into_response();
        response.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
        response.headers_mut().extend(hint);
        response.extensions_mut().insert(code);
        response
    }
}

/// The status of each code.
fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest
        | ErrorCode::ProjectDirInvalid
        | ErrorCode::ProjectIdRequired
        | ErrorCode::UnsupportedCliType => StatusCode::BAD_REQUEST,
        ErrorCode::CodeInvalid | ErrorCode::CodeUsed | ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::BypassNotAllowed
        | ErrorCode::BypassNotConfirmed
        | ErrorCode::HostNotAllowed
        | ErrorCode::OriginNotAllowed
        | ErrorCode::TrustRequired => StatusCode::FORBIDDEN,
        ErrorCode::ApprovalNotFound
        | ErrorCode::AttachmentNotFound
        | ErrorCode::ItemNotFound
        | ErrorCode::NotFound
        | ErrorCode::ProjectNotFound
        | ErrorCode::QueuedNotFound
        | ErrorCode::SessionNotFound => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::AlreadyAnswered
        | ErrorCode::DeliveryUnknown
        | ErrorCode::NotForkable
        | ErrorCode::NotSteerable
        | ErrorCode::PermissionLapsed
        | ErrorCode::ProjectExists
        | ErrorCode::SessionTakenOver
        | ErrorCode::TurnInProgress
        | ErrorCode::WrongState => StatusCode::CONFLICT,
        ErrorCode::AttachmentNotTaken | ErrorCode::IdempotencyMismatch => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        ErrorCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::AttachmentsFull | ErrorCode::QueueFull | ErrorCode::TooManyAttempts => {
            StatusCode::TOO_MANY_REQUESTS
        }
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::ItemTooLong
        | ErrorCode::LineTooLong
        | ErrorCode::LoginRequired
        | ErrorCode::ModelUnreachable
        | ErrorCode::ProcessCrash
        | ErrorCode::ProcessExitNoResult
        | ErrorCode::ResponseError
        | ErrorCode::SpawnFailed
        | ErrorCode::BackgroundEnded
        | ErrorCode::StreamEnded => StatusCode::BAD_GATEWAY,
        ErrorCode::AgentNotReading
        | ErrorCode::AgentsExhausted
        | ErrorCode::NotReady
        | ErrorCode::OwnerLost
        | ErrorCode::ServerLost
        | ErrorCode::RedisUnreachable
        | ErrorCode::ServerRestart
        | ErrorCode::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
    }
}

impl From<HostFault> for ApiError {
    fn from(fault: HostFault) -> Self {
        let code = match fault {
            HostFault::Missing | HostFault::Several | HostFault::Malformed => ErrorCode::InvalidRequest,
            HostFault::Foreign => ErrorCode::HostNotAllowed,
        };
        Self::new(code, fault.to_string())
    }
}

impl From<OriginFault> for ApiError {
    fn from(fault: OriginFault) -> Self {
        Self::new(ErrorCode::OriginNotAllowed, fault.to_string())
    }
}

impl From<CredentialFault> for ApiError {
    fn from(fault: CredentialFault) -> Self {
        let detail = fault.to_string();
        match fault {
            CredentialFault::Missing | CredentialFault::Wrong => {
                Self::unauthorized(ErrorCode::Unauthorized, &detail)
            }
            CredentialFault::CodeInvalid => Self::unauthorized(ErrorCode::CodeInvalid, &detail),
            CredentialFault::CodeUsed => Self::unauthorized(ErrorCode::CodeUsed, &detail),
            CredentialFault::TooMany(wait) => Self::too_many(wait),
            CredentialFault::Unreachable(_) => {
                let hint = Hint::RetryAfter(RETRY_SECONDS);
                Self { hint, ..Self::new(ErrorCode::RedisUnreachable, detail) }
            }
            CredentialFault::Store(_) => Self::internal(),
        }
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        let is_passing = matches!(
            failure.code,
            ErrorCode::AgentsExhausted
                | ErrorCode::OwnerLost
                | ErrorCode::RedisUnreachable
                | ErrorCode::ShuttingDown
                | ErrorCode::StorageFull
        );
        let hint = if is_passing { Hint::RetryAfter(RETRY_SECONDS) } else { Hint::None };
        // What failed inside is for the log, not for the client.
        if failure.code == ErrorCode::Internal {
            tracing::error!(problem = failure.message, "a request failed");
            return Self::internal();
        }
        Self { hint, instance: failure.about, ..Self::new(failure.code, failure.message) }
    }
}

impl From<LogError> for ApiError {
    fn from(error: LogError) -> Self {
        Failure::from(error).into()
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        Self::new(ErrorCode::InvalidRequest, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_status_of_an_error() {
        for word in ErrorCode::WORDS {
            let code = ErrorCode::from_word(word).expect(word);
            let status = status(code);
            assert!(status.is_client_error() || status.is_server_error(), "{word}");
            assert!(status.canonical_reason().is_some(), "{word}");
        }
    }

    #[tokio::test]
    async fn an_error_is_problem_json_without_its_cause() {
        let store = CredentialFault::Store("no such table: secrets".into());
        let response = ApiError::from(store).into_response();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
        let body = axum::body::to_bytes(response.into_body(), 4096).await.unwrap();
        let problem: Problem = serde_json::from_slice(&body).unwrap();
        assert_eq!((problem.status, problem.code), (500, ErrorCode::Internal));
        assert!(!String::from_utf8_lossy(&body).contains("table"));
    }
}
