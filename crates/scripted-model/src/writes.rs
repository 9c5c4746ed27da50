//! Remembers when the newest deltas of streamed answers were written, so that a benchmark can tell how long they
//! took from the model to a client.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::conversation::Conversation;

const KEPT_DELTAS: usize = 20_000;

/// A delta of a streamed answer that was handed to the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenDelta {
    /// The prompt that is answered.
    pub prompt: Arc<str>,
    /// Whether the agent asked for itself: for a title, a route or a review.
    pub errand: bool,
    /// The text of the delta: words, thinking or the input of a tool.
    pub text: String,
    /// When it was written.
    pub at: Instant,
}

/// The kept deltas of all connections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writes(Arc<Mutex<VecDeque<WrittenDelta>>>);

impl Writes {
    /// The log of one answer.
    pub(crate) fn of(&self, conversation: &Conversation) -> AnswerWrites {
        AnswerWrites {
            all: self.clone(),
            prompt: conversation.prompt.as_str().into(),
            errand: conversation.errand.is_some(),
        }
    }

    /// The kept deltas, oldest first.
    pub(crate) fn deltas(&self) -> Vec<WrittenDelta> {
        self.lock().iter().cloned().collect()
    }

    fn push(&self, delta: WrittenDelta) {
        let mut deltas = self.lock();
        if deltas.len() == KEPT_DELTAS {
            deltas.pop_front();
        }
        deltas.push_back(delta);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<WrittenDelta>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the deltas of one answer.
#[derive(Debug)]
pub(crate) struct AnswerWrites {
    all: Writes,
    prompt: Arc<str>,
    errand: bool,
}

impl AnswerWrites {
    #[expect(clippy::disallowed_methods, reason = "answers do not depend on the clock; only this log does")]
    pub(crate) fn record(&self, text: String) {
        let prompt = Arc::clone(&self.prompt);
        self.all.push(WrittenDelta { prompt, errand: self.errand, text, at: Instant::now() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_the_newest_deltas() {
        let writes = Writes::default();
        let answer = writes.of(&Conversation::default());
        (0..KEPT_DELTAS + 2).for_each(|number| answer.record(number.to_string()));
        let deltas = writes.deltas();
        assert_eq!(deltas.len(), KEPT_DELTAS);
        assert_eq!(deltas[0].text, "2");
    }
}
