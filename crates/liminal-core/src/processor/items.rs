//! The items of one turn. Owns which are open, in the order of their start, which are over, and which call an
//! output belongs to; decides nothing about what goes out.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use super::growing::GrowingText;
use crate::event::{PermissionRequest, Plan, ToolArguments, ToolDetails};
use crate::ids::{CallId, ItemId};
use crate::time::Timestamp;
use crate::trace_context::TraceContext;

/// An item's place in the order of starts.
pub(super) type Ordinal = u64;

/// An item that has started and not ended.
#[derive(Debug)]
pub(super) struct OpenItem {
    pub(super) id: ItemId,
    pub(super) parent_call_id: Option<CallId>,
    /// When its source last told something of it.
    pub(super) source: Timestamp,
    /// The trace of what it told.
    pub(super) trace: Option<Arc<TraceContext>>,
    pub(super) state: ItemState,
}

impl OpenItem {
    pub(super) const fn growing_mut(&mut self) -> Option<&mut GrowingText> {
        match &mut self.state {
            ItemState::Text(text) => Some(&mut text.growing),
            ItemState::Output(output) => Some(&mut output.growing),
            ItemState::Call(_) | ItemState::Plan(_) | ItemState::Permission(_) => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum ItemState {
    Text(TextItem),
    Call(CallItem),
    Output(OutputItem),
    Plan(Plan),
    Permission(PermissionRequest),
}

/// A message or a thought.
#[derive(Debug)]
pub(super) struct TextItem {
    pub(super) kind: TextKind,
    pub(super) growing: GrowingText,
    /// Waits until it is done, whatever it holds.
    pub(super) held: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Message,
    Reasoning,
}

/// A tool call that waits for its output.
#[derive(Debug)]
pub(super) struct CallItem {
    pub(super) name: String,
    pub(super) call_id: CallId,
    /// The arguments as they stream in.
    pub(super) streamed: String,
    /// They were longer than they may be, and were forgotten.
    pub(super) is_cut: bool,
    /// The arguments once they are final.
    pub(super) arguments: Option<ToolArguments>,
    /// The arguments that clients have seen.
    pub(super) shown: ToolArguments,
    pub(super) details: ToolDetails,
    /// It runs in the background, and the end of its turn leaves it open.
    pub(super) detached: bool,
}

impl TextKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Reasoning => "reasoning",
        }
    }
}

impl CallItem {
    /// The best that is known of the arguments.
    pub(super) fn known_arguments(&self) -> ToolArguments {
        self.arguments.clone().unwrap_or_else(|| serde_json::from_str(&self.streamed).unwrap_or_default())
    }
}

/// Output of a running tool.
#[derive(Debug)]
pub(super) struct OutputItem {
    pub(super) call_id: Option<CallId>,
    pub(super) growing: GrowingText,
}

/// What comes late comes soon after: of a turn without end, no more ended items are remembered than these.
const REMEMBERED: usize = 16_384;

/// What is known of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Open(Ordinal),
    Closed,
}

#[derive(Debug, Default)]
pub(super) struct Items {
    open: BTreeMap<Ordinal, OpenItem>,
    by_id: HashMap<ItemId, Known>,
    by_call: HashMap<CallId, Known>,
    /// Those that ended, the oldest first.
    ended: VecDeque<ItemId>,
    ended_calls: VecDeque<CallId>,
    /// The newest open output of each call.
    outputs: HashMap<CallId, Ordinal>,
    /// Calls that ended before their output and run in the background.
    pub(super) detached_outputs: HashSet<CallId>,
    next: Ordinal,
    /// Deltas come in runs; the last item found is most likely the next one asked for.
    recent: Option<(ItemId, Ordinal)>,
}

impl Items {
    pub(super) fn find(&mut self, id: &ItemId) -> Option<Known> {
        if let Some((recent, ordinal)) = &self.recent
            && recent == id
        {
            return Some(Known::Open(*ordinal));
        }
        let known = self.by_id.get(id).copied();
        if let Some(Known::Open(ordinal)) = known {
            self.recent = Some((id.clone(), ordinal));
        }
        known
    }

    pub(super) fn find_call(&self, call_id: &CallId) -> Option<Known> {
        self.by_call.get(call_id).copied()
    }

    pub(super) fn insert(&mut self, item: OpenItem) -> Ordinal {
        let ordinal = self.next;
        self.next += 1;
        self.by_id.insert(item.id.clone(), Known::Open(ordinal));
        match &item.state {
            ItemState::Call(call) => self.rename_call(ordinal, &call.call_id),
            ItemState::Output(OutputItem { call_id: Some(call_id), .. }) => {
                self.outputs.insert(call_id.clone(), ordinal);
            }
            ItemState::Output(_) | ItemState::Text(_) | ItemState::Plan(_) | ItemState::Permission(_) => {}
        }
        self.open.insert(ordinal, item);
        ordinal
    }

    pub(super) fn get(&self, ordinal: Ordinal) -> Option<&OpenItem> {
        self.open.get(&ordinal)
    }

    pub(super) fn get_mut(&mut self, ordinal: Ordinal) -> Option<&mut OpenItem> {
        self.open.get_mut(&ordinal)
    }

    /// Joins an open call to a call id.
    pub(super) fn rename_call(&mut self, ordinal: Ordinal, call_id: &CallId) {
        self.by_call.insert(call_id.clone(), Known::Open(ordinal));
    }

    /// Ends an item; from here on everything about it is late.
    pub(super) fn close(&mut self, ordinal: Ordinal) -> Option<OpenItem> {
        let item = self.open.remove(&ordinal)?;
        self.mark_closed(&item.id);
        match &item.state {
            ItemState::Call(call) => self.mark_call_closed(&call.call_id),
            ItemState::Output(OutputItem { call_id: Some(call_id), .. }) => {
                if self.outputs.get(call_id) == Some(&ordinal) {
                    self.outputs.remove(call_id);
                }
            }
            ItemState::Output(_) | ItemState::Text(_) | ItemState::Plan(_) | ItemState::Permission(_) => {}
        }
        Some(item)
    }

    pub(super) fn mark_closed(&mut self, id: &ItemId) {
        self.recent = None;
        end(&mut self.by_id, &mut self.ended, id);
    }

    pub(super) fn mark_call_closed(&mut self, call_id: &CallId) {
        end(&mut self.by_call, &mut self.ended_calls, call_id);
    }

    /// The open items, in the order of their start.
    pub(super) fn ordinals(&self) -> Vec<Ordinal> {
        self.open.keys().copied().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The newest output of a call, if it is still open.
    pub(super) fn output_of(&self, call_id: &CallId) -> Option<Ordinal> {
        self.outputs.get(call_id).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OpenItem> {
        self.open.values()
    }
}

fn end<Id: Clone + Eq + Hash>(known: &mut HashMap<Id, Known>, ended: &mut VecDeque<Id>, id: &Id) {
    if known.insert(id.clone(), Known::Closed) == Some(Known::Closed) {
        return;
    }
    ended.push_back(id.clone());
    if ended.len() > REMEMBERED
        && let Some(oldest) = ended.pop_front()
        && known.get(&oldest) == Some(&Known::Closed)
    {
        known.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_without_end_is_remembered_as_far_back_as_something_may_come_late() {
        let mut items = Items::default();
        let id = |number: usize| ItemId::from(format!("t/{number}"));
        for number in 0..REMEMBERED * 2 {
            items.mark_closed(&id(number));
            items.mark_closed(&id(number));
            items.mark_call_closed(&CallId::from(format!("c{number}")));
        }
        let held = [items.by_id.len(), items.by_call.len(), items.ended.len(), items.ended_calls.len()];
        assert_eq!(held, [REMEMBERED; 4]);
        assert_eq!(items.find(&id(REMEMBERED)), Some(Known::Closed));
        assert_eq!(items.find(&id(REMEMBERED - 1)), None);
    }
}
