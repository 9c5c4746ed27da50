//! Plans and permission requests: items that go out at once and as a whole. Owns their way from start to end, and that
//! consumers who do not know them never see them.

use super::emission::{Emission, Sink};
use super::items::{ItemState, Ordinal};
use super::{Cause, UpsertProcessor};
use crate::event::{ItemStart, Plan};
use crate::ids::ItemId;
use crate::upsert::{PermissionBody, PlanBody, Upsert, UpsertBody, UpsertStatus};

impl UpsertProcessor {
    /// Starts an item that goes out at once and as a whole.
    pub(super) fn start_whole(
        &mut self,
        start: &ItemStart,
        state: ItemState,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let ordinal = self.insert(start, state, cause);
        self.emit_whole(ordinal, UpsertStatus::Create, cause, out);
    }

    pub(super) fn replace_plan(
        &mut self,
        ordinal: Ordinal,
        plan: &Plan,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        match self.items.get_mut(ordinal).map(|item| &mut item.state) {
            Some(ItemState::Plan(current)) => current.clone_from(plan),
            _ => return self.dropped.contradiction += 1,
        }
        self.emit_whole(ordinal, UpsertStatus::Update, cause, out);
    }

    fn emit_whole(&self, ordinal: Ordinal, status: UpsertStatus, cause: Cause<'_>, out: &mut dyn Sink) {
        let Some(item) = self.items.get(ordinal) else { return };
        let body = match &item.state {
            ItemState::Plan(plan) => UpsertBody::Plan(PlanBody { entries: plan.entries.clone() }),
            ItemState::Permission(asked) => {
                UpsertBody::Permission(PermissionBody { request: asked.clone(), outcome: None })
            }
            ItemState::Text(_) | ItemState::Call(_) | ItemState::Output(_) => return,
        };
        let upsert = self.turn.upsert(&item.id, item.parent_call_id.as_ref(), status, cause, body);
        self.give_out(upsert, cause, out);
    }

    /// Gives out an upsert of a type that the consumers may not know.
    pub(super) fn give_out(&self, upsert: Upsert, cause: Cause<'_>, out: &mut dyn Sink) {
        if self.config.shows(&upsert.body) {
            out.item(Emission::whole(upsert, cause));
        }
    }

    pub(super) fn finish_whole(
        &mut self,
        id: &ItemId,
        body: UpsertBody,
        matching: fn(&ItemState) -> bool,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let Some(closed) = self.close_matching(id, matching) else { return };
        let parent = closed.and_then(|item| item.parent_call_id);
        let upsert = self.turn.upsert(id, parent.as_ref(), UpsertStatus::Complete, cause, body);
        self.give_out(upsert, cause, out);
    }
}
