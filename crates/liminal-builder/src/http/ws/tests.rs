//! A socket as a client sees it, over a connection in memory: on virtual time, and with a log whose reads can be held.

mod client;
mod held_log;
mod world;

use std::time::Duration;

use liminal_core::wire::ServerMessage;
use serde_json::json;
use tokio::time::Instant;

use super::Pace;
use client::{Client, Silent};
use world::World;

#[test]
fn fifty_frames_a_second_are_enough() {
    let (mut pace, now) = (Pace::default(), Instant::now());
    assert!((0..50).all(|_| pace.admits(now)));
    assert!(!pace.admits(now));
    assert!(pace.admits(now + Duration::from_secs(1)));
}

/// How the frames of a stream follow each other: a turn never pauses for as long as pings are apart.
const FRAME: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn pings_a_client_that_only_reads_during_a_long_stream_and_keeps_it() {
    let world = World::new();
    let mut client = Client::connect(&world).await;
    client.stream_for(&world, FRAME, 125).await;
    assert_eq!(client.pings, 8, "one every 15 s, whatever is sent in between");
    // The turn has ended, and nothing is sent for a while.
    client.wait(Duration::from_secs(120)).await;
    assert_eq!(client.pings, 16);
    assert!(client.is_open().await);
}

#[tokio::test(start_paused = true)]
async fn closes_a_client_that_answers_no_ping_during_a_long_stream() {
    let world = World::new();
    let mut silent = Silent::connect(&world, 1 << 20);
    let open_for = silent.stream_until_closed(&world, FRAME).await;
    assert_eq!(open_for.as_secs(), 45, "three pings, the first of which had 30 s to be answered");
}

#[tokio::test(start_paused = true)]
async fn keeps_a_client_that_reads_too_slowly_to_see_a_ping_in_time() {
    let world = World::new();
    // The pings stand behind what it has not read yet.
    let mut slow = Silent::connect(&world, 64);
    assert!(slow.reads_slowly_for(&world, Duration::from_secs(300)).await, "it reads all the time");
}

#[tokio::test]
async fn answers_other_commands_while_a_subscription_is_being_opened() {
    let world = World::new();
    let slow = world.session("slow").await;
    let quick = world.session("quick").await;
    let held = world.log.hold_head(&slow);
    let mut client = Client::connect(&world).await;
    client.say(&json!({ "type": "session:subscribe", "sessionId": slow, "requestId": "slow" })).await;
    client.say(&json!({ "type": "session:cancel", "sessionId": quick, "requestId": "cancel" })).await;
    assert_eq!(client.answered().await, "cancel");
    client.say(&json!({ "type": "session:subscribe", "sessionId": quick, "requestId": "quick" })).await;
    assert_eq!(client.answered().await, "quick");
    client.expect_subscription(&quick).await;
    drop(held);
    assert_eq!(client.answered().await, "slow");
    client.expect_subscription(&slow).await;
}

#[tokio::test]
async fn sends_other_sessions_while_the_history_of_one_is_being_read() {
    let world = World::new();
    let slow = world.session("slow").await;
    let quick = world.session("quick").await;
    let held = world.log.hold_history(&slow);
    let mut client = Client::connect(&world).await;
    client.say(&json!({ "type": "session:subscribe", "sessionId": slow })).await;
    assert!(
        matches!(client.message().await, ServerMessage::Subscribed { session_id, .. } if session_id == slow)
    );
    client.say(&json!({ "type": "session:subscribe", "sessionId": quick })).await;
    client.expect_subscription(&quick).await;
    drop(held);
    assert!(
        matches!(client.message().await, ServerMessage::History { session_id, .. } if session_id == slow)
    );
}

#[tokio::test]
async fn only_the_latest_of_quick_subscriptions_takes_effect_and_each_is_answered_in_order() {
    let world = World::new();
    let slow = world.session("slow").await;
    let held = world.log.hold_head(&slow);
    let mut client = Client::connect(&world).await;
    for (kind, request) in
        [("subscribe", "1"), ("unsubscribe", "2"), ("subscribe", "3"), ("subscribe", "4"), ("subscribe", "5")]
    {
        client
            .say(&json!({ "type": format!("session:{kind}"), "sessionId": slow, "requestId": request }))
            .await;
    }
    for request in ["1", "2", "3", "4"] {
        assert_eq!(client.answered().await, request);
    }
    drop(held);
    assert_eq!(client.answered().await, "5");
    client.expect_subscription(&slow).await;
    client.say(&json!({ "type": "session:unsubscribe", "sessionId": slow, "requestId": "6" })).await;
    assert_eq!(client.answered().await, "6", "nothing of the replaced subscriptions was sent");
}

#[tokio::test]
async fn unsubscribing_gives_a_subscription_up_that_is_being_opened() {
    let world = World::new();
    let slow = world.session("slow").await;
    let quick = world.session("quick").await;
    let held = world.log.hold_head(&slow);
    let mut client = Client::connect(&world).await;
    client.say(&json!({ "type": "session:subscribe", "sessionId": slow })).await;
    client.say(&json!({ "type": "session:unsubscribe", "sessionId": slow, "requestId": "end" })).await;
    assert_eq!(client.answered().await, "end");
    drop(held);
    client.say(&json!({ "type": "session:subscribe", "sessionId": quick })).await;
    client.expect_subscription(&quick).await;
}

#[tokio::test]
async fn a_subscription_that_cannot_be_opened_is_reported_and_leaves_the_others() {
    let world = World::new();
    let quick = world.session("quick").await;
    let mut client = Client::connect(&world).await;
    client
        .say(&json!({ "type": "session:subscribe", "sessionId": "claude-code:none", "requestId": "none" }))
        .await;
    let ServerMessage::Error { request_id, problem } = client.message().await else { panic!("no error") };
    assert_eq!((request_id.as_deref(), problem.status), (Some("none"), 404));
    client.say(&json!({ "type": "session:subscribe", "sessionId": quick })).await;
    client.expect_subscription(&quick).await;
}
