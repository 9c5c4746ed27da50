//! The prompts that Claude Code was given and did not begin yet. Owns their order and how the line that repeats
//! a prompt is known to be its echo.

use std::collections::VecDeque;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::dialect::{UserMessage, message_blocks};
use crate::event::MessageItem;
use crate::ids::TurnId;

#[derive(Debug, Default)]
pub(super) struct Prompts {
    waiting: VecDeque<Prompt>,
    /// The agent reports when it starts each prompt. Older versions do not.
    are_starts_reported: bool,
}

#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) turn: TurnId,
    pub(super) message: UserMessage,
    pub(super) is_cancelled: bool,
    /// It was said inside a turn, and is shown there.
    is_shown: bool,
    /// The agent reported that it starts with it.
    is_started: bool,
}

impl Prompt {
    pub(super) const fn new(turn: TurnId, message: UserMessage) -> Self {
        Self { turn, message, is_cancelled: false, is_shown: false, is_started: false }
    }

    /// One that is shown already.
    pub(super) fn shown(turn: TurnId, message: UserMessage) -> Self {
        Self { is_shown: true, ..Self::new(turn, message) }
    }

    /// What a turn that it begins has to show of it.
    pub(super) fn unsaid(&self) -> Option<MessageItem> {
        (!self.is_shown).then(|| self.message.shown())
    }

    /// The line that tells the agent.
    pub(super) fn frame(&self) -> Value {
        json!({
            "type": "user",
            "message": { "role": "user", "content": message_blocks::content(&self.message) },
            "parent_tool_use_id": null,
            "session_id": "",
            "uuid": message_uuid(&self.turn).to_string(),
        })
    }
}

impl Prompts {
    pub(super) fn push(&mut self, prompt: Prompt) {
        self.waiting.push_back(prompt);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn take_first(&mut self) -> Option<Prompt> {
        self.waiting.pop_front()
    }

    /// The agent reports how far it is with a prompt.
    pub(super) fn report(&mut self, uuid: &str, state: &str) {
        let is_it = |prompt: &&mut Prompt| message_uuid(&prompt.turn).to_string() == uuid;
        if let Some(prompt) = self.waiting.iter_mut().find(is_it).filter(|_| state == "started") {
            prompt.is_started = true;
        }
    }

    /// The agent says whether it reports that.
    pub(super) const fn expect_reports(&mut self, are_starts_reported: bool) {
        self.are_starts_reported = are_starts_reported;
    }

    pub(super) const fn are_starts_reported(&self) -> bool {
        self.are_starts_reported
    }

    /// Takes the prompt that a turn begins with: the first one, if the agent does not report which.
    pub(super) fn take_begun(&mut self) -> Option<Prompt> {
        let is_begun = |prompt: &Prompt| prompt.is_started || !self.are_starts_reported;
        let position = self.waiting.iter().position(is_begun)?;
        self.waiting.remove(position)
    }

    /// The turn that the agent goes on with when this one ends: of what was said inside it and not taken in.
    pub(super) fn left_over(&self) -> Option<&TurnId> {
        self.waiting.front().filter(|prompt| prompt.is_shown).map(|prompt| &prompt.turn)
    }

    pub(super) fn forget_shown(&mut self) {
        self.waiting.retain(|prompt| !prompt.is_shown);
    }

    /// Takes the prompt that a line repeats, and those that were said before it inside the turn: the agent takes them in
    /// their order, and may join them into one.
    pub(super) fn take_echoed(&mut self, uuid: Option<&str>, text: &str) -> Option<Prompt> {
        let position =
            self.waiting.iter().position(|prompt| is_echo(&prompt.turn, &prompt.message.text, uuid, text))?;
        let echoed = self.waiting.remove(position);
        let mut before = position;
        while before > 0 && self.waiting.get(before - 1).is_some_and(|prompt| prompt.is_shown) {
            before -= 1;
            self.waiting.remove(before);
        }
        echoed
    }

    /// The agent runs them all the same; each is interrupted when it begins.
    pub(super) fn cancel_all(&mut self) {
        for prompt in &mut self.waiting {
            prompt.is_cancelled = true;
        }
    }
}

/// Whether a line repeats the prompt of a turn. Prompts that the agent joins are known by the id only.
pub(super) fn is_echo(turn: &TurnId, prompt: &str, uuid: Option<&str>, text: &str) -> bool {
    prompt == text || uuid.is_some_and(|uuid| uuid == message_uuid(turn).to_string())
}

/// The id of a turn's prompt on the wire and on disk: that of the turn, where it is one.
fn message_uuid(turn: &TurnId) -> Uuid {
    let own = Uuid::parse_str(turn.as_str());
    own.unwrap_or_else(|_| Uuid::new_v5(&Uuid::NAMESPACE_OID, turn.as_str().as_bytes()))
}
