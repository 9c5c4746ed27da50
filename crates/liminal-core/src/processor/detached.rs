//! Work in the background: tool calls that the end of their turn leaves open. Owns which items outlive a turn, and which
//! events still count after its end.

use super::emission::Sink;
use super::endings::{Fate, Scope};
use super::items::{ItemState, Items, Known, OpenItem, Ordinal};
use super::{Cause, UpsertProcessor};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{FinalItem, ItemError, ItemKind, ItemStart, StreamEvent};
use crate::ids::{CallId, ItemId};
use crate::time::Now;

/// How deep sub-agents may nest. Bounds the search for a detached call; a source may name a call as its own parent.
const DEPTH: usize = 64;

impl UpsertProcessor {
    /// Takes an event of a turn that has ended. Only events of detached calls, and of what belongs to them, have an effect.
    pub(super) fn handle_after_end(&mut self, payload: &StreamEvent, cause: Cause<'_>, out: &mut dyn Sink) {
        if !self.is_of_detached(payload) {
            self.dropped.after_end += 1;
            return;
        }
        self.handle_payload(payload, cause, out);
        let fate = match payload {
            StreamEvent::ItemError(failed) => Fate::Fail(&failed.error),
            StreamEvent::ItemDone(done) if matches!(done.final_item, FinalItem::FunctionCallOutput(_)) => {
                Fate::Complete
            }
            StreamEvent::ResponseStart(_)
            | StreamEvent::ItemStart(_)
            | StreamEvent::ItemDelta(_)
            | StreamEvent::ItemDone(_)
            | StreamEvent::ItemCancelled(_)
            | StreamEvent::UsageUpdate(_)
            | StreamEvent::ResponseDone(_)
            | StreamEvent::ResponseError(_) => return,
        };
        // No later event ends what belongs to a call that is over.
        self.end_items(fate, Scope::OfTurn, Some(cause), cause.now, out);
    }

    /// Gives a detached call up. Its clients saw it running, so unlike other items it is not forgotten.
    pub(super) fn abandon_detached(&mut self, id: &ItemId, cause: Cause<'_>, out: &mut dyn Sink) {
        let error = ErrorInfo::new(ErrorCode::BackgroundEnded, "the work in the background was given up");
        self.fail_item(&ItemError { item_id: id.clone(), error }, cause, out);
    }

    /// Ends what runs in the background after its turn, when nothing more will be heard of it.
    pub(super) fn finish_detached(&mut self, reason: &ErrorInfo, now: Now, out: &mut dyn Sink) {
        let error = ErrorInfo::new(ErrorCode::BackgroundEnded, reason.message.clone());
        self.end_items(Fate::Fail(&error), Scope::All, None, now, out);
    }

    /// After the end of a turn only detached calls and what belongs to them are open.
    fn is_of_detached(&mut self, payload: &StreamEvent) -> bool {
        match payload {
            StreamEvent::ItemStart(start) => self.is_open(&start.item_id) || self.starts_in_detached(start),
            StreamEvent::ItemDelta(delta) => self.is_open(&delta.item_id),
            StreamEvent::ItemDone(done) => match &done.final_item {
                FinalItem::FunctionCallOutput(output) => self.is_call_open(&output.call_id),
                FinalItem::Message(_)
                | FinalItem::Reasoning(_)
                | FinalItem::FunctionCall(_)
                | FinalItem::Plan(_)
                | FinalItem::Permission(_) => self.is_open(&done.item_id),
            },
            StreamEvent::ItemError(failed) => self.is_open(&failed.item_id),
            StreamEvent::ItemCancelled(cancelled) => self.is_open(&cancelled.item_id),
            StreamEvent::ResponseStart(_)
            | StreamEvent::UsageUpdate(_)
            | StreamEvent::ResponseDone(_)
            | StreamEvent::ResponseError(_) => false,
        }
    }

    fn starts_in_detached(&mut self, start: &ItemStart) -> bool {
        let call = match &start.kind {
            ItemKind::FunctionCallOutput(output) => output.call_id.as_ref(),
            ItemKind::Message
            | ItemKind::Reasoning
            | ItemKind::FunctionCall(_)
            | ItemKind::Plan(_)
            | ItemKind::Permission(_) => start.parent_call_id.as_ref(),
        };
        self.items.find(&start.item_id).is_none() && call.is_some_and(|call| self.is_call_open(call))
    }

    fn is_open(&mut self, id: &ItemId) -> bool {
        matches!(self.items.find(id), Some(Known::Open(_)))
    }

    /// An id that a call had before its arguments were final may outlive the call.
    fn is_call_open(&self, call_id: &CallId) -> bool {
        matches!(self.items.find_call(call_id), Some(Known::Open(ordinal)) if self.items.get(ordinal).is_some())
    }
}

impl Items {
    /// Whether an open item is a detached call, or belongs to one that is open.
    pub(super) fn is_detached(&self, ordinal: Ordinal) -> bool {
        let chain = std::iter::successors(self.get(ordinal), |item| self.call_around(item));
        chain.take(DEPTH).any(OpenItem::is_detached_call)
    }

    /// The open call that an item belongs to.
    fn call_around(&self, item: &OpenItem) -> Option<&OpenItem> {
        let call_id = match &item.state {
            ItemState::Output(output) => output.call_id.as_ref()?,
            ItemState::Text(_) | ItemState::Call(_) | ItemState::Plan(_) | ItemState::Permission(_) => {
                item.parent_call_id.as_ref()?
            }
        };
        match self.find_call(call_id)? {
            Known::Open(ordinal) => self.get(ordinal),
            Known::Closed => None,
        }
    }
}

impl OpenItem {
    pub(super) const fn is_detached_call(&self) -> bool {
        matches!(&self.state, ItemState::Call(call) if call.detached)
    }
}
