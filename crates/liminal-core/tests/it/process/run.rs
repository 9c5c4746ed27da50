//! Runs one fixture directory on the events' own clock.

use std::path::{Path, PathBuf};
use std::time::Duration;

use liminal_core::envelope::{self, StreamEventEnvelope};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, ExtraItems, Profile};
use liminal_core::stream_a;
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Case {
    id: String,
    title: String,
    given: String,
    settles: Option<String>,
    profile: String,
    format: String,
    gradient: Option<Vec<u64>>,
    timeout_ms: Option<u64>,
    first_emission_ms: Option<u64>,
    #[serde(default)]
    announce_arguments: bool,
    item_bytes: Option<usize>,
    #[serde(default)]
    extra_items: Vec<String>,
}

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/process")
}

pub(crate) fn check(name: &str) {
    let directory = fixtures().join(name);
    let read = |file: &str| std::fs::read_to_string(directory.join(file)).expect(file);
    let case: Case = serde_json::from_str(&read("case.json")).expect("case.json");
    assert!(name.starts_with(&case.id.to_lowercase().replace(['-', '.'], "_")), "{name} is not {}", case.id);
    let about =
        format!("{} {}: {} {}", case.id, case.title, case.given, case.settles.as_deref().unwrap_or(""));

    let lines = process(&case, &read("in.ndjson"));
    let found: Vec<Value> = lines.lines().map(comparable).collect();
    let expected: Vec<Value> =
        read("out.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{about}\nline {} of out.ndjson", number + 1);
    }
    assert_eq!(found.len(), expected.len(), "{about}\nfound {found:#?}");
}

fn process(case: &Case, input: &str) -> String {
    let config = config(case);
    let (mut turns, mut lines) = (Turns::new(config), Lines::new(profile(case)));
    for event in events(case, input) {
        let now = Now::at(event.timestamp.instant());
        turns.handle_timeout(now.mono, &mut lines);
        turns.handle_event(&event, now, &mut lines);
    }
    let ended = ErrorInfo::new(ErrorCode::StreamEnded, "the input ended before the turn did");
    turns.finish(&ended, None, &mut lines);
    String::from_utf8(lines.bytes().to_vec()).unwrap()
}

fn events(case: &Case, input: &str) -> Vec<StreamEventEnvelope> {
    let mut stream_a = stream_a::Reader::default();
    let mut read = |line: &str| match case.format.as_str() {
        "canonical" => envelope::read(line).map(envelope::Reading::event),
        "stream-a" => stream_a.read(line),
        other => panic!("unknown format {other}"),
    };
    input.lines().filter_map(|line| read(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn profile(case: &Case) -> Profile {
    match case.profile.as_str() {
        "upsert-v1" => Profile::UpsertV1,
        "stream-b" => Profile::StreamB,
        other => panic!("unknown profile {other}"),
    }
}

fn config(case: &Case) -> Config {
    let mut config = Config::new(profile(case));
    if let Some(gradient) = &case.gradient {
        config = config.with_gradient(gradient);
    }
    if let Some(timeout) = case.timeout_ms {
        config = config.with_idle_timeout(Duration::from_millis(timeout));
    }
    if let Some(within) = case.first_emission_ms {
        config = config.with_first_emission(Duration::from_millis(within));
    }
    if let Some(limit) = case.item_bytes {
        config = config.with_item_bytes(limit);
    }
    if !case.extra_items.is_empty() {
        let has = |name: &str| case.extra_items.iter().any(|item| item == name);
        config = config.with_extra_items(ExtraItems { plans: has("plan"), permissions: has("permission") });
    }
    if case.announce_arguments { config.announcing_arguments() } else { config }
}

/// Stream B's payload is JSON in JSON, and its event ids are nobody's to write by hand.
fn comparable(line: &str) -> Value {
    let mut message: Value = serde_json::from_str(line).expect("a line of JSON");
    if let Some(payload) = message.get("payload").and_then(Value::as_str) {
        let payload = serde_json::from_str(payload).expect("a payload of JSON");
        message["payload"] = payload;
        let id = message.as_object_mut().unwrap().remove("eventId").expect("an event id");
        assert!(uuid::Uuid::parse_str(id.as_str().unwrap()).is_ok());
    }
    message
}
