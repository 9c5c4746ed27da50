//! Routes besides the messages, and requests that are wrong.

use serde_json::json;

use crate::client::{post, send, start};

#[tokio::test]
async fn the_root_is_alive() {
    let model = start().await;
    let response = send(&model, "HEAD", "/", "").await.unwrap();
    assert_eq!((response.status, response.body.as_str()), (200, ""));
}

#[tokio::test]
async fn tokens_are_estimated_from_the_size() {
    let model = start().await;
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "hello" }] });
    let response = post(&model, "/v1/messages/count_tokens?beta=true", &body).await;
    let expected = json!({ "input_tokens": body.to_string().len().div_ceil(4) });
    assert_eq!((response.status, response.json()), (200, expected));
}

#[tokio::test]
async fn wrong_requests_get_errors_of_the_api() {
    let cases = [
        ("GET", "/v1/complete", "", 404, "not_found_error", "Not found"),
        ("POST", "/v2/messages", "{}", 404, "not_found_error", "Not found"),
        ("GET", "/v1/messages", "", 405, "invalid_request_error", "Method Not Allowed"),
        ("POST", "/v1/messages", "{", 400, "invalid_request_error", "EOF"),
        ("POST", "/v1/messages", "{}", 400, "invalid_request_error", "missing field `model`"),
        (
            "POST",
            "/v1/messages",
            r#"{"model":"m"}"#,
            400,
            "invalid_request_error",
            "missing field `messages`",
        ),
        ("POST", "/v1/messages/count_tokens", "[]", 400, "invalid_request_error", "invalid"),
    ];
    let model = start().await;
    for (method, path, body, status, kind, message) in cases {
        let response = send(&model, method, path, body).await.unwrap();
        let error = response.json();
        assert_eq!((response.status, &error["error"]["type"]), (status, &json!(kind)), "{method} {path}");
        assert!(error["error"]["message"].as_str().unwrap().contains(message), "{error}");
        assert_eq!(error["request_id"], response.headers["request-id"]);
    }
}
