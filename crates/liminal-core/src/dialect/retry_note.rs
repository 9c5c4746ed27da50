//! What people read while a model's API is asked again. Owns the wording, which is the same for every agent.

use std::time::Duration;

/// An attempt that failed and what is done about it.
#[derive(Debug)]
pub(crate) struct RetryNote<'a> {
    /// The HTTP status, or what came instead of one.
    pub(crate) answer: Answer,
    /// Why, in the API's own words.
    pub(crate) reason: Option<&'a str>,
    /// Which retry comes, from 1.
    pub(crate) attempt: u64,
    /// How many there will be at most.
    pub(crate) most: u64,
    /// When it comes.
    pub(crate) delay: Duration,
}

/// What an attempt led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    None,
    Status(u64),
    /// The answer began well, and an error came before anything else.
    Error,
}

impl RetryNote<'_> {
    pub(crate) fn text(&self) -> String {
        let Self { attempt, most, .. } = self;
        let answer = match self.answer {
            Answer::None => "no answer".to_owned(),
            Answer::Status(status) => format!("status {status}"),
            Answer::Error => "error".to_owned(),
        };
        let reason = self.reason.map_or_else(String::new, |reason| format!(", {reason}"));
        let seconds = self.delay.as_secs_f64();
        format!("The model's API failed ({answer}{reason}). Retry {attempt} of {most} in {seconds:.1} s.")
    }
}
