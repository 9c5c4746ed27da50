use std::collections::BTreeMap;

use liminal_builder::log::{Encoder, Key, Record};
use liminal_core::envelope;
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::processor::Config;
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::{Output, TurnEvent, UpsertBody, UpsertStatus};

use crate::support::process_fixtures;

/// What a log is given is what the owned outputs would have been, byte by byte, with the beginnings of what takes time.
#[test]
fn records_hold_the_outputs_of_a_processor() {
    let (mut seen, mut texts) = (0, 0);
    for directory in process_fixtures() {
        let input = std::fs::read_to_string(directory.join("in.ndjson")).unwrap();
        let (records, mut outputs) = process(&input);
        tell_beginnings(&mut outputs);
        assert_eq!(records.len(), outputs.len(), "{}", directory.display());
        for (record, output) in records.iter().zip(&outputs) {
            check(record, output);
            texts += usize::from(record.text_start.is_some());
        }
        seen += records.len();
    }
    assert!(seen > 200 && texts > 100, "{seen} outputs, {texts} texts");
}

fn tell_beginnings(outputs: &mut [Output]) {
    let mut beginnings = BTreeMap::new();
    for output in outputs {
        let Output::Upsert(state) = output else { continue };
        if !matches!(state.body, UpsertBody::Thinking(_) | UpsertBody::ToolCall(_)) {
            continue;
        }
        if state.status == UpsertStatus::Create {
            beginnings.insert(state.item_id.clone(), state.source_timestamp);
        } else {
            state.started_at = beginnings.get(&state.item_id).copied();
        }
    }
}

fn process(input: &str) -> (Vec<Record>, Vec<Output>) {
    let (mut encoder, mut outputs) = (Encoder::default(), Vec::new());
    let config = Config::default;
    let (mut one, mut other) = (Turns::new(config()), Turns::new(config()));
    let events = input.lines().filter_map(|line| envelope::read(line).ok()?.event());
    for event in events {
        let now = Now::at(event.timestamp.instant());
        one.handle_timeout(now.mono, &mut encoder);
        other.handle_timeout(now.mono, &mut outputs);
        one.handle_event(&event, now, &mut encoder);
        other.handle_event(&event, now, &mut outputs);
    }
    let reason = ErrorInfo::new(ErrorCode::StreamEnded, "the stream ended");
    one.finish(&reason, None, &mut encoder);
    other.finish(&reason, None, &mut outputs);
    (encoder.take().records().to_vec(), outputs)
}

fn check(record: &Record, output: &Output) {
    match output {
        Output::Upsert(upsert) => {
            assert_eq!(record.bytes, serde_json::to_vec(upsert).unwrap());
            assert_eq!((&record.key, &record.turn), (&Key::Item(upsert.item_id.clone()), &upsert.turn_id));
            let is_open = matches!(upsert.status, UpsertStatus::Create | UpsertStatus::Update);
            assert_eq!(record.is_open, is_open);
            assert_eq!(text(record).as_ref(), expected_text(&upsert.body));
        }
        Output::Turn(event) => {
            assert_eq!(record.bytes, serde_json::to_vec(event).unwrap());
            let is_start = matches!(event, TurnEvent::TurnStarted { .. });
            assert_eq!(matches!(record.key, Key::TurnStarted(_)), is_start);
            assert_eq!(matches!(record.key, Key::TurnEnded(_)), !is_start);
            assert_eq!(record.text_start, None);
        }
    }
}

fn text(record: &Record) -> Option<String> {
    let start = record.text_start?;
    let escaped = &record.bytes[start..record.bytes.len() - 2];
    Some(serde_json::from_slice(&[b"\"", escaped, b"\""].concat()).unwrap())
}

fn expected_text(body: &UpsertBody) -> Option<&String> {
    match body {
        UpsertBody::Message(message) => Some(&message.content),
        UpsertBody::Thinking(thinking) => Some(&thinking.content),
        UpsertBody::ToolCall(call) => call.tool_output.as_ref(),
        UpsertBody::Plan(_) | UpsertBody::Permission(_) => None,
    }
}
