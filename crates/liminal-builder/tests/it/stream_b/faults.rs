//! A Redis that is late, gone, or whose answers are lost.

use std::time::Duration;

use liminal_builder::config::RedisUrl;
use liminal_builder::emitter::{Emitter, Publisher, RetryPolicy};
use liminal_builder::stream_b::RedisPublisher;
use liminal_core::stream_b::{PayloadType, StreamBMessage};

use super::{Case, consumer};
use crate::redis_server::proxy::Proxy;
use crate::redis_server::{AppendOnly, RedisServer};
use crate::support::run;

fn simple() -> Case {
    Case::read("sb_01_simple_agent_message")
}

fn publish(url: &str, input: &str, more: &[&str]) -> std::process::Output {
    let arguments = ["process", "--clock", "events", "--format", "stream-a", "--publish", url];
    run(&[&arguments, more].concat(), input)
}

#[tokio::test(flavor = "multi_thread")]
async fn sb_13_a_redis_that_is_late_gets_every_message() {
    let redis = RedisServer::start(AppendOnly::No);
    let proxy = Proxy::start(redis.port()).await;
    proxy.refuse();
    let case = simple();
    let (url, input) = (proxy.url(), case.input.clone());
    let running = tokio::task::spawn_blocking(move || publish(&url, &input, &[]));
    while proxy.opened() < 2 {
        tokio::task::yield_now().await;
    }
    proxy.heal();
    let output = running.await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(consumer::messages(&redis.url(), case.turn()), case.expected);
}

#[test]
fn sb_14_a_redis_that_stays_away_ends_the_run_and_what_to_do_is_told() {
    let mut redis = RedisServer::start(AppendOnly::No);
    redis.kill();
    let url = redis.url().replace("127.0.0.1", ":hunter2@127.0.0.1");
    let output = publish(&url, &simple().input, &[]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    for told in ["in 4 attempts", "see that it runs", &redis.port().to_string()] {
        assert!(complaint.contains(told), "{complaint}");
    }
    assert!(!complaint.contains("hunter2"), "{complaint}");
}

#[test]
fn sb_14_how_often_it_is_tried_can_be_set() {
    let mut redis = RedisServer::start(AppendOnly::No);
    redis.kill();
    let retries = ["--retry-attempts", "1", "--retry-base-ms", "1", "--retry-max-ms", "1"];
    let output = publish(&redis.url(), &simple().input, &retries);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("in 2 attempts"), "{complaint}");
}

fn message(event_id: &str) -> StreamBMessage {
    StreamBMessage {
        event_id: event_id.to_owned(),
        timestamp: 1,
        turn_id: "turn".into(),
        payload_type: PayloadType::TurnEvent,
        payload: "{}".to_owned(),
        trace_context: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_answer_was_lost_is_not_written_twice() {
    let redis = RedisServer::start(AppendOnly::No);
    let proxy = Proxy::start(redis.port()).await;
    let address = RedisUrl::parse(&proxy.url()).unwrap();
    let mut publisher = RedisPublisher::new(address, Duration::from_secs(60)).unwrap();
    publisher.publish(&message("1")).await.unwrap();
    proxy.cut_answers_after(0);
    publisher.publish(&message("2")).await.unwrap_err();
    proxy.heal();
    let policy = RetryPolicy { base: Duration::from_millis(1), ..RetryPolicy::default() };
    let mut emitter = Emitter::new(publisher, policy);
    for id in ["2", "3"] {
        emitter.emit(&message(id)).await.unwrap();
    }
    assert_eq!(redis.ask::<u64>(&["XLEN", &consumer::key("turn")]), 3);
}
