//! Everything that goes wrong on purpose.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::client::{ask, ask_whole, open, request, send, start};

#[tokio::test]
async fn a_status_has_its_error_type() {
    let cases = [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (418, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (503, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ];
    let model = start().await;
    for (index, (status, kind)) in cases.into_iter().enumerate() {
        let response = ask(&model, &format!("status:{status} as asked")).await;
        let request_id = format!("req_{:024}", index + 1);
        let body = json!({
            "type": "error", "error": { "type": kind, "message": "as asked" }, "request_id": request_id,
        });
        assert_eq!((response.status, response.json()), (status, body));
        assert_eq!(response.headers["request-id"], request_id);
        assert!(!response.headers.contains_key("retry-after"));
    }
}

#[tokio::test]
async fn a_status_may_tell_when_to_retry() {
    let model = start().await;
    let response = ask_whole(&model, "status:429 retry-after:3").await;
    assert_eq!(response.headers["retry-after"], "3");
    assert_eq!(response.json()["error"]["message"], "scripted error 429");
}

#[tokio::test]
async fn a_counted_status_passes() {
    let model = start().await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(ask(&model, "status:500x2 say:well").await.status);
    }
    assert_eq!(statuses, [500, 500, 200]);
}

#[tokio::test]
async fn an_error_event_ends_the_stream_in_good_order() {
    let model = start().await;
    let response = ask(&model, "say:one two sse-error:api_error it broke").await;
    assert!(response.complete);
    let events = response.events();
    let error = json!({ "type": "error", "error": { "type": "api_error", "message": "it broke" } });
    assert_eq!(events.last(), Some(&error));
    assert_eq!(response.text(), "one ");
}

#[tokio::test]
async fn a_dropped_stream_has_no_end() {
    let first_delta = ["message_start", "ping", "content_block_start", "content_block_delta"];
    let first_block = [first_delta.as_slice(), &["content_block_delta", "content_block_stop"]].concat();
    let cases = [
        ("drop:0", first_delta[..2].to_vec()),
        ("drop:mid", first_delta.to_vec()),
        ("drop:block", first_block.clone()),
        ("drop:2", first_block[..5].to_vec()),
        ("drop:99", [first_block.as_slice(), &first_block[2..6]].concat()),
    ];
    let model = start().await;
    for (directive, events) in cases {
        let response = ask(&model, &format!("say:one two say:three four {directive}")).await;
        assert_eq!(response.status, 200);
        assert!(!response.complete, "{directive}");
        assert_eq!(response.event_types(), events, "{directive}");
    }
}

#[tokio::test]
async fn everything_before_a_late_drop_arrives() {
    let model = start().await;
    let response = ask(&model, "words:4000 drop:3000").await;
    assert!(!response.complete);
    assert!(response.text().ends_with(" word3000 "));
}

#[tokio::test]
async fn a_drop_at_the_start_sends_nothing() {
    let model = start().await;
    for stream in [true, false] {
        let body = request(&json!([{ "role": "user", "content": "drop:start" }]), stream).to_string();
        assert!(send(&model, "POST", "/v1/messages", &body).await.is_none());
    }
}

#[tokio::test]
async fn the_retry_without_streaming_has_no_stream_fault() {
    let model = start().await;
    for directive in ["drop:mid", "sse-error", "stall:1s"] {
        let response = ask_whole(&model, &format!("say:whole {directive}")).await;
        assert_eq!(response.json()["content"][0]["text"], "whole", "{directive}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stall_is_silent_for_ever() {
    let model = start().await;
    let body = request(&json!([{ "role": "user", "content": "stall\nsay:one two" }]), true).to_string();
    let mut stream = open(&model, "POST", "/v1/messages", &body).await;
    let mut received = Vec::new();
    let silence = async { while stream.read_buf(&mut received).await.unwrap() > 0 {} };
    tokio::time::timeout(Duration::from_secs(3_600), silence).await.expect_err("the stream must not end");
    let received = String::from_utf8(received).unwrap();
    assert!(received.contains(r#""text":"one ""#), "{received}");
    assert!(!received.contains("two"), "{received}");
}

#[tokio::test(start_paused = true)]
async fn a_stall_with_a_length_goes_on() {
    let model = start().await;
    let begin = tokio::time::Instant::now();
    let response = ask(&model, "say:one two stall:90s").await;
    assert!(response.complete && begin.elapsed() >= Duration::from_secs(90));
    assert_eq!(response.text(), "one two");
}
