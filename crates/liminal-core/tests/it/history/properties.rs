//! What holds for any file, however it was written.

use liminal_core::dialect::claude::history::{HistoryReader, Outline};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::history::run::assert_sound;

/// Few enough ids that lines meet.
fn id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "1", "2", "3", "line-2", "line-3", "1+"]).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    let marked = prop::sample::select(vec![
        "prompt",
        "[Request interrupted by user]",
        "<command-name>/x</command-name>",
        "<local-command-stdout>x</local-command-stdout>",
        "<task-notification>x",
        "<task-notification><task-id>1</task-id><summary>x</summary><result>x</result>",
        "<task-notification><task-id>2</task-id><tool-use-id>1</tool-use-id><status>killed</status>",
        "Command running in background with ID: 1.",
        "This session is being continued from a previous conversation",
        "No response requested.",
        "API Error",
        "\u{1b}[",
        "",
    ]);
    prop_oneof![marked.prop_map(str::to_owned), ".{0,20}"]
}

fn block() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["Task", "Agent", "Read", "TodoWrite"]);
    let todos = json!([{ "content": "a", "status": "pending" }]);
    prop_oneof![
        text().prop_map(|text| json!({ "type": "text", "text": text })),
        text().prop_map(|text| json!({ "type": "thinking", "thinking": text })),
        (id(), name, text()).prop_map(move |(id, name, prompt)| {
            json!({ "type": "tool_use", "id": id, "name": name, "input": { "prompt": prompt, "todos": todos } })
        }),
        (id(), text(), any::<bool>()).prop_map(|(id, content, is_error)| {
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error })
        }),
        text().prop_map(|kind| json!({ "type": kind })),
        Just(json!({ "type": "image" })),
        any::<i64>().prop_map(|number| json!(number)),
    ]
}

fn line() -> impl Strategy<Value = Value> {
    let kind =
        prop::sample::select(vec!["user", "user", "assistant", "assistant", "system", "attachment", "x"]);
    let content = prop_oneof![
        prop::collection::vec(block(), 0..4).prop_map(Value::Array),
        text().prop_map(Value::String),
    ];
    let model = prop::sample::select(vec!["<synthetic>", "model"]);
    let flags = prop::sample::subsequence(
        vec!["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isAsync"],
        0..3,
    );
    let time = prop::sample::select(vec![
        json!("2026-01-01T00:00:01Z"),
        json!("2026-01-01T00:00:00.5Z"),
        json!("late"),
        json!(1),
    ]);
    (kind, content, model, flags, time, id(), id()).prop_map(
        |(kind, content, model, flags, time, uuid, parent)| {
            let mut line = json!({
                "type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": time, "content": content,
                "message": { "content": content, "model": model, "id": parent },
                "subtype": "local_command", "toolUseResult": { "agentId": parent }, "origin": { "runId": parent },
                "attachment": { "type": "queued_command", "prompt": content },
            });
            for flag in flags {
                line[flag] = json!(true);
                line["toolUseResult"][flag] = json!(true);
            }
            line
        },
    )
}

proptest! {
    #[test]
    fn any_lines_make_a_sound_history(
        main in prop::collection::vec(line(), 0..24),
        inner in prop::collection::vec((id(), line()), 0..12),
    ) {
        let mut reader = HistoryReader::new("claude-code:1".into());
        main.iter().for_each(|line| reader.push_line(line.to_string().as_bytes()));
        for (call, line) in &inner {
            reader.push_subagent_line(call, line.to_string().as_bytes());
            reader.push_output(call, "written");
        }
        assert_sound(&reader.finish().events);
    }

    #[test]
    fn any_bytes_are_read(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        let mut reader = HistoryReader::new("claude-code:1".into());
        let mut outline = Outline::default();
        for line in &lines {
            reader.push_line(line);
            reader.push_subagent_line("1", line);
            outline.push_head_line(line);
        }
        outline.push_tail(&lines.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_sound(&reader.finish().events);
    }

    #[test]
    fn any_cut_of_a_line_is_read(cut in 2_usize..400, with in any::<u8>()) {
        let line = include_str!("../../fixtures/claude-history/sample/session.jsonl").lines().nth(5).unwrap();
        let mut bytes = line.as_bytes()[..cut.min(line.len())].to_vec();
        bytes.push(with);
        let mut reader = HistoryReader::new("claude-code:1".into());
        reader.push_line(&bytes);
        reader.push_line(line.as_bytes());
        let history = reader.finish();
        assert_sound(&history.events);
        prop_assert_eq!(history.skipped.get("malformed"), Some(&1));
    }
}

#[test]
fn a_file_cannot_nest_sub_agents_without_end() {
    let mut reader = HistoryReader::new("claude-code:1".into());
    let call = |id: usize| json!({ "type": "tool_use", "id": id.to_string(), "name": "Agent", "input": {} });
    let line = |id: usize| json!({ "type": "assistant", "message": { "content": [call(id)] } }).to_string();
    reader.push_line(line(0).as_bytes());
    (0..10_000).for_each(|id| reader.push_subagent_line(&id.to_string(), line(id + 1).as_bytes()));
    let history = reader.finish();
    assert_sound(&history.events);
    assert!(history.skipped.contains_key("sub-agent without call"));
}
