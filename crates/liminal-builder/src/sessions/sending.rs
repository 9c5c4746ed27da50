//! Messages to agents. Owns that a message is kept before an agent hears it, that the same one is never sent twice, and
//! that at most one turn runs.

use std::sync::Arc;

use liminal_core::dialect::UserMessage;
use liminal_core::error::ErrorCode;
use liminal_core::event::Attachment;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::queue_gate::Admission;
use liminal_core::wire::rest::{MessageAccepted, QueuedMessage, SendMessage, SessionState};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::recovery::UNKNOWN_TURN;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::attachments::Use;
use crate::clock;
use crate::store::{Delivery, Receipt, SessionChange, TitleSource};

const LONGEST_TITLE: usize = 80;

/// A message as somebody wrote it.
#[derive(Debug, Clone)]
pub(super) struct Letter {
    pub(super) message: String,
    pub(super) client_message_id: Option<String>,
    pub(super) attachments: Vec<Attachment>,
}

impl Letter {
    pub(super) fn of(queued: &QueuedMessage) -> Self {
        let QueuedMessage { message, client_message_id, attachments, .. } = queued.clone();
        Self { message, client_message_id, attachments }
    }

    fn queued(self, id: String) -> QueuedMessage {
        let Self { message, client_message_id, attachments } = self;
        QueuedMessage { id, message, client_message_id, attachments, failure: None }
    }
}

impl Sessions {
    /// Tells the agent something: resolves when the agent has taken it, or when it waits for its turn.
    pub async fn send(&self, id: &SessionId, message: SendMessage) -> Result<MessageAccepted, Failure> {
        check(&message)?;
        let (sessions, id) = (self.clone(), id.clone());
        self.finish(async move { sessions.send_once(&id, message).await }).await
    }

    async fn send_once(&self, id: &SessionId, message: SendMessage) -> Result<MessageAccepted, Failure> {
        let slot = self.slot(id).await?;
        let _door = slot.door.lock().await;
        let Some(key) = message.client_message_id.clone() else {
            return self.send_or_queue(&slot, message).await;
        };
        // Named by the session, so that it goes when the session goes.
        let (store, scope) = (&self.0.parts.store, id.as_str());
        match store.begin_receipt(scope, &key, &digest(&message), self.now()).await? {
            Receipt::New => {}
            Receipt::Running | Receipt::Done(Value::Null) => return Err(unknown_delivery()),
            Receipt::Done(answer) => return repeated(answer),
            Receipt::Mismatch => return Err(mismatch()),
        }
        let result = self.send_or_queue(&slot, message).await;
        if result.as_ref().is_err_and(is_doubtful) {
            return result;
        }
        let answer = result.as_ref().ok().and_then(|accepted| serde_json::to_value(accepted).ok());
        store.finish_receipt(scope, &key, answer).await?;
        self.keep_answer(&slot, &key).await?;
        result
    }

    async fn send_or_queue(
        &self,
        slot: &Arc<Slot>,
        message: SendMessage,
    ) -> Result<MessageAccepted, Failure> {
        let live = slot.board.now();
        let view = &live.view;
        let is_busy = view.turn.is_some()
            || matches!(view.state, SessionState::Running | SessionState::Waiting | SessionState::Cancelling);
        let admission = live.gate().admit(&view.queue, is_busy, message.queue);
        let attachments = self.attached(slot, &message.attachments).await?;
        let SendMessage { message, client_message_id, .. } = message;
        let letter = Letter { message, client_message_id, attachments };
        let accepted = match admission {
            Admission::Waits => self.enqueue(slot, letter).await?,
            Admission::Now => {
                let turn_id = self.deliver(slot, letter, None).await?;
                MessageAccepted { turn_id: Some(turn_id), queued: None }
            }
        };
        self.acted(slot).await;
        Ok(accepted)
    }

    /// Gives a message to the agent. It is on disk before; a server that dies in between finds it there.
    pub(super) async fn deliver(
        &self,
        slot: &Arc<Slot>,
        letter: Letter,
        queued: Option<String>,
    ) -> Result<TurnId, Failure> {
        if slot.board.now().view.state == SessionState::Closed && self.was_killed(slot).await? {
            let problem = "the session was ended; load it to go on";
            return Err(Failure::new(ErrorCode::ProcessCrash, problem));
        }
        let handle = self.agent(slot).await?;
        if handle.is_busy() {
            return Err(crate::session::SessionError::TurnInProgress.into());
        }
        let message = self.written(slot, &letter).await?;
        if queued.as_deref().is_some_and(|id| !is_next(slot, id)) {
            return Err(Failure::new(ErrorCode::QueuedNotFound, "the queue was paused or changed meanwhile"));
        }
        let delivery = self.begin_delivery(slot, letter, queued.clone()).await?;
        let turn_id = match handle.send(delivery.turn_id.clone(), message).await {
            Ok(turn_id) => turn_id,
            Err(error) => {
                let failure = Failure::from(error);
                self.wait_again(&delivery, queued, &failure).await?;
                self.take_back(&delivery).await?;
                return Err(failure);
            }
        };
        // The agent has it: whoever was told otherwise would send it again.
        if let Err(failure) = self.note_message(slot, &delivery).await {
            tracing::warn!(session = %slot.id, %failure, "cannot note that a message was sent");
        }
        Ok(turn_id)
    }

    /// A message that waited and was not taken waits again; in one step, or a server that ends in between would lose it.
    async fn wait_again(
        &self,
        delivery: &Delivery,
        queued: Option<String>,
        failure: &Failure,
    ) -> Result<(), Failure> {
        let Some(id) = queued else { return Ok(()) };
        let Delivery { turn_id, session_id, message, client_message_id, attachments, .. } = delivery.clone();
        let failure = (failure.code != ErrorCode::TurnInProgress).then(|| failure.info());
        let waiting = QueuedMessage { id, message, client_message_id, attachments, failure };
        Ok(self.0.parts.store.put_back(&session_id, waiting, 0, Some(turn_id)).await?)
    }

    /// What the agent is to hear, with the bytes of its files.
    pub(super) async fn written(&self, slot: &Slot, letter: &Letter) -> Result<UserMessage, Failure> {
        let files = self.files(slot, &letter.attachments).await?;
        self.mark(&slot.id, &letter.attachments, Use::Sent).await?;
        Ok(UserMessage { text: letter.message.clone(), files })
    }

    /// Notes that a message is on its way.
    pub(super) async fn begin_delivery(
        &self,
        slot: &Slot,
        letter: Letter,
        queued: Option<String>,
    ) -> Result<Delivery, Failure> {
        let Letter { message, client_message_id, attachments } = letter;
        let delivery = Delivery {
            turn_id: clock::new_turn_id(),
            session_id: slot.id.clone(),
            message,
            client_message_id,
            attachments,
            at: self.now(),
        };
        if !self.0.parts.store.begin_delivery(delivery.clone(), queued).await? {
            return Err(Failure::new(ErrorCode::QueuedNotFound, "the message was changed meanwhile"));
        }
        self.keep_for_others(&delivery).await?;
        Ok(delivery)
    }

    /// A message certainly did not reach the agent.
    pub(super) async fn take_back(&self, delivery: &Delivery) -> Result<(), Failure> {
        self.0.parts.store.end_delivery(&delivery.turn_id).await?;
        self.recall_for_others(&delivery.session_id, &delivery.turn_id).await;
        Ok(())
    }

    /// The first message is what a session is about, until somebody knows better.
    async fn note_message(&self, slot: &Slot, delivery: &Delivery) -> Result<(), Failure> {
        let touched = SessionChange::Touched { at: self.now(), has_failed: None };
        self.0.parts.store.change_session(&slot.id, touched).await?;
        if slot.board.now().view.title.is_none() {
            self.entitle(slot, title(delivery), TitleSource::Prompt).await?;
        }
        self.announce_of(slot);
        Ok(())
    }

    /// Gives a session a title, unless it has one of a better source.
    pub(super) async fn entitle(
        &self,
        slot: &Slot,
        title: String,
        source: TitleSource,
    ) -> Result<(), Failure> {
        let store = &self.0.parts.store;
        if store.change_session(&slot.id, SessionChange::Title(title, source)).await? {
            // One that a person chose stays, whatever the agent says.
            let kept = store.session(&slot.id).await?.and_then(|session| session.title);
            slot.board.change(|live| live.view.title = kept);
            self.announce_of(slot);
        }
        Ok(())
    }

    async fn enqueue(&self, slot: &Arc<Slot>, letter: Letter) -> Result<MessageAccepted, Failure> {
        let most = self.0.parts.settings.longest_queue;
        let queued = letter.queued(clock::new_turn_id().to_string());
        self.mark(&slot.id, &queued.attachments, Use::Waits(queued.id.clone())).await?;
        if !self.0.parts.store.enqueue(&slot.id, queued.clone(), most).await? {
            self.mark(&slot.id, &queued.attachments, Use::GivenUp(queued.id)).await?;
            let problem = format!("{most} messages wait already; wait for their turns, or remove some");
            return Err(Failure::new(ErrorCode::QueueFull, problem));
        }
        self.show_queue(slot).await?;
        self.publish(slot).await;
        // The turn that it was to wait for may have ended meanwhile.
        self.attend_queue(slot);
        Ok(MessageAccepted { turn_id: None, queued: Some(queued) })
    }
}

fn check(message: &SendMessage) -> Result<(), Failure> {
    if message.message.trim().is_empty() && message.attachments.is_empty() {
        return Err(Failure::new(ErrorCode::InvalidRequest, "message: expected something to say"));
    }
    Ok(())
}

fn digest(message: &SendMessage) -> String {
    let files = message.attachments.iter().map(|id| format!("\u{0}{id}")).collect::<String>();
    let digest = Sha256::digest(format!("{}\u{0}{}{files}", message.queue, message.message));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was answered before, or is known since.
fn repeated(answer: Value) -> Result<MessageAccepted, Failure> {
    if let Some(turn) = answer.get(UNKNOWN_TURN).and_then(Value::as_str) {
        return Err(unknown_delivery().about(turn));
    }
    serde_json::from_value(answer)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("a kept answer cannot be read: {error}")))
}

fn unknown_delivery() -> Failure {
    let problem = "the server stopped while this message was on its way, and nobody knows whether the agent got it; \
        look at the session, and send it under a new id if it did not";
    Failure::new(ErrorCode::DeliveryUnknown, problem)
}

/// Whether what was asked may have been done all the same: a disk that fails may have written before. Its key is then not
/// free to be used again.
fn is_doubtful(failure: &Failure) -> bool {
    failure.code == ErrorCode::Internal
}

/// Whether a queued message may still be sent. Starting an agent takes a while, in which a person may pause the queue.
fn is_next(slot: &Slot, queued: &str) -> bool {
    slot.board.now().next_queued().is_some_and(|next| next.id == queued)
}

fn mismatch() -> Failure {
    let problem = "another message came with this id before; use a new id for each message";
    Failure::new(ErrorCode::IdempotencyMismatch, problem)
}

/// The first line that says something, cut to what a list can show; or what the first file is called.
fn title(delivery: &Delivery) -> String {
    let lines = delivery.message.lines().map(str::trim);
    let names = delivery.attachments.iter().map(|file| file.name.as_str());
    let line = lines.chain(names).find(|line| !line.is_empty()).unwrap_or_default();
    let mut title: String = line.chars().filter(|letter| !letter.is_control()).take(LONGEST_TITLE).collect();
    if line.chars().count() > LONGEST_TITLE {
        title.push('…');
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        let title = |message: &str, name: &str| {
            let file = Attachment { id: None, name: name.to_owned(), mime_type: String::new(), bytes: 0 };
            title(&Delivery {
                turn_id: "t".into(),
                session_id: "s".into(),
                message: message.to_owned(),
                client_message_id: None,
                attachments: vec![file],
                at: jiff::Timestamp::UNIX_EPOCH,
            })
        };
        assert_eq!(title("\n  \n  fix the \u{1b}[1mbug\nplease", "a.png"), "fix the [1mbug");
        assert_eq!(title(&"x".repeat(200), "").chars().count(), LONGEST_TITLE + 1);
        assert_eq!(title(" ", "a.png"), "a.png");
    }

    #[test]
    fn a_message_of_nothing_is_refused() {
        for nothing in ["", "  \n\t "] {
            let mut message = SendMessage {
                message: nothing.to_owned(),
                queue: false,
                client_message_id: None,
                attachments: Vec::new(),
            };
            assert_eq!(check(&message).unwrap_err().code, ErrorCode::InvalidRequest);
            let without = digest(&message);
            message.attachments.push("a".into());
            assert!(check(&message).is_ok() && digest(&message) != without);
        }
    }
}
