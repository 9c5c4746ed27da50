//! What was before, as `session/load` replays it. Owns how the replay is cut into turns: the user's words begin one.
//! The turns are numbered, so that the same history gets the same ids whenever it is loaded.

use serde_json::{Map, Value};

use super::call_news::content_text;
use super::content;
use super::handshake::Replay;
use super::turn::{Cause, Ending, Finish, Turn};
use super::{AcpDialect, Step};
use crate::event::{MessageItem, Origin};
use crate::ids::TurnId;

#[derive(Debug, Default)]
pub(super) struct History {
    turns: u64,
    /// What the user said, while nothing else was told of the turn.
    said: Option<Said>,
}

#[derive(Debug)]
struct Said {
    message_id: Option<String>,
    message: MessageItem,
}

impl Said {
    fn add(&mut self, block: &Map<String, Value>) {
        match content::attachment(block) {
            Some(attachment) => self.message.attachments.push(attachment),
            None => self.message.content.push_str(&content_text(block)),
        }
    }
}

impl AcpDialect {
    pub(super) fn history_mut(&mut self) -> Option<&mut History> {
        match &mut self.stage.opening_mut()?.replay {
            Replay::Told(history) => Some(history),
            Replay::No | Replay::Skipped => None,
        }
    }

    /// The user's words of a turn that was.
    pub(super) fn replay_user(
        &mut self,
        message_id: Option<&str>,
        block: &Map<String, Value>,
        step: &mut Step<'_>,
    ) {
        let said = self.history_mut().and_then(|history| history.said.as_mut());
        if let Some(said) = said.filter(|said| said.message_id.as_deref() == message_id) {
            return said.add(block);
        }
        self.begin_said(step);
        self.end_turn(Ending::Completed(Finish::default()), step);
        if let Some(history) = self.history_mut() {
            let message = MessageItem::new(String::new(), Origin::User);
            let mut said = Said { message_id: message_id.map(str::to_owned), message };
            said.add(block);
            history.said = Some(said);
        }
    }

    /// The turn that is replayed.
    pub(super) fn history_turn(&mut self, step: &mut Step<'_>) -> Option<&mut Turn> {
        self.begin_said(step);
        if self.turn.is_none() {
            self.begin_history(None, step);
        }
        self.turn.as_mut()
    }

    /// Nothing more was.
    pub(super) fn end_history(&mut self, step: &mut Step<'_>) {
        if self.history_mut().is_some() {
            self.begin_said(step);
            self.end_turn(Ending::Completed(Finish::default()), step);
        }
    }

    fn begin_said(&mut self, step: &mut Step<'_>) {
        if let Some(said) = self.history_mut().and_then(|history| history.said.take()) {
            self.end_turn(Ending::Completed(Finish::default()), step);
            self.begin_history(Some(said.message), step);
        }
    }

    fn begin_history(&mut self, prompt: Option<MessageItem>, step: &mut Step<'_>) {
        let Some(history) = self.history_mut() else { return };
        history.turns += 1;
        let turn = TurnId::from(format!("history-{}", history.turns));
        let mut turn = self.new_turn(turn, prompt, Cause::History);
        turn.writer.open(step);
        self.turn = Some(turn);
    }
}
