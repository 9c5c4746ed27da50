//! What the same prompt and the same scenario do, whichever API brings them.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::client::{open, post, send, start, start_with};

const APIS: [Api; 4] = [
    Api {
        path: "/v1/messages",
        messages: "messages",
        prompt: |text| json!({ "role": "user", "content": text }),
    },
    Api {
        path: "/v1/responses",
        messages: "input",
        prompt: |text| json!({ "role": "user", "content": text }),
    },
    Api {
        path: "/v1/chat/completions",
        messages: "messages",
        prompt: |text| json!({ "role": "user", "content": text }),
    },
    Api {
        path: "/v1beta/models/m:streamGenerateContent?alt=sse",
        messages: "contents",
        prompt: |text| json!({ "role": "user", "parts": [{ "text": text }] }),
    },
];

struct Api {
    path: &'static str,
    messages: &'static str,
    prompt: fn(&str) -> Value,
}

impl Api {
    fn body(&self, prompt: &str) -> Value {
        json!({ "model": "m", "stream": true, self.messages: [(self.prompt)(prompt)] })
    }
}

#[tokio::test]
async fn a_drop_cuts_the_stream_after_the_pieces_before_it() {
    let model = start().await;
    for api in APIS {
        let response = post(&model, api.path, &api.body("say:one two three drop:2")).await;
        assert!(!response.complete, "{}", api.path);
        assert!(response.body.contains("two") && !response.body.contains("three"), "{}", response.body);
    }
}

#[tokio::test]
async fn deltas_are_recorded_when_they_are_written() {
    let model = start().await;
    for api in APIS {
        let asked = now();
        post(&model, api.path, &api.body("say:one two slow:5ms")).await;
        let deltas = model.writes().split_off(model.writes().len() - 2);
        assert_eq!(
            deltas.iter().map(|delta| delta.text.as_str()).collect::<String>(),
            "one two",
            "{}",
            api.path
        );
        assert!(deltas.iter().all(|delta| &*delta.prompt == "say:one two slow:5ms" && !delta.errand));
        let times = [asked, deltas[0].at, deltas[1].at, now()];
        assert!(times.is_sorted(), "{times:?}");
        assert!(times[2] - times[1] >= Duration::from_millis(5), "{times:?}");
    }
}

fn now() -> std::time::Instant {
    tokio::time::Instant::now().into_std()
}

#[tokio::test]
async fn a_drop_at_the_start_sends_nothing() {
    let model = start().await;
    for api in APIS {
        let body = api.body("drop:start").to_string();
        assert!(send(&model, "POST", api.path, &body).await.is_none(), "{}", api.path);
    }
}

#[tokio::test]
async fn a_counted_fault_passes() {
    let model = start().await;
    for api in APIS {
        let body = api.body("status:503x1 say:well");
        assert_eq!(post(&model, api.path, &body).await.status, 503, "{}", api.path);
        assert_eq!(post(&model, api.path, &body).await.status, 200, "{}", api.path);
    }
}

#[tokio::test]
async fn a_status_has_the_body_of_its_api() {
    let openai = |kind: &str, code: Value| json!({ "error": { "message": "as asked", "type": kind, "param": null, "code": code } });
    let gemini = |code: u16, status: &str| json!({ "error": { "code": code, "message": "as asked", "status": status } });
    let cases = [
        (400, openai("invalid_request_error", Value::Null), gemini(400, "INVALID_ARGUMENT")),
        (401, openai("invalid_request_error", json!("invalid_api_key")), gemini(401, "UNAUTHENTICATED")),
        (403, openai("invalid_request_error", Value::Null), gemini(403, "PERMISSION_DENIED")),
        (404, openai("invalid_request_error", Value::Null), gemini(404, "NOT_FOUND")),
        (429, openai("rate_limit_error", json!("rate_limit_exceeded")), gemini(429, "RESOURCE_EXHAUSTED")),
        (500, openai("server_error", Value::Null), gemini(500, "INTERNAL")),
        (503, openai("server_error", Value::Null), gemini(503, "UNAVAILABLE")),
        (504, openai("server_error", Value::Null), gemini(504, "DEADLINE_EXCEEDED")),
    ];
    let model = start().await;
    let [_, responses, chat, gemini] = APIS;
    for (status, of_openai, of_gemini) in cases {
        for (api, expected) in [(&responses, &of_openai), (&chat, &of_openai), (&gemini, &of_gemini)] {
            let response = post(&model, api.path, &api.body(&format!("status:{status} as asked"))).await;
            assert_eq!((response.status, &response.json()), (status, expected), "{}", api.path);
        }
    }
}

#[tokio::test]
async fn wrong_requests_are_refused_with_a_message() {
    let model = start().await;
    for api in APIS {
        for (method, body, status) in [("POST", "{", 400), ("DELETE", "", 405)] {
            let response = send(&model, method, api.path, body).await.unwrap();
            let message = &response.json()["error"]["message"];
            assert_eq!(response.status, status, "{method} {}", api.path);
            assert!(message.as_str().is_some_and(|message| !message.is_empty()), "{message}");
        }
    }
}

#[tokio::test]
async fn a_directive_that_cannot_be_read_is_refused() {
    let model = start().await;
    for api in APIS {
        let response = post(&model, api.path, &api.body("status:now")).await;
        assert_eq!(response.status, 400, "{}", api.path);
        assert!(response.body.contains("cannot read the directive"), "{}", response.body);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stall_is_silent_for_ever() {
    for api in APIS {
        let model = start().await;
        let body = api.body("stall\nsay:one two").to_string();
        let mut stream = open(&model, "POST", api.path, &body).await;
        let mut received = Vec::new();
        let silence = async { while stream.read_buf(&mut received).await.unwrap() > 0 {} };
        tokio::time::timeout(Duration::from_secs(3_600), silence).await.expect_err("the stream must not end");
        let received = String::from_utf8(received).unwrap();
        assert!(received.contains("one ") && !received.contains("two"), "{received}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_waits_before_every_piece() {
    for api in APIS {
        let model = start().await;
        let begin = tokio::time::Instant::now();
        assert!(post(&model, api.path, &api.body("slow:200ms say:one two three")).await.complete);
        let slow = begin.elapsed();
        assert!(slow >= Duration::from_millis(600) && slow < Duration::from_millis(800), "{slow:?}");
    }
}

#[tokio::test]
async fn a_scenario_answers_all_of_them() {
    let model = start_with(json!({ "rules": [
        { "when": { "promptContains": "fail" }, "error": { "status": 429, "type": "insufficient_quota" } },
        { "when": { "promptContains": "hello", "turn": 0 }, "answer": { "steps": [{ "text": "from a rule" }] } },
    ] }))
    .await;
    for api in APIS {
        assert!(post(&model, api.path, &api.body("hello")).await.body.contains("rule"), "{}", api.path);
        let refused = post(&model, api.path, &api.body("fail")).await;
        assert!(refused.status == 429 && refused.body.contains("insufficient_quota"), "{}", refused.body);
    }
}

#[tokio::test]
async fn errands_use_up_no_rules_but_their_own() {
    let model = start_with(json!({ "rules": [
        { "when": { "errand": true, "promptContains": "review" },
          "answer": { "steps": [{ "text": "{\"outcome\":\"deny\"}" }] } },
        { "times": 1, "answer": { "steps": [{ "text": "once" }] } },
    ] }))
    .await;
    let format = json!({ "type": "json_schema", "name": "x", "schema": { "properties": { "title": { "type": "string" } } } });
    let ask = async |prompt: &str, errand: bool| {
        let text = if errand { json!({ "format": format }) } else { json!({}) };
        let body = json!({ "model": "m", "input": prompt, "text": text });
        let response = post(&model, "/v1/responses", &body).await.json();
        response["output"][0]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(ask("a title", true).await, r#"{"title":"Scripted answer"}"#);
    assert_eq!(ask("a review", true).await, r#"{"outcome":"deny"}"#);
    assert_eq!(ask("a prompt", false).await, "once");
}
