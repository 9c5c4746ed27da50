//! The Responses API: the events of a stream, the items, and whole responses.

use serde_json::{Value, json};

use scripted_model::Running;

use crate::client::{Response, post, send, start};

async fn ask(model: &Running, prompt: &str) -> Response {
    post(model, "/v1/responses", &request(prompt, true)).await
}

fn request(prompt: &str, stream: bool) -> Value {
    json!({ "model": "gpt-test", "stream": stream, "input": prompt, "tools": [
        { "type": "function", "name": "exec_command" },
        { "type": "custom", "name": "apply_patch" },
        { "type": "local_shell" },
        { "type": "web_search" },
    ] })
}

/// Takes the response objects out of the events: they have tests of their own.
fn without_responses(mut events: Vec<Value>) -> Value {
    for event in &mut events {
        event.as_object_mut().unwrap().remove("response");
    }
    events.into()
}

#[tokio::test]
async fn text_streams_word_by_word() {
    let model = start().await;
    let response = ask(&model, "say:hello wörld").await;
    assert!(response.complete);
    assert_eq!(response.headers["content-type"], "text/event-stream; charset=utf-8");
    assert_eq!(response.headers["x-request-id"], "req_000000000000000000000001");
    let id = "msg_000000000000000000000001";
    let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] });
    let item = |status: &str, parts: &[Value]| json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": parts });
    let expected = json!([
        { "type": "response.created", "sequence_number": 0 },
        { "type": "response.in_progress", "sequence_number": 1 },
        { "type": "response.output_item.added", "sequence_number": 2, "output_index": 0,
          "item": item("in_progress", &[]) },
        { "type": "response.content_part.added", "sequence_number": 3, "item_id": id, "output_index": 0,
          "content_index": 0, "part": part("") },
        { "type": "response.output_text.delta", "sequence_number": 4, "item_id": id, "output_index": 0,
          "content_index": 0, "delta": "hello ", "logprobs": [] },
        { "type": "response.output_text.delta", "sequence_number": 5, "item_id": id, "output_index": 0,
          "content_index": 0, "delta": "wörld", "logprobs": [] },
        { "type": "response.output_text.done", "sequence_number": 6, "item_id": id, "output_index": 0,
          "content_index": 0, "text": "hello wörld", "logprobs": [] },
        { "type": "response.content_part.done", "sequence_number": 7, "item_id": id, "output_index": 0,
          "content_index": 0, "part": part("hello wörld") },
        { "type": "response.output_item.done", "sequence_number": 8, "output_index": 0,
          "item": item("completed", &[part("hello wörld")]) },
        { "type": "response.completed", "sequence_number": 9 },
    ]);
    let events = response.events();
    assert_eq!(without_responses(events.clone()), expected);
    let ended = &events[9]["response"];
    assert_eq!(events[0]["response"]["status"], "in_progress");
    assert_eq!((&ended["status"], &ended["id"]), (&json!("completed"), &events[0]["response"]["id"]));
    assert_eq!(ended["output"], json!([item("completed", &[part("hello wörld")])]));
    let usage = json!({
        "input_tokens": 150, "input_tokens_details": { "cached_tokens": 30 },
        "output_tokens": 3, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 153,
    });
    assert_eq!(ended["usage"], usage);
}

#[tokio::test]
async fn reasoning_streams_as_a_summary() {
    let model = start().await;
    let events = ask(&model, "think:so say:yes").await.events();
    let id = "rs_000000000000000000000001";
    let part = |text: &str| json!({ "type": "summary_text", "text": text });
    let item = |parts: &[Value]| json!({ "id": id, "type": "reasoning", "summary": parts, "encrypted_content": "c2NyaXB0ZWQgc2lnbmF0dXJl" });
    let expected = json!([
        { "type": "response.output_item.added", "sequence_number": 2, "output_index": 0, "item": item(&[]) },
        { "type": "response.reasoning_summary_part.added", "sequence_number": 3, "item_id": id,
          "output_index": 0, "summary_index": 0, "part": part("") },
        { "type": "response.reasoning_summary_text.delta", "sequence_number": 4, "item_id": id,
          "output_index": 0, "summary_index": 0, "delta": "so" },
        { "type": "response.reasoning_summary_text.done", "sequence_number": 5, "item_id": id,
          "output_index": 0, "summary_index": 0, "text": "so" },
        { "type": "response.reasoning_summary_part.done", "sequence_number": 6, "item_id": id,
          "output_index": 0, "summary_index": 0, "part": part("so") },
        { "type": "response.output_item.done", "sequence_number": 7, "output_index": 0,
          "item": item(&[part("so")]) },
    ]);
    assert_eq!(Value::from(&events[2..8]), expected);
    assert_eq!(events[8]["output_index"], 1);
    let usage = &events.last().unwrap()["response"]["usage"];
    assert_eq!(usage["output_tokens_details"]["reasoning_tokens"], 1);
}

#[tokio::test]
async fn a_function_call_streams_its_arguments() {
    let model = start().await;
    let events = ask(&model, "tool:exec_command {\"cmd\":\"ls\"}").await.events();
    let (id, call) = ("fc_000000000000000000000001", "call_000000000000000000000001");
    let item = |status: &str, arguments: &str| json!({ "id": id, "type": "function_call", "status": status, "call_id": call, "name": "exec_command", "arguments": arguments });
    let delta = |sequence: u64, text: &str| json!({ "type": "response.function_call_arguments.delta", "sequence_number": sequence, "item_id": id, "output_index": 0, "delta": text });
    let expected = json!([
        { "type": "response.output_item.added", "sequence_number": 2, "output_index": 0,
          "item": item("in_progress", "") },
        delta(3, "{\"cm"),
        delta(4, "d\":\""),
        delta(5, "ls\"}"),
        { "type": "response.function_call_arguments.done", "sequence_number": 6, "item_id": id,
          "output_index": 0, "arguments": "{\"cmd\":\"ls\"}" },
        { "type": "response.output_item.done", "sequence_number": 7, "output_index": 0,
          "item": item("completed", "{\"cmd\":\"ls\"}") },
    ]);
    assert_eq!(Value::from(&events[2..8]), expected);
}

#[tokio::test]
async fn other_tools_are_called_in_their_own_form() {
    let cases = [
        (
            "tool:apply_patch {\"input\":\"free text\"}",
            json!({ "id": "ctc_000000000000000000000001", "type": "custom_tool_call", "status": "completed",
                "call_id": "call_000000000000000000000001", "name": "apply_patch", "input": "free text" }),
        ),
        (
            "tool:local_shell {\"command\":[\"ls\"]}",
            json!({ "id": "lsh_000000000000000000000001", "type": "local_shell_call", "status": "completed",
                "call_id": "call_000000000000000000000002", "action": { "type": "exec", "command": ["ls"] } }),
        ),
        (
            "tool:web_search {\"query\":\"q\"}",
            json!({ "id": "ws_000000000000000000000001", "type": "web_search_call", "status": "completed",
                "action": { "type": "search", "query": "q" } }),
        ),
    ];
    let model = start().await;
    for (prompt, item) in cases {
        let events = ask(&model, prompt).await.events();
        assert_eq!(events[events.len() - 2]["item"], item);
        assert_eq!(events.last().unwrap()["response"]["output"], json!([item]));
    }
}

#[tokio::test]
async fn free_text_streams_in_pieces() {
    let model = start().await;
    let events = ask(&model, "tool:apply_patch {\"input\":\"abcdef\"}").await.events();
    let deltas = events.iter().filter(|event| event["type"] == "response.custom_tool_call_input.delta");
    let deltas: Vec<&str> = deltas.filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(deltas, ["ab", "cd", "ef"]);
    assert_eq!(events[6]["type"], "response.custom_tool_call_input.done");
    assert_eq!(events[6]["input"], "abcdef");
}

#[tokio::test]
async fn an_answer_that_is_cut_short_is_incomplete() {
    let model = start().await;
    for (stop, reason) in [("max_tokens", "max_output_tokens"), ("refusal", "content_filter"), ("odd", "odd")]
    {
        let events = ask(&model, &format!("say:cut stop:{stop}")).await.events();
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.incomplete");
        assert_eq!(last["response"]["status"], "incomplete");
        assert_eq!(last["response"]["incomplete_details"], json!({ "reason": reason }));
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_told_twice() {
    let model = start().await;
    let response = ask(&model, "say:one two sse-error:context_length_exceeded too long").await;
    assert!(response.complete);
    let events = response.events();
    let error = json!({ "type": "error", "sequence_number": 5, "code": "context_length_exceeded",
        "message": "too long", "param": null });
    assert_eq!(events[5], error);
    assert_eq!(events[6]["type"], "response.failed");
    assert_eq!(events[6]["response"]["status"], "failed");
    let error = json!({ "code": "context_length_exceeded", "message": "too long" });
    assert_eq!((&events[6]["response"]["error"], events.len()), (&error, 7));
}

#[tokio::test]
async fn a_whole_response_is_the_one_a_stream_ends_with() {
    let prompt = "think:hm say:yes tool:exec_command {\"cmd\":\"ls\"}";
    let (streaming, whole) = (start().await, start().await);
    let events = ask(&streaming, prompt).await.events();
    let response = post(&whole, "/responses", &request(prompt, false)).await;
    assert_eq!(response.headers["content-type"], "application/json");
    assert_eq!(response.json(), events.last().unwrap()["response"]);
}

#[tokio::test]
async fn the_models_are_listed() {
    let model = start().await;
    let list = send(&model, "GET", "/v1/models", "").await.unwrap().json();
    assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!("scripted-model")));
}
