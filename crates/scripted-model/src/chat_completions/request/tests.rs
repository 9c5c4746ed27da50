use serde_json::{Value, json};

use super::*;
use crate::conversation::ToolResult;
use crate::errand::Errand;

fn request(messages: &Value) -> Request {
    read(json!({ "model": "m", "messages": messages }).to_string().as_bytes()).unwrap()
}

#[test]
fn the_prompt_is_found_in_every_wrapping() {
    let parts = json!([
        { "type": "text", "text": "say:parts" },
        { "type": "text", "text": "<system-reminder>say:no</system-reminder>" },
        { "type": "image_url", "image_url": { "url": "data:" } },
    ]);
    let cases = [
        (json!([{ "role": "system", "content": "say:no" }, { "role": "user", "content": "plain" }]), "plain"),
        (json!([{ "role": "user", "content": parts }]), "say:parts"),
        (json!([{ "role": "user", "content": "status:500" }, { "role": "user", "content": "next" }]), "next"),
        (json!([]), ""),
    ];
    for (messages, prompt) in cases {
        assert_eq!(request(&messages).conversation.prompt, prompt, "{messages}");
    }
}

#[test]
fn tool_results_belong_to_the_prompt_before_them() {
    let call = |id: &str, name: &str| json!({ "id": id, "type": "function", "function": { "name": name } });
    let conversation = request(&json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": null, "tool_calls": [call("a", "bash"), call("b", "read")] },
        { "role": "tool", "tool_call_id": "b", "content": [{ "type": "text", "text": "two" }] },
        { "role": "tool", "tool_call_id": "a", "content": "one" },
    ]))
    .conversation;
    let expected = [("bash", "one"), ("read", "two")];
    let expected = expected.map(|(tool, text)| ToolResult { tool: tool.into(), text: text.into() });
    assert_eq!((conversation.turn, conversation.results), (1, expected.to_vec()));
}

#[test]
fn titles_and_requests_for_json_are_errands() {
    let title = json!([
        { "role": "system", "content": "You are a title generator. You output ONLY a thread title." },
        { "role": "user", "content": "Generate a title for this conversation:\n" },
        { "role": "user", "content": "say:no" },
    ]);
    assert_eq!(request(&title).conversation.errand, Some(Errand::Title));
    let format = json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": {} } });
    let body = json!({ "model": "m", "messages": [], "response_format": format }).to_string();
    let structured = read(body.as_bytes()).unwrap().conversation.errand;
    assert_eq!(structured, Some(Errand::Structured(json!({}))));
}
