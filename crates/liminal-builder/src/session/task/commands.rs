//! What others ask of a session while its agent runs. Owns how each command is answered.

use liminal_core::dialect::{AgentCommand, Input, UserMessage};
use liminal_core::ids::{ItemId, TurnId};
use liminal_core::session::Refused;
use liminal_core::wire::rest::PermissionAnswer;
use tokio::sync::oneshot;

use super::{Command, INTERRUPT_PATIENCE, SessionTask};
use crate::session::SessionError;

impl SessionTask {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Prompt { turn, message, reply } => self.prompt(turn, message, reply),
            Command::Steer { turn, message, reply } => self.steer(&turn, message, reply),
            Command::Cancel => drop(self.pass(Input::Command(AgentCommand::Cancel))),
            Command::StopBackground => drop(self.pass(Input::Command(AgentCommand::StopBackground))),
            Command::Answer { item_id, answer, reply } => self.answer(item_id, answer, reply),
            Command::Configure(wishes) => {
                wishes.into_iter().for_each(|wish| drop(self.pass(Input::Command(wish))));
            }
            Command::Kill => {
                self.is_unwanted = true;
                drop(self.pass(Input::Command(AgentCommand::Cancel)));
                self.end_within(INTERRUPT_PATIENCE, None);
            }
            Command::End(reason) => self.end_now(reason),
        }
    }

    fn prompt(
        &mut self,
        turn: TurnId,
        message: UserMessage,
        reply: oneshot::Sender<Result<TurnId, SessionError>>,
    ) {
        if self.ending.is_some() {
            drop(reply.send(Err(SessionError::AgentGone)));
            return;
        }
        self.journal.asked();
        let waiting = self.binding.take();
        self.binding = Some(reply);
        let refused = match self.pass(Input::Command(AgentCommand::Prompt { turn, message })) {
            Ok(()) => return,
            Err(Refused::Busy | Refused::NotRunning) => SessionError::TurnInProgress,
            Err(Refused::Gone) => SessionError::AgentGone,
        };
        if let Some(reply) = std::mem::replace(&mut self.binding, waiting) {
            drop(reply.send(Err(refused)));
        }
    }

    fn steer(
        &mut self,
        turn: &TurnId,
        message: UserMessage,
        reply: oneshot::Sender<Result<TurnId, SessionError>>,
    ) {
        self.steering.insert(turn.clone(), reply);
        let refused = match self.pass(Input::Command(AgentCommand::Steer { turn: turn.clone(), message })) {
            Ok(()) => return,
            Err(Refused::Busy | Refused::NotRunning) => SessionError::NotRunning,
            Err(Refused::Gone) => SessionError::AgentGone,
        };
        self.reply_steered(turn, Err(refused));
    }

    /// A dialect judges an answer at once: no refusal means that the answer is on its way to the agent. Whoever gave it is
    /// told so once it is stored, so that no restart makes another one of it.
    fn answer(
        &mut self,
        item_id: ItemId,
        answer: PermissionAnswer,
        reply: oneshot::Sender<Result<(), SessionError>>,
    ) {
        self.refused_answer = None;
        drop(self.pass(Input::Command(AgentCommand::Answer { item_id, answer })));
        match self.refused_answer.take() {
            None => self.journal.tell_when_written(reply),
            // Nobody waits for the verdict of a client that is gone.
            Some(error) => drop(reply.send(Err(SessionError::AnswerRefused(error)))),
        }
    }

    pub(super) fn reply_steered(&mut self, turn: &TurnId, result: Result<TurnId, SessionError>) {
        if let Some(reply) = self.steering.remove(turn) {
            drop(reply.send(result));
        }
    }
}
