//! Shapes of good answers, streamed and whole.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{ask, ask_whole, post, request, start};

const USAGE_AT_START: &str = r#"{"input_tokens":100,"cache_creation_input_tokens":20,
    "cache_read_input_tokens":30,"output_tokens":1,"service_tier":"standard"}"#;

#[tokio::test]
async fn text_streams_word_by_word() {
    let model = start().await;
    let response = ask(&model, "say:hello wörld").await;
    assert_eq!(response.status, 200);
    assert!(response.complete);
    assert_eq!(response.headers["content-type"], "text/event-stream; charset=utf-8");
    assert_eq!(response.headers["request-id"], "req_000000000000000000000001");
    let usage_at_start: Value = serde_json::from_str(USAGE_AT_START).unwrap();
    let expected = json!([
        { "type": "message_start", "message": {
            "id": "msg_000000000000000000000001", "type": "message", "role": "assistant",
            "model": "claude-test", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": usage_at_start,
        } },
        { "type": "ping" },
        { "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } },
        { "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "hello " } },
        { "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "wörld" } },
        { "type": "content_block_stop", "index": 0 },
        { "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": {
            "input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30,
            "output_tokens": 3,
        } },
        { "type": "message_stop" },
    ]);
    assert_eq!(Value::from(response.events()), expected);
}

#[tokio::test]
async fn thinking_ends_with_its_signature() {
    let model = start().await;
    let events = ask(&model, "think:so it is say:yes").await.events();
    let expected = json!([
        { "type": "content_block_start", "index": 0,
          "content_block": { "type": "thinking", "thinking": "", "signature": "" } },
        { "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "so " } },
        { "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "it " } },
        { "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "is" } },
        { "type": "content_block_delta", "index": 0,
          "delta": { "type": "signature_delta", "signature": "c2NyaXB0ZWQgc2lnbmF0dXJl" } },
        { "type": "content_block_stop", "index": 0 },
        { "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } },
    ]);
    assert_eq!(Value::from(&events[2..9]), expected);
}

#[tokio::test]
async fn parallel_tools_stream_their_input_in_pieces() {
    let model = start().await;
    let response = ask(&model, "tool:Read {\"file_path\":\"ä.txt\"}\ntool:Bash {\"command\":\"ls\"}").await;
    let events = response.events();
    let expected = json!([
        { "type": "content_block_start", "index": 1, "content_block": {
            "type": "tool_use", "id": "toolu_000000000000000000000002", "name": "Bash", "input": {} } },
        { "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": "" } },
        { "type": "content_block_delta", "index": 1,
          "delta": { "type": "input_json_delta", "partial_json": "{\"comm" } },
        { "type": "content_block_delta", "index": 1,
          "delta": { "type": "input_json_delta", "partial_json": "and\":" } },
        { "type": "content_block_delta", "index": 1,
          "delta": { "type": "input_json_delta", "partial_json": "\"ls\"}" } },
        { "type": "content_block_stop", "index": 1 },
    ]);
    assert_eq!(Value::from(&events[8..14]), expected);
    assert_eq!(events[2]["content_block"]["id"], "toolu_000000000000000000000001");
    assert_eq!(events[14]["delta"]["stop_reason"], "tool_use");
}

#[tokio::test]
async fn a_whole_answer_has_the_same_content() {
    let model = start().await;
    let prompt = "think:hm say:hello  there tool:Bash {\"command\":\"ls\"} stop:pause_turn";
    let response = ask_whole(&model, prompt).await;
    let expected = json!({
        "id": "msg_000000000000000000000001", "type": "message", "role": "assistant", "model": "claude-test",
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": "c2NyaXB0ZWQgc2lnbmF0dXJl" },
            { "type": "text", "text": "hello  there" },
            { "type": "tool_use", "id": "toolu_000000000000000000000001", "name": "Bash",
              "input": { "command": "ls" } },
        ],
        "stop_reason": "pause_turn", "stop_sequence": null,
        "usage": { "input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30,
            "output_tokens": 9, "service_tier": "standard" },
    });
    assert_eq!(response.headers["content-type"], "application/json");
    assert_eq!(response.json(), expected);
}

#[tokio::test]
async fn many_words_arrive_whole_and_in_order() {
    let model = start().await;
    let words: Vec<String> = (1..=5_000).map(|number| format!("word{number}")).collect();
    assert_eq!(ask(&model, "words:5000").await.text(), words.join(" "));
}

#[tokio::test]
async fn a_prompt_without_directive_gets_an_answer_that_says_what_this_is() {
    let model = start().await;
    let text = ask(&model, "what is the weather?").await.text();
    assert!(text.starts_with("I am a scripted model"), "{text}");
}

#[tokio::test]
async fn tool_results_are_answered_by_the_rest_of_the_prompt() {
    let model = start().await;
    let ask_again = async |prompt: &str| {
        let messages = json!([
            { "role": "user", "content": prompt },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "Bash", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "hi\nyou" }] },
        ]);
        post(&model, "/v1/messages", &request(&messages, true)).await.text()
    };
    assert_eq!(ask_again("tool:Bash {}").await, "done: hi you");
    assert_eq!(ask_again("tool:Bash {} then:all good").await, "all good");
}

#[tokio::test(start_paused = true)]
async fn slow_waits_before_every_piece() {
    let model = start().await;
    let begin = tokio::time::Instant::now();
    assert_eq!(ask(&model, "slow:200ms say:one two three").await.text(), "one two three");
    let slow = begin.elapsed();
    assert!(slow >= Duration::from_millis(600) && slow < Duration::from_millis(800), "{slow:?}");
}

#[tokio::test]
async fn requests_at_the_same_time_get_their_own_answers() {
    let model = start().await;
    let (one, two) = tokio::join!(ask(&model, "words:300"), ask(&model, "say:two tool:Bash {}"));
    assert!(one.complete && two.complete);
    assert!(one.text().ends_with("word300"));
    assert_eq!(two.text(), "two");
    assert_ne!(one.events()[0]["message"]["id"], two.events()[0]["message"]["id"]);
}
