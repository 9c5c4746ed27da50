//! A session file of Claude Code as history, and its merge into a log that knows all of it.

use std::collections::BTreeMap;
use std::hint::black_box;

use liminal_core::dialect::claude::history::HistoryReader;
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::merge::merge;
use liminal_core::processor::Config;
use liminal_core::time::{Now, Timestamp};
use liminal_core::turns::Turns;
use liminal_core::upsert::{Output, TurnEvent};
use serde_json::{Value, json};

use crate::Work;
use crate::processing::now;

/// Reads so many lines.
pub(crate) fn history(lines: usize) -> Work {
    let lines = lines_of(lines);
    Box::new(move || drop(black_box(read(&lines))))
}

/// Merges the history of so many lines again.
pub(crate) fn merging(lines: usize) -> Work {
    let events = read(&lines_of(lines));
    let log = applied(&events);
    Box::new(move || {
        let added = merge(&log, &events, &Config::default(), Timestamp::from(now().wall));
        assert!(black_box(added).is_empty(), "what is known is not added");
    })
}

fn read(lines: &[String]) -> Vec<StreamEventEnvelope> {
    let mut reader = HistoryReader::new("claude-code:1".into());
    lines.iter().for_each(|line| reader.push_line(line.as_bytes()));
    reader.finish().events
}

/// The latest state of each key, at the place of its first.
fn applied(events: &[StreamEventEnvelope]) -> Vec<Output> {
    let (mut turns, mut outputs) = (Turns::new(Config::default()), Vec::<Output>::new());
    for event in events {
        turns.handle_event(event, Now::at(event.timestamp.instant()), &mut outputs);
    }
    let (mut places, mut log) = (BTreeMap::new(), Vec::<Output>::new());
    for output in outputs {
        let place = *places.entry(key(&output)).or_insert(log.len());
        match log.get_mut(place) {
            Some(held) => *held = output,
            None => log.push(output),
        }
    }
    log
}

fn key(output: &Output) -> (u8, String) {
    match output {
        Output::Upsert(row) => (0, row.item_id.to_string()),
        Output::Turn(TurnEvent::TurnStarted { turn_id, .. }) => (1, turn_id.to_string()),
        Output::Turn(TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. }) => {
            (2, turn_id.to_string())
        }
    }
}

/// Turns of a prompt, a call, its result and an answer.
fn lines_of(count: usize) -> Vec<String> {
    let text = "word ".repeat(60);
    let line = |number: usize| match number % 4 {
        0 => user(number, &json!(format!("Prompt number {number}"))),
        1 => {
            let input = json!({ "command": text });
            let call =
                json!({ "type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": input });
            assistant(number, &call)
        }
        2 => {
            let call = format!("t{}", number - 1);
            user(number, &json!([{ "type": "tool_result", "tool_use_id": call, "content": text }]))
        }
        _ => assistant(number, &json!({ "type": "text", "text": text })),
    };
    (0..count).map(|number| line(number).to_string()).collect()
}

fn user(number: usize, content: &Value) -> Value {
    json!({ "type": "user", "uuid": uuid(number), "timestamp": time(number), "message": { "content": content } })
}

fn assistant(number: usize, block: &Value) -> Value {
    let usage = json!({ "input_tokens": 3, "output_tokens": 4 });
    let message = json!({ "id": format!("msg_{number}"), "model": "m", "content": [block], "usage": usage });
    json!({ "type": "assistant", "uuid": uuid(number), "timestamp": time(number), "message": message })
}

fn uuid(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn time(number: usize) -> String {
    format!("2026-01-01T{:02}:{:02}:{:02}.000Z", number / 3600, number / 60 % 60, number % 60)
}
