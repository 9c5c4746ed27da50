//! Failures that an agent tells beside the protocol, and that its response calls a normal end. Owns what is known
//! of them in one turn.

use serde_json::{Map, Value};

use super::rpc::codex_error_word;
use crate::dialect::fields::{flag, object, text};
use crate::dialect::login;
use crate::error::ErrorInfo;

/// The word for a turn that failed without a word of its own.
const SYSTEM_ERROR: &str = "systemError";

#[derive(Debug, Default)]
pub(super) struct Trouble {
    is_fatal: bool,
    /// What the agent says of it in the place of an answer.
    said: String,
    /// The last failure that it told with a word.
    last: Option<ErrorInfo>,
}

/// The agent tries again.
#[derive(Debug)]
pub(super) struct Retry {
    /// What it says of it, with the number of the attempt.
    pub(super) message: String,
    /// Why, in the same words each time.
    pub(super) cause: String,
}

impl Trouble {
    pub(super) const fn is_fatal(&self) -> bool {
        self.is_fatal
    }

    pub(super) fn explain(&mut self, text: &str) {
        self.said.push_str(text);
    }

    /// Takes what codex tells of its state, which may be that it tries again.
    pub(super) fn hear(&mut self, codex: &Map<String, Value>) -> Option<Retry> {
        if let Some(status) = object(codex, "threadStatus").and_then(|status| text(status, "type")) {
            self.is_fatal = status == SYSTEM_ERROR || (self.is_fatal && status == "idle");
        }
        let told = object(codex, "error")?;
        let error = error(told);
        let cause = text(told, "additionalDetails").unwrap_or(&error.message).to_owned();
        let retry = Retry { message: error.message.clone(), cause };
        self.last = Some(error);
        flag(told, "willRetry").then_some(retry)
    }

    /// Why the turn failed, if it did.
    pub(super) fn failure(&self) -> Option<ErrorInfo> {
        if !self.is_fatal {
            return None;
        }
        let last = self.last.as_ref();
        let code = last.map_or_else(|| SYSTEM_ERROR.to_owned(), |last| last.code.clone());
        let message = match (self.said.trim(), last) {
            ("", Some(last)) => last.message.clone(),
            ("", None) => "the agent did not say why the turn failed".to_owned(),
            (said, _) => said.to_owned(),
        };
        Some(ErrorInfo { code, message })
    }
}

fn error(told: &Map<String, Value>) -> ErrorInfo {
    let message = text(told, "message").unwrap_or("the model's API failed");
    let message = match text(told, "additionalDetails") {
        Some(details) => format!("{message}: {details}"),
        None => message.to_owned(),
    };
    login::failure(codex_error_word(told).as_deref().unwrap_or(SYSTEM_ERROR), message)
}
