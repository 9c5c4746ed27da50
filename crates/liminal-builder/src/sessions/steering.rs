//! Messages that are taken into a turn that runs. Owns that such a message is either taken or waits on, and that it is
//! never both.

use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{MessageAccepted, SessionState};

use super::slot::Slot;
use super::{Failure, Sessions};

impl Sessions {
    /// Takes a message that waits into the turn that runs. One that cannot be taken waits on.
    pub async fn steer(&self, id: &SessionId, queued: &str) -> Result<MessageAccepted, Failure> {
        let slot = self.slot(id).await?;
        let _door = slot.door.lock().await;
        let view = slot.board.now().view;
        if !view.queue.iter().any(|waiting| waiting.id == queued) {
            return Err(super::queue::no_such_message());
        }
        check(&slot)?;
        Err(not_steerable("this kind of agent takes no message into a turn that runs"))
    }
}

fn check(slot: &Slot) -> Result<(), Failure> {
    let view = slot.board.now().view;
    let is_running = matches!(view.state, SessionState::Running | SessionState::Waiting);
    match (view.agent.abilities.steer, is_running) {
        (true, true) => Ok(()),
        (true, false) => Err(not_steerable("no turn runs that it could be taken into")),
        (false, _) => Err(not_steerable("this kind of agent takes no message into a turn that runs")),
    }
}

fn not_steerable(problem: &str) -> Failure {
    Failure::new(ErrorCode::NotSteerable, format!("{problem}; the message waits for its own turn"))
}
