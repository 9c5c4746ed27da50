//! Events without an effect are counted, each by its reason.

use liminal_core::envelope;
use liminal_core::processor::{Config, Dropped, UpsertProcessor};
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::Output;
use serde_json::{Value, json};

const NONE: Dropped = Dropped { after_end: 0, late: 0, unknown_item: 0, contradiction: 0, too_long: 0 };

/// A stream of turns, and what came out of it.
struct Stream {
    turns: Turns,
    outputs: Vec<Output>,
}

impl Stream {
    fn new(config: Config) -> Self {
        Self { turns: Turns::new(config), outputs: Vec::new() }
    }

    fn started(turn: &str) -> Self {
        let mut stream = Self::new(Config::default());
        stream.take(turn, json!({"type": "response_start", "modelId": "m", "providerId": "p"}));
        stream
    }

    fn take(&mut self, turn: &str, payload: Value) -> usize {
        let before = self.outputs.len();
        let event = event(turn, payload);
        self.turns.handle_event(&event, Now::at(event.timestamp.instant()), &mut self.outputs);
        self.outputs.len() - before
    }

    /// Takes an event that must do nothing but be counted.
    fn drop(&mut self, turn: &str, payload: Value) -> Dropped {
        let about = payload.to_string();
        assert_eq!(self.take(turn, payload), 0, "{about}");
        self.turns.dropped()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "payloads are easier to read when they are built in place")]
fn event(turn: &str, payload: Value) -> envelope::StreamEventEnvelope {
    let event = json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00.000Z", "turnId": turn,
        "sessionId": "s", "type": payload["type"], "payload": payload});
    envelope::read(&event.to_string()).unwrap().event().unwrap()
}

fn message(id: &str) -> Value {
    json!({"type": "item_start", "itemId": id, "itemType": "message"})
}

fn delta(id: &str) -> Value {
    json!({"type": "item_delta", "itemId": id, "deltaContent": "more"})
}

fn done(id: &str) -> Value {
    json!({"type": "item_done", "itemId": id,
        "finalItem": {"type": "message", "content": "more", "origin": "agent"}})
}

fn completed() -> Value {
    json!({"type": "response_done", "status": "completed"})
}

#[test]
fn what_comes_after_a_turns_end_is_dropped_and_counted() {
    let mut stream = Stream::started("t");
    stream.take("t", completed());
    let late = [message("a"), delta("a"), done("a"), completed()];
    for (count, payload) in (1..).zip(late) {
        assert_eq!(stream.drop("t", payload), Dropped { after_end: count, ..NONE });
    }
    stream.take("u", message("b"));
    stream.take("u", completed());
    assert_eq!(stream.drop("u", delta("b")), Dropped { after_end: 5, ..NONE }, "of all turns together");
}

#[test]
fn work_in_the_background_does_not_let_other_late_events_through() {
    let mut stream = Stream::started("t");
    let call = json!({"type": "item_start", "itemId": "c", "itemType": "function_call", "name": "Bash",
        "callId": "c1", "detached": true});
    stream.take("t", call);
    stream.take("t", completed());
    assert_eq!(stream.drop("t", message("a")), Dropped { after_end: 1, ..NONE });
    let result = json!({"type": "item_done", "itemId": "o", "finalItem": {"type": "function_call_output",
        "callId": "c1", "output": "x", "isError": false}});
    assert_eq!(stream.take("t", result.clone()), 1, "the call is complete");
    assert_eq!(stream.turns.dropped(), Dropped { after_end: 1, ..NONE }, "what was counted is kept");
    assert_eq!(stream.drop("t", result), Dropped { after_end: 2, ..NONE });
}

#[test]
fn every_other_reason_has_a_count_of_its_own() {
    let mut stream = Stream::started("t");
    assert_eq!(stream.drop("t", delta("nobody")), Dropped { unknown_item: 1, ..NONE });
    stream.take("t", message("a"));
    assert_eq!(stream.drop("t", message("a")), Dropped { unknown_item: 1, contradiction: 1, ..NONE });
    stream.take("t", done("a"));
    let twice = Dropped { unknown_item: 1, contradiction: 1, late: 1, ..NONE };
    assert_eq!(stream.drop("t", delta("a")), twice);
    assert_eq!(stream.drop("t", done("a")), Dropped { late: 2, ..twice });
    let start = json!({"type": "response_start", "modelId": "m", "providerId": "p"});
    assert_eq!(stream.drop("t", start), Dropped { late: 2, contradiction: 2, ..twice });
}

#[test]
fn what_is_beyond_the_limit_of_an_item_is_counted() {
    let mut stream = Stream::new(Config::default().with_item_bytes(6));
    let start = json!({"type": "item_start", "itemId": "c", "itemType": "function_call", "name": "Bash",
        "callId": "c1"});
    stream.take("t", start);
    assert_eq!(stream.drop("t", delta("c")), NONE, "four bytes fit");
    assert_eq!(stream.drop("t", delta("c")), Dropped { too_long: 1, ..NONE });
    assert_eq!(stream.drop("t", delta("c")), Dropped { too_long: 2, ..NONE });
}

#[test]
fn a_processor_counts_events_of_other_turns() {
    let mut processor = UpsertProcessor::new("s".into(), "t".into(), Config::default());
    let mut outputs = Vec::<Output>::new();
    let mut take = |turn: &str, payload: Value| {
        let event = event(turn, payload);
        processor.handle_event(&event, Now::at(event.timestamp.instant()), &mut outputs);
        processor.dropped()
    };
    assert_eq!(take("u", completed()), Dropped { contradiction: 1, ..NONE });
    assert_eq!(take("t", completed()), Dropped { contradiction: 1, ..NONE });
    assert_eq!(take("u", completed()), Dropped { contradiction: 1, after_end: 1, ..NONE });
}
