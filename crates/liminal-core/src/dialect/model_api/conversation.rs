//! What was said so far, as it is sent to a model again. Owns what a model is reminded of: every prompt that it answered,
//! and its answer. A prompt without an answer, or with a refusal, is left out, so that one bad prompt does not
//! spoil every later one. Knows only events, so a conversation is the same whether it goes on or is taken up again.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::Api;
use crate::dialect::{AttachedFile, UserMessage};
use crate::envelope::StreamEventEnvelope;
use crate::event::{FinalItem, ItemKind, MessageItem, Origin, ResponseDone, StreamEvent};
use crate::ids::{AttachmentId, ItemId};
use crate::json;

/// The word with which both APIs' refusals end a turn.
pub(super) const REFUSAL: &str = "refusal";

/// A message in the form in which it is sent, written once.
#[derive(Debug)]
pub(super) struct Message(Box<RawValue>);

#[derive(Serialize)]
struct Wire<'a> {
    role: &'a str,
    content: &'a Value,
}

impl Message {
    pub(super) fn user(content: &Value) -> Self {
        Self::new("user", content)
    }

    #[expect(clippy::expect_used, reason = "its parts are JSON already")]
    fn new(role: &str, content: &Value) -> Self {
        Self(to_raw_value(&Wire { role, content }).expect("a message is JSON"))
    }
}

#[derive(Debug, Default)]
pub(super) struct Conversation {
    messages: Vec<Message>,
    turn: Option<Told>,
    /// The files that came with messages; events only tell of them.
    files: BTreeMap<AttachmentId, AttachedFile>,
}

/// What was told of a turn that is not over.
#[derive(Debug, Default)]
struct Told {
    prompt: Option<MessageItem>,
    /// What the model said, in order.
    said: Vec<(ItemId, String)>,
    is_refused: bool,
}

impl Conversation {
    /// All messages, and this one behind them.
    pub(super) fn messages_and<'a>(&'a self, newest: &'a Message) -> Vec<&'a RawValue> {
        self.messages.iter().chain([newest]).map(|message| &*message.0).collect()
    }

    /// Takes files that messages came with, or will.
    pub(super) fn learn(&mut self, files: Vec<AttachedFile>) {
        let known = files.into_iter().filter_map(|file| Some((file.shown.id.clone()?, file)));
        self.files.extend(known);
    }

    /// Takes what happened.
    pub(super) fn hear(&mut self, event: &StreamEventEnvelope, api: &dyn Api) {
        match &event.payload {
            StreamEvent::ResponseStart(_) => {
                self.settle(api);
                self.turn = Some(Told::default());
            }
            StreamEvent::ResponseDone(ResponseDone { finish_reason, .. }) => {
                let is_refused = finish_reason.as_deref() == Some(REFUSAL);
                self.turn.iter_mut().for_each(|turn| turn.is_refused = is_refused);
                self.settle(api);
            }
            StreamEvent::ResponseError(_) => self.settle(api),
            StreamEvent::ItemStart(_)
            | StreamEvent::ItemDelta(_)
            | StreamEvent::ItemDone(_)
            | StreamEvent::ItemError(_)
            | StreamEvent::ItemCancelled(_)
            | StreamEvent::UsageUpdate(_) => self.turn.iter_mut().for_each(|turn| turn.hear(&event.payload)),
        }
    }

    /// The turn is over, or nothing more will be told of it.
    pub(super) fn settle(&mut self, api: &dyn Api) {
        let Some(Told { prompt: Some(prompt), said, is_refused: false }) = self.turn.take() else { return };
        let said: Vec<&str> =
            said.iter().map(|(_, text)| text.trim()).filter(|text| !text.is_empty()).collect();
        if !said.is_empty() {
            let answer = Message::new("assistant", &Value::from(said.join("\n\n")));
            self.messages.extend([Message::user(&api.content(&self.with_files(prompt))), answer]);
        }
    }

    /// What a user said; of a file that is gone its name.
    fn with_files(&self, prompt: MessageItem) -> UserMessage {
        let MessageItem { content: mut text, attachments, .. } = prompt;
        let mut files = Vec::new();
        for attachment in attachments {
            match attachment.id.as_ref().and_then(|id| self.files.get(id)) {
                Some(file) => files.push(file.clone()),
                None => text.push_str(&format!("\n[the file {} was here]", attachment.name)),
            }
        }
        UserMessage { text, files }
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
                Origin::User => self.prompt = Some(message.clone()),
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
