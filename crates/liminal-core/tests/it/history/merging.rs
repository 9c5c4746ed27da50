//! A session file that another program wrote to, merged into the log of what was shown before.

use liminal_core::dialect::claude::history::HistoryReader;
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::{
    FinalItem, ItemDelta, ItemDone, ItemKind, ItemStart, MessageItem, Origin, ResponseDone, ResponseStart,
    ResponseStatus, StreamEvent, Usage,
};
use liminal_core::merge::merge;
use liminal_core::processor::Config;
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::{Output, TurnEvent, TurnStatus, Upsert, UpsertBody, UpsertStatus};
use serde_json::{Value, json};

const FIRST: &str = "00000000-0000-4000-8000-000000000001";
const SECOND: &str = "00000000-0000-4000-8000-000000000002";
const THIRD: &str = "00000000-0000-4000-8000-000000000003";

fn user(uuid: &str, text: &str) -> Value {
    json!({ "type": "user", "uuid": uuid, "message": { "content": text } })
}

fn assistant(uuid: &str, block: &Value) -> Value {
    let usage = json!({ "input_tokens": 3, "output_tokens": 4 });
    json!({ "type": "assistant", "uuid": uuid, "message": { "id": uuid, "content": [block], "usage": usage } })
}

fn says(uuid: &str, text: &str) -> Value {
    assistant(uuid, &json!({ "type": "text", "text": text }))
}

fn calls(uuid: &str, id: &str) -> Value {
    assistant(uuid, &json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "ls" } }))
}

fn result(uuid: &str, id: &str, text: &str) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
    json!({ "type": "user", "uuid": uuid, "message": { "content": [block] } })
}

fn history(lines: &[Value]) -> Vec<StreamEventEnvelope> {
    let mut reader = HistoryReader::new("claude-code:s".into());
    lines.iter().for_each(|line| reader.push_line(line.to_string().as_bytes()));
    reader.finish().events
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

/// A log: the latest state of each key, at the place of its first.
pub(crate) fn apply(log: &mut Vec<Output>, events: &[StreamEventEnvelope], crash: Option<ErrorCode>) {
    let (mut turns, mut outputs) = (Turns::new(Config::default()), Vec::<Output>::new());
    for event in events {
        turns.handle_event(event, Now::at(event.timestamp.instant()), &mut outputs);
    }
    if let Some(code) = crash {
        turns.finish(&ErrorInfo::new(code, "it crashed"), None, &mut outputs);
    }
    for output in outputs {
        match log.iter_mut().find(|held| key(held) == key(&output)) {
            Some(held) => *held = output,
            None => log.push(output),
        }
    }
}

fn merged(log: &[Output], lines: &[Value]) -> Vec<Output> {
    let mut merged = log.to_vec();
    let now = jiff::Timestamp::UNIX_EPOCH.into();
    apply(&mut merged, &merge(log, &history(lines), &Config::default(), now), None);
    assert_eq!(merge(&merged, &history(lines), &Config::default(), now), [], "a second merge adds nothing");
    merged
}

fn rows(log: &[Output]) -> Vec<&Upsert> {
    log.iter().filter_map(|output| if let Output::Upsert(row) = output { Some(row) } else { None }).collect()
}

fn text(row: &Upsert) -> Option<&str> {
    match &row.body {
        UpsertBody::Message(message) => Some(message.content.as_str()),
        UpsertBody::ToolCall(call) => call.tool_output.as_deref(),
        UpsertBody::Thinking(_) | UpsertBody::Plan(_) | UpsertBody::Permission(_) => None,
    }
}

fn texts(log: &[Output]) -> Vec<&str> {
    rows(log).into_iter().filter_map(text).collect()
}

fn end<'a>(log: &'a [Output], turn: &str) -> &'a TurnEvent {
    let is_end = |output: &&Output| key(output) == (2, turn.to_owned());
    match log.iter().find(is_end).unwrap() {
        Output::Turn(end) => end,
        Output::Upsert(row) => panic!("{row:?}"),
    }
}

/// What our agent said while we watched: items are numbered otherwise than in the file, and the cost is known.
fn live(turn: &str, payloads: Vec<StreamEvent>) -> Vec<StreamEventEnvelope> {
    let start = StreamEvent::ResponseStart(ResponseStart { model_id: "m".into(), provider_id: "p".into() });
    let envelope = |(number, payload)| StreamEventEnvelope {
        event_id: format!("{turn}#{number}").into(),
        timestamp: jiff::Timestamp::UNIX_EPOCH.into(),
        turn_id: turn.into(),
        session_id: "claude-code:s".into(),
        trace_context: None,
        payload,
    };
    [start].into_iter().chain(payloads).enumerate().map(envelope).collect()
}

fn said(turn: &str, number: u32, text: &str, origin: Origin) -> StreamEvent {
    let final_item = FinalItem::Message(MessageItem::new(text.to_owned(), origin));
    StreamEvent::ItemDone(ItemDone { item_id: format!("{turn}/{number}").into(), final_item })
}

fn cost() -> StreamEvent {
    let usage = Usage {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: None,
        cache_creation_input_tokens: None,
        cost_usd: Some(0.5),
    };
    StreamEvent::ResponseDone(ResponseDone {
        status: ResponseStatus::Completed,
        finish_reason: None,
        error: None,
        usage: Some(usage),
    })
}

fn answered(turn: &str, prompt: &str, answer: &str) -> Vec<StreamEventEnvelope> {
    let prompt = said(turn, 1, prompt, Origin::User);
    live(turn, vec![prompt, said(turn, 2, answer, Origin::Agent), cost()])
}

#[test]
fn a_turn_that_was_read_half_way_is_completed() {
    let lines = [
        user(FIRST, "list"),
        calls("a", "toolu_1"),
        result("b", "toolu_1", "one"),
        calls("c", "toolu_2"),
        result("d", "toolu_2", "two"),
        says("e", "done"),
    ];
    let mut log = Vec::new();
    apply(&mut log, &history(&lines[..4]), None);
    assert_eq!(rows(&log)[2].status, UpsertStatus::Error, "the second call has no result yet");
    assert!(matches!(end(&log, FIRST), TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. }));
    let merged = merged(&log, &lines);
    assert_eq!(texts(&merged), ["list", "one", "two", "done"]);
    assert!(rows(&merged).iter().all(|row| row.status == UpsertStatus::Complete));
    let TurnEvent::TurnComplete { status: TurnStatus::Completed, usage: Some(usage), .. } =
        end(&merged, FIRST)
    else {
        panic!("{:?}", end(&merged, FIRST))
    };
    assert_eq!(usage.output_tokens, 12);
}

/// A command in the background, and the line that tells how it ended.
fn background() -> [Value; 3] {
    let told = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "Command running in background" });
    let notification = "<task-notification><task-id>b1</task-id><status>completed</status><summary>it has ended</summary></task-notification>";
    [
        calls("a", "toolu_1"),
        json!({
            "type": "user", "uuid": "b", "message": { "content": [told] },
            "toolUseResult": { "backgroundTaskId": "b1" },
        }),
        user("d", notification),
    ]
}

#[test]
fn work_that_ended_after_it_was_read_is_completed() {
    let [call, launch, notification] = background();
    let lines =
        [user(FIRST, "count"), call, launch, says("c", "counting"), notification, says("e", "counted")];
    let mut log = Vec::new();
    apply(&mut log, &history(&lines[..4]), None);
    assert_eq!(rows(&log)[1].error_code.as_deref(), Some(ErrorCode::BackgroundEnded.as_str()));
    let merged = merged(&log, &lines);
    assert_eq!(texts(&merged), ["count", "it has ended", "counting", "it has ended", "counted"]);
    assert!(rows(&merged).iter().all(|row| row.status == UpsertStatus::Complete));
}

#[test]
fn a_notification_begins_a_turn_only_if_the_agent_answers_it() {
    let [call, launch, notification] = background();
    let mut lines =
        vec![user(FIRST, "count"), call, launch, notification, user(SECOND, "go on"), says("e", "on")];
    let mut log = Vec::new();
    apply(&mut log, &history(&lines), None);
    assert_eq!(texts(&log), ["count", "it has ended", "go on", "on"]);
    lines.truncate(4);
    log.clear();
    apply(&mut log, &history(&lines), None);
    assert_eq!(texts(&log), ["count", "it has ended"]);
}

#[test]
fn the_reason_of_a_turn_may_be_worded_otherwise() {
    let [call, launch, notification] = background();
    let lines =
        [user(FIRST, "count"), call, launch, says("c", "counting"), notification, says("e", "counted")];
    let mut log = Vec::new();
    apply(&mut log, &history(&lines[..4]), None);
    let reason = said("auto-1-x", 1, "the command is over", Origin::System);
    apply(
        &mut log,
        &live("auto-1-x", vec![reason, said("auto-1-x", 2, "counted", Origin::Agent), cost()]),
        None,
    );
    let merged = merged(&log, &lines);
    let shown = ["count", "it has ended", "counting", "the command is over", "counted"];
    assert_eq!(texts(&merged), shown);
}

#[test]
fn an_answer_that_a_crash_cut_off_is_completed_and_its_error_stays() {
    let start = ItemStart {
        item_id: format!("{FIRST}/2").into(),
        kind: ItemKind::Message,
        initial_content: None,
        parent_call_id: None,
    };
    let delta = ItemDelta { item_id: format!("{FIRST}/2").into(), delta_content: "once upon".into() };
    let prompt = said(FIRST, 1, "tell", Origin::User);
    let events = live(FIRST, vec![prompt, StreamEvent::ItemStart(start), StreamEvent::ItemDelta(delta)]);
    let mut log = Vec::new();
    apply(&mut log, &events, Some(ErrorCode::ServerRestart));
    let merged = merged(&log, &[user(FIRST, "tell"), says("a", "once upon a time")]);
    assert_eq!(texts(&merged), ["tell", "once upon a time"]);
    assert_eq!(end(&merged, FIRST), end(&log, FIRST), "what was said about the turn's end stays");
}

#[test]
fn turns_that_the_file_lost_stay_with_a_note() {
    let mut log = Vec::new();
    for (turn, prompt) in [(FIRST, "one"), (SECOND, "two\nlines"), (THIRD, "three")] {
        apply(&mut log, &answered(turn, prompt, "answer"), None);
    }
    let merged =
        merged(&log, &[user(FIRST, "one"), says("a", "answer"), user("b", "another way"), says("c", "yes")]);
    let note =
        "The agent no longer remembers 2 of the turns above, starting with \"two…\". They are kept here.";
    let kept = ["one", "answer", "two\nlines", "answer", "three", "answer"];
    assert_eq!(texts(&merged), [&kept[..], &[note, "another way", "yes"]].concat());
    assert_eq!(end(&merged, THIRD), end(&log, THIRD), "with its cost");
}

#[test]
fn a_prompt_that_was_sent_again_after_a_rewind_is_another_turn() {
    let mut log = Vec::new();
    apply(&mut log, &answered(FIRST, "try", "red"), None);
    let merged = merged(&log, &[user(SECOND, "try"), says("a", "blue")]);
    let note = "The agent no longer remembers the turn \"try\". It is kept here.";
    assert_eq!(texts(&merged), ["try", "red", note, "try", "blue"]);
}

#[test]
fn turns_that_never_reached_the_agent_are_not_called_forgotten() {
    let mut log = Vec::new();
    apply(
        &mut log,
        &live(FIRST, vec![said(FIRST, 1, "hello", Origin::User)]),
        Some(ErrorCode::DeliveryUnknown),
    );
    let merged = merged(&log, &[user(SECOND, "hi"), says("a", "hi")]);
    assert_eq!(texts(&merged), ["hello", "hi", "hi"]);
}

#[test]
fn the_answer_to_a_message_of_unknown_fate_is_shown() {
    let mut log = Vec::new();
    apply(
        &mut log,
        &live(FIRST, vec![said(FIRST, 1, "hello", Origin::User)]),
        Some(ErrorCode::DeliveryUnknown),
    );
    let merged = merged(&log, &[user(FIRST, "hello"), says("a", "hi")]);
    assert_eq!(texts(&merged), ["hello", "hi"]);
    assert_eq!(end(&merged, FIRST), end(&log, FIRST));
}

#[test]
fn what_the_agent_did_by_itself_is_not_added_to_the_turn_before() {
    let mut log = Vec::new();
    apply(&mut log, &answered(FIRST, "wait", "waiting"), None);
    apply(
        &mut log,
        &live("auto-1-x", vec![said("auto-1-x", 1, "it has ended", Origin::Agent), cost()]),
        None,
    );
    let lines = [user(FIRST, "wait"), says("a", "waiting"), says("b", "it has ended")];
    assert_eq!(merged(&log, &lines), log);
}

#[test]
fn slash_commands_are_known_again_though_the_file_has_them_as_notes() {
    let mut log = Vec::new();
    apply(&mut log, &answered(FIRST, "/context", "1 %"), None);
    let command = "<command-name>/context</command-name><command-args></command-args>";
    let lines = [user(FIRST, command), user("a", "<local-command-stdout>1 %</local-command-stdout>")];
    assert_eq!(merged(&log, &lines), log);
}
