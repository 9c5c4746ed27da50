use std::collections::{BTreeMap, BTreeSet};

use liminal_builder::http::{ROUTES, openapi};
use serde_json::json;

use super::*;

const KNOWN: &[(&str, &str)] = &[("id", "demo:1"), ("cliType", "demo")];

fn made(seed: u64) -> Vec<Request> {
    cases(openapi::document(), KNOWN, seed, 50).collect()
}

#[test]
fn every_operation_is_tried_and_the_same_seed_makes_the_same_requests() {
    let requests = made(7);
    let mut counts = BTreeMap::<_, usize>::new();
    for request in &requests {
        *counts.entry(&request.operation).or_default() += 1;
    }
    assert_eq!(counts.len(), ROUTES.len());
    assert!(counts.values().all(|count| *count == 50));
    assert_eq!(requests, made(7));
    assert_ne!(requests, made(8));
}

#[test]
fn requests_can_be_sent() {
    for request in made(1) {
        assert!(request.path.starts_with('/') && request.path.is_ascii() && request.path.len() < 15_000);
        assert!(!request.path.contains([' ', '{', '}', '#', '\r', '\n']), "{}", request.path);
        let values = request.headers.iter().map(|(_, value)| value);
        assert!(values.clone().all(|value| value.bytes().all(|byte| (b' '..=b'~').contains(&byte))));
    }
}

#[test]
fn some_bodies_are_good_some_are_wrong_and_some_are_no_json() {
    let document = openapi::document();
    let schema = json!({ "$ref": "#/components/schemas/SendMessage" });
    let sends = |request: &Request| request.operation.0 == "/api/session/{id}/send";
    let verdicts: BTreeSet<&str> = cases(document, KNOWN, 3, 200)
        .filter(sends)
        .map(|request| match serde_json::from_slice::<Value>(&request.body.unwrap()) {
            Ok(body) if validity::check(document, &schema, &body).is_ok() => "good",
            Ok(_) => "wrong",
            Err(_) => "no json",
        })
        .collect();
    assert_eq!(verdicts, BTreeSet::from(["good", "no json", "wrong"]));
}

#[test]
fn values_made_for_a_schema_are_valid() {
    let document = openapi::document();
    let mut chance = Chance::new(11);
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        for _ in 0..50 {
            let value = values::good(document, schema, &[], &mut chance);
            validity::check(document, schema, &value)
                .unwrap_or_else(|fault| panic!("{name}: {fault}\n{value}"));
        }
    }
}

#[test]
fn validity_is_told() {
    let document = json!({ "s": { "T": { "type": "string" } } });
    for (schema, value, is_valid) in [
        (json!({ "type": ["integer", "null"], "minimum": 0, "maximum": 9 }), json!(9), true),
        (json!({ "type": ["integer", "null"], "minimum": 0, "maximum": 9 }), json!(null), true),
        (json!({ "type": "integer", "minimum": 0 }), json!(-1), false),
        (json!({ "type": "integer" }), json!(0.5), false),
        (json!({ "$ref": "#/s/T" }), json!("a"), true),
        (json!({ "$ref": "#/s/T" }), json!(1), false),
        (json!({ "$ref": "#/s/U" }), json!(1), false),
        (json!({ "required": ["a"], "properties": { "a": { "type": "null" } } }), json!({ "a": null }), true),
        (json!({ "required": ["a"] }), json!({}), false),
        (json!({ "properties": { "a": { "const": 1 } } }), json!({ "a": 2 }), false),
        (json!({ "additionalProperties": { "type": "string" } }), json!({ "a": 2 }), false),
        (json!({ "items": { "enum": [1, 2] } }), json!([1, 3]), false),
        (json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] }), json!(1), false),
        (json!({ "anyOf": [{ "type": "integer" }, { "type": "number" }] }), json!(1), true),
        (json!({ "allOf": [true, false] }), json!(1), false),
        (json!({ "pattern": "a" }), json!("a"), false),
    ] {
        assert_eq!(validity::check(&document, &schema, &value).is_ok(), is_valid, "{schema} {value}");
    }
}

#[test]
fn answers_are_judged() {
    const PROBLEM: Option<&str> = Some("application/problem+json");
    const JSON: Option<&str> = Some("application/json");
    let status = Request {
        method: "GET".to_owned(),
        path: "/api/session/x/queue".to_owned(),
        headers: Vec::new(),
        body: None,
        operation: ("/api/session/{id}/queue".to_owned(), "get".to_owned()),
        streams: false,
        strays: false,
    };
    let problem = |status: u16, code: &str| {
        json!({ "type": "about:blank", "title": "t", "status": status, "code": code }).to_string()
    };
    for (code, content_type, body, is_good) in [
        (200, JSON, r#"{"queue":[]}"#.to_owned(), true),
        (200, JSON, r#"{"queue":[1]}"#.to_owned(), false),
        (200, JSON, "{".to_owned(), false),
        (200, Some("text/plain"), r#"{"queue":[]}"#.to_owned(), false),
        (204, None, String::new(), false),
        (404, PROBLEM, problem(404, "SESSION_NOT_FOUND"), true),
        (404, PROBLEM, problem(404, "PROJECT_NOT_FOUND"), false),
        (404, PROBLEM, problem(404, "NO_SUCH_CODE"), false),
        (404, PROBLEM, problem(400, "SESSION_NOT_FOUND"), false),
        (404, JSON, problem(404, "SESSION_NOT_FOUND"), false),
        (418, PROBLEM, problem(418, "SESSION_NOT_FOUND"), false),
        (500, PROBLEM, problem(500, "INTERNAL"), false),
        (502, PROBLEM, problem(502, "PROCESS_CRASH"), false),
        (507, PROBLEM, problem(507, "STORAGE_FULL"), true),
    ] {
        let response = Response { status: code, content_type, body: body.as_bytes() };
        let verdict = check(openapi::document(), &status, &response);
        assert_eq!(verdict.is_ok(), is_good, "{code} {body} {verdict:?}");
    }
    let stray = Request { strays: true, ..status };
    let body = problem(405, "METHOD_NOT_ALLOWED");
    let response = Response { status: 405, content_type: PROBLEM, body: body.as_bytes() };
    assert!(check(openapi::document(), &stray, &response).is_ok());
}
