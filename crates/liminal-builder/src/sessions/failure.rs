//! Why something that was asked of a session was not done. Owns the one form of it: a word to branch on, and what
//! happened and what to do.

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;

use crate::cluster::ClusterError;
use crate::log::LogError;
use crate::provider::OpenError;
use crate::session::SessionError;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The word to branch on.
    pub code: ErrorCode,
    /// What happened, and what to do.
    pub message: String,
    /// What it is about, if the request did not name it.
    pub about: Option<String>,
}

impl Failure {
    /// A failure of this kind.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), about: None }
    }

    pub(super) fn about(self, what: impl Into<String>) -> Self {
        Self { about: Some(what.into()), ..self }
    }

    pub(super) fn no_session(id: &SessionId) -> Self {
        Self::new(ErrorCode::SessionNotFound, format!("there is no session {id}; it may have been deleted"))
    }

    /// For the wire.
    #[must_use]
    pub fn info(&self) -> ErrorInfo {
        ErrorInfo::new(self.code, self.message.clone())
    }
}

/// A word of ours as it is; what agents call their errors is of no use to clients.
fn own(error: ErrorInfo, otherwise: ErrorCode) -> Failure {
    let code = ErrorCode::from_word(&error.code).unwrap_or(otherwise);
    Failure::new(code, error.message)
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        own(error.info(), ErrorCode::SpawnFailed)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        own(error.info(), ErrorCode::ProcessCrash)
    }
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        let code = match error {
            ClusterError::Down(_) | ClusterError::Unreachable { .. } => ErrorCode::RedisUnreachable,
            ClusterError::OwnerLost | ClusterError::Late => ErrorCode::OwnerLost,
            ClusterError::Unreadable(_) => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        let code = match error {
            LogError::Full => ErrorCode::StorageFull,
            LogError::Closed => ErrorCode::ShuttingDown,
            LogError::Fenced => ErrorCode::SessionTakenOver,
            LogError::Unreachable(_) => ErrorCode::RedisUnreachable,
            LogError::Inaccessible { .. }
            | LogError::Damaged(_)
            | LogError::Newer { .. }
            | LogError::Failed(_) => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}
