use proptest::prelude::*;
use serde_json::{Value, json};

use super::Outline;

const OLD: &str = include_str!("../../../tests/fixtures/codex-rollout/0.137.jsonl");
const NEW: &str = include_str!("../../../tests/fixtures/codex-rollout/0.166.jsonl");

fn outline(head: &[&str], tail: &[&str]) -> Outline {
    let mut outline = Outline::default();
    for line in head {
        outline.push_head_line(line.as_bytes());
        if outline.has_head() {
            break;
        }
    }
    outline.push_tail(&tail.iter().map(|line| line.as_bytes()).collect::<Vec<_>>());
    outline
}

fn time_of(outline: &Outline) -> Option<String> {
    outline.last_activity().map(|at| at.to_string())
}

fn line(kind: &str, payload: &Value) -> String {
    json!({ "timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload }).to_string()
}

fn opening(fields: &Value) -> String {
    line("session_meta", fields)
}

fn user_text(text: &str) -> String {
    line("response_item", &json!({ "type": "message", "role": "user", "content": [{ "text": text }] }))
}

fn event(kind: &str, text: &str) -> String {
    line("event_msg", &json!({ "type": kind, "message": text }))
}

fn head_of(lines: &[String]) -> Outline {
    outline(&lines.iter().map(String::as_str).collect::<Vec<_>>(), &[])
}

#[test]
fn both_versions_are_read() {
    for (file, id, directory, time) in [
        (OLD, "01a1e06a-b470-7f42-8ffb-74696c2f57cb", "/home/dev/zed-load_a", "2026-11-15T18:14:27.633Z"),
        (NEW, "01a1e062-fbd6-7da1-89d8-6073a1875e5a", "/home/dev/node-load_a", "2026-11-15T18:06:00.980Z"),
    ] {
        let lines: Vec<&str> = file.lines().collect();
        let found = outline(&lines, &lines);
        assert_eq!(found.id(), Some(id));
        assert_eq!(found.cwd(), Some(directory));
        assert_eq!(found.title().as_deref(), Some("SCENARIO:multi"));
        assert_eq!(found.first_prompt().as_deref(), Some("SCENARIO:multi"));
        assert_eq!((found.model(), found.model_provider()), (Some("gpt-5.5"), Some("fake")));
        assert_eq!(time_of(&found).as_deref(), Some(time));
        assert!(found.has_head() && found.has_messages() && !found.is_internal());
    }
}

#[test]
fn the_head_ends_with_the_first_prompt() {
    for (file, expected) in [(OLD, 7), (NEW, 9)] {
        let mut outline = Outline::default();
        let lines = file.lines().take_while(|line| {
            outline.push_head_line(line.as_bytes());
            !outline.has_head()
        });
        assert_eq!(lines.count() + 1, expected);
    }
}

#[test]
fn a_text_in_the_users_place_is_a_prompt_only_if_no_line_tells_more() {
    let opening = opening(&json!({ "cwd": "/a" }));
    let answer = line("response_item", &json!({ "type": "message", "role": "assistant" }));
    let environment = user_text("<environment_context>\n</environment_context>");
    let developer = line(
        "response_item",
        &json!({ "type": "message", "role": "developer", "content": [{ "text": "d" }] }),
    );
    let begin = [opening, developer, environment, user_text("new kind of context")];
    let with = |lines: &[&String]| {
        let lines: Vec<String> = begin.iter().chain(lines.iter().copied()).cloned().collect();
        let found = head_of(&lines);
        (found.has_head(), found.title().unwrap_or_default())
    };
    let told = event("user_message", "asked");
    assert_eq!(with(&[]), (false, "new kind of context".to_owned()));
    assert_eq!(with(&[&answer]), (true, "new kind of context".to_owned()));
    assert_eq!(with(&[&told, &answer]), (true, "asked".to_owned()));
}

#[test]
fn a_prompt_of_the_program_is_none() {
    let instructions = json!({ "type": "user_message", "kind": "user_instructions", "message": "be brief" });
    let plain = json!({ "type": "user_message", "kind": "plain", "message": "hello" });
    let found = head_of(&[line("event_msg", &instructions), line("event_msg", &plain)]);
    assert_eq!(found.title().as_deref(), Some("hello"));
}

#[test]
fn a_prompt_without_words_is_a_message_and_no_title() {
    let image = json!({ "type": "UserMessage", "content": [{ "type": "image", "image_url": "data:" }] });
    let found = head_of(&[line("event_msg", &json!({ "type": "item_completed", "item": image }))]);
    assert!(found.has_messages());
    assert_eq!(found.title(), None);
}

#[test]
fn a_fork_is_known_by_its_own_first_line() {
    let own = opening(&json!({ "id": "own", "cwd": "file:///home/dev/my%20project", "model_provider": "p" }));
    let found = head_of(&[own, opening(&json!({ "id": "other", "cwd": "/b" })), event("user_message", "x")]);
    assert_eq!(found.id(), Some("own"));
    assert_eq!(found.cwd(), Some("/home/dev/my project"));
}

#[test]
fn sessions_that_codex_began_for_itself_are_told() {
    for (fields, expected) in [
        (json!({ "source": "cli" }), false),
        (json!({ "source": "exec" }), false),
        (json!({ "source": { "custom": "editor" } }), false),
        (json!({ "source": { "subagent": { "thread_spawn": { "depth": 1 } } } }), true),
        (json!({ "source": { "subagent": "review" } }), true),
        (json!({ "source": "vscode", "thread_source": "subagent" }), true),
        (json!({ "source": "vscode", "thread_source": "user" }), false),
        (json!({ "source": 1 }), false),
    ] {
        assert_eq!(head_of(&[opening(&fields)]).is_internal(), expected, "{fields}");
    }
}

#[test]
fn the_tail_tells_how_it_is_now() {
    let turn = |model: &str| line("turn_context", &json!({ "cwd": "/later", "model": model }));
    let tail = [
        turn("first"),
        turn("second"),
        turn("codex-auto-review"),
        event("task_complete", "").replace("00:00:00", "00:00:05"),
        line("event_msg", &json!({ "type": "thread_settings_applied" })).replace("00:00:00", "00:00:09"),
        "{\"timestamp\":\"2026-01-01T00:00:10.000Z\",\"type\":\"eve".to_owned(),
    ];
    let found = outline(&[], &tail.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(found.model(), Some("second"));
    assert_eq!(found.cwd(), Some("/later"), "the opening was not read");
    assert_eq!(time_of(&found).as_deref(), Some("2026-01-01T00:00:05.000Z"));
}

#[test]
fn unknown_lines_are_passed_over() {
    let strange = [
        "",
        "{}",
        "[]",
        "null",
        "1",
        "\u{0}",
        "{\"type\":1,\"payload\":{}}",
        "{\"type\":\"event_msg\"}",
        r#"{"type":"event_msg","payload":null}"#,
        r#"{"type":"event_msg","payload":"text"}"#,
        r#"{"type":"event_msg","payload":{"type":"user_message","message":{"text":"x"}}}"#,
        r#"{"type":"event_msg","payload":{"type":"item_completed","item":[]}}"#,
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":"text"}}"#,
        r#"{"type":"retained_context","payload":{"anything":true}}"#,
        r#"{"id":"1","timestamp":"2025-06-01T00:00:00.000Z","instructions":null}"#,
    ];
    let lines: Vec<&str> = strange.into_iter().chain(OLD.lines()).collect();
    assert_eq!(outline(&lines, &strange).title().as_deref(), Some("SCENARIO:multi"));
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec![
        "message",
        "user_message",
        "item_completed",
        "UserMessage",
        "user",
        "assistant",
        "file:///%f",
        "subagent",
    ]);
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let field = prop::sample::select(vec![
            "type", "id", "cwd", "source", "model", "role", "content", "message", "item", "text", "kind",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec((field, inner), 0..6).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        let mut outline = Outline::default();
        lines.iter().for_each(|line| outline.push_head_line(line));
        outline.push_tail(&lines.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    #[test]
    fn any_payload_is_read(
        kind in prop::sample::select(vec!["session_meta", "turn_context", "response_item", "event_msg"]),
        payload in any_value(),
    ) {
        let line = line(kind, &payload);
        let found = outline(&[&line], &[&line]);
        prop_assert!(found.title().is_none_or(|title| title.chars().count() <= 80));
    }

    #[test]
    fn any_cut_of_a_line_is_passed_over(number in 0_usize..12, cut in 0_usize..600) {
        let line = NEW.lines().nth(number).unwrap();
        let cut = line.get(..cut.min(line.len() - 1)).unwrap_or_default();
        let lines: Vec<&str> = [cut].into_iter().chain(NEW.lines()).collect();
        prop_assert_eq!(outline(&lines, &[cut]).title(), Some("SCENARIO:multi".to_owned()));
    }
}
