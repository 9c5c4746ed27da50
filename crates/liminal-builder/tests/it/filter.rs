//! `liminal process` as its users call it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use serde_json::Value;

use crate::support::{Running, liminal, process_fixtures, run};

#[test]
fn every_acceptance_case_holds_for_the_binary() {
    let directories = process_fixtures();
    assert!(directories.len() > 100);
    for directory in directories {
        let read = |file: &str| std::fs::read_to_string(directory.join(file)).unwrap();
        let case: Value = serde_json::from_str(&read("case.json")).unwrap();
        // The limit of an item is no option of the command.
        if case.get("itemBytes").is_some() {
            continue;
        }
        let arguments = arguments(&case);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(&arguments, &read("in.ndjson"));
        let name = directory.file_name().unwrap().to_str().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        let expected: Vec<Value> = values(&read("out.ndjson")).collect();
        let found: Vec<Value> =
            values(std::str::from_utf8(&output.stdout).unwrap()).map(comparable).collect();
        assert_eq!(found, expected, "{name}");
    }
}

fn arguments(case: &Value) -> Vec<String> {
    let profile = case.get("profile").and_then(Value::as_str).unwrap().to_owned();
    [options(case), vec!["--profile".to_owned(), profile]].concat()
}

/// What a case asks for, but for the profile.
pub(crate) fn options(case: &Value) -> Vec<String> {
    let text = |name: &str| case.get(name).and_then(Value::as_str).unwrap().to_owned();
    let mut arguments = vec!["process".to_owned(), "--clock".to_owned(), "events".to_owned()];
    arguments.extend(["--format".to_owned(), text("format")]);
    if let Some(gradient) = case.get("gradient").and_then(Value::as_array) {
        let thresholds: Vec<String> = gradient.iter().map(Value::to_string).collect();
        arguments.push(format!("--gradient={}", thresholds.join(",")));
    }
    for (name, option) in [("timeoutMs", "--timeout-ms"), ("firstEmissionMs", "--first-emission-ms")] {
        if let Some(value) = case.get(name) {
            arguments.extend([option.to_owned(), value.to_string()]);
        }
    }
    if let Some(items) = case.get("extraItems").and_then(Value::as_array) {
        let items: Vec<&str> = items.iter().map(|item| item.as_str().unwrap()).collect();
        arguments.push(format!("--extra-items={}", items.join(",")));
    }
    if case.get("announceArguments") == Some(&Value::Bool(true)) {
        arguments.push("--announce-arguments".to_owned());
    }
    arguments
}

pub(crate) fn values(lines: &str) -> impl Iterator<Item = Value> {
    lines.lines().map(|line| serde_json::from_str(line).expect(line))
}

fn comparable(mut message: Value) -> Value {
    if let Some(payload) = message.get("payload").and_then(Value::as_str) {
        let payload = serde_json::from_str(payload).unwrap();
        let fields = message.as_object_mut().unwrap();
        fields.insert("payload".to_owned(), payload);
        fields.remove("eventId");
    }
    message
}

const START: &str = r#"{"eventId":"e1","timestamp":"2026-01-01T00:00:00.000Z","turnId":"t","sessionId":"s","type":"response_start","payload":{"type":"response_start","modelId":"m","providerId":"p"}}"#;
const ITEM: &str = r#"{"eventId":"e2","timestamp":"2026-01-01T00:00:00.001Z","turnId":"t","sessionId":"s","type":"item_start","payload":{"type":"item_start","itemId":"i","itemType":"message"}}"#;
const DELTA: &str = r#"{"eventId":"e3","timestamp":"2026-01-01T00:00:00.002Z","turnId":"t","sessionId":"s","type":"item_delta","payload":{"type":"item_delta","itemId":"i","deltaContent":"Hello"}}"#;
const BAD: &str = r#"{"eventId":"e4","timestamp":"2026-01-01T00:00:00.002Z","turnId":"t","sessionId":"s","type":"item_delta","payload":{"type":"item_delta","itemId":"i","deltaContent":5}}"#;
const DONE: &str = r#"{"eventId":"e5","timestamp":"2026-01-01T00:00:00.003Z","turnId":"t","sessionId":"s","type":"response_done","payload":{"type":"response_done","status":"completed"}}"#;

#[test]
fn a_bad_line_is_reported_and_the_run_goes_on() {
    let input = [START, ITEM, BAD, "", "not json", DELTA, "\u{1f}", DONE].join("\n");
    let output = run(&["process", "--clock", "events"], &input);
    assert_eq!(output.status.code(), Some(1));
    let complaints = String::from_utf8(output.stderr).unwrap();
    let complaints: Vec<&str> = complaints.lines().collect();
    assert_eq!(complaints.len(), 3, "{complaints:?}");
    assert_eq!(
        complaints.first(),
        Some(&"liminal: line 3: payload.deltaContent: expected a string, found integer `5`")
    );
    assert!(
        complaints
            .get(1)
            .unwrap()
            .starts_with("liminal: line 5: expected one JSON object, found text that is not")
    );
    assert!(complaints.get(2).unwrap().starts_with("liminal: line 7: "));
    assert_eq!(values(std::str::from_utf8(&output.stdout).unwrap()).count(), 3);
}

#[test]
fn a_strict_run_stops_at_the_first_bad_line() {
    let output = run(&["process", "--clock", "events", "--strict"], &[START, BAD, DONE].join("\n"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

#[test]
fn bytes_that_are_no_text_are_a_bad_line() {
    let mut child = liminal(&["process", "--clock", "events"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\xff\xfe\n{\"eventId\":\"\xc3\"}\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert_eq!(complaints.matches("expected UTF-8 text").count(), 2, "{complaints}");
}

#[test]
fn unknown_types_are_skipped_without_a_word() {
    let unknown = DELTA.replace("item_delta", "citation_added");
    let output = run(&["process", "--clock", "events"], &[START, &unknown, DONE].join("\n"));
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}

#[test]
fn a_closed_stdout_ends_it_quietly() {
    let mut child = Running(liminal(&["process", "--clock", "events"]).spawn().unwrap());
    drop(child.0.stdout.take());
    let mut stdin = child.0.stdin.take().unwrap();
    // It may be gone before all is written.
    let written = stdin.write_all(format!("{START}\n{DONE}\n").as_bytes());
    drop((stdin, written));
    assert!(child.0.wait().unwrap().success());
    let mut complaints = String::new();
    std::io::Read::read_to_string(child.0.stderr.as_mut().unwrap(), &mut complaints).unwrap();
    assert_eq!(complaints, "");
}

#[test]
fn tc_5_4b_what_is_gathered_goes_out_while_the_input_is_silent() {
    let mut child = Running(liminal(&["process", "--timeout-ms", "30"]).spawn().unwrap());
    let mut stdin = child.0.stdin.take().unwrap();
    stdin.write_all(format!("{START}\n{ITEM}\n{DELTA}\n").as_bytes()).unwrap();
    let lines: Vec<Value> = BufReader::new(child.0.stdout.take().unwrap())
        .lines()
        .take(2)
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    let content = lines.get(1).and_then(|line| line.pointer("/payload/content"));
    assert_eq!(content, Some(&Value::from("Hello")), "{lines:?}");
    drop(stdin);
}

#[test]
fn a_run_on_the_events_clock_can_be_repeated() {
    let directory = process_fixtures().into_iter().find(|path| named(path, "sb_10")).unwrap();
    let input = std::fs::read_to_string(directory.join("in.ndjson")).unwrap();
    let arguments = ["process", "--clock", "events", "--profile", "stream-b", "--format", "stream-a"];
    assert_eq!(run(&arguments, &input).stdout, run(&arguments, &input).stdout);
}

#[test]
fn wrong_use_is_told_with_what_would_be_right() {
    for arguments in [["process", "--gradient", "ten"], ["process", "--profile", "v9"]] {
        let output = run(&arguments, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("--help"));
    }
}

fn named(path: &Path, prefix: &str) -> bool {
    path.file_name().unwrap().to_str().unwrap().starts_with(prefix)
}
