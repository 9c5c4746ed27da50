//! A message that is to be a turn. Owns nothing but the two together; knows nothing of what becomes of it.

use crate::dialect::{AgentCommand, UserMessage};
use crate::ids::TurnId;

#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) turn: TurnId,
    pub(super) message: UserMessage,
}

impl Prompt {
    pub(super) fn of(command: AgentCommand) -> Option<Self> {
        match command {
            AgentCommand::Prompt { turn, message } => Some(Self { turn, message }),
            AgentCommand::Open { .. }
            | AgentCommand::Steer { .. }
            | AgentCommand::Cancel
            | AgentCommand::StopBackground
            | AgentCommand::Answer { .. }
            | AgentCommand::SetModel { .. }
            | AgentCommand::SetPermissionMode { .. }
            | AgentCommand::SetOption { .. } => None,
        }
    }
}
