use serde_json::{Value, json};

use super::*;
use crate::conversation::ToolResult;

const STREAM: &str = "/v1beta/models/gemini-x:streamGenerateContent";

fn conversation(body: &Value) -> Conversation {
    read(STREAM, body.to_string().as_bytes()).unwrap()
}

fn said(text: &str) -> Value {
    json!({ "role": "user", "parts": [{ "text": text }] })
}

#[test]
fn the_path_names_the_model_and_the_way() {
    let cases = [
        (STREAM, Some(("gemini-x", true))),
        ("/v1beta/models/gemini-x:generateContent", Some(("gemini-x", false))),
        ("/v1beta/models/gemini-x:countTokens", Some(("gemini-x", false))),
        ("/v1beta/models/gemini-x:embedContent", None),
        ("/v1beta/models/gemini-x", None),
    ];
    for (path, expected) in cases {
        let found = read(path, b"{}").ok().map(|found| (found.model, found.stream));
        assert_eq!(found, expected.map(|(model, stream)| (model.to_owned(), stream)), "{path}");
    }
}

#[test]
fn the_prompt_is_found_behind_the_context() {
    let contents = json!([said("<session_context>\nsay:no\n</session_context>"), said("say:yes")]);
    let body = json!({ "contents": contents, "systemInstruction": { "parts": [{ "text": "be kind" }] } });
    let conversation = conversation(&body);
    assert_eq!((conversation.prompt.as_str(), conversation.system.as_str()), ("say:yes", "be kind"));
    assert_eq!(conversation.errand, None);
}

#[test]
fn results_are_found_with_and_without_identifiers() {
    let conversation = conversation(&json!({ "contents": [
        said("go"),
        { "role": "model", "parts": [
            { "text": "hm", "thought": true },
            { "functionCall": { "id": "a", "name": "glob", "args": {} } },
            { "functionCall": { "name": "read", "args": {} } },
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "name": "read", "response": { "error": "two" } } },
            { "functionResponse": { "id": "a", "name": "glob", "response": { "output": "one" } } },
            { "functionResponse": { "id": "lost", "name": "odd", "response": { "more": 1 } } },
        ] },
    ] }));
    let expected = [("odd", r#"{"more":1}"#), ("glob", "one"), ("read", "two")];
    let expected = expected.map(|(tool, text)| ToolResult { tool: tool.into(), text: text.into() });
    assert_eq!((conversation.turn, conversation.results), (1, expected.to_vec()));
}

#[test]
fn a_request_for_json_is_an_errand() {
    for key in ["responseJsonSchema", "responseSchema"] {
        let body = json!({ "contents": [said("say:no")], "generationConfig": { key: { "type": "OBJECT" } } });
        let expected = Errand::Structured(json!({ "type": "OBJECT" }));
        assert_eq!(conversation(&body).errand, Some(expected), "{key}");
    }
}
