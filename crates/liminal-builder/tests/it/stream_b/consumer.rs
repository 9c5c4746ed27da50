//! A consumer of Stream B, as docs/stream-b.md shows one: it keeps the latest state of each item, and nothing else.

use std::collections::BTreeMap;

use redis::Connection;
use redis::streams::{StreamId, StreamRangeReply, StreamReadReply};
use serde_json::{Value, json};

/// How long one read waits for news.
const BLOCK_MS: &str = "1000";
/// So many reads without news, and the test has found a fault.
const PATIENCE: usize = 60;

/// What a consumer knows of a turn when it has ended.
#[derive(Debug)]
pub(crate) struct Followed {
    /// The latest state of each item.
    pub(crate) items: BTreeMap<String, Value>,
    /// How the turn ended.
    pub(crate) end: Value,
    /// How many messages there were.
    pub(crate) messages: usize,
}

impl Followed {
    /// The texts of the messages of the agent.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let of_agent = self.items.values().filter(|item| item["origin"] == "agent");
        of_agent.filter_map(|item| item["content"].as_str()).collect()
    }
}

pub(crate) fn connect(url: &str) -> Connection {
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

pub(crate) fn key(turn: &str) -> String {
    format!("codex:turn:{turn}:upserts")
}

/// Follows a turn to its end.
pub(crate) fn follow(url: &str, turn: &str) -> Followed {
    let (mut connection, mut last) = (connect(url), "0".to_owned());
    let (mut items, mut messages) = (BTreeMap::new(), 0);
    for _ in 0..PATIENCE {
        let mut read = redis::cmd("XREAD");
        read.arg("BLOCK").arg(BLOCK_MS).arg("STREAMS").arg(key(turn)).arg(&last);
        let reply: Option<StreamReadReply> = read.query(&mut connection).unwrap();
        for entry in reply.into_iter().flat_map(|reply| reply.keys).flat_map(|stream| stream.ids) {
            last.clone_from(&entry.id);
            messages += 1;
            let payload = payload(&entry);
            match payload["type"].as_str().unwrap() {
                "item_upsert" => drop(items.insert(payload["itemId"].as_str().unwrap().to_owned(), payload)),
                "turn_completed" | "turn_error" => return Followed { items, end: payload, messages },
                _ => {}
            }
        }
    }
    panic!("turn {turn} has no end; {messages} messages came");
}

fn payload(entry: &StreamId) -> Value {
    serde_json::from_str(&entry.get::<String>("payload").unwrap()).unwrap()
}

/// All messages of a turn, as the acceptance cases write them: the payload as JSON, and no id.
pub(crate) fn messages(url: &str, turn: &str) -> Vec<Value> {
    let mut range = redis::cmd("XRANGE");
    let reply: StreamRangeReply = range.arg(key(turn)).arg("-").arg("+").query(&mut connect(url)).unwrap();
    let ids: std::collections::BTreeSet<String> =
        reply.ids.iter().map(|entry| entry.get("eventId").unwrap()).collect();
    assert_eq!(ids.len(), reply.ids.len(), "every message has an id of its own");
    reply.ids.iter().map(message).collect()
}

fn message(entry: &StreamId) -> Value {
    let text = |name: &str| entry.get::<String>(name).expect(name);
    let mut message = json!({
        "timestamp": entry.get::<i64>("timestamp").unwrap(),
        "turnId": text("turnId"),
        "payloadType": text("payloadType"),
        "payload": payload(entry),
    });
    if let Some(trace) = entry.get::<String>("traceContext") {
        message["traceContext"] = serde_json::from_str(&trace).unwrap();
    }
    message
}
