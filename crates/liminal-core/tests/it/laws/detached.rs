//! Laws of calls that run in the background, for every sequence of valid events.

use std::collections::BTreeSet;

use liminal_core::envelope::{EventReader, StreamEventEnvelope};
use liminal_core::event::{FinalItem, ItemDone, ItemKind, ItemStart, StreamEvent};
use liminal_core::ids::{CallId, ItemId};
use liminal_core::processor::{Config, Profile, UpsertProcessor};
use liminal_core::upsert::{Output, ToolCallBody, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use proptest::prelude::*;

use crate::laws::events::any_background_events;
use crate::laws::{any_config, drive, is_life, processor, run, statuses, upserts};

/// How many items the events are about.
const ITEMS: usize = 5;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_item_in_the_background_lives_like_any_other(events in any_background_events(), config in any_config()) {
        for (item, statuses) in statuses(&run(&events, config)) {
            prop_assert!(is_life(&statuses), "{item}: {statuses:?}");
        }
    }

    #[test]
    fn a_turn_with_background_work_ends_once(events in any_background_events(), config in any_config()) {
        let outputs = run(&events, config);
        prop_assert_eq!(outputs.iter().filter(|output| is_end(output)).count(), 1);
    }

    #[test]
    fn only_background_work_changes_after_the_end_of_its_turn(
        events in any_background_events(), config in any_config(),
    ) {
        let outputs = run(&events, config);
        let end = outputs.iter().position(is_end).unwrap();
        let (before, after) = outputs.split_at(end);
        let is_shown = |upsert: &&Upsert| detached_call(upsert).is_some();
        let mut items: BTreeSet<&ItemId> = upserts(before).filter(is_shown).map(|upsert| &upsert.item_id).collect();
        let is_below = |items: &BTreeSet<&ItemId>, upsert: &Upsert| {
            let parent = upsert.parent_call_id.as_ref();
            parent.is_some_and(|parent| items.iter().any(|item| names(&events, item).contains(parent)))
        };
        // As deep as there are items: a child may be shown before its parent.
        for _ in 0..ITEMS {
            let below: Vec<&Upsert> = upserts(before).filter(|upsert| is_below(&items, upsert)).collect();
            items.extend(below.iter().map(|upsert| &upsert.item_id));
        }
        for upsert in upserts(after) {
            prop_assert!(is_below(&items, upsert) || items.contains(&upsert.item_id), "{upsert:?}");
            items.insert(&upsert.item_id);
        }
    }

    #[test]
    fn nothing_shown_in_the_background_stays_open(events in any_background_events(), config in any_config()) {
        let outputs = run(&events, config);
        let shown: BTreeSet<&ItemId> =
            upserts(&outputs).filter(|upsert| detached_call(upsert).is_some()).map(|upsert| &upsert.item_id).collect();
        for item in shown {
            let last = upserts(&outputs).filter(|upsert| upsert.item_id == *item).last().unwrap();
            prop_assert!(matches!(last.status, UpsertStatus::Complete | UpsertStatus::Error), "{last:?}");
        }
    }

    #[test]
    fn a_turn_with_nothing_open_takes_nothing_more(events in any_background_events(), config in any_config()) {
        let mut processor = processor(config);
        let mut outputs = Vec::<Output>::new();
        drive(&mut processor, &events, &mut outputs);
        prop_assert!(processor.is_ended());
        let count = outputs.len();
        for event in &events {
            processor.handle_event(event, crate::laws::events::now(1_000_000), &mut outputs);
        }
        prop_assert_eq!(outputs.len(), count);
    }

    #[test]
    fn nothing_follows_the_end_of_a_turn_in_stream_b(events in any_background_events()) {
        let mut outputs = Vec::<Output>::new();
        let config = Config::new(Profile::StreamB);
        drive(&mut UpsertProcessor::new(crate::laws::events::SESSION.into(), crate::laws::events::TURN.into(), config), &events, &mut outputs);
        let end = outputs.iter().position(is_end);
        prop_assert!(end.is_none_or(|end| end + 1 == outputs.len()));
    }

    #[test]
    fn a_background_event_is_read_as_it_was_written(events in any_background_events()) {
        for event in &events {
            let line = serde_json::to_string(event).unwrap();
            let is_detached = matches!(&event.payload, StreamEvent::ItemStart(start)
                if matches!(&start.kind, ItemKind::FunctionCall(call) if call.detached));
            prop_assert_eq!(line.contains("\"detached\":true"), is_detached);
            let read = EventReader::default().read(&line).expect(&line).event();
            prop_assert_eq!(read.as_ref(), Some(event));
        }
    }
}

/// The call ids of an item: a source may give a call another one when its arguments are final.
fn names(events: &[StreamEventEnvelope], item: &ItemId) -> BTreeSet<CallId> {
    let name = |event: &StreamEventEnvelope| match &event.payload {
        StreamEvent::ItemStart(ItemStart { item_id, kind: ItemKind::FunctionCall(call), .. })
            if item_id == item =>
        {
            Some(call.call_id.clone())
        }
        StreamEvent::ItemDone(ItemDone { item_id, final_item: FinalItem::FunctionCall(call) })
            if item_id == item =>
        {
            Some(call.call_id.clone())
        }
        StreamEvent::ResponseStart(_)
        | StreamEvent::ItemStart(_)
        | StreamEvent::ItemDelta(_)
        | StreamEvent::ItemDone(_)
        | StreamEvent::ItemError(_)
        | StreamEvent::ItemCancelled(_)
        | StreamEvent::UsageUpdate(_)
        | StreamEvent::ResponseDone(_)
        | StreamEvent::ResponseError(_) => None,
    };
    events.iter().filter_map(name).collect()
}

fn is_end(output: &Output) -> bool {
    matches!(output, Output::Turn(TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. }))
}

fn call(upsert: &Upsert) -> Option<&ToolCallBody> {
    match &upsert.body {
        UpsertBody::ToolCall(call) => Some(call),
        UpsertBody::Message(_)
        | UpsertBody::Thinking(_)
        | UpsertBody::Plan(_)
        | UpsertBody::Permission(_) => None,
    }
}

fn detached_call(upsert: &Upsert) -> Option<CallId> {
    call(upsert).filter(|call| call.detached).map(|call| call.call_id.clone())
}
