//! Observed runs of Claude Code with work in the background, twice: as they were shown, from their standard output in
//! `live.ndjson` and `live2.ndjson`, and as the agent's own files tell them afterwards.

use std::collections::BTreeMap;

use liminal_core::dialect::claude::Options;
use liminal_core::envelope::{self, StreamEventEnvelope};
use liminal_core::ids::CallId;
use liminal_core::merge::merge;
use liminal_core::processor::Config;
use liminal_core::replay::{ClaudePlayback, Direction, EventLines, Recording, play};
use liminal_core::upsert::{Output, ToolCallBody, TurnEvent, Upsert, UpsertBody};
use serde_json::Value;

use crate::directories::names_in;
use crate::history::merging::apply;
use crate::history::run::{fixtures, read};

/// Who stopped a sub-agent is only in the words for the model.
const STOPPED: &str = "System: Task \"one\" was stopped";
/// The program answers the open calls of a sub-agent that it stops. It reports that to nobody, only to the file.
const REJECTED: &str = "Some(\"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.\") error=Some(true) exit=None";
const CUT_OFF: &str = "None error=None exit=None BACKGROUND_ENDED: the sub-agent \"one\" was stopped";

/// Where the two sides differ: the case, what was shown, what the files tell.
const DIFFERENCES: [(&str, &str, &str); 11] = [
    // That a sub-agent stops with work of its own left is only in the words for the model.
    (
        "background_below_a_sub_agent",
        "System: Agent \"sub\" finished\nAgent: done: \n---\nAgent toolu_000000000000000000000001~",
        "System: Agent \"sub\" is waiting on its own background work\nAgent: done: \n---\nAgent toolu_000000000000000000000001~",
    ),
    // The message to a sub-agent that continues by itself is in its file among words for the model.
    (
        "background_below_a_sub_agent",
        "{\"description\":\"sub\",\"prompt\":\"<task-notification>\\n<task-id>b6pruhq26</task-id>\\n<tool-use-id>toolu_000000000000000000000002</tool-use-id>\\n<output-file>/tmp/claude-1000/-home-dev-project/a1edd22f-11b7-485d-8f1d-06d3dbae579a/tasks/b6pruhq26.output</output-file>\\n<status>completed</status>\\n<summary>Background command \\\"subbg\\\" completed (exit code 0)</summary>\\n</task-notification>\"}",
        "{\"description\":\"sub\"}",
    ),
    ("background_cancelled_with_its_turn", CUT_OFF, REJECTED),
    // How a process ended is not in its files. The next one calls its tasks stopped.
    (
        "background_of_a_killed_process",
        "\"one\" was ended with its agent: the recording ended before the agent did",
        "\"one\" was stopped",
    ),
    (
        "background_of_a_killed_process",
        "\"bgc\" was ended with its agent: the recording ended before the agent did",
        "\"bgc\" was stopped",
    ),
    // The command outlived its process, and nobody saw what it wrote.
    ("background_of_a_killed_process", "bk7c2oksk.output.\")", "bk7c2oksk.output.\\na\\nbg\\n\")"),
    ("background_stopped_by_agent", STOPPED, "System: Agent \"one\" was stopped by Claude"),
    ("background_stopped_by_agent", CUT_OFF, REJECTED),
    ("background_stopped_by_user", STOPPED, "System: Agent \"one\" was stopped by user"),
    (
        "background_stopped_by_user",
        "System: Task \"bgc\" was stopped",
        "System: Task \"bgc\" was stopped by the user or by the app connected to this session",
    ),
    ("background_stopped_by_user", CUT_OFF, REJECTED),
];

#[test]
fn merging_the_files_into_what_was_shown_adds_nothing() {
    for case in cases() {
        let shown = shown(&case);
        let history = read(&fixtures().join(&case));
        let now = jiff::Timestamp::UNIX_EPOCH.into();
        assert_eq!(merge(&shown, &history.events, &Config::default(), now), [], "{case}");
    }
}

#[test]
fn the_files_tell_what_was_shown() {
    for case in cases() {
        let mut expected = told(&shown(&case));
        for (_, live, file) in DIFFERENCES.iter().filter(|difference| difference.0 == case) {
            assert!(expected.contains(live), "{case} no longer shows {live}:\n{expected}");
            expected = expected.replace(live, file);
        }
        let mut log = Vec::new();
        apply(&mut log, &read(&fixtures().join(&case)).events, None);
        assert_same(&case, &told(&log), &expected);
    }
}

#[test]
fn observed_files_have_no_unknown_lines() {
    for case in cases() {
        assert_eq!(read(&fixtures().join(&case)).skipped, BTreeMap::new(), "{case}");
    }
}

/// The cases that were observed.
fn cases() -> Vec<String> {
    let is_live = |case: &String| fixtures().join(case).join("live.ndjson").exists();
    let cases: Vec<String> = names_in(&fixtures()).into_iter().filter(is_live).collect();
    assert_eq!(cases.len(), 14);
    cases
}

/// The log of a run as it was shown.
fn shown(case: &str) -> Vec<Output> {
    let mut log = Vec::new();
    for file in ["live.ndjson", "live2.ndjson"] {
        let Ok(recording) = std::fs::read_to_string(fixtures().join(case).join(file)) else { continue };
        apply(&mut log, &played(&recording), None);
    }
    log
}

/// The events of a recording. Turns have the ids that the prompts were sent with, as those of a session do.
fn played(recording: &str) -> Vec<StreamEventEnvelope> {
    let recording = Recording::read(recording).unwrap();
    let mut lines = EventLines::default();
    let mut playback = ClaudePlayback::new("claude-code:1".into(), Options::default());
    play(&recording, &mut playback, &mut lines);
    let mut events = String::from_utf8(lines.bytes().to_vec()).unwrap();
    let sent = recording.lines().iter().filter(|line| line.direction == Direction::In);
    let prompts = sent.filter(|line| line.line["type"] == "user");
    for (index, prompt) in prompts.enumerate() {
        let id = prompt.line["uuid"].as_str().unwrap();
        events = events.replace(&format!("\"turn-{}", index + 1), &format!("\"{id}"));
    }
    events.lines().map(|line| envelope::read(line).unwrap().event().unwrap()).collect()
}

/// The rows of each conversation of a turn, by the call that it belongs to.
type Lanes<'a> = BTreeMap<Option<&'a str>, Vec<String>>;

/// What a person sees: turn by turn, in each the main conversation and then those of sub-agents. Files do not keep what the
/// agent asked.
fn told(log: &[Output]) -> String {
    let mut turns: Vec<(&str, Lanes<'_>)> = Vec::new();
    for output in log {
        match output {
            Output::Turn(TurnEvent::TurnStarted { turn_id, .. }) => {
                turns.push((turn_id.as_str(), BTreeMap::new()));
            }
            Output::Upsert(row) if !matches!(row.body, UpsertBody::Permission(_)) => {
                let turn = turns.iter_mut().find(|turn| turn.0 == row.turn_id.as_str()).unwrap();
                let parent = row.parent_call_id.as_ref().map(CallId::as_str);
                turn.1.entry(parent).or_default().push(line(row));
            }
            Output::Upsert(_)
            | Output::Turn(TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. }) => {}
        }
    }
    let turn = |lanes: &Lanes<'_>| {
        let lane = |(parent, rows): (&Option<&str>, &Vec<String>)| {
            let below = parent.map(|call| format!("below {call}:\n")).unwrap_or_default();
            format!("{below}{}\n", rows.join("\n"))
        };
        lanes.iter().map(lane).collect::<String>()
    };
    turns.iter().map(|(_, lanes)| turn(lanes)).collect::<Vec<_>>().join("---\n")
}

fn line(row: &Upsert) -> String {
    match &row.body {
        UpsertBody::Message(message) => format!("{:?}: {}", message.origin, message.content),
        UpsertBody::Thinking(thinking) => format!("Thinking: {}", thinking.content),
        UpsertBody::ToolCall(call) => format!("{} {}", called(call), failed(row)).trim().to_owned(),
        UpsertBody::Plan(_) | UpsertBody::Permission(_) => panic!("{row:?}"),
    }
}

fn called(call: &ToolCallBody) -> String {
    let ToolCallBody { tool_name, call_id, tool_arguments, detached, tool_output, .. } = call;
    let arguments = Value::Object((**tool_arguments).clone());
    let (is_error, exit) = (call.tool_output_is_error, call.details.exit_code);
    let manner = if *detached { "in the background" } else { "at once" };
    format!("{tool_name} {call_id} {arguments} {manner}: {tool_output:?} error={is_error:?} exit={exit:?}")
}

fn failed(row: &Upsert) -> String {
    let code = row.error_code.as_deref().unwrap_or_default();
    row.error_message.as_ref().map(|message| format!("{code}: {message}")).unwrap_or_default()
}

fn assert_same(case: &str, found: &str, expected: &str) {
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "{case}");
    }
    assert_eq!(found, expected, "{case}");
}
