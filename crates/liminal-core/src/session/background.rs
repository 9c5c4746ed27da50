//! The detached calls of a session that are open. Owns their count; knows nothing of what they do.

use std::collections::BTreeMap;

use crate::event::{FinalItem, ItemKind, ItemStart, StreamEvent};
use crate::ids::{CallId, ItemId};

#[derive(Debug, Default)]
pub(super) struct Background {
    calls: BTreeMap<CallId, ItemId>,
}

impl Background {
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes an event of any turn.
    pub(super) fn note(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::ItemStart(ItemStart { item_id, kind: ItemKind::FunctionCall(call), .. })
                if call.detached =>
            {
                self.calls.insert(call.call_id.clone(), item_id.clone());
            }
            StreamEvent::ItemDone(done) => {
                if let FinalItem::FunctionCallOutput(output) = &done.final_item {
                    self.calls.remove(&output.call_id);
                }
            }
            StreamEvent::ItemError(failed) => self.forget(&failed.item_id),
            StreamEvent::ItemCancelled(cancelled) => self.forget(&cancelled.item_id),
            StreamEvent::ItemStart(_)
            | StreamEvent::ItemDelta(_)
            | StreamEvent::ResponseStart(_)
            | StreamEvent::ResponseDone(_)
            | StreamEvent::ResponseError(_)
            | StreamEvent::UsageUpdate(_) => {}
        }
    }

    fn forget(&mut self, item: &ItemId) {
        self.calls.retain(|_, of| of != item);
    }
}
