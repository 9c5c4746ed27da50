//! Acceptance of the contracts: canonical events are read strictly and written back the same. Each test carries the
//! id of the acceptance case it shows; its events lie in `tests/fixtures/contracts`. The cases about ids and times are shown by
//! every recording: see `tests/it/replay/correlation.rs`.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks only for what it is about")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use liminal_core::contracts;
use liminal_core::envelope::{self, Reading, StreamEventEnvelope};
use liminal_core::event::{FinalItem, ItemKind, StreamEvent};
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, Profile};
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use serde_json::Value;

/// `./x gen --check` also finds files that nothing generates any more.
#[test]
fn generated_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in contracts::files() {
        let committed = std::fs::read_to_string(root.join(&file.path)).unwrap_or_default();
        assert!(committed == file.contents, "{} is stale; run `./x gen` and commit it", file.path);
    }
}

#[test]
fn tc_1_1a_text_streaming() {
    let events = round_trip("tc_1_1a");
    assert!(events.iter().any(|event| matches!(&event.payload, StreamEvent::ItemDelta(_))));
}

#[test]
fn tc_1_1b_tool_call_lifecycle() {
    let events = round_trip("tc_1_1b");
    assert!(events.iter().any(|event| matches!(call_id(event).as_deref(), Some(id) if !id.is_empty())));
}

#[test]
fn tc_1_1c_reasoning() {
    let events = round_trip("tc_1_1c");
    let reasons = |event: &StreamEventEnvelope| match &event.payload {
        StreamEvent::ItemStart(start) => start.kind == ItemKind::Reasoning,
        _ => false,
    };
    assert!(events.iter().any(reasons));
}

#[test]
fn tc_1_1d_turn_lifecycle() {
    let events = round_trip("tc_1_1d");
    assert!(matches!(&events[0].payload, StreamEvent::ResponseStart(start) if !start.model_id.is_empty()));
    let ends = |event: &&StreamEventEnvelope| matches!(&event.payload, StreamEvent::ResponseDone(done) if done.usage.is_some());
    assert!(events.iter().any(|event| ends(&event)));
}

#[test]
fn tc_1_1e_errors() {
    let events = round_trip("tc_1_1e");
    assert!(events.iter().any(|event| matches!(&event.payload, StreamEvent::ItemError(_))));
    assert!(events.iter().any(|event| matches!(&event.payload, StreamEvent::ResponseError(_))));
}

#[test]
fn a_trace_context_is_read_strictly_and_written_back() {
    let line = |trace: &str| {
        format!(
            r#"{{"eventId":"e","timestamp":"2026-01-31T12:00:00.000Z","turnId":"t","sessionId":"s","type":"item_delta","traceContext":{trace},"payload":{{"type":"item_delta","itemId":"i","deltaContent":"x"}}}}"#
        )
    };
    for trace in [r#"{"traceparent":"00-a-b-01"}"#, r#"{"traceparent":"00-a-b-01","tracestate":"vendor=1"}"#]
    {
        assert_eq!(written(&event(&line(trace))), json(&line(trace)));
    }
    assert_eq!(event(&line("null")).trace_context, None);
    for (trace, path) in [
        ("{}", "traceContext.traceparent"),
        (r#"{"traceparent":1}"#, "traceContext.traceparent"),
        (r#"{"traceparent":"a","tracestate":[]}"#, "traceContext.tracestate"),
        (r#""00-a-b-01""#, "traceContext"),
    ] {
        assert_eq!(envelope::read(&line(trace)).unwrap_err().path, path, "{trace}");
    }
}

#[test]
fn tc_1_1f_malformed_events_are_refused_with_their_place() {
    let lines = read(&directory("tc_1_1f"), "cases.ndjson");
    assert!(lines.lines().count() > 150);
    let expected = read(&directory("tc_1_1f"), "errors.txt");
    let mut errors = String::new();
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().map_or_else(|| case["event"].to_string(), str::to_owned);
        let why = case["why"].as_str().unwrap();
        let Err(error) = envelope::read(&text) else { panic!("{why} was accepted: {text}") };
        assert_eq!(error.path, case["path"].as_str().unwrap(), "{why}: {error}\n{text}");
        errors += &format!("{why}\n  {error}\n");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(directory("tc_1_1f").join("errors.txt"), &errors).unwrap();
    } else {
        assert_eq!(errors, expected);
    }
}

#[test]
fn row_one_turn_one_turn_id() {
    let events = round_trip("tc_1_2a");
    let turns: BTreeSet<_> = events.iter().map(|event| &event.turn_id).collect();
    assert_eq!(turns.len(), 1);
}

#[test]
fn row_one_item_one_item_id() {
    let events = round_trip("tc_1_2b");
    let ids: BTreeSet<_> = events.iter().filter_map(item_id).collect();
    let starts = events.iter().filter(|event| matches!(event.payload, StreamEvent::ItemStart(_))).count();
    assert!(starts > 0);
    assert_eq!(ids.len(), starts);
}

#[test]
fn row_call_and_result_share_the_call_id() {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for id in round_trip("tc_1_2c").iter().filter_map(call_id) {
        *uses.entry(id).or_default() += 1;
    }
    assert!(!uses.is_empty() && uses.values().all(|count| *count >= 2), "{uses:?}");
}

#[test]
fn tc_1_3a_schemas_require_provenance() {
    round_trip("tc_1_3a");
    let upsert = generated("schema/Upsert.schema.json");
    for field in ["sessionId", "turnId", "itemId", "sourceTimestamp", "emittedAt"] {
        assert!(upsert["required"].as_array().unwrap().contains(&field.into()), "{field}");
    }
}

#[test]
fn tc_1_3b_what_is_derived_later_is_not_in_the_contracts() {
    round_trip("tc_1_3b");
    for file in contracts::files() {
        for field in DERIVED {
            assert!(!file.contents.contains(field), "{field} in {}", file.path);
        }
    }
}

#[test]
fn tc_1_3b_the_documentation_says_what_is_derived_later_and_from_what() {
    let page = documentation();
    let (_, section) = page.split_once("\n## Derived in a later phase\n").expect("a section of its own");
    let section = section.split("\n## ").next().unwrap();
    let described = fields_of(&["Upsert", "TurnEvent", "ServerMessage"]);
    for field in DERIVED {
        let start = format!("| `{field}`");
        let row = section.lines().find(|line| line.starts_with(&start)).expect(field);
        let sources: Vec<&str> = row.rsplit(" | ").next().unwrap().split('`').skip(1).step_by(2).collect();
        let sources: Vec<&str> = sources.into_iter().filter(|source| *source != "turn_started").collect();
        assert!(sources.len() > 1, "{field} is derived from something: {row}");
        for source in sources {
            assert!(described.contains(source), "{field} is derived from {source}, which no schema has");
        }
    }
}

/// What a context store asks for and the contracts leave to a later phase.
const DERIVED: [&str; 3] = ["turnSequenceNumber", "llmTurnNumber", "entryType"];

/// The names of all fields in the generated schemas of these types.
fn fields_of(types: &[&str]) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    let mut open: Vec<Value> =
        types.iter().map(|name| generated(&format!("schema/{name}.schema.json"))).collect();
    while let Some(value) = open.pop() {
        let Value::Object(map) = value else {
            open.extend(value.as_array().cloned().unwrap_or_default());
            continue;
        };
        let properties = map.get("properties").and_then(Value::as_object);
        fields.extend(properties.into_iter().flat_map(|properties| properties.keys().cloned()));
        open.extend(map.into_values());
    }
    fields
}

fn documentation() -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs"), "protocol.md")
}

#[test]
fn row_item_cancelled_reasons() {
    round_trip("row_item_cancelled_reasons");
}

#[test]
fn row_additions() {
    round_trip("row_additions");
}

#[test]
fn row_additions_permission_outcome() {
    round_trip("row_additions_permission_outcome");
}

#[test]
fn row_unknown_types_are_skipped() {
    let lines = read(&directory("row_unknown_types_are_skipped"), "events.ndjson");
    assert!(!lines.is_empty());
    for line in lines.lines() {
        assert!(matches!(envelope::read(line), Ok(Reading::Unknown(_))), "{line}");
    }
}

#[test]
fn row_extra_fields_are_ignored() {
    let directory = directory("row_extra_fields_are_ignored");
    let (input, output) = (read(&directory, "in.ndjson"), read(&directory, "out.ndjson"));
    assert!(!input.is_empty());
    assert_eq!(input.lines().count(), output.lines().count());
    for (line, expected) in input.lines().zip(output.lines()) {
        assert_eq!(written(&event(line)), json(expected));
    }
}

#[test]
fn the_examples_of_the_documentation_hold() {
    let page = documentation();
    let block = |title: &str| {
        let (_, after) = page.split_once(&format!("```ndjson {title}\n")).expect(title);
        after.split_once("```").unwrap().0.to_owned()
    };
    let mut lines = Lines::new(Profile::UpsertV1);
    let mut turns = Turns::new(Config::default());
    for event in block("events").lines().map(event) {
        turns.handle_event(&event, Now::at(event.timestamp.instant()), &mut lines);
    }
    assert_eq!(std::str::from_utf8(lines.bytes()).unwrap(), block("outputs"));
}

/// Reads every event of a case and checks that writing it gives the same again.
fn round_trip(id: &str) -> Vec<StreamEventEnvelope> {
    let lines = read(&directory(id), "events.ndjson");
    let events: Vec<_> = lines.lines().map(event).collect();
    assert!(!events.is_empty());
    for (line, event) in lines.lines().zip(&events) {
        assert_eq!(written(event), json(line));
    }
    events
}

fn event(line: &str) -> StreamEventEnvelope {
    match envelope::read(line) {
        Ok(Reading::Event(event)) => event,
        other => panic!("{other:?}: {line}"),
    }
}

fn written(event: &StreamEventEnvelope) -> Value {
    serde_json::to_value(event).unwrap()
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

/// The directory whose name begins with an id.
fn directory(id: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/contracts");
    if root.join(id).is_dir() {
        return root.join(id);
    }
    let named = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{id}_"));
    std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).find(named).expect(id)
}

fn read(directory: &Path, file: &str) -> String {
    let path = directory.join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn generated(path: &str) -> Value {
    json(&contracts::files().into_iter().find(|file| file.path == path).expect(path).contents)
}

fn item_id(event: &StreamEventEnvelope) -> Option<String> {
    Some(written(event)["payload"]["itemId"].as_str()?.to_owned())
}

fn call_id(event: &StreamEventEnvelope) -> Option<String> {
    match &event.payload {
        StreamEvent::ItemStart(start) => match &start.kind {
            ItemKind::FunctionCall(call) => Some(call.call_id.to_string()),
            _ => None,
        },
        StreamEvent::ItemDone(done) => match &done.final_item {
            FinalItem::FunctionCall(call) => Some(call.call_id.to_string()),
            FinalItem::FunctionCallOutput(output) => Some(output.call_id.to_string()),
            _ => None,
        },
        _ => None,
    }
}
