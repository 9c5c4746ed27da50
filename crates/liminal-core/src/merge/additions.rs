//! Events that a merge adds. Owns their ids, so that nothing in the log is overwritten.

use std::collections::{BTreeMap, BTreeSet};

use super::alignment::{Action, Alignment};
use super::leftovers::Leftovers;
use super::rows::call_of;
use super::turns::{AgentTurn, LogTurn};
use crate::envelope::StreamEventEnvelope;
use crate::event::{FinalItem, ItemDone, ItemKind, ItemStart, ResponseDone, StreamEvent, Usage};
use crate::ids::{CallId, ItemId, TurnId};
use crate::upsert::TurnEvent;

/// The ids that a log has.
#[derive(Debug)]
pub(super) struct Ids {
    turns: BTreeSet<TurnId>,
    items: BTreeSet<ItemId>,
}

impl Ids {
    pub(super) fn of(log: &[LogTurn<'_>]) -> Self {
        let items = log.iter().flat_map(|turn| &turn.rows).map(|row| row.item_id.clone()).collect();
        Self { turns: log.iter().map(|turn| turn.id.clone()).collect(), items }
    }

    pub(super) fn has_item(&self, id: &ItemId) -> bool {
        self.items.contains(id)
    }

    /// An id for a new item, like the one it has.
    fn new_item(&mut self, id: &ItemId) -> ItemId {
        let mut id = id.to_string();
        while !self.items.insert(ItemId::from(id.as_str())) {
            id.push('+');
        }
        ItemId::from(id)
    }

    /// An id for a new turn, like the one it has, under which all items are new.
    fn new_turn(&mut self, turn: &AgentTurn<'_>) -> TurnId {
        let mut id = turn.id.clone();
        let is_used = |id: &TurnId| {
            let mut items = turn.rows.iter().map(|row| renamed_item(&row.item_id, turn.id, id));
            self.turns.contains(id) || items.any(|item| self.items.contains(&item))
        };
        while is_used(&id) {
            id = TurnId::from(format!("{id}+"));
        }
        self.items.extend(turn.rows.iter().map(|row| renamed_item(&row.item_id, turn.id, &id)));
        self.turns.insert(id.clone());
        id
    }
}

/// All events of a turn that the log lacks.
pub(super) fn new_turn(turn: &AgentTurn<'_>, ids: &mut Ids) -> Vec<StreamEventEnvelope> {
    let id = ids.new_turn(turn);
    let renamed = |event: &&StreamEventEnvelope| {
        let mut event = StreamEventEnvelope { turn_id: id.clone(), ..(*event).clone() };
        if let Some(item) = item_mut(&mut event.payload) {
            *item = renamed_item(item, turn.id, &id);
        }
        event
    };
    turn.events.iter().map(renamed).collect()
}

/// The events of rows that a turn of the log lacks, and its end if that was not known.
pub(super) fn to_known_turn(
    known: &LogTurn<'_>,
    turn: &AgentTurn<'_>,
    leftovers: &mut Leftovers<'_>,
    ids: &mut Ids,
) -> Vec<StreamEventEnvelope> {
    let mut items: BTreeMap<&ItemId, ItemId> = BTreeMap::new();
    let mut calls: BTreeSet<&CallId> = BTreeSet::new();
    let alignment = Alignment::of(known, turn);
    for (row, action) in alignment.actions() {
        let id = match action {
            Action::Keep => continue,
            Action::Add if leftovers.take(row) => continue,
            Action::Add => ids.new_item(&row.item_id),
            Action::Complete(logged) => logged.item_id.clone(),
        };
        items.insert(&row.item_id, id);
        calls.extend(call_of(row).map(|call| &call.call_id));
    }
    if items.is_empty() {
        return Vec::new();
    }
    let add = |event: &&StreamEventEnvelope| {
        let mut event = StreamEventEnvelope { turn_id: known.id.clone(), ..(*event).clone() };
        let is_added = rename(&mut event.payload, &items, &calls) || end(&mut event.payload, known.end);
        is_added.then_some(event)
    };
    turn.events.iter().filter_map(add).collect()
}

/// Gives an item its id in the log; tells whether the event belongs to a row that is added.
fn rename(event: &mut StreamEvent, items: &BTreeMap<&ItemId, ItemId>, calls: &BTreeSet<&CallId>) -> bool {
    if output_of(event).is_some_and(|call| calls.contains(call)) {
        return true;
    }
    let Some(item) = item_mut(event) else { return false };
    let Some(id) = items.get(item) else { return false };
    *item = id.clone();
    true
}

/// Whether the event ends the turn better than the log does. What the log knows of its cost is kept; an error that was
/// shown is kept as it is.
fn end(event: &mut StreamEvent, logged: Option<&TurnEvent>) -> bool {
    match (event, logged) {
        (StreamEvent::ResponseDone(done), Some(TurnEvent::TurnComplete { usage, .. })) => {
            *done = ResponseDone { usage: largest(done.usage, *usage), ..done.clone() };
            true
        }
        (event, None) => matches!(event, StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_)),
        (_, Some(_)) => false,
    }
}

fn largest(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    Some(Usage {
        input_tokens: one.input_tokens.max(other.input_tokens),
        output_tokens: one.output_tokens.max(other.output_tokens),
        cache_read_input_tokens: one.cache_read_input_tokens.max(other.cache_read_input_tokens),
        cache_creation_input_tokens: one.cache_creation_input_tokens.max(other.cache_creation_input_tokens),
        cost_usd: match (one.cost_usd, other.cost_usd) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (known, None) | (None, known) => known,
        },
    })
}

/// The id of an item under another id of its turn, from which items take theirs.
fn renamed_item(item: &ItemId, turn: &TurnId, to: &TurnId) -> ItemId {
    match item.as_str().strip_prefix(turn.as_str()) {
        Some(rest) => ItemId::from(format!("{to}{rest}")),
        None if turn == to => item.clone(),
        None => ItemId::from(format!("{to}/{item}")),
    }
}

const fn item_mut(event: &mut StreamEvent) -> Option<&mut ItemId> {
    match event {
        StreamEvent::ItemStart(start) => Some(&mut start.item_id),
        StreamEvent::ItemDelta(delta) => Some(&mut delta.item_id),
        StreamEvent::ItemDone(done) => Some(&mut done.item_id),
        StreamEvent::ItemError(error) => Some(&mut error.item_id),
        StreamEvent::ItemCancelled(cancelled) => Some(&mut cancelled.item_id),
        StreamEvent::ResponseStart(_)
        | StreamEvent::UsageUpdate(_)
        | StreamEvent::ResponseDone(_)
        | StreamEvent::ResponseError(_) => None,
    }
}

/// The call whose output an event tells. The output shows in the row of its call.
fn output_of(event: &StreamEvent) -> Option<&CallId> {
    if let StreamEvent::ItemStart(ItemStart { kind: ItemKind::FunctionCallOutput(output), .. }) = event {
        return output.call_id.as_ref();
    }
    if let StreamEvent::ItemDone(ItemDone { final_item: FinalItem::FunctionCallOutput(output), .. }) = event {
        return Some(&output.call_id);
    }
    None
}
