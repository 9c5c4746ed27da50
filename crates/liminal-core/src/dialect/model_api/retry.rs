//! When a request that failed is made again. Owns the patience with an API and the words about it; there is no chance
//! in the delays, because a conversation must replay as it was.

use std::time::Duration;

use crate::dialect::retry_note::{Answer, RetryNote};
use crate::error::{ErrorCode, ErrorInfo};

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(8);
/// Of a reason or a body this much is shown.
const SHOWN: usize = 300;

/// When a request is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often at most.
    pub most: u32,
    /// An API that asks for a longer wait is not waited for.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { most: 5, longest_wait: Duration::from_secs(120) }
    }
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) answer: Answer,
    /// How long the API asks to wait.
    pub(super) retry_after: Option<Duration>,
    pub(super) error: ErrorInfo,
}

impl Failure {
    /// Nothing came that could be called an answer.
    pub(super) const fn silence(error: ErrorInfo) -> Self {
        Self { answer: Answer::None, retry_after: None, error }
    }

    /// The answer is an error.
    pub(super) const fn inside(error: ErrorInfo) -> Self {
        Self { answer: Answer::Error, retry_after: None, error }
    }

    /// The error of the turn that ends with it.
    pub(super) fn told(self) -> ErrorInfo {
        let Self { retry_after, mut error, .. } = self;
        if let Some(wait) = retry_after {
            error.message.push_str(&format!(" (the API asks to wait {} s)", wait.as_secs()));
        }
        error
    }

    /// A code of our own says nothing that its message does not.
    fn reason(&self) -> String {
        let ErrorInfo { code, message } = &self.error;
        let message: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let message: String = message.chars().take(SHOWN).collect();
        let is_ours = ErrorCode::from_word(code).is_some();
        if is_ours { message } else { format!("{}: {message}", code.replace('_', " ")) }
    }
}

/// The retries of one turn.
#[derive(Debug)]
pub(super) struct Retries {
    policy: RetryPolicy,
    made: u32,
}

impl Retries {
    pub(super) const fn new(policy: RetryPolicy) -> Self {
        Self { policy, made: 0 }
    }

    pub(super) const fn made(&self) -> u32 {
        self.made
    }

    /// How long to wait for the next one, if there is to be one.
    pub(super) fn next(&self, failure: &Failure) -> Option<Duration> {
        let Self { policy, made } = self;
        let grown = FIRST_DELAY.saturating_mul(2_u32.saturating_pow(*made)).min(LONGEST_DELAY);
        let delay = failure.retry_after.unwrap_or(grown);
        (*made < policy.most && delay <= policy.longest_wait).then_some(delay)
    }

    /// Counts one, and tells it in words.
    pub(super) fn take(&mut self, failure: &Failure, delay: Duration) -> String {
        self.made += 1;
        let reason = failure.reason();
        let note = RetryNote {
            answer: failure.answer,
            reason: Some(&reason),
            attempt: self.made.into(),
            most: self.policy.most.into(),
            delay,
        };
        note.text()
    }
}

/// Whether an answer of this status may be another one a little later.
pub(super) const fn status_passes(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// An answer that is no stream and names no error of the API: most often it is not from the API at all.
pub(super) fn unnamed_refusal(status: u16, body: &str) -> ErrorInfo {
    let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = body.chars().take(SHOWN).collect();
    let message = match shown.as_str() {
        "" => format!("the API answered with status {status} and no word; check its base URL"),
        shown => format!(
            "the API answered with status {status} and no stream; check its base URL. It said: {shown}"
        ),
    };
    ErrorInfo::new(ErrorCode::ResponseError, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(retry_after: Option<u64>) -> Failure {
        let error = ErrorInfo { code: "rate_limit_error".to_owned(), message: "slow\ndown".to_owned() };
        Failure { answer: Answer::Status(429), retry_after: retry_after.map(Duration::from_secs), error }
    }

    #[test]
    fn delays_grow_up_to_a_limit_and_end() {
        let mut retries = Retries::new(RetryPolicy { most: 6, ..RetryPolicy::default() });
        let mut delays = Vec::new();
        while let Some(delay) = retries.next(&failure(None)) {
            delays.push(delay.as_millis());
            drop(retries.take(&failure(None), delay));
        }
        assert_eq!(delays, [500, 1000, 2000, 4000, 8000, 8000]);
    }

    #[test]
    fn the_api_says_how_long_to_wait_and_a_long_wait_is_told() {
        let mut retries = Retries::new(RetryPolicy::default());
        assert_eq!(retries.next(&failure(Some(120))), Some(Duration::from_secs(120)));
        assert_eq!(retries.next(&failure(Some(121))), None);
        let note = retries.take(&failure(Some(3)), Duration::from_secs(3));
        assert_eq!(
            note,
            "The model's API failed (status 429, rate limit error: slow down). Retry 1 of 5 in 3.0 s."
        );
        assert_eq!(failure(Some(121)).told().message, "slow\ndown (the API asks to wait 121 s)");
    }
}
