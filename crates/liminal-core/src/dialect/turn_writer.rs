//! The events of one turn as they are written. Owns their numbers and what stands at their beginning; what they
//! tell is the dialect's business.

use super::Step;
use crate::envelope::StreamEventEnvelope;
use crate::error::ErrorInfo;
use crate::event::{
    CancelReason, FinalItem, ItemCancelled, ItemDelta, ItemDone, ItemError, ItemKind, ItemStart, MessageItem,
    Origin, ResponseStart, StreamEvent,
};
use crate::ids::{CallId, EventId, ItemId, SessionId, TurnId};

/// Writes the events of one turn: `response_start` and the prompt come first, whatever is written first.
#[derive(Debug)]
pub(crate) struct TurnWriter {
    session_id: SessionId,
    turn_id: TurnId,
    opening: Option<Opening>,
    events: u64,
    items: u64,
}

/// What every turn begins with.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) model_id: String,
    pub(crate) provider_id: String,
    pub(crate) prompt: Option<MessageItem>,
}

impl TurnWriter {
    pub(crate) const fn new(session_id: SessionId, turn_id: TurnId, opening: Opening) -> Self {
        Self { session_id, turn_id, opening: Some(opening), events: 0, items: 0 }
    }

    pub(crate) const fn turn_id(&self) -> &TurnId {
        &self.turn_id
    }

    /// Tells which model answers, if it is not too late.
    pub(crate) fn set_model(&mut self, model: &str) {
        if let Some(opening) = &mut self.opening {
            model.clone_into(&mut opening.model_id);
        }
    }

    /// Writes the beginning, once.
    pub(crate) fn open(&mut self, step: &mut Step<'_>) {
        let Some(Opening { model_id, provider_id, prompt }) = self.opening.take() else { return };
        self.write(StreamEvent::ResponseStart(ResponseStart { model_id, provider_id }), step);
        if let Some(prompt) = prompt {
            self.say(prompt, step);
        }
    }

    pub(crate) fn write(&mut self, payload: StreamEvent, step: &mut Step<'_>) {
        self.open(step);
        self.events += 1;
        step.out.events.push(StreamEventEnvelope {
            event_id: EventId::from(format!("{}#{}", self.turn_id, self.events)),
            timestamp: step.now.wall.into(),
            turn_id: self.turn_id.clone(),
            session_id: self.session_id.clone(),
            trace_context: None,
            payload,
        });
    }

    /// A new item's id.
    pub(crate) fn next_item(&mut self, step: &mut Step<'_>) -> ItemId {
        self.open(step);
        self.items += 1;
        ItemId::from(format!("{}/{}", self.turn_id, self.items))
    }

    pub(crate) fn start(&mut self, kind: ItemKind, parent: Option<&CallId>, step: &mut Step<'_>) -> ItemId {
        self.start_with(kind, None, parent, step)
    }

    /// Starts an item that has content from the start.
    pub(crate) fn start_with(
        &mut self,
        kind: ItemKind,
        initial_content: Option<String>,
        parent: Option<&CallId>,
        step: &mut Step<'_>,
    ) -> ItemId {
        let item_id = self.next_item(step);
        let parent_call_id = parent.cloned();
        let start = ItemStart { item_id: item_id.clone(), kind, initial_content, parent_call_id };
        self.write(StreamEvent::ItemStart(start), step);
        item_id
    }

    pub(crate) fn delta(&mut self, item_id: &ItemId, text: &str, step: &mut Step<'_>) {
        let delta = ItemDelta { item_id: item_id.clone(), delta_content: text.to_owned() };
        self.write(StreamEvent::ItemDelta(delta), step);
    }

    pub(crate) fn done(&mut self, item_id: &ItemId, final_item: FinalItem, step: &mut Step<'_>) {
        self.write(StreamEvent::ItemDone(ItemDone { item_id: item_id.clone(), final_item }), step);
    }

    pub(crate) fn fail(&mut self, item_id: &ItemId, error: ErrorInfo, step: &mut Step<'_>) {
        self.write(StreamEvent::ItemError(ItemError { item_id: item_id.clone(), error }), step);
    }

    pub(crate) fn cancel(&mut self, item_id: &ItemId, reason: Option<CancelReason>, step: &mut Step<'_>) {
        self.write(StreamEvent::ItemCancelled(ItemCancelled { item_id: item_id.clone(), reason }), step);
    }

    /// A message that is there as a whole.
    pub(crate) fn message(&mut self, content: String, origin: Origin, step: &mut Step<'_>) {
        self.say(MessageItem::new(content, origin), step);
    }

    /// The same for one that may have files.
    pub(crate) fn say(&mut self, message: MessageItem, step: &mut Step<'_>) {
        let item_id = self.next_item(step);
        self.done(&item_id, FinalItem::Message(message), step);
    }
}
