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
        /// As many agents run as are allowed.
        AgentsExhausted = "AGENTS_EXHAUSTED",
        /// The agent does not take its input.
        AgentNotReading = "AGENT_NOT_READING",
        /// The approval was answered before.
        AlreadyAnswered = "ALREADY_ANSWERED",
        /// No such question, or its session is gone.
        ApprovalNotFound = "APPROVAL_NOT_FOUND",
        /// No such file was uploaded for this session, or it is gone.
        AttachmentNotFound = "ATTACHMENT_NOT_FOUND",
        /// The agent does not take a file of this kind.
        AttachmentNotTaken = "ATTACHMENT_NOT_TAKEN",
        /// As many files wait to be sent as are allowed.
        AttachmentsFull = "ATTACHMENTS_FULL",
        /// Work in the background was ended before it had finished: stopped, or its agent ended.
        BackgroundEnded = "BACKGROUND_ENDED",
        /// The body of a request is larger than the limit.
        BodyTooLarge = "BODY_TOO_LARGE",
        /// Acting without asking was not allowed at the start of the server.
        BypassNotAllowed = "BYPASS_NOT_ALLOWED",
        /// Acting without asking is allowed, but nobody has confirmed it for this session.
        BypassNotConfirmed = "BYPASS_NOT_CONFIRMED",
        /// The one-time code is unknown, or its time is over.
        CodeInvalid = "CODE_INVALID",
        /// The one-time code was used before.
        CodeUsed = "CODE_USED",
        /// The server stopped before it was known whether the agent got the message.
        DeliveryUnknown = "DELIVERY_UNKNOWN",
        /// The request came under a name that is not this server's.
        HostNotAllowed = "HOST_NOT_ALLOWED",
        /// The same key came with another request before.
        IdempotencyMismatch = "IDEMPOTENCY_MISMATCH",
        /// A fault of this program; its cause is not told.
        Internal = "INTERNAL",
        /// A request that does not say what it should.
        InvalidRequest = "INVALID_REQUEST",
        /// No such item in this session.
        ItemNotFound = "ITEM_NOT_FOUND",
        /// A text of the agent was longer than the limit.
        ItemTooLong = "ITEM_TOO_LONG",
        /// A line of the agent was longer than the limit.
        LineTooLong = "LINE_TOO_LONG",
        /// The agent is not logged in; its own program does that.
        LoginRequired = "LOGIN_REQUIRED",
        /// There is such a path, but not for this method.
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        /// No connection to the model's API could be made.
        ModelUnreachable = "MODEL_UNREACHABLE",
        /// The session cannot be forked.
        NotForkable = "NOT_FORKABLE",
        /// There is no such path.
        NotFound = "NOT_FOUND",
        /// The server runs and cannot serve now.
        NotReady = "NOT_READY",
        /// The message cannot be taken into the turn that runs; it waits for its own.
        NotSteerable = "NOT_STEERABLE",
        /// The server that has the session is gone, or does not answer.
        OwnerLost = "OWNER_LOST",
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
        /// The directory is registered already.
        ProjectExists = "PROJECT_EXISTS",
        /// A list of sessions was asked for without saying of which project.
        ProjectIdRequired = "PROJECT_ID_REQUIRED",
        /// No such project.
        ProjectNotFound = "PROJECT_NOT_FOUND",
        /// No such message waits.
        QueuedNotFound = "QUEUED_NOT_FOUND",
        /// As many messages wait as are allowed.
        QueueFull = "QUEUE_FULL",
        /// Nothing of the range that was asked for is there.
        RangeNotSatisfiable = "RANGE_NOT_SATISFIABLE",
        /// What several servers share is not at hand, because Redis does not answer.
        RedisUnreachable = "REDIS_UNREACHABLE",
        /// The request did not arrive in time.
        RequestTimeout = "REQUEST_TIMEOUT",
        /// The turn failed and its source did not say why.
        ResponseError = "RESPONSE_ERROR",
        /// The server that ran the turn is gone.
        ServerLost = "SERVER_LOST",
        /// The server was stopped inside the turn.
        ServerRestart = "SERVER_RESTART",
        /// No such session.
        SessionNotFound = "SESSION_NOT_FOUND",
        /// Another server runs this session now.
        SessionTakenOver = "SESSION_TAKEN_OVER",
        /// The server is stopping.
        ShuttingDown = "SHUTTING_DOWN",
        /// The agent could not be started.
        SpawnFailed = "SPAWN_FAILED",
        /// There is no room to keep what was sent.
        StorageFull = "STORAGE_FULL",
        /// The stream of events ended inside the turn.
        StreamEnded = "STREAM_ENDED",
        /// Too many wrong secrets in a short time.
        TooManyAttempts = "TOO_MANY_ATTEMPTS",
        /// The project brings things that run, and nobody has decided on them.
        TrustRequired = "TRUST_REQUIRED",
        /// A turn is running and the message was not to be queued.
        TurnInProgress = "TURN_IN_PROGRESS",
        /// The request carries no credentials, or wrong ones.
        Unauthorized = "UNAUTHORIZED",
        /// No provider has this CLI type.
        UnsupportedCliType = "UNSUPPORTED_CLI_TYPE",
        /// The body of a request is not said to be JSON.
        UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE",
        /// The session is not in a state in which this can be done.
        WrongState = "WRONG_STATE",
    }
}
