//! Delivery of Stream B messages, in virtual time.

use std::time::Duration;

use liminal_builder::emitter::{Emitter, Publisher, RetryPolicy};
use liminal_core::processor::{Config, Profile};
use liminal_core::stream_a;
use liminal_core::stream_b::{Messages, StreamBMessage};
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use tokio::time::Instant;

use crate::support::process_fixtures;

const POLICY: RetryPolicy =
    RetryPolicy { attempts: 3, base: Duration::from_millis(10), max: Duration::from_millis(100) };

/// Fails a number of times, then delivers.
#[derive(Default)]
struct Flaky {
    failures_left: usize,
    calls: Vec<Instant>,
    delivered: Vec<StreamBMessage>,
}

impl Publisher for &mut Flaky {
    type Error = &'static str;

    async fn publish(&mut self, message: &StreamBMessage) -> Result<(), Self::Error> {
        self.calls.push(Instant::now());
        if self.failures_left > 0 {
            self.failures_left -= 1;
            return Err("mock Redis failure");
        }
        self.delivered.push(message.clone());
        Ok(())
    }
}

/// The messages of the simple turn of SB-01, which SB-13 and SB-14 deliver.
fn messages() -> Vec<StreamBMessage> {
    let is_simple =
        |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("sb_01");
    let directory = process_fixtures().into_iter().find(is_simple).unwrap();
    let input = std::fs::read_to_string(directory.join("in.ndjson")).unwrap();
    let (mut reader, mut messages) = (stream_a::Reader::default(), Messages::default());
    let mut turns = Turns::new(Config::new(Profile::StreamB));
    for line in input.lines() {
        let event = reader.read(line).unwrap().unwrap();
        turns.handle_event(&event, Now::at(event.timestamp.instant()), &mut messages);
    }
    messages.take()
}

fn gaps(calls: &[Instant]) -> Vec<u128> {
    calls
        .windows(2)
        .map(|pair| pair.last().unwrap().duration_since(*pair.first().unwrap()).as_millis())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn sb_13_a_delivery_that_fails_twice_comes_through() {
    let messages = messages();
    let mut redis = Flaky { failures_left: 2, ..Flaky::default() };
    let mut emitter = Emitter::new(&mut redis, POLICY);
    for message in &messages {
        emitter.emit(message).await.unwrap();
    }
    assert_eq!(messages.len(), 4);
    assert_eq!(redis.delivered, messages);
    assert_eq!(gaps(&redis.calls), [10, 20, 0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn sb_14_a_delivery_that_always_fails_is_given_up_with_the_number_of_attempts() {
    let mut redis = Flaky { failures_left: usize::MAX, ..Flaky::default() };
    let message = messages().remove(0);
    let error = Emitter::new(&mut redis, POLICY).emit(&message).await.unwrap_err();
    assert_eq!(error.attempts, 4);
    assert!(error.to_string().contains("in 4 attempts: mock Redis failure"), "{error}");
    assert_eq!(gaps(&redis.calls), [10, 20, 40]);
    assert!(redis.delivered.is_empty());
}

#[tokio::test(start_paused = true)]
async fn delays_double_up_to_the_longest() {
    let policy = RetryPolicy { attempts: 6, ..RetryPolicy::default() };
    let mut redis = Flaky { failures_left: 6, ..Flaky::default() };
    Emitter::new(&mut redis, policy).emit(&messages().remove(0)).await.unwrap();
    assert_eq!(gaps(&redis.calls), [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    assert_eq!(policy.delay(u32::MAX), Duration::from_secs(10));
}
