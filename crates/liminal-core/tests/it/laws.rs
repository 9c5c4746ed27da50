//! Laws of the processor, for every sequence of valid events, in any order, with any ids.

mod detached;
mod events;
mod merging;

use std::collections::BTreeMap;
use std::time::Duration;

use events::{any_events, split_text};
use liminal_core::envelope::{self, EventReader, StreamEventEnvelope};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::StreamEvent;
use liminal_core::ids::ItemId;
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, Profile, UpsertProcessor};
use liminal_core::time::{Now, Timestamp};
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::ServerMessage;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_the_same_however_it_is_split(parts in split_text(), profile in any_profile()) {
        let whole = parts.concat();
        let one = run_text(std::slice::from_ref(&whole), profile);
        let many = run_text(&parts, profile);
        prop_assert_eq!(one.tokens, many.tokens);
        prop_assert_eq!(&one.complete, &many.complete);
        prop_assert_eq!(one.complete, Some(whole));
    }

    #[test]
    fn every_item_is_created_once_then_updated_then_ended(events in any_events(), config in any_config()) {
        for (item, statuses) in statuses(&run(&events, config)) {
            prop_assert!(is_life(&statuses), "{item}: {statuses:?}");
        }
    }

    #[test]
    fn every_turn_ends_once(events in any_events(), config in any_config()) {
        let outputs = run(&events, config);
        let is_end = |output: &&Output| matches!(output, Output::Turn(TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. }));
        prop_assert_eq!(outputs.iter().filter(is_end).count(), 1);
        prop_assert!(is_end(&outputs.last().unwrap()));
        let starts = outputs.iter().filter(|output| matches!(output, Output::Turn(TurnEvent::TurnStarted { .. })));
        prop_assert!(starts.count() <= 1);
    }

    #[test]
    fn what_was_shown_of_a_text_stays(events in any_events(), config in any_config()) {
        let mut shown: BTreeMap<ItemId, String> = BTreeMap::new();
        for upsert in upserts(&run(&events, config)) {
            let Some(text) = text(upsert).filter(|_| upsert.status != UpsertStatus::Complete) else { continue };
            let before = shown.insert(upsert.item_id.clone(), text.to_owned()).unwrap_or_default();
            prop_assert!(text.starts_with(&before), "{before:?} before {text:?}");
        }
    }

    #[test]
    fn no_text_grows_beyond_the_limit(events in any_events(), config in any_config(), limit in 0..40_usize) {
        for upsert in upserts(&run(&events, config.with_item_bytes(limit))) {
            // What is told as a whole was never kept here.
            let Some(text) = text(upsert).filter(|_| upsert.status == UpsertStatus::Update) else { continue };
            prop_assert!(text.len() <= limit, "{text:?}");
        }
    }

    #[test]
    fn after_a_timeout_no_deadline_is_past(events in any_events(), config in any_config(), late in 0..5_000_u64) {
        let mut processor = processor(config);
        let mut outputs = Vec::<Output>::new();
        for event in &events {
            let now = Now::at(event.timestamp.instant());
            processor.handle_event(event, now, &mut outputs);
            let now = now.advanced_to(now.mono + Duration::from_millis(late));
            processor.handle_timeout(now, &mut outputs);
            prop_assert!(processor.next_deadline().is_none_or(|deadline| deadline > now.mono));
            prop_assert!(processor.buffers().iter().all(|buffer| buffer.deadline.is_none_or(|at| at > now.mono)));
        }
    }

    /// A wall clock that is put a day forward or back between any two events.
    #[test]
    fn c30_r19_a_wall_clock_that_jumps_changes_no_order_and_no_deadline(
        events in any_events(), config in any_config(), jumps in prop::collection::vec(-86_400..=86_400_i64, 1..8)
    ) {
        let (mut steady, mut jumping) = (processor(config.clone()), processor(config));
        let (mut expected, mut found) = (Vec::<Output>::new(), Vec::<Output>::new());
        for (event, jump) in events.iter().zip(jumps.iter().cycle()) {
            let now = Now::at(event.timestamp.instant());
            let jumped = Now { wall: now.wall + jiff::SignedDuration::from_secs(*jump), ..now };
            steady.handle_event(event, now, &mut expected);
            jumping.handle_event(event, jumped, &mut found);
            prop_assert_eq!(steady.next_deadline(), jumping.next_deadline());
            let late = now.mono + Duration::from_millis(700);
            steady.handle_timeout(Now { mono: late, ..now }, &mut expected);
            jumping.handle_timeout(Now { mono: late, ..jumped }, &mut found);
        }
        prop_assert_eq!(timeless(expected), timeless(found));
    }

    #[test]
    fn both_profiles_take_anything(events in any_events(), profile in any_profile()) {
        let mut processor = processor(Config::new(profile).with_gradient(&[1]));
        let mut lines = Lines::new(profile);
        for event in &events {
            processor.handle_event(event, Now::at(event.timestamp.instant()), &mut lines);
        }
        processor.finish(&ended(), Now::at(events.last().unwrap().timestamp.instant()), &mut lines);
        let before = lines.bytes().len();
        processor.finish(&ended(), Now::at(events.last().unwrap().timestamp.instant()), &mut lines);
        prop_assert_eq!(lines.bytes().len(), before);
        for line in std::str::from_utf8(lines.bytes()).unwrap().lines() {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn lines_are_the_messages_they_stand_for(events in any_events(), config in any_config()) {
        let mut lines = Lines::new(Profile::UpsertV1);
        let mut processor = processor(config.clone());
        drive(&mut processor, &events, &mut lines);
        let messages = run(&events, config).into_iter().map(|output| match output {
            Output::Upsert(payload) => ServerMessage::Upsert { session_id: payload.session_id.clone(), seq: None, first_seq: None, payload: Box::new(payload) },
            Output::Turn(payload) => ServerMessage::Turn { session_id: payload.session_id().clone(), seq: None, payload },
        });
        let expected: Vec<String> = messages.map(|message| serde_json::to_string(&message).unwrap()).collect();
        let found: Vec<&str> = std::str::from_utf8(lines.bytes()).unwrap().lines().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn an_event_is_read_as_it_was_written(events in any_events()) {
        let mut reader = EventReader::default();
        for event in events {
            let json = serde_json::to_string(&event).unwrap();
            let again = reader.read(&json).expect(&json).event().expect(&json);
            prop_assert_eq!(serde_json::to_string(&again).unwrap(), json);
            prop_assert_eq!(again, event);
        }
    }

    #[test]
    fn the_reader_takes_any_text(text: String, bytes: Vec<u8>) {
        prop_assert!(envelope::read(&text).is_err());
        prop_assert!(envelope::read_bytes(&bytes).is_err());
    }
}

struct TextRun {
    tokens: u64,
    complete: Option<String>,
}

/// Feeds a text as deltas, and lets the turn's end complete it with what was gathered.
fn run_text(parts: &[String], profile: Profile) -> TextRun {
    let mut processor = processor(Config::new(profile));
    let mut outputs = Vec::<Output>::new();
    let mut deltas: Vec<StreamEvent> = vec![events::message_start("i")];
    deltas.extend(parts.iter().map(|part| events::delta("i", part)));
    for payload in deltas {
        processor.handle_event(&events::at(0, payload), events::now(0), &mut outputs);
    }
    let tokens = processor.buffers()[0].token_count;
    processor.finish(&ended(), events::now(0), &mut outputs);
    // Nothing is left to say of an empty text, or of one that is out already.
    let last = upserts(&outputs).last().and_then(|upsert| text(upsert)).unwrap_or_default();
    TextRun { tokens, complete: Some(last.to_owned()) }
}

fn run(events: &[StreamEventEnvelope], config: Config) -> Vec<Output> {
    let mut outputs = Vec::new();
    drive(&mut processor(config), events, &mut outputs);
    outputs
}

fn drive(
    processor: &mut UpsertProcessor,
    events: &[StreamEventEnvelope],
    out: &mut dyn liminal_core::processor::Sink,
) {
    let mut now = events::now(0);
    for event in events {
        let next = Now::at(event.timestamp.instant());
        while let Some(deadline) = processor.next_deadline().filter(|deadline| *deadline <= next.mono) {
            now = now.advanced_to(deadline);
            processor.handle_timeout(now, out);
        }
        now = now.advanced_to(next.mono);
        processor.handle_event(event, now, out);
    }
    processor.finish(&ended(), now, out);
}

fn processor(config: Config) -> UpsertProcessor {
    UpsertProcessor::new(events::SESSION.into(), events::TURN.into(), config)
}

fn ended() -> ErrorInfo {
    ErrorInfo::new(ErrorCode::StreamEnded, "the input ended before the turn did")
}

fn upserts(outputs: &[Output]) -> impl Iterator<Item = &Upsert> {
    outputs.iter().filter_map(|output| match output {
        Output::Upsert(upsert) => Some(upsert),
        Output::Turn(_) => None,
    })
}

fn statuses(outputs: &[Output]) -> BTreeMap<ItemId, Vec<UpsertStatus>> {
    let mut statuses: BTreeMap<ItemId, Vec<UpsertStatus>> = BTreeMap::new();
    for upsert in upserts(outputs) {
        statuses.entry(upsert.item_id.clone()).or_default().push(upsert.status);
    }
    statuses
}

/// create, then any updates, then at most one end; an item may also show only its end.
fn is_life(statuses: &[UpsertStatus]) -> bool {
    let ends = |status: &UpsertStatus| matches!(status, UpsertStatus::Complete | UpsertStatus::Error);
    let Some((last, before)) = statuses.split_last() else { return false };
    let middle = match before.split_first() {
        None => return *last != UpsertStatus::Update,
        Some((first, middle)) => {
            if *first != UpsertStatus::Create {
                return false;
            }
            middle
        }
    };
    middle.iter().all(|status| *status == UpsertStatus::Update)
        && (ends(last) || *last == UpsertStatus::Update)
}

fn text(upsert: &Upsert) -> Option<&str> {
    match &upsert.body {
        UpsertBody::Message(message) => Some(&message.content),
        UpsertBody::Thinking(thinking) => Some(&thinking.content),
        UpsertBody::ToolCall(_) | UpsertBody::Plan(_) | UpsertBody::Permission(_) => None,
    }
}

fn any_profile() -> impl Strategy<Value = Profile> {
    prop_oneof![Just(Profile::UpsertV1), Just(Profile::StreamB)]
}

fn any_config() -> impl Strategy<Value = Config> {
    let gradient = prop::collection::vec(0..6_u64, 0..4);
    let limit = prop_oneof![3 => Just(usize::MAX), 1 => 0..40_usize];
    (gradient, 0..2_000_u64, prop::option::of(0..300_u64), any::<bool>(), limit).prop_map(
        |(gradient, idle, first, announce, limit)| {
            let config = Config::default().with_item_bytes(limit);
            let config = config.with_gradient(&gradient).with_idle_timeout(Duration::from_millis(idle));
            let config = match first {
                Some(first) => config.with_first_emission(Duration::from_millis(first)),
                None => config,
            };
            if announce { config.announcing_arguments() } else { config }
        },
    )
}

/// Outputs without the moments at which they went out.
fn timeless(outputs: Vec<Output>) -> Vec<Output> {
    let epoch = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
    let strip = |output| match output {
        Output::Upsert(upsert) => Output::Upsert(Upsert { emitted_at: epoch, ..upsert }),
        Output::Turn(event) => Output::Turn(event),
    };
    outputs.into_iter().map(strip).collect()
}
