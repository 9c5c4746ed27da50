//! What holds for the ids of any events: those of a turn share its `turnId`, those of an item its `itemId`, and a call and its
//! result their `callId`. Each check returns how much it found, so that no caller passes by finding nothing.
#![expect(clippy::wildcard_enum_match_arm, reason = "a check looks only for what it is about")]

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::event::{FinalItem, ItemKind, ResponseStatus, StreamEvent};
use liminal_core::ids::{CallId, ItemId, TurnId};

/// Checks that every event from a turn's start to its end carries the `turnId` of that start. Only the background work of an
/// earlier turn may come in between. Returns the number of turns.
pub(crate) fn assert_turns_share_ids(events: &[StreamEventEnvelope]) -> usize {
    let (mut running, mut ended, mut background) = (None, BTreeSet::new(), Background::default());
    for event in events {
        let turn = &event.turn_id;
        match &event.payload {
            StreamEvent::ResponseStart(_) => {
                assert_eq!(running.replace(turn), None, "two turns at once: {event:?}");
                assert!(!ended.contains(turn), "a turnId is used twice: {event:?}");
            }
            StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_) => {
                assert_eq!(running.take(), Some(turn), "the end of another turn: {event:?}");
                ended.insert(turn);
            }
            _ if running == Some(turn) => {}
            _ => assert!(ended.contains(turn) && background.owns(event), "not of {running:?}: {event:?}"),
        }
        background.note(event);
    }
    assert_eq!(running, None, "a turn without an end");
    ended.len()
}

/// Checks that the events of an item, from its start to its end, have one `itemId` and one `turnId`: deltas, errors and
/// cancellations name an item that was started, nothing follows an end, and what started in a completed turn has an end.
/// Returns the number of items that were started, streamed and finished.
pub(crate) fn assert_items_share_ids(events: &[StreamEventEnvelope]) -> usize {
    let mut items: BTreeMap<&ItemId, Life<'_>> = BTreeMap::new();
    for event in events {
        let Some(id) = item_id(&event.payload) else { continue };
        let is_first = !items.contains_key(id);
        let life = items.entry(id).or_insert_with(|| Life::new(&event.turn_id));
        assert_eq!(&event.turn_id, life.turn, "{id} is an item of another turn: {event:?}");
        life.take(event, is_first);
    }
    let calls = calls_that_failed(events);
    for event in events.iter().filter(|event| is_completion(&event.payload)) {
        let of_turn = items.iter().filter(|(_, life)| life.turn == &event.turn_id);
        of_turn.for_each(|(id, life)| {
            let ended_with_call = life.call.is_some_and(|call| calls.contains(&(life.turn, call)));
            assert!(life.has_end || ended_with_call, "{id} was started and has no end");
        });
    }
    items.values().filter(|life| life.is_started && life.deltas > 0 && life.has_end).count()
}

/// Checks that a result has the `callId` of a call that its turn has shown before, that it is the only one with that id, and
/// that no two calls of a turn share one. Returns the number of results.
pub(crate) fn assert_calls_share_ids(events: &[StreamEventEnvelope]) -> usize {
    let (mut calls, mut results) = (BTreeMap::new(), BTreeMap::new());
    for event in events {
        let (Some(id), Some(call)) = (item_id(&event.payload), call_id(&event.payload)) else { continue };
        let key = (&event.turn_id, call);
        if is_call(&event.payload) {
            // A call that the model wrote a second time has the id of the last try.
            let is_final = matches!(event.payload, StreamEvent::ItemDone(_));
            calls.retain(|of, item| *item != id || of == &key || !is_final);
            assert_eq!(*calls.entry(key).or_insert(id), id, "two calls share a callId: {event:?}");
            let ids = calls.values().filter(|item| **item == id).count();
            assert_eq!(ids, 1, "a call with two callIds: {event:?}");
        } else {
            assert!(calls.contains_key(&key), "of a call that its turn never showed: {event:?}");
            assert_eq!(*results.entry(key).or_insert(id), id, "a second result of a call: {event:?}");
        }
    }
    results.len()
}

/// The calls that ended by an error; their live output has no end of its own.
fn calls_that_failed(events: &[StreamEventEnvelope]) -> BTreeSet<(&TurnId, &CallId)> {
    let calls = events.iter().filter(|event| is_call(&event.payload));
    let calls: BTreeMap<&ItemId, &CallId> =
        calls.filter_map(|event| Some((item_id(&event.payload)?, call_id(&event.payload)?))).collect();
    let failed = events.iter().filter(|event| matches!(event.payload, StreamEvent::ItemError(_)));
    failed.filter_map(|event| Some((&event.turn_id, *calls.get(item_id(&event.payload)?)?))).collect()
}

/// What was heard of one item.
struct Life<'a> {
    turn: &'a TurnId,
    is_started: bool,
    deltas: usize,
    /// A call has its end when its arguments are final; its result is an item of its own.
    has_end: bool,
    kind: &'static str,
    call: Option<&'a CallId>,
}

impl<'a> Life<'a> {
    const fn new(turn: &'a TurnId) -> Self {
        Self { turn, is_started: false, deltas: 0, has_end: false, kind: "", call: None }
    }

    fn take(&mut self, event: &'a StreamEventEnvelope, is_first: bool) {
        self.call = call_id(&event.payload).or(self.call);
        match &event.payload {
            StreamEvent::ItemStart(start) => {
                let kind = kind_of_start(&start.kind);
                let tells_more = matches!(kind, "function_call" | "plan");
                assert!(is_first || (tells_more && self.kind == kind), "started twice: {event:?}");
                (self.is_started, self.kind) = (true, kind);
            }
            // A source may send only finished items.
            StreamEvent::ItemDone(done) => {
                let kind = kind_of_final(&done.final_item);
                assert!(is_first || (self.kind == kind && !self.has_end), "done as another item: {event:?}");
                (self.has_end, self.kind) = (true, kind);
            }
            StreamEvent::ItemDelta(_) => {
                assert!(self.is_started && !self.has_end, "a delta of no open item: {event:?}");
                self.deltas += 1;
            }
            _ => {
                let is_open = !self.has_end || self.kind == "function_call";
                assert!(self.is_started && is_open, "the end of no open item: {event:?}");
                self.has_end = true;
            }
        }
    }
}

/// The calls of a recording, to tell what may still change after the end of a turn.
#[derive(Default)]
struct Background<'a> {
    /// The call that each item is, or belongs to.
    calls: BTreeMap<&'a ItemId, &'a CallId>,
    detached: BTreeSet<&'a CallId>,
    parents: BTreeMap<&'a CallId, &'a CallId>,
}

impl<'a> Background<'a> {
    fn note(&mut self, event: &'a StreamEventEnvelope) {
        let parent = match &event.payload {
            StreamEvent::ItemStart(start) => start.parent_call_id.as_ref(),
            _ => None,
        };
        let own = call_id(&event.payload);
        if let (Some(id), Some(call)) = (item_id(&event.payload), own.or(parent)) {
            self.calls.insert(id, call);
        }
        if let (Some(own), Some(parent)) = (own, parent) {
            self.parents.insert(own, parent);
        }
        if is_detached(&event.payload) {
            self.detached.extend(own);
        }
    }

    fn owns(&self, event: &'a StreamEventEnvelope) -> bool {
        let known = item_id(&event.payload).and_then(|id| self.calls.get(id).copied());
        let parent = match &event.payload {
            StreamEvent::ItemStart(start) => start.parent_call_id.as_ref(),
            _ => None,
        };
        let first = known.or(parent).or(call_id(&event.payload));
        let mut around = std::iter::successors(first, |call| self.parents.get(*call).copied());
        around.any(|call| self.detached.contains(call))
    }
}

pub(crate) fn item_id(event: &StreamEvent) -> Option<&ItemId> {
    match event {
        StreamEvent::ItemStart(start) => Some(&start.item_id),
        StreamEvent::ItemDelta(delta) => Some(&delta.item_id),
        StreamEvent::ItemDone(done) => Some(&done.item_id),
        StreamEvent::ItemError(failed) => Some(&failed.item_id),
        StreamEvent::ItemCancelled(cancelled) => Some(&cancelled.item_id),
        _ => None,
    }
}

/// The call that an event is of, or whose output it is.
pub(crate) fn call_id(event: &StreamEvent) -> Option<&CallId> {
    match event {
        StreamEvent::ItemStart(start) => match &start.kind {
            ItemKind::FunctionCall(call) => Some(&call.call_id),
            ItemKind::FunctionCallOutput(output) => output.call_id.as_ref(),
            _ => None,
        },
        StreamEvent::ItemDone(done) => match &done.final_item {
            FinalItem::FunctionCall(call) => Some(&call.call_id),
            FinalItem::FunctionCallOutput(output) => Some(&output.call_id),
            _ => None,
        },
        _ => None,
    }
}

fn is_call(event: &StreamEvent) -> bool {
    match event {
        StreamEvent::ItemStart(start) => matches!(start.kind, ItemKind::FunctionCall(_)),
        StreamEvent::ItemDone(done) => matches!(done.final_item, FinalItem::FunctionCall(_)),
        _ => false,
    }
}

fn is_detached(event: &StreamEvent) -> bool {
    matches!(event, StreamEvent::ItemStart(start)
        if matches!(&start.kind, ItemKind::FunctionCall(call) if call.detached))
}

fn is_completion(event: &StreamEvent) -> bool {
    matches!(event, StreamEvent::ResponseDone(done) if done.status == ResponseStatus::Completed)
}

const fn kind_of_start(kind: &ItemKind) -> &'static str {
    match kind {
        ItemKind::Message => "message",
        ItemKind::Reasoning => "reasoning",
        ItemKind::FunctionCall(_) => "function_call",
        ItemKind::FunctionCallOutput(_) => "function_call_output",
        ItemKind::Plan(_) => "plan",
        ItemKind::Permission(_) => "permission",
    }
}

const fn kind_of_final(item: &FinalItem) -> &'static str {
    match item {
        FinalItem::Message(_) => "message",
        FinalItem::Reasoning(_) => "reasoning",
        FinalItem::FunctionCall(_) => "function_call",
        FinalItem::FunctionCallOutput(_) => "function_call_output",
        FinalItem::Plan(_) => "plan",
        FinalItem::Permission(_) => "permission",
    }
}
