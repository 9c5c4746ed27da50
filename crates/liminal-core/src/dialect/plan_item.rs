//! A task list as an item of a turn. Owns that it stays one item, however often its list is replaced; what the list
//! says is the dialect's business.

use super::{Step, TurnWriter};
use crate::event::{FinalItem, ItemKind, ItemStart, Plan, StreamEvent};
use crate::ids::{CallId, ItemId};

#[derive(Debug, Default)]
pub(crate) struct PlanItem {
    shown: Option<(ItemId, Plan)>,
}

impl PlanItem {
    /// Shows a list, in the place of the one before.
    pub(crate) fn show(
        &mut self,
        plan: Plan,
        parent: Option<&CallId>,
        writer: &mut TurnWriter,
        step: &mut Step<'_>,
    ) {
        let item_id = match &self.shown {
            Some((item_id, _)) => item_id.clone(),
            None => writer.next_item(step),
        };
        let start = ItemStart {
            item_id: item_id.clone(),
            kind: ItemKind::Plan(plan.clone()),
            initial_content: None,
            parent_call_id: parent.cloned(),
        };
        writer.write(StreamEvent::ItemStart(start), step);
        self.shown = Some((item_id, plan));
    }

    /// The list stays as it is.
    pub(crate) fn finish(&mut self, writer: &mut TurnWriter, step: &mut Step<'_>) {
        if let Some((item_id, plan)) = self.shown.take() {
            writer.done(&item_id, FinalItem::Plan(plan), step);
        }
    }
}
