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
        /// The approval was answered before.
        AlreadyAnswered = "ALREADY_ANSWERED",
        /// The agent does not take its input.
        AgentNotReading = "AGENT_NOT_READING",
        /// A request that does not say what it should.
        InvalidRequest = "INVALID_REQUEST",
        /// A line of the agent was longer than the limit.
        LineTooLong = "LINE_TOO_LONG",
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
        /// A turn is running and the message was not to be queued.
        TurnInProgress = "TURN_IN_PROGRESS",
        /// No provider has this CLI type.
        UnsupportedCliType = "UNSUPPORTED_CLI_TYPE",
    }
}
