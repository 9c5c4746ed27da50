//! Acceptance of the ids and times: what every recording gives can be put together again by its ids, and tells when its
//! source said it.
#![expect(clippy::wildcard_enum_match_arm, reason = "a check looks only for what it is about")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::event::{FinalItem, StreamEvent};
use liminal_core::ids::{CallId, ItemId, TurnId};
use liminal_core::time::Timestamp;
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertBody};

use crate::correlated::{
    assert_calls_share_ids, assert_items_share_ids, assert_turns_share_ids, call_id, item_id,
};
use crate::replay::every_recording::{Played, Step, by_folder};

/// Runs a check over all recordings; each folder must hold something that was checked.
fn check_all(check: impl Fn(&Played) -> usize) {
    for (folder, recordings) in by_folder() {
        let checked = |played: &Played| {
            let found = catch_unwind(AssertUnwindSafe(|| check(played)));
            found.unwrap_or_else(|_| panic!("see above; the recording is {}", played.name))
        };
        let found: usize = recordings.iter().map(checked).sum();
        assert!(found > 0, "nothing to check in {folder}");
    }
}

fn check_sessions(check: fn(&[StreamEventEnvelope]) -> usize) {
    check_all(|played| played.sessions().iter().map(|events| check(events)).sum());
}

#[test]
fn tc_1_2a_events_of_a_turn_share_its_turn_id() {
    check_sessions(assert_turns_share_ids);
}

#[test]
fn tc_1_2b_events_of_an_item_share_its_item_id() {
    check_sessions(assert_items_share_ids);
}

#[test]
fn tc_1_2c_a_call_and_its_result_share_the_call_id() {
    check_sessions(assert_calls_share_ids);
}

#[test]
fn tc_1_3a_outputs_carry_the_ids_and_times_of_their_events() {
    check_all(|played| {
        let mut sources = Sources::default();
        let mut before = None;
        for step in &played.steps {
            sources.take(step);
            step.outputs.iter().for_each(|output| sources.check(output, step));
            step.outputs.iter().for_each(|output| assert_in_time(output, step, before));
            before = Some(step.now.wall);
        }
        played.steps.iter().map(|step| step.outputs.len()).sum()
    });
}

/// What the events have told of each item so far.
#[derive(Default)]
struct Sources<'a> {
    items: BTreeMap<&'a ItemId, Source<'a>>,
    /// The item of each call.
    calls: BTreeMap<(&'a TurnId, &'a CallId), &'a ItemId>,
    turns: BTreeMap<&'a TurnId, &'a StreamEventEnvelope>,
}

struct Source<'a> {
    first: &'a StreamEventEnvelope,
    latest: Timestamp,
    call: Option<&'a CallId>,
    parent: Option<&'a CallId>,
}

impl<'a> Sources<'a> {
    fn take(&mut self, step: &'a Step) {
        let Some(event) = &step.event else { return };
        assert_eq!(
            event.timestamp.instant(),
            step.now.wall,
            "the time at which the agent said it: {event:?}"
        );
        self.turns.entry(&event.turn_id).or_insert(event);
        let Some(id) = item_id(&event.payload) else { return };
        let call = call_id(&event.payload);
        let source = self.items.entry(id).or_insert_with(|| Source::new(event, call));
        (source.latest, source.call) = (event.timestamp, call.or(source.call));
        let Some(call) = source.call else { return };
        let item = *self.calls.entry((&event.turn_id, call)).or_insert(id);
        // The call shows its output.
        if let Some(source) = self.items.get_mut(item) {
            source.latest = event.timestamp;
        }
    }

    fn check(&self, output: &Output, step: &Step) {
        match output {
            Output::Turn(milestone) => self.check_turn(milestone, step),
            Output::Upsert(upsert) => self.check_upsert(upsert, step),
        }
    }

    fn check_turn(&self, milestone: &TurnEvent, step: &Step) {
        let (TurnEvent::TurnStarted { turn_id, session_id, .. }
        | TurnEvent::TurnComplete { turn_id, session_id, .. }
        | TurnEvent::TurnError { turn_id, session_id, .. }) = milestone;
        assert_eq!(session_id, &self.turns[turn_id].session_id, "{milestone:?}");
        let event = step.event.as_ref().expect("every recorded turn is ended by an event");
        assert_eq!(turn_id, &event.turn_id, "{milestone:?}");
    }

    fn check_upsert(&self, upsert: &Upsert, step: &Step) {
        let source = &self.items[&upsert.item_id];
        let first = source.first;
        assert_eq!((&upsert.session_id, &upsert.turn_id), (&first.session_id, &first.turn_id), "{upsert:?}");
        assert_eq!(upsert.parent_call_id.as_ref(), source.parent, "{upsert:?}");
        if let UpsertBody::ToolCall(call) = &upsert.body {
            assert_eq!(Some(&call.call_id), source.call, "{upsert:?}");
        }
        let cause = step.event.as_ref().filter(|event| ends_others(&event.payload));
        let cause = cause.map_or(source.latest, |event| event.timestamp);
        assert_eq!(upsert.source_timestamp, cause, "the time of the newest event: {upsert:?}");
    }
}

impl<'a> Source<'a> {
    fn new(first: &'a StreamEventEnvelope, call: Option<&'a CallId>) -> Self {
        let parent = match &first.payload {
            StreamEvent::ItemStart(start) => start.parent_call_id.as_ref(),
            _ => None,
        };
        Self { first, latest: first.timestamp, call, parent }
    }
}

/// An event that also ends items which it does not name: those of its turn, or of the call whose result it is.
fn ends_others(event: &StreamEvent) -> bool {
    match event {
        StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_) | StreamEvent::ItemError(_) => true,
        StreamEvent::ItemDone(done) => matches!(done.final_item, FinalItem::FunctionCallOutput(_)),
        _ => false,
    }
}

/// What an event causes goes out at once; what waited goes out between the step before and this one.
fn assert_in_time(output: &Output, step: &Step, before: Option<jiff::Timestamp>) {
    let Output::Upsert(upsert) = output else { return };
    let (emitted, source) = (upsert.emitted_at.instant(), upsert.source_timestamp.instant());
    assert!(source <= emitted && emitted <= step.now.wall, "{upsert:?}");
    if step.event.is_some() {
        assert_eq!(emitted, step.now.wall, "{upsert:?}");
    } else {
        assert!(before.is_some_and(|before| before <= emitted), "{upsert:?}");
    }
}
