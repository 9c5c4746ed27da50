//! Ids and times of what a running server says about real agents: AC-1.2 and AC-1.3 of the acceptance cases.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::envelope::{self, Reading};
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{Upsert, UpsertBody};
use liminal_core::wire::ServerMessage;
use serde_json::Value;

use super::client::Client;
use super::machine::Machine;
use super::socket::Socket;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(tc_1_2a_tc_1_2b_tc_1_2c_tc_1_3a_ids_and_times_of_claude_code_agree);

/// The canonical events of a session up to the end of a turn, as JSON: what a program outside reads.
async fn events_until(server: &Client, id: &SessionId, turn: &TurnId) -> Vec<Value> {
    let mut stream = server.events(&format!("/api/session/{id}/events"), None).await;
    let mut events = Vec::new();
    loop {
        let event = stream.next().await.expect("the stream goes on");
        if event.event == "hello" {
            continue;
        }
        let value: Value = event.read();
        assert!(matches!(envelope::read(&event.data), Ok(Reading::Event(_))), "{}", event.data);
        let is_end = value["type"] == "response_done" && value["turnId"] == turn.as_str();
        events.push(value);
        if is_end {
            return events;
        }
    }
}

fn kind(event: &Value) -> &str {
    event["type"].as_str().unwrap()
}

/// TC-1.2a: every event between the start and the end of a turn has its id.
fn assert_turns(events: &[Value], turns: &[TurnId], id: &SessionId) {
    let mut open = None;
    let mut seen = Vec::new();
    for event in events {
        let turn = event["turnId"].as_str().unwrap();
        if kind(event) == "response_start" {
            assert_eq!(open.replace(turn), None, "turns do not overlap");
            seen.push(turn);
        }
        assert_eq!((open, event["sessionId"].as_str()), (Some(turn), Some(id.as_str())), "{event}");
        if kind(event) == "response_done" {
            open = None;
        }
    }
    assert_eq!(seen, turns.iter().map(TurnId::as_str).collect::<Vec<_>>(), "the ids that `send` returned");
}

/// TC-1.2b: what happens to an item between its start and its end names it. TC-1.2c: so do calls and their results.
fn assert_items(events: &[Value]) {
    let (mut open, mut ended) = (BTreeSet::new(), BTreeSet::new());
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events {
        let payload = &event["payload"];
        let item = payload["itemId"].as_str();
        match kind(event) {
            "item_start" => assert!(open.insert(item.unwrap()), "{event}"),
            "item_delta" => assert!(open.contains(item.unwrap()), "{event}"),
            "item_done" | "item_error" | "item_cancelled" => {
                // Prompts and results may come as a whole.
                let last = &payload["finalItem"];
                let may_be_whole = last["origin"] == "user" || last["type"] == "function_call_output";
                assert!(open.remove(item.unwrap()) || may_be_whole, "{event}");
                assert!(ended.insert(item.unwrap()), "{event}");
                if let Some(call) = payload["finalItem"]["callId"].as_str() {
                    *calls.entry(call).or_default() += 1;
                }
            }
            _ => assert_eq!(item, None, "{event}"),
        }
    }
    assert!(open.is_empty() && ended.len() >= 6, "{open:?} are open of {ended:?}");
    assert_eq!(calls.values().collect::<Vec<_>>(), [&2], "one call and its result: {calls:?}");
}

/// TC-1.3a: what clients get can be traced to its session, turn, item and call, and to the time of its source.
fn assert_provenance(frames: &[ServerMessage], events: &[Value], turns: &[TurnId], id: &SessionId) {
    // Kept events join the pieces of a growing text, so a state's time lies between those of its item.
    let mut items: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for event in events {
        if let Some(item) = event["payload"]["itemId"].as_str() {
            items.entry(item).or_default().push(event["timestamp"].as_str().unwrap());
        }
    }
    let states: Vec<&Upsert> = frames
        .iter()
        .filter_map(|frame| match frame {
            ServerMessage::Upsert { payload, .. } => Some(&**payload),
            _ => None,
        })
        .collect();
    assert!(states.iter().any(|state| matches!(state.body, UpsertBody::ToolCall(_))));
    for state in states {
        let source = state.source_timestamp.to_string();
        let times = items.get(state.item_id.as_str()).unwrap_or_else(|| panic!("{state:?} has no event"));
        let (first, last) = (times[0], times[times.len() - 1]);
        // A call ends with its result, which is an item of its own.
        let is_call = matches!(state.body, UpsertBody::ToolCall(_));
        assert!(first <= source.as_str() && (is_call || source.as_str() <= last), "{state:?}: {times:?}");
        assert!(state.emitted_at.instant() >= state.source_timestamp.instant(), "{state:?}");
        assert!(turns.contains(&state.turn_id) && state.session_id == *id, "{state:?}");
    }
}

async fn assert_correlated(machine: Machine, cli_type: &str, tool: &str) {
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    let mut socket: Socket = server.socket().await;
    socket.subscribe(&id).await;
    let mut turns = Vec::new();
    for prompt in ["words:60".to_owned(), format!("{tool}\nthen:and so on")] {
        let turn = server.send(&id, &prompt).await;
        socket.end_of(&turn).await;
        turns.push(turn);
    }
    let events = events_until(&server, &id, turns.last().unwrap()).await;
    assert_turns(&events, &turns, &id);
    assert_items(&events);
    assert_provenance(&socket.log, &events, &turns, &id);
    server.stop().await;
}

async fn tc_1_2a_tc_1_2b_tc_1_2c_tc_1_3a_ids_and_times_of_claude_code_agree(pin: Pin) {
    let tool = r#"tool:Bash {"command":"echo from the tool","description":"say it"}"#;
    assert_correlated(Machine::with_claude(pin).await, "claude-code", tool).await;
}

#[tokio::test]
async fn tc_1_2a_tc_1_2b_tc_1_2c_tc_1_3a_ids_and_times_of_codex_agree() {
    let tool = r#"tool:exec_command {"cmd":"echo from the tool"}"#;
    assert_correlated(Machine::with_codex().await, "codex", tool).await;
}
