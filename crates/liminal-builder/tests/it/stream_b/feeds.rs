//! The acceptance cases on the way that messages of a server take: a feed, its outbox, an emitter and a real Redis.

use std::time::Duration;

use liminal_builder::config::{Redis, RedisUrl};
use liminal_builder::emitter::Emitter;
use liminal_builder::stream_b::{Feeds, Outbox, RedisPublisher};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::stream_a;
use liminal_core::time::Now;
use serde_json::Value;

use super::{Case, consumer};
use crate::redis_server::{AppendOnly, RedisServer};

one_test_for_each_case!(holds);

fn holds(name: &str) {
    let case = Case::read(name);
    let redis = RedisServer::start(AppendOnly::No);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(deliver(&case, &redis));
    assert_eq!(consumer::messages(&redis.url(), case.turn()), case.expected);
}

/// Delivers what each event gives before the next one comes, so that no state overtakes another.
async fn deliver(case: &Case, redis: &RedisServer) {
    let settings = settings(&case.options);
    let outbox = Outbox::default();
    let mut feed = Feeds::new(outbox.clone(), settings.stream_b_processor()).open();
    let publisher = RedisPublisher::new(RedisUrl::parse(&redis.url()).unwrap(), Duration::from_secs(60));
    let mut emitter = Emitter::new(publisher.unwrap(), settings.stream_b_retry());
    let mut reader = stream_a::Reader::default();
    for line in case.input.lines() {
        let event = reader.read(line).unwrap();
        let now = event.as_ref().map(|event| Now::at(event.timestamp.instant()));
        if let Some((event, now)) = event.zip(now) {
            feed.timeout(now.mono);
            empty(&outbox, &mut emitter).await;
            feed.note(&[event], now);
            empty(&outbox, &mut emitter).await;
        }
    }
    feed.finish(&ErrorInfo::new(ErrorCode::StreamEnded, "the input ended before the turn did"));
    empty(&outbox, &mut emitter).await;
}

async fn empty(outbox: &Outbox, emitter: &mut Emitter<RedisPublisher>) {
    while !outbox.is_empty() {
        let letter = outbox.next().await.unwrap();
        emitter.emit(&letter.message).await.unwrap();
    }
}

/// What a case asks for, as settings of a server.
fn settings(options: &Value) -> Redis {
    assert_eq!(options["format"], "stream-a", "the only format of the seed");
    let mut settings = Redis::default();
    if let Some(gradient) = options.get("gradient") {
        settings.stream_b_batch_gradient = serde_json::from_value(gradient.clone()).unwrap();
    }
    if let Some(timeout) = options.get("timeoutMs") {
        settings.stream_b_batch_timeout_ms = timeout.as_u64().unwrap();
    }
    settings
}
