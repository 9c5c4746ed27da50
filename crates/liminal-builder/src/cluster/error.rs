//! Why the others could not be asked. Owns the words for it.

use redis::RedisError;

use crate::redis_store::LinkError;

/// Why the others could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// Redis was not there at the start.
    #[error(
        "Redis at {url} cannot be used: {problem}; start it or correct --redis, or leave that out to serve alone"
    )]
    Unreachable {
        /// Where, without a password.
        url: String,
        /// Why.
        problem: String,
    },
    /// Redis does not answer now.
    #[error("Redis does not answer ({0}); sessions of other servers can be used again when it does")]
    Down(String),
    /// Somebody wrote something else.
    #[error("what another server wrote to Redis cannot be read ({0}); run the same version everywhere")]
    Unreadable(String),
    /// The server that has the session is gone.
    #[error("the server that has this session is gone; look at the session before you try again")]
    OwnerLost,
    /// The server that has the session did not answer.
    #[error(
        "the server that has this session did not answer in time; look at the session before you try again"
    )]
    Late,
}

impl From<LinkError> for ClusterError {
    fn from(error: LinkError) -> Self {
        Self::Down(match error {
            LinkError::Unreachable(problem) | LinkError::Unusable(problem) => problem,
            LinkError::Refused(problem) => format!("it refused: {problem}"),
        })
    }
}

impl From<RedisError> for ClusterError {
    fn from(error: RedisError) -> Self {
        LinkError::from(error).into()
    }
}

impl From<serde_json::Error> for ClusterError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}
