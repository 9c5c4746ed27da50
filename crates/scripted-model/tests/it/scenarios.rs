//! Scenario files, from the file to the wire.

use serde_json::{Value, json};

use crate::client::{ask, ask_whole, post, request, start_with};

#[tokio::test]
async fn the_example_of_the_readme_works() {
    let readme = include_str!("../../README.md");
    let (_, example) = readme.split_once("```json\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let model = start_with(serde_json::from_str(example).unwrap()).await;

    let first = ask(&model, "please read the file").await;
    assert_eq!(first.status, 529);
    assert_eq!(first.headers["retry-after"], "1");
    let second = ask(&model, "please read the file").await;
    assert_eq!(second.text(), "I will read it.");
    assert_eq!(second.events().last().unwrap()["type"], "message_stop");

    let messages = json!([
        { "role": "user", "content": "please read the file" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "Read", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "x" }] },
    ]);
    assert_eq!(post(&model, "/v1/messages", &request(&messages, true)).await.text(), "It says hello.");
    assert!(!ask(&model, "be flaky").await.complete);
    assert_eq!(ask(&model, "anything else").await.text(), "I have no lines for this.");
}

#[tokio::test]
async fn steps_stream_as_written() {
    let model = start_with(json!({ "rules": [{ "answer": {
        "steps": [
            { "thinking": "hm hm", "signature": "sig", "chunks": "whole" },
            { "text": "äöü", "chunks": { "bytes": 3 } },
            { "toolUse": { "id": "mine", "name": "Do", "input": { "a": 1 }, "inputChunks": 1 } },
        ],
        "stopReason": "max_tokens",
        "usage": { "inputTokens": 7, "outputTokens": 9 },
    } }] }))
    .await;
    let events = ask(&model, "").await.events();
    let deltas: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "content_block_delta")
        .map(|event| &event["delta"])
        .collect();
    let expected = json!([
        { "type": "thinking_delta", "thinking": "hm hm" },
        { "type": "signature_delta", "signature": "sig" },
        { "type": "text_delta", "text": "ä" },
        { "type": "text_delta", "text": "ö" },
        { "type": "text_delta", "text": "ü" },
        { "type": "input_json_delta", "partial_json": "" },
        { "type": "input_json_delta", "partial_json": "{\"a\":1}" },
    ]);
    assert_eq!(json!(deltas), expected);
    let end = &events[events.len() - 2];
    assert_eq!(end["delta"]["stop_reason"], "max_tokens");
    assert_eq!(end["usage"]["input_tokens"], 7);
    assert_eq!(end["usage"]["output_tokens"], 9);
}

#[tokio::test]
async fn rules_are_used_up_one_after_the_other() {
    let model = start_with(json!({ "rules": [
        { "times": 1, "error": { "status": 500, "type": "odd_error", "message": "once" } },
        { "times": 1, "answer": { "steps": [{ "text": "a b" }], "fault": { "errorEvent": {} } } },
        { "when": { "request": 3 }, "answer": { "steps": [{ "text": "third" }] } },
        { "when": { "stream": false }, "answer": { "steps": [{ "text": "whole" }] } },
        { "answer": { "steps": [{ "text": "default" }] } },
    ] }))
    .await;
    assert_eq!(ask(&model, "").await.json()["error"], json!({ "type": "odd_error", "message": "once" }));
    let broken = ask(&model, "").await.events();
    let overloaded = json!({ "type": "overloaded_error", "message": "Overloaded" });
    assert_eq!(broken.last().unwrap()["error"], overloaded);
    assert_eq!(ask(&model, "").await.text(), "third");
    assert_eq!(ask_whole(&model, "").await.json()["content"][0]["text"], "whole");
    assert_eq!(ask(&model, "").await.text(), "default");
}

#[tokio::test]
async fn a_request_without_a_rule_is_refused_or_read_for_directives() {
    let strict = start_with(json!({ "rules": [] })).await;
    let refused = ask(&strict, "say:hello").await;
    assert_eq!(refused.status, 400);
    let message = "scripted model: no rule of the scenario applies to turn 0 of the prompt \"say:hello\"";
    assert_eq!(refused.json()["error"]["message"], message);

    let lenient = start_with(json!({ "rules": [], "otherwise": "keywords" })).await;
    assert_eq!(ask(&lenient, "say:hello").await.text(), "hello");
}
