//! What must hold for every recording, whatever it shows.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::envelope;
use serde_json::Value;

/// The items whose second start tells more of them.
const RESTARTED: [&str; 2] = ["function_call", "plan"];

#[derive(Default)]
pub(crate) struct Turn {
    events: u64,
    pub(crate) items: BTreeMap<String, Item>,
    pub(crate) terminal: Option<Value>,
}

#[derive(Default)]
pub(crate) struct Item {
    pub(crate) kind: String,
    pub(crate) content: String,
    pub(crate) is_over: bool,
    call_id: Option<String>,
    parent: Option<String>,
    is_detached: bool,
}

/// Checks the events, and gives the turns they make, by session and turn.
pub(crate) fn of_events(events: &[Value]) -> BTreeMap<(String, String), Turn> {
    let mut turns: BTreeMap<(String, String), Turn> = BTreeMap::new();
    for event in events {
        envelope::read(&event.to_string()).expect("a canonical event");
        let id = event["turnId"].as_str().unwrap();
        let session = event["sessionId"].as_str().unwrap();
        let turn = turns.entry((session.to_owned(), id.to_owned())).or_default();
        turn.events += 1;
        assert_eq!(event["eventId"], format!("{id}#{}", turn.events), "events are numbered");
        let is_in_time = turn.terminal.is_none() || turn.is_of_background(&event["payload"]);
        assert!(is_in_time, "{event} after the end of the turn");
        let is_start = event["type"] == "response_start";
        assert_eq!(is_start, turn.events == 1, "a turn begins with its start: {event}");
        turn.take(&event["payload"]);
    }
    for ((_, id), turn) in &turns {
        turn.check_end(id);
    }
    turns
}

impl Turn {
    fn take(&mut self, payload: &Value) {
        let id = payload["itemId"].as_str().unwrap_or_default().to_owned();
        match payload["type"].as_str().unwrap() {
            "item_start" => {
                let kind = payload["itemType"].as_str().unwrap().to_owned();
                let call_id = payload["callId"].as_str().map(str::to_owned);
                let content = payload["initialContent"].as_str().unwrap_or_default().to_owned();
                let is_more = RESTARTED.contains(&kind.as_str());
                let parent = payload["parentCallId"].as_str().map(str::to_owned);
                let before = self.items.get(&id);
                let is_known = before.is_some_and(|before| before.is_over || !is_more);
                assert!(!is_known, "started twice: {payload}");
                let was_detached = before.is_some_and(|before| before.is_detached);
                let is_detached = payload["detached"] == true || was_detached;
                self.items.insert(id, Item { kind, content, call_id, parent, is_detached, is_over: false });
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
                let call_id = item.call_id.clone().filter(|_| item.kind == "function_call");
                // What was live output of the call ends with it.
                let outputs = self.items.values_mut().filter(|item| item.kind == "function_call_output");
                outputs
                    .filter(|output| call_id.is_some() && output.call_id == call_id)
                    .for_each(|output| output.is_over = true);
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
        if let Some(origin) = done["origin"].as_str().filter(|origin| *origin != "agent") {
            item.kind = format!("note:{origin}");
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
        // What runs in the background ends too, at the latest with its agent.
        for (id, item) in &self.items {
            assert!(item.is_over, "{} {id} of a completed turn never ends", item.kind);
        }
    }

    /// After the end of a turn only detached calls change, and what belongs to one that is open.
    fn is_of_background(&self, payload: &Value) -> bool {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let known = self.items.get(payload["itemId"].as_str().unwrap_or_default());
        if known.is_some_and(|item| item.is_detached && !item.is_over) {
            return true;
        }
        let named = [&payload["parentCallId"], &payload["callId"], &payload["finalItem"]["callId"]];
        let of_known = known.and_then(|item| item.parent.clone().or_else(|| item.call_id.clone()));
        let mut around = of_known.or_else(|| named.into_iter().find_map(text));
        for _ in 0..self.items.len() {
            let call = self.items.values().find(|item| {
                item.kind == "function_call"
                    && item.call_id.is_some()
                    && item.call_id == around
                    && !item.is_over
            });
            match call {
                Some(call) if call.is_detached => return true,
                Some(call) => around = call.parent.clone(),
                None => return false,
            }
        }
        false
    }
}

/// The calls that have a result.
pub(crate) fn results(events: &[Value]) -> BTreeSet<String> {
    let finals = events.iter().map(|event| &event["payload"]["finalItem"]);
    let results: Vec<_> = finals.filter(|done| done["type"] == "function_call_output").collect();
    let calls: BTreeSet<String> =
        results.iter().map(|done| done["callId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(calls.len(), results.len(), "a call has one result");
    calls
}

/// The items that were given up: no upsert tells of that.
pub(crate) fn cancelled(events: &[Value]) -> BTreeSet<String> {
    let cancelled = events.iter().filter(|event| event["type"] == "item_cancelled");
    cancelled.map(|event| event["payload"]["itemId"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn of_upserts(outputs: &[Value]) {
    of_upserts_but(outputs, &BTreeSet::new());
}

/// The same where some items were given up.
pub(crate) fn of_upserts_but(outputs: &[Value], cancelled: &BTreeSet<String>) {
    let mut items: BTreeMap<((String, String), String), Value> = BTreeMap::new();
    let mut turns: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for output in outputs {
        let payload = &output["payload"];
        let part = |key: &str| payload[key].as_str().unwrap().to_owned();
        let turn = (part("sessionId"), part("turnId"));
        if output["type"] == "session:turn" {
            turns.entry(turn).or_default().push(payload.clone());
            continue;
        }
        if payload["type"] == "tool_call" && payload["status"] == "complete" {
            assert!(payload["toolOutput"].is_string(), "complete before its result: {payload}");
        }
        let key = (turn, part("itemId"));
        assert_follows(items.insert(key, payload.clone()).as_ref(), payload);
    }
    for (turn, milestones) in &turns {
        let ends = milestones.iter().filter(|milestone| milestone["type"] != "turn_started");
        assert_eq!(ends.count(), 1, "{turn:?}: {milestones:?}");
    }
    for ((turn, item), last) in &items {
        let was_cancelled = turns[turn].last().unwrap()["status"] == "cancelled";
        let is_over = is_terminal(last) || was_cancelled || cancelled.contains(item);
        assert!(is_over, "{item} never ends: {last}");
    }
}

/// An item is created once, its text only grows until it is complete, and nothing follows its end.
fn assert_follows(before: Option<&Value>, payload: &Value) {
    let Some(before) = before else { return assert_ne!(payload["status"], "update", "{payload}") };
    assert!(!is_terminal(before), "changed after its end: {payload}");
    assert_ne!(payload["status"], "create", "created twice: {payload}");
    if let (Some(old), Some(new)) = (before["content"].as_str(), payload["content"].as_str()) {
        assert!(payload["status"] == "complete" || new.starts_with(old), "taken back: {payload}");
    }
}

fn is_terminal(upsert: &Value) -> bool {
    upsert["status"] == "complete" || upsert["status"] == "error"
}
