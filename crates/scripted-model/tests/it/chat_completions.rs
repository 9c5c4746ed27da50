//! The Chat Completions API: the chunks of a stream, and whole completions.

use serde_json::{Value, json};

use scripted_model::Running;

use crate::client::{Response, post, start};

async fn ask(model: &Running, prompt: &str, stream: bool) -> Response {
    let messages = json!([{ "role": "user", "content": prompt }]);
    let mut body = json!({ "model": "gpt-test", "stream": stream, "messages": messages });
    if stream {
        body["stream_options"] = json!({ "include_usage": true });
    }
    post(model, "/v1/chat/completions", &body).await
}

/// The deltas of a stream and the reason of its end.
fn choices(response: &Response) -> Value {
    let chunks = response.chunks();
    let choices = chunks.iter().filter_map(|chunk| chunk["choices"].get(0));
    choices.map(|choice| json!([choice["delta"], choice["finish_reason"]])).collect()
}

#[tokio::test]
async fn text_streams_word_by_word() {
    let model = start().await;
    let response = ask(&model, "say:hello wörld", true).await;
    assert!(response.complete);
    assert!(response.body.ends_with("data: [DONE]\n\n"));
    let expected = json!([
        [{ "role": "assistant", "content": "" }, null],
        [{ "content": "hello " }, null],
        [{ "content": "wörld" }, null],
        [{}, "stop"],
    ]);
    assert_eq!(choices(&response), expected);
    let chunks = response.chunks();
    let first = json!({
        "id": "chatcmpl-000000000000000000000001", "object": "chat.completion.chunk", "created": 1_767_225_600,
        "model": "gpt-test", "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "" },
            "logprobs": null, "finish_reason": null }],
    });
    assert_eq!(chunks[0], first);
    let last = chunks.last().unwrap();
    let usage = json!({ "prompt_tokens": 150, "completion_tokens": 3, "total_tokens": 153,
        "prompt_tokens_details": { "cached_tokens": 30 },
        "completion_tokens_details": { "reasoning_tokens": 0 } });
    assert_eq!((&last["choices"], &last["usage"]), (&json!([]), &usage));
}

#[tokio::test]
async fn usage_comes_only_when_asked_for() {
    let model = start().await;
    let body = json!({ "model": "m", "stream": true, "messages": [] });
    let response = post(&model, "/chat/completions", &body).await;
    assert!(response.chunks().iter().all(|chunk| chunk.get("usage").is_none()));
}

#[tokio::test]
async fn reasoning_and_parallel_calls_stream_in_pieces() {
    let model = start().await;
    let response = ask(&model, "think:hm say:go tool:read {\"a\":1} tool:bash {}", true).await;
    let call = |index: usize, name: &str| json!([{ "tool_calls": [{ "index": index, "id": format!("call_{:024}", index + 1), "type": "function", "function": { "name": name, "arguments": "" } }] }, null]);
    let arguments = |index: usize, text: &str| json!([{ "tool_calls": [{ "index": index, "function": { "arguments": text } }] }, null]);
    let expected = json!([
        [{ "role": "assistant", "content": "" }, null],
        [{ "reasoning_content": "hm" }, null],
        [{ "content": "go" }, null],
        call(0, "read"),
        arguments(0, "{\"a"),
        arguments(0, "\":"),
        arguments(0, "1}"),
        call(1, "bash"),
        arguments(1, "{"),
        arguments(1, "}"),
        [{}, "tool_calls"],
    ]);
    assert_eq!(choices(&response), expected);
}

#[tokio::test]
async fn a_whole_completion_has_the_same_content() {
    let model = start().await;
    let completion = ask(&model, "think:hm say:a say:b tool:read {\"a\":1}", false).await.json();
    let message = json!({
        "role": "assistant", "content": "ab", "refusal": null, "reasoning_content": "hm",
        "tool_calls": [{ "id": "call_000000000000000000000001", "type": "function",
            "function": { "name": "read", "arguments": "{\"a\":1}" } }],
    });
    let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": "tool_calls" });
    assert_eq!(
        (&completion["object"], &completion["choices"]),
        (&json!("chat.completion"), &json!([choice]))
    );
    assert_eq!(completion["usage"]["total_tokens"], 154);
    let silent = ask(&model, "tool:read", false).await.json();
    assert_eq!(silent["choices"][0]["message"]["content"], Value::Null);
}

#[tokio::test]
async fn the_reason_of_the_end_has_the_names_of_this_api() {
    let cases = [
        ("end_turn", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
        ("odd", "odd"),
    ];
    let model = start().await;
    for (stop, reason) in cases {
        let completion = ask(&model, &format!("say:x stop:{stop}"), false).await.json();
        assert_eq!(completion["choices"][0]["finish_reason"], reason);
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_a_chunk_without_choices() {
    let model = start().await;
    let response = ask(&model, "say:one two sse-error", true).await;
    assert!(response.complete && !response.body.contains("[DONE]"));
    let error =
        json!({ "error": { "message": "Overloaded", "type": "server_error", "param": null, "code": null } });
    assert_eq!(response.chunks().last(), Some(&error));
}

#[tokio::test]
async fn a_title_is_not_made_of_directives() {
    let model = start().await;
    let messages = json!([
        { "role": "system", "content": "You are a title generator. You output ONLY a thread title." },
        { "role": "user", "content": "status:500" },
    ]);
    let response = post(&model, "/v1/chat/completions", &json!({ "model": "m", "messages": messages })).await;
    assert_eq!(response.json()["choices"][0]["message"]["content"], "Scripted answer");
    assert!(model.requests()[0].errand);
}
