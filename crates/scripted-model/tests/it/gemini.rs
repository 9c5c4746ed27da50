//! The Gemini API: the chunks of a stream, whole responses, and the other calls.

use serde_json::{Value, json};

use scripted_model::Running;

use crate::client::{Response, post, send, start};

async fn ask(model: &Running, call: &str, prompt: &str) -> Response {
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": prompt }] }] });
    post(model, &format!("/v1beta/models/gemini-test:{call}"), &body).await
}

async fn ask_streamed(model: &Running, prompt: &str) -> Response {
    ask(model, "streamGenerateContent?alt=sse", prompt).await
}

/// The parts of every chunk and the reason of the end.
fn candidates(response: &Response) -> Value {
    let chunks = response.chunks();
    let candidates = chunks.iter().map(|chunk| &chunk["candidates"][0]);
    candidates.map(|candidate| json!([candidate["content"]["parts"], candidate["finishReason"]])).collect()
}

#[tokio::test]
async fn text_streams_word_by_word() {
    let model = start().await;
    let response = ask_streamed(&model, "say:hello wörld").await;
    assert!(response.complete);
    let chunk = |text: &str| {
        json!({
            "candidates": [{ "index": 0, "content": { "role": "model", "parts": [{ "text": text }] } }],
            "usageMetadata": { "promptTokenCount": 150, "cachedContentTokenCount": 30, "candidatesTokenCount": 3,
                "thoughtsTokenCount": 0, "totalTokenCount": 153 },
            "modelVersion": "gemini-test", "responseId": "resp-000000000000000000000001",
        })
    };
    let mut last = chunk("");
    last["candidates"][0]["finishReason"] = json!("STOP");
    assert_eq!(response.chunks(), [chunk("hello "), chunk("wörld"), last]);
}

#[tokio::test]
async fn thoughts_and_calls_come_whole() {
    let model = start().await;
    let response = ask_streamed(&model, "think:so it is tool:glob {\"pattern\":\"*\"} tool:ls").await;
    let call = |number: usize, name: &str, args: &Value| {
        json!([[{
        "functionCall": { "id": format!("call_{number:024}"), "name": name, "args": args },
        "thoughtSignature": "c2NyaXB0ZWQgc2lnbmF0dXJl",
    }], null])
    };
    let expected = json!([
        [[{ "text": "so it is", "thought": true }], null],
        call(1, "glob", &json!({ "pattern": "*" })),
        call(2, "ls", &json!({})),
        [[{ "text": "" }], "STOP"],
    ]);
    assert_eq!(candidates(&response), expected);
}

#[tokio::test]
async fn a_whole_response_has_the_same_content() {
    let model = start().await;
    let response = ask(&model, "generateContent", "think:hm say:hello there stop:max_tokens").await.json();
    let candidate = json!({ "index": 0, "finishReason": "MAX_TOKENS", "content": { "role": "model",
        "parts": [{ "text": "hm", "thought": true }, { "text": "hello there" }] } });
    assert_eq!(response["candidates"], json!([candidate]));
    let usage = json!({ "promptTokenCount": 150, "cachedContentTokenCount": 30, "candidatesTokenCount": 3,
        "thoughtsTokenCount": 1, "totalTokenCount": 154 });
    assert_eq!(response["usageMetadata"], usage);
}

#[tokio::test]
async fn an_error_in_the_stream_is_a_chunk() {
    let model = start().await;
    let response = ask_streamed(&model, "say:one two sse-error").await;
    assert!(response.complete);
    let error = json!({ "error": { "code": 503, "message": "Overloaded", "status": "UNAVAILABLE" } });
    assert_eq!(response.chunks().last(), Some(&error));
}

#[tokio::test]
async fn a_refusal_tells_when_to_retry() {
    let model = start().await;
    let response = ask_streamed(&model, "status:429 retry-after:2").await;
    let retry = json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s" });
    let error = json!({ "code": 429, "message": "scripted error 429", "status": "RESOURCE_EXHAUSTED",
        "details": [retry] });
    assert_eq!((response.status, response.json()), (429, json!({ "error": error })));
    assert_eq!(response.headers["retry-after"], "2");
}

#[tokio::test]
async fn a_request_for_json_gets_json_of_its_schema() {
    let model = start().await;
    let schema = json!({ "type": "OBJECT", "properties": {
        "reasoning": { "type": "STRING" }, "next_speaker": { "type": "STRING", "enum": ["user", "model"] },
    } });
    let body = json!({
        "contents": [{ "role": "user", "parts": [{ "text": "status:500" }] }],
        "generationConfig": { "responseJsonSchema": schema },
    });
    let response = post(&model, "/v1beta/models/m:generateContent", &body).await.json();
    let text = response["candidates"][0]["content"]["parts"][0]["text"].as_str().unwrap();
    let expected = json!({ "reasoning": "Scripted answer", "next_speaker": "user" });
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected);
}

#[tokio::test]
async fn tokens_are_counted_and_models_listed() {
    let model = start().await;
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "say:x" }] }] });
    let count = post(&model, "/v1beta/models/m:countTokens", &body).await.json();
    assert_eq!(count, json!({ "totalTokens": body.to_string().len().div_ceil(4) }));
    let list = send(&model, "GET", "/v1beta/models?pageSize=5", "").await.unwrap().json();
    assert_eq!(list["models"][0]["name"], "models/scripted-model");
}

#[tokio::test]
async fn unknown_calls_get_errors_of_this_api() {
    let model = start().await;
    for path in ["/v1beta/models/m:embedContent", "/v1beta/cachedContents"] {
        let response = post(&model, path, &json!({})).await;
        let error = json!({ "code": 404, "message": "Not found", "status": "NOT_FOUND" });
        assert_eq!((response.status, response.json()), (404, json!({ "error": error })), "{path}");
    }
}
