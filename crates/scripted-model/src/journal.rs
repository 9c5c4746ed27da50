//! Remembers the newest requests, so that a test can tell what the agent asked for.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

const KEPT_REQUESTS: usize = 1_000;
const KEPT_PROMPT_BYTES: usize = 64 * 1024;

/// One request the server got, whether it could answer it or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The HTTP method, for example `POST`.
    pub method: String,
    /// The path with its query, for example `/v1/messages?beta=true`.
    pub path: String,
    /// The model asked for; empty for requests without one.
    pub model: String,
    /// Whether the answer was to be streamed.
    pub stream: bool,
    /// The newest text of the user, cut after 64 KiB; empty for requests without one.
    pub prompt: String,
    /// Whether the agent asked for itself: for a title, a route or a review.
    pub errand: bool,
    /// The size of the request body in bytes.
    pub body_bytes: usize,
    /// The files in it, in Base64 and in their order; those of earlier turns come first.
    pub files: Vec<String>,
    /// The beginnings of what the assistant has said before, oldest first.
    pub earlier_answers: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    requests: Mutex<VecDeque<RecordedRequest>>,
}

impl Journal {
    pub(crate) fn record(&self, mut request: RecordedRequest) {
        request.prompt.truncate(request.prompt.floor_char_boundary(KEPT_PROMPT_BYTES));
        let mut requests = self.lock();
        if requests.len() == KEPT_REQUESTS {
            requests.pop_front();
        }
        requests.push_back(request);
    }

    /// The kept requests, oldest first.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<RecordedRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_the_newest_requests() {
        let journal = Journal::default();
        for number in 0..KEPT_REQUESTS + 2 {
            journal.record(RecordedRequest { body_bytes: number, ..RecordedRequest::default() });
        }
        let requests = journal.requests();
        assert_eq!(requests.len(), KEPT_REQUESTS);
        assert_eq!(requests[0].body_bytes, 2);
    }

    #[test]
    fn cuts_a_long_prompt_between_characters() {
        let journal = Journal::default();
        let prompt = "€".repeat(KEPT_PROMPT_BYTES);
        journal.record(RecordedRequest { prompt, ..RecordedRequest::default() });
        assert_eq!(journal.requests()[0].prompt.len(), KEPT_PROMPT_BYTES - KEPT_PROMPT_BYTES % 3);
    }
}
