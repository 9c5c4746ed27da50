//! What was said so far, as it is sent to a model again. Owns what a model is reminded of: every prompt that it answered,
//! and its answer. A prompt without an answer, or with a refusal, is left out, so that one bad prompt does not
//! spoil every later one. Knows only events, so a conversation is the same whether it goes on or is taken up again.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::envelope::StreamEventEnvelope;
use crate::event::{FinalItem, ItemKind, Origin, ResponseDone, StreamEvent};
use crate::ids::ItemId;
use crate::json;

/// The word with which both APIs' refusals end a turn.
pub(super) const REFUSAL: &str = "refusal";

/// A message in the form in which it is sent, written once.
#[derive(Debug)]
pub(super) struct Message(Box<RawValue>);

#[derive(Serialize)]
struct Wire<'a> {
    role: &'a str,
    content: &'a str,
}

impl Message {
    pub(super) fn user(content: &str) -> Self {
        Self::new("user", content)
    }

    #[expect(clippy::expect_used, reason = "two texts are JSON")]
    fn new(role: &str, content: &str) -> Self {
        Self(to_raw_value(&Wire { role, content }).expect("a message is JSON"))
    }
}

#[derive(Debug, Default)]
pub(super) struct Conversation {
    messages: Vec<Message>,
    turn: Option<Told>,
}

/// What was told of a turn that is not over.
#[derive(Debug, Default)]
struct Told {
    prompt: Option<String>,
    /// What the model said, in order.
    said: Vec<(ItemId, String)>,
    is_refused: bool,
}

impl Conversation {
    /// All messages, and this one behind them.
    pub(super) fn messages_and<'a>(&'a self, newest: &'a Message) -> Vec<&'a RawValue> {
        self.messages.iter().chain([newest]).map(|message| &*message.0).collect()
    }

    /// Takes what happened.
    pub(super) fn hear(&mut self, event: &StreamEventEnvelope) {
        match &event.payload {
            StreamEvent::ResponseStart(_) => {
                self.settle();
                self.turn = Some(Told::default());
            }
            StreamEvent::ResponseDone(ResponseDone { finish_reason, .. }) => {
                let is_refused = finish_reason.as_deref() == Some(REFUSAL);
                self.turn.iter_mut().for_each(|turn| turn.is_refused = is_refused);
                self.settle();
            }
            StreamEvent::ResponseError(_) => self.settle(),
            StreamEvent::ItemStart(_)
            | StreamEvent::ItemDelta(_)
            | StreamEvent::ItemDone(_)
            | StreamEvent::ItemError(_)
            | StreamEvent::ItemCancelled(_)
            | StreamEvent::UsageUpdate(_) => self.turn.iter_mut().for_each(|turn| turn.hear(&event.payload)),
        }
    }

    /// The turn is over, or nothing more will be told of it.
    pub(super) fn settle(&mut self) {
        let Some(Told { prompt: Some(prompt), said, is_refused: false }) = self.turn.take() else { return };
        let said: Vec<&str> =
            said.iter().map(|(_, text)| text.trim()).filter(|text| !text.is_empty()).collect();
        if !said.is_empty() {
            self.messages.extend([Message::user(&prompt), Message::new("assistant", &said.join("\n\n"))]);
        }
    }
}

impl Told {
    fn hear(&mut self, payload: &StreamEvent) {
        match payload {
            StreamEvent::ItemStart(start) if matches!(start.kind, ItemKind::Message) => {
                self.said.push((start.item_id.clone(), start.initial_content.clone().unwrap_or_default()));
            }
            StreamEvent::ItemDelta(delta) => {
                let said = self.said.iter_mut().rev().find(|(item_id, _)| *item_id == delta.item_id);
                said.into_iter().for_each(|(_, text)| text.push_str(&delta.delta_content));
            }
            StreamEvent::ItemDone(done) => self.done(&done.item_id, &done.final_item),
            StreamEvent::ItemCancelled(cancelled) => self.said.retain(|(id, _)| *id != cancelled.item_id),
            StreamEvent::ItemStart(_)
            | StreamEvent::ItemError(_)
            | StreamEvent::UsageUpdate(_)
            | StreamEvent::ResponseStart(_)
            | StreamEvent::ResponseDone(_)
            | StreamEvent::ResponseError(_) => {}
        }
    }

    fn done(&mut self, item_id: &ItemId, item: &FinalItem) {
        match item {
            FinalItem::Message(message) => match message.origin {
                Origin::User => self.prompt = Some(message.content.clone()),
                Origin::Agent => self.say(item_id, message.content.clone()),
                Origin::System => {}
            },
            // Without its output, which nobody has, an API takes no call; so the model is told in words.
            FinalItem::FunctionCall(call) => {
                let arguments = json::text(&call.arguments);
                self.say(item_id, format!("[called {} with {arguments}; it was not run]", call.name));
            }
            FinalItem::Reasoning(_)
            | FinalItem::FunctionCallOutput(_)
            | FinalItem::Plan(_)
            | FinalItem::Permission(_) => {}
        }
    }

    fn say(&mut self, item_id: &ItemId, text: String) {
        match self.said.iter_mut().find(|(id, _)| id == item_id) {
            Some(said) => said.1 = text,
            None => self.said.push((item_id.clone(), text)),
        }
    }
}
