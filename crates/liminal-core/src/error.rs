//! Error codes of the wire. Owns the one list of codes this program makes itself; codes that agents and model
//! APIs make travel as text in [`ErrorInfo`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::wire_enum::wire_enum;

/// What went wrong, for programs (`code`) and for people (`message`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(expecting = "an object with `code` and `message`")]
pub struct ErrorInfo {
    /// A stable word to branch on.
    pub code: String,
    /// What happened and, where it is known, what to do.
    pub message: String,
}

impl ErrorInfo {
    /// An error of our own.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.as_str().to_owned(), message: message.into() }
    }
}

wire_enum! {
    /// Every code that this program makes itself.
    ErrorCode {
        /// The agent does not take its input.
        AgentNotReading = "AGENT_NOT_READING",
        /// The approval was answered before.
        AlreadyAnswered = "ALREADY_ANSWERED",
        /// The body of a request is larger than the limit.
        BodyTooLarge = "BODY_TOO_LARGE",
        /// The one-time code is unknown, or its time is over.
        CodeInvalid = "CODE_INVALID",
        /// The one-time code was used before.
        CodeUsed = "CODE_USED",
        /// The request came under a name that is not this server's.
        HostNotAllowed = "HOST_NOT_ALLOWED",
        /// A fault of this program; its cause is not told.
        Internal = "INTERNAL",
        /// A request that does not say what it should.
        InvalidRequest = "INVALID_REQUEST",
        /// A line of the agent was longer than the limit.
        LineTooLong = "LINE_TOO_LONG",
        /// There is such a path, but not for this method.
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        /// No connection to the model's API could be made.
        ModelUnreachable = "MODEL_UNREACHABLE",
        /// There is no such path.
        NotFound = "NOT_FOUND",
        /// The request was made by a page of another origin, or does not tell by which.
        OriginNotAllowed = "ORIGIN_NOT_ALLOWED",
        /// Nobody answered a permission request in time, or its turn ended.
        PermissionLapsed = "PERMISSION_LAPSED",
        /// The agent's process ended inside a turn.
        ProcessCrash = "PROCESS_CRASH",
        /// The agent's process ended well but without ending its turn.
        ProcessExitNoResult = "PROCESS_EXIT_NO_RESULT",
        /// The directory is missing, or outside every registered project.
        ProjectDirInvalid = "PROJECT_DIR_INVALID",
        /// A list of sessions was asked for without saying of which project.
        ProjectIdRequired = "PROJECT_ID_REQUIRED",
        /// No such project.
        ProjectNotFound = "PROJECT_NOT_FOUND",
        /// The request did not arrive in time.
        RequestTimeout = "REQUEST_TIMEOUT",
        /// The turn failed and its source did not say why.
        ResponseError = "RESPONSE_ERROR",
        /// The server was stopped inside the turn.
        ServerRestart = "SERVER_RESTART",
        /// No such session.
        SessionNotFound = "SESSION_NOT_FOUND",
        /// The agent could not be started.
        SpawnFailed = "SPAWN_FAILED",
        /// The stream of events ended inside the turn.
        StreamEnded = "STREAM_ENDED",
        /// Too many wrong secrets in a short time.
        TooManyAttempts = "TOO_MANY_ATTEMPTS",
        /// A turn is running and the message was not to be queued.
        TurnInProgress = "TURN_IN_PROGRESS",
        /// The request carries no credentials, or wrong ones.
        Unauthorized = "UNAUTHORIZED",
        /// No provider has this CLI type.
        UnsupportedCliType = "UNSUPPORTED_CLI_TYPE",
        /// The body of a request is not said to be JSON.
        UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE",
    }
}
