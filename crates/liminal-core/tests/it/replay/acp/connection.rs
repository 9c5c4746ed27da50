//! One process for many sessions.
#![expect(
    clippy::needless_pass_by_value,
    reason = "messages are easier to read when they are built in place"
)]

use liminal_core::dialect::acp::{Channel, Connection, Routed};
use serde_json::{Value, json};

/// A connection and everything that came out of it.
#[derive(Default)]
struct Wire {
    connection: Connection,
    routed: Routed,
}

impl Wire {
    fn open(&mut self) -> Channel {
        self.connection.open()
    }

    fn send(&mut self, channel: Channel, frame: &Value) {
        self.connection.hear_session(channel, frame.to_string().as_bytes(), &mut self.routed);
    }

    fn hear(&mut self, line: &Value) {
        self.connection.hear_agent(line.to_string().as_bytes(), &mut self.routed);
    }

    fn drain_agent(&mut self) -> Vec<Value> {
        self.routed.to_agent.drain(..).map(|line| serde_json::from_slice(&line).unwrap()).collect()
    }

    fn drain_sessions(&mut self) -> Vec<(Channel, Value)> {
        let lines = self.routed.to_sessions.drain(..);
        lines.map(|(channel, line)| (channel, serde_json::from_slice(&line).unwrap())).collect()
    }

    /// Two sessions `s1` and `s2` that are open.
    fn with_two() -> (Self, Channel, Channel) {
        let mut wire = Self::default();
        let (one, two) = (wire.open(), wire.open());
        wire.send(one, &request(1, "initialize", json!({})));
        wire.send(two, &request(1, "initialize", json!({})));
        let abilities = json!({"agentCapabilities": {"sessionCapabilities": {"close": {}}}});
        wire.hear(&json!({"id": 1, "result": abilities}));
        wire.send(one, &request(2, "session/new", json!({"cwd": "/a"})));
        wire.send(two, &request(2, "session/new", json!({"cwd": "/b"})));
        wire.hear(&json!({"id": 3, "result": {"sessionId": "s2"}}));
        wire.hear(&json!({"id": 2, "result": {"sessionId": "s1"}}));
        wire.routed.clear();
        (wire, one, two)
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn update(session: &str) -> Value {
    json!({"method": "session/update", "params": {"sessionId": session, "update": {}}})
}

#[test]
fn a_process_hears_initialize_once() {
    let mut wire = Wire::default();
    let (one, two) = (wire.open(), wire.open());
    wire.send(one, &request(1, "initialize", json!({"protocolVersion": 1})));
    wire.send(two, &request(9, "initialize", json!({"protocolVersion": 1})));
    assert_eq!(wire.drain_agent().len(), 1);
    wire.hear(&json!({"id": 1, "result": {"protocolVersion": 1}}));
    let three = wire.open();
    wire.send(three, &request(1, "initialize", json!({})));
    let heard = wire.drain_sessions();
    assert_eq!(heard.iter().map(|(channel, _)| *channel).collect::<Vec<_>>(), [two, one, three]);
    assert_eq!(heard[0].1, json!({"id": 9, "result": {"protocolVersion": 1}}));
    assert_eq!(wire.drain_agent(), Vec::<Value>::new());
}

#[test]
fn requests_get_numbers_of_the_process_and_answers_those_of_the_session() {
    let (mut wire, one, two) = Wire::with_two();
    wire.send(two, &request(3, "session/prompt", json!({"sessionId": "s2", "x": 1.50})));
    wire.send(one, &request(3, "session/prompt", json!({"sessionId": "s1"})));
    let sent = wire.drain_agent();
    assert_eq!((&sent[0]["id"], &sent[1]["id"]), (&json!(4), &json!(5)));
    assert_eq!(sent[0]["params"], json!({"sessionId": "s2", "x": 1.50}));
    wire.hear(&json!({"id": 5, "error": {"code": 1}}));
    wire.hear(&json!({"id": 4, "result": {"stopReason": "end_turn"}}));
    let expected = [
        (one, json!({"id": 3, "error": {"code": 1}})),
        (two, json!({"id": 3, "result": {"stopReason": "end_turn"}})),
    ];
    assert_eq!(wire.drain_sessions(), expected);
}

#[test]
fn sessions_hear_only_their_own() {
    let (mut wire, one, two) = Wire::with_two();
    let asks = json!({"id": 0, "method": "session/request_permission", "params": {"sessionId": "s2"}});
    wire.hear(&update("s1"));
    wire.hear(&asks);
    wire.hear(&json!({"method": "$/cancel_request", "params": {"requestId": 0}}));
    let channels: Vec<_> = wire.drain_sessions().into_iter().map(|(channel, _)| channel).collect();
    assert_eq!(channels, [one, two, two]);
    wire.send(two, &json!({"id": 0, "result": {}}));
    assert_eq!(wire.drain_agent(), [json!({"id": 0, "result": {}})], "the agent's ids are its own");
    wire.hear(&update("nobody"));
    wire.hear(&json!({"id": 8, "method": "fs/read_text_file", "params": {"sessionId": "nobody"}}));
    wire.hear(&json!({"id": 9, "method": "new/thing"}));
    wire.hear(&json!({"method": "_auth/status_update", "params": {}}));
    wire.hear(&json!({"error": {"code": -32700}}));
    wire.connection.hear_agent(b"no JSON", &mut wire.routed);
    assert_eq!(wire.drain_sessions(), []);
    let refusals: Vec<_> =
        wire.drain_agent().into_iter().map(|frame| frame["error"]["code"].clone()).collect();
    assert_eq!(refusals, [-32602, -32601]);
    assert_eq!(wire.routed.notices.len(), 5, "an extension that nobody knows is none of our business");
}

#[test]
fn history_finds_its_session_before_the_response() {
    let (mut wire, one, _) = Wire::with_two();
    let three = wire.open();
    wire.send(three, &request(2, "session/load", json!({"sessionId": "old"})));
    wire.hear(&update("old"));
    assert_eq!(wire.drain_sessions(), [(three, update("old"))]);
    wire.send(one, &request(9, "session/load", json!({"sessionId": "old"})));
    let refused = wire.drain_sessions();
    assert_eq!((refused[0].0, &refused[0].1["error"]["code"]), (one, &json!(-32602)), "it is open already");
    wire.hear(&json!({"id": 4, "error": {"code": -32002}}));
    let four = wire.open();
    wire.send(four, &request(1, "session/load", json!({"sessionId": "old"})));
    wire.hear(&update("old"));
    assert_eq!(wire.drain_sessions()[1], (four, update("old")), "one that was not opened is free");
}

#[test]
fn what_comes_before_the_id_of_a_session_waits_for_it() {
    let (mut wire, one, _) = Wire::with_two();
    wire.send(one, &request(7, "session/new", json!({})));
    wire.hear(&update("s9"));
    assert_eq!(wire.drain_sessions(), []);
    wire.hear(&json!({"id": 4, "result": {"sessionId": "s9"}}));
    assert_eq!(wire.drain_sessions()[1], (one, update("s9")));
}

#[test]
fn a_session_that_is_closed_leaves_nothing_running() {
    let (mut wire, one, two) = Wire::with_two();
    wire.send(one, &request(3, "session/prompt", json!({"sessionId": "s1"})));
    wire.hear(&json!({"id": "r", "method": "session/request_permission", "params": {"sessionId": "s1"}}));
    wire.routed.clear();
    wire.connection.close(one, &mut wire.routed);
    wire.connection.close(one, &mut wire.routed);
    let sent = wire.drain_agent();
    assert_eq!((&sent[0]["id"], &sent[0]["error"]["code"]), (&json!("r"), &json!(-32800)));
    assert_eq!((&sent[1]["method"], &sent[2]["method"]), (&json!("session/cancel"), &json!("session/close")));
    wire.hear(&json!({"id": 4, "result": {"stopReason": "cancelled"}}));
    wire.hear(&json!({"id": 5, "result": {}}));
    wire.hear(&update("s1"));
    wire.hear(&update("s2"));
    assert_eq!(wire.drain_sessions(), [(two, update("s2"))]);
}

#[test]
fn a_session_is_gone_on_with_when_it_is_closed() {
    let (mut wire, one, _) = Wire::with_two();
    wire.connection.close(one, &mut wire.routed);
    wire.routed.clear();
    let (three, four) = (wire.open(), wire.open());
    wire.send(three, &request(1, "session/resume", json!({"sessionId": "s1"})));
    wire.send(four, &request(1, "session/load", json!({"sessionId": "s1"})));
    wire.send(four, &request(2, "session/load", json!({"sessionId": "other"})));
    let others: Vec<_> =
        wire.drain_agent().iter().map(|frame| frame["params"]["sessionId"].clone()).collect();
    assert_eq!(others, [json!("other")], "what is not closed yet is waited for");
    wire.connection.close(three, &mut wire.routed);
    wire.hear(&json!({"id": 4, "error": {"code": -32603}}));
    let sent = wire.drain_agent();
    assert_eq!((sent.len(), &sent[0]["method"]), (1, &json!("session/load")), "three has gone meanwhile");
    wire.hear(&update("s1"));
    assert_eq!(wire.drain_sessions(), [(four, update("s1"))]);
}

#[test]
fn a_session_that_opens_too_late_is_closed() {
    let (mut wire, one, _) = Wire::with_two();
    wire.send(one, &request(4, "session/new", json!({})));
    wire.connection.close(one, &mut wire.routed);
    wire.routed.clear();
    wire.hear(&json!({"id": 4, "result": {"sessionId": "late"}}));
    assert_eq!(wire.drain_agent()[0]["params"], json!({"sessionId": "late"}));
    assert_eq!(wire.drain_sessions(), []);
}
