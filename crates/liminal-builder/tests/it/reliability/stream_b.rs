//! What a server publishes for other programs, and that no session notices when the Redis for it is gone.

use liminal_core::event::Origin;

use super::figures::{Stopwatch, tell};
use super::reader::{Reader, begin, turn};
use super::world::{Server, World, wait_until};
use crate::redis_server::{AppendOnly, RedisServer};
use crate::stream_b::consumer;

fn world(redis: &RedisServer) -> World {
    World::new()
        .with("LIMINAL_REDIS_URL", &redis.url())
        .with("LIMINAL_REDIS_PUBLISH_STREAM_B", "true")
        .with("LIMINAL_REDIS_STREAM_B_MINUTES", "5")
}

fn counted(server: &Server, series: &str) -> u64 {
    let metrics = server.client.get("/metrics").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)).expect(series);
    line.trim().parse().unwrap()
}

/// The messages of the agent that a browser shows of a turn.
fn shown(reader: &Reader) -> Vec<String> {
    reader.shown.texts(Origin::Agent).iter().map(ToString::to_string).collect()
}

#[test]
fn every_turn_is_published_and_forgotten_after_a_while() {
    let redis = RedisServer::start(AppendOnly::No);
    let world = world(&redis);
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let turn = begin(&server.client, &session, "!say 300 !tool Read {\"file_path\":\"a\"}");
    reader.until_end(&turn);
    let followed = consumer::follow(&redis.url(), &turn);
    assert_eq!(followed.texts(), shown(&reader));
    assert_eq!(followed.end["type"], "turn_completed");
    assert_eq!(followed.end["threadId"], session.as_str());
    let kinds: Vec<_> = followed.items.values().map(|item| item["itemType"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"tool_call") && kinds.contains(&"tool_output"), "{kinds:?}");
    assert!(followed.items.values().all(|item| item["changeType"] == "completed"));
    let seconds: i64 = redis.ask(&["TTL", &consumer::key(&turn)]);
    assert!((1..=300).contains(&seconds), "{seconds}");
    wait_until("all is counted", || {
        counted(&server, "liminal_stream_b_published_total") == followed.messages as u64
    });
    assert!(server.stop().success());
}

#[test]
fn a_redis_that_is_gone_for_good_disturbs_no_session() {
    let mut redis = RedisServer::start(AppendOnly::No);
    let world = world(&redis);
    let server = world.begin();
    let session = world.create(&server.client);
    redis.kill();
    let begun = Stopwatch::start();
    for _ in 0..3 {
        assert_eq!(turn(&server.client, &session, "!say 5000"), "completed");
    }
    let took = begun.elapsed();
    wait_until("the first message is given up", || counted(&server, "liminal_stream_b_given_up_total") > 0);
    let waiting = counted(&server, "liminal_stream_b_waiting");
    tell("Stream B", &format!("three turns without the Redis took {took:?}; {waiting} messages wait"));
    assert!(waiting < 100, "{waiting} messages wait");
    assert!(world.log().contains("see that it runs"), "{}", world.log());
    assert!(server.stop().success());
}

#[test]
fn a_redis_that_comes_back_gets_the_newest_states() {
    let mut redis = RedisServer::start(AppendOnly::Yes);
    let world = world(&redis);
    let server = world.begin();
    let session = world.create(&server.client);
    let first = begin(&server.client, &session, "!say 10");
    assert_eq!(consumer::follow(&redis.url(), &first).end["type"], "turn_completed");
    redis.kill();
    let mut reader = Reader::join(&server.client, &session, None);
    let second = begin(&server.client, &session, "!say 5000");
    reader.until_end(&second);
    redis.restart();
    let followed = consumer::follow(&redis.url(), &second);
    let texts = shown(&reader);
    assert_eq!(followed.texts(), texts.last().map(String::as_str).into_iter().collect::<Vec<_>>());
    tell("Stream B", &format!("{} messages of a turn that the Redis missed", followed.messages));
    assert!(server.stop().success());
}

#[test]
fn a_turn_that_ended_with_its_server_is_told_as_ended() {
    let redis = RedisServer::start(AppendOnly::No);
    let world = world(&redis);
    let server = world.begin();
    let session = world.create(&server.client);
    let turn = begin(&server.client, &session, "!say 10 !hang");
    wait_until("its words are published", || redis.ask::<u64>(&["XLEN", &consumer::key(&turn)]) >= 2);
    server.kill();
    let server = world.start();
    let followed = consumer::follow(&redis.url(), &turn);
    assert_eq!(followed.end["type"], "turn_error");
    assert_eq!(followed.end["error"]["code"], "SERVER_RESTART");
    assert!(server.stop().success());
}

/// The types and changes of the items of a turn, in order.
fn changes(redis: &RedisServer, turn: &str) -> Vec<(String, String)> {
    let messages = consumer::messages(&redis.url(), turn).into_iter();
    let items = messages.filter(|message| message["payloadType"] == "item_upsert");
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    items.map(|item| (text(&item["payload"]["itemType"]), text(&item["payload"]["changeType"]))).collect()
}

#[test]
fn how_messages_are_batched_can_be_set() {
    let redis = RedisServer::start(AppendOnly::No);
    let world = world(&redis)
        .with("LIMINAL_REDIS_STREAM_B_BATCH_GRADIENT", "1000000")
        .with("LIMINAL_REDIS_STREAM_B_BATCH_TIMEOUT_MS", "600000");
    let server = world.begin();
    let session = world.create(&server.client);
    let turn = begin(&server.client, &session, "!say 5000");
    assert_eq!(consumer::follow(&redis.url(), &turn).end["type"], "turn_completed");
    let of_agent = [("message", "completed"), ("message", "created"), ("message", "completed")];
    assert_eq!(changes(&redis, &turn), of_agent.map(|(item, change)| (item.to_owned(), change.to_owned())));
    assert!(server.stop().success());
}

#[test]
fn permission_requests_are_published_if_they_are_asked_for() {
    for (items, is_published) in [("", false), ("plan,permission", true)] {
        let redis = RedisServer::start(AppendOnly::No);
        let world = world(&redis).with("LIMINAL_REDIS_STREAM_B_EXTRA_ITEMS", items);
        let server = world.begin();
        let session = world.create(&server.client);
        let mut reader = Reader::join(&server.client, &session, None);
        let turn = begin(&server.client, &session, "!perm ls !say 1");
        reader.until("it asks", |shown| super::agents::asked(shown).is_some());
        assert!(server.stop().success());
        let kinds: Vec<String> = changes(&redis, &turn).into_iter().map(|(item, _)| item).collect();
        assert_eq!(kinds.contains(&"permission".to_owned()), is_published, "{kinds:?}");
    }
}

#[test]
fn how_often_a_message_is_tried_can_be_set() {
    let mut redis = RedisServer::start(AppendOnly::No);
    let world = world(&redis)
        .with("LIMINAL_REDIS_STREAM_B_RETRY_ATTEMPTS", "1")
        .with("LIMINAL_REDIS_STREAM_B_RETRY_BASE_MS", "1")
        .with("LIMINAL_REDIS_STREAM_B_RETRY_MAX_MS", "1");
    let server = world.begin();
    let session = world.create(&server.client);
    redis.kill();
    assert_eq!(turn(&server.client, &session, "!say 10"), "completed");
    wait_until("the first message is given up", || counted(&server, "liminal_stream_b_given_up_total") > 0);
    assert!(world.log().contains("in 2 attempts"), "{}", world.log());
    assert!(server.stop().success());
}
