//! Failures for want of a login. Owns which of the agents' own codes mean one: clients branch on our code alone.

use crate::error::{ErrorCode, ErrorInfo};

/// Claude Code, for no login, one that has expired, and a key that the API refuses.
const CLAUDE: &str = "authentication_failed";
/// How Claude Code tells the first two from the third, whose remedy is another key.
const CLAUDE_COMMAND: &str = "/login";
/// Codex, in `codexErrorInfo`.
const CODEX: &str = "unauthorized";

/// A failure under our own code if the agent lacks a login, else under the agent's.
pub(super) fn failure(code: &str, message: String) -> ErrorInfo {
    match code {
        CLAUDE if message.contains(CLAUDE_COMMAND) => ErrorInfo::new(ErrorCode::LoginRequired, message),
        CODEX => ErrorInfo::new(ErrorCode::LoginRequired, message),
        code => ErrorInfo { code: code.to_owned(), message },
    }
}
