//! Owns how one task asks another and waits for the answer. May not know what is asked.

use tokio::sync::{mpsc, oneshot};

/// Sends a question and waits for its answer; none if the other one is gone.
///
/// The answer alone must not be waited for: a question that is on its way while the other one goes stays in the
/// channel, unread and undropped for as long as anybody can send, and its reply with it.
pub(crate) async fn ask<Question, Answer>(
    other: &mpsc::Sender<Question>,
    question: impl FnOnce(oneshot::Sender<Answer>) -> Question,
) -> Option<Answer> {
    let (reply, mut answer) = oneshot::channel();
    let place = other.reserve().await.ok()?;
    place.send(question(reply));
    tokio::select! {
        biased;
        answer = &mut answer => answer.ok(),
        () = other.closed() => answer.try_recv().ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_heard_although_the_other_one_went_afterwards() {
        let (sender, mut questions) = mpsc::channel::<oneshot::Sender<u8>>(1);
        let answering = async move { questions.recv().await.unwrap().send(7).unwrap() };
        assert_eq!(tokio::join!(ask(&sender, |reply| reply), answering).0, Some(7));
    }

    #[tokio::test]
    async fn a_question_that_was_not_read_has_no_answer() {
        let (sender, questions) = mpsc::channel::<oneshot::Sender<u8>>(1);
        let going = async move { drop(questions) };
        assert_eq!(tokio::join!(ask(&sender, |reply| reply), going).0, None);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_ever_if_the_other_one_goes_while_the_question_is_on_its_way() {
        let (sender, questions) = mpsc::channel::<oneshot::Sender<u8>>(1);
        let asking = ask(&sender, move |reply| {
            drop(questions);
            reply
        });
        assert_eq!(timeout(Duration::from_secs(60), asking).await, Ok(None));
    }
}
