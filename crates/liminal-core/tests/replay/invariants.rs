//! What must hold for every recording, whatever it shows.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::envelope;
use liminal_core::replay::{Direction, Recording};
use serde_json::Value;

/// The prefix of the result of a tool that the user stopped.
const REJECTED: &str = "The user doesn't want to proceed";

#[derive(Default)]
struct Turn {
    events: u64,
    items: BTreeMap<String, Item>,
    terminal: Option<Value>,
}

#[derive(Default)]
struct Item {
    kind: String,
    content: String,
    is_over: bool,
    call_id: Option<String>,
}

pub(crate) fn of_events(events: &[Value], recording: &Recording) {
    let mut turns: BTreeMap<String, Turn> = BTreeMap::new();
    for event in events {
        envelope::read(&event.to_string()).expect("a canonical event");
        let id = event["turnId"].as_str().unwrap();
        let turn = turns.entry(id.to_owned()).or_default();
        turn.events += 1;
        assert_eq!(event["eventId"], format!("{id}#{}", turn.events), "events are numbered");
        assert!(turn.terminal.is_none(), "{event} after the end of the turn");
        let is_start = event["type"] == "response_start";
        assert_eq!(is_start, turn.events == 1, "a turn begins with its start: {event}");
        turn.take(&event["payload"]);
    }
    for (id, turn) in &turns {
        turn.check_end(id);
    }
    assert_eq!(shown_texts(&turns), said_texts(recording), "every text is shown exactly once");
    assert_eq!(shown_results(events), said_results(recording), "every result is shown exactly once");
}

impl Turn {
    fn take(&mut self, payload: &Value) {
        let id = payload["itemId"].as_str().unwrap_or_default().to_owned();
        match payload["type"].as_str().unwrap() {
            "item_start" => {
                let kind = payload["itemType"].as_str().unwrap().to_owned();
                let call_id = payload["callId"].as_str().map(str::to_owned);
                let before = self.items.insert(id, Item { kind, call_id, ..Item::default() });
                assert!(before.is_none(), "started twice: {payload}");
            }
            "item_delta" => {
                let item = self.items.get_mut(&id).expect("a delta of an item that was started");
                assert!(!item.is_over, "a delta after the end: {payload}");
                item.content.push_str(payload["deltaContent"].as_str().unwrap());
            }
            "item_done" => self.done(id, &payload["finalItem"]),
            "item_error" | "item_cancelled" => {
                let item = self.items.entry(id).or_default();
                assert!(!item.is_over, "ended twice: {payload}");
                item.is_over = true;
            }
            "response_done" | "response_error" => self.terminal = Some(payload.clone()),
            "response_start" | "usage_update" => {}
            other => panic!("unknown event {other}"),
        }
    }

    fn done(&mut self, id: String, done: &Value) {
        let kind = done["type"].as_str().unwrap();
        let call_id = done["callId"].as_str().map(str::to_owned);
        let item = self.items.entry(id).or_default();
        assert!(!item.is_over, "done twice: {done}");
        assert!(item.kind.is_empty() || item.kind == kind, "done as something else: {done}");
        item.kind = kind.to_owned();
        if let Some(content) = done["content"].as_str() {
            item.content = content.to_owned();
        }
        if done["origin"].as_str().is_some_and(|origin| origin != "agent") {
            item.kind = "note".to_owned();
        }
        item.call_id.clone_from(&call_id);
        // A call is over with its output.
        item.is_over = kind != "function_call";
        if kind == "function_call_output" {
            let calls = self.items.values_mut().filter(|item| item.kind == "function_call");
            calls.filter(|call| call.call_id == call_id).for_each(|call| call.is_over = true);
        }
    }

    fn check_end(&self, id: &str) {
        let terminal = self.terminal.as_ref().unwrap_or_else(|| panic!("turn {id} has no end"));
        if terminal["status"] != "completed" {
            return;
        }
        for (id, item) in &self.items {
            assert!(item.is_over, "{} {id} is open at the end of a completed turn", item.kind);
        }
    }

    /// A turn that broke may leave texts that no whole line ever told.
    fn has_whole_texts(&self) -> bool {
        let terminal = self.terminal.as_ref().unwrap();
        terminal["type"] == "response_done" && terminal["status"] != "error"
    }
}

fn shown_texts(turns: &BTreeMap<String, Turn>) -> Vec<String> {
    let shown = turns.values().flat_map(|turn| turn.items.values().map(move |item| (turn, item)));
    let texts = shown.filter(|(_, item)| item.kind == "message" || item.kind == "reasoning");
    let finished = texts.filter(|(turn, item)| item.is_over || turn.has_whole_texts());
    let mut texts: Vec<String> = finished.map(|(_, item)| item.content.clone()).collect();
    texts.sort();
    texts
}

fn said_texts(recording: &Recording) -> Vec<String> {
    let blocks = agent_lines(recording, "assistant").filter(|line| line["message"]["model"] != "<synthetic>");
    let blocks = blocks.flat_map(|line| line["message"]["content"].as_array().cloned().unwrap_or_default());
    let texts = blocks
        .filter_map(|block| block["text"].as_str().or_else(|| block["thinking"].as_str()).map(str::to_owned));
    let mut texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.sort();
    texts
}

fn shown_results(events: &[Value]) -> BTreeSet<String> {
    let finals = events.iter().map(|event| &event["payload"]["finalItem"]);
    let results: Vec<_> = finals.filter(|done| done["type"] == "function_call_output").collect();
    let calls: BTreeSet<String> =
        results.iter().map(|done| done["callId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(calls.len(), results.len(), "a call has one result");
    calls
}

fn said_results(recording: &Recording) -> BTreeSet<String> {
    let blocks = agent_lines(recording, "user");
    let blocks = blocks.flat_map(|line| line["message"]["content"].as_array().cloned().unwrap_or_default());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let real =
        results.filter(|block| !block["content"].as_str().is_some_and(|text| text.starts_with(REJECTED)));
    real.map(|block| block["tool_use_id"].as_str().unwrap().to_owned()).collect()
}

fn agent_lines<'a>(recording: &'a Recording, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let lines = recording.lines().iter().filter(|line| line.direction == Direction::Out);
    lines.map(|line| &line.line).filter(move |line| line["type"] == kind)
}

pub(crate) fn of_upserts(outputs: &[Value]) {
    let mut items: BTreeMap<(String, String), Value> = BTreeMap::new();
    let mut turns: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for output in outputs {
        let payload = &output["payload"];
        let turn = payload["turnId"].as_str().unwrap().to_owned();
        if output["type"] == "session:turn" {
            turns.entry(turn).or_default().push(payload.clone());
            continue;
        }
        if payload["type"] == "tool_call" && payload["status"] == "complete" {
            assert!(payload["toolOutput"].is_string(), "complete before its result: {payload}");
        }
        let key = (turn, payload["itemId"].as_str().unwrap().to_owned());
        let before = items.insert(key, payload.clone());
        assert!(!before.is_some_and(|before| is_terminal(&before)), "changed after its end: {payload}");
    }
    for (turn, milestones) in &turns {
        let ends = milestones.iter().filter(|milestone| milestone["type"] != "turn_started");
        assert_eq!(ends.count(), 1, "{turn}: {milestones:?}");
    }
    for ((turn, item), last) in &items {
        let was_cancelled = turns[turn].last().unwrap()["status"] == "cancelled";
        assert!(is_terminal(last) || was_cancelled, "{item} never ends: {last}");
    }
}

fn is_terminal(upsert: &Value) -> bool {
    upsert["status"] == "complete" || upsert["status"] == "error"
}
