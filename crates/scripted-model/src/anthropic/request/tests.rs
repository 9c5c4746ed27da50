use serde_json::{Value, json};

use super::*;
use crate::conversation::ToolResult;

fn conversation(messages: &Value) -> Conversation {
    let body = json!({ "model": "m", "messages": messages });
    read(body.to_string().as_bytes()).unwrap()
}

fn prompt(messages: &Value) -> String {
    conversation(messages).prompt
}

fn texts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({ "type": "text", "text": text })).collect()
}

const REMINDER: &str = "<system-reminder>\nsay:nothing of this\n</system-reminder>\n\n";

#[test]
fn the_prompt_is_found_in_every_wrapping() {
    let cases = [
        (json!([{ "role": "user", "content": "plain" }]), "plain"),
        (json!([{ "role": "user", "content": texts(&[REMINDER, "wrapped"]) }]), "wrapped"),
        (json!([{ "role": "user", "content": format!("{REMINDER}inline") }]), "inline"),
        (json!([{ "role": "user", "content": texts(&["first", "second"]) }]), "first\nsecond"),
        (json!([{ "role": "user", "content": texts(&["trailing break\n"]) }]), "trailing break"),
        (json!([{ "role": "user", "content": texts(&["failed\n", "after it"]) }]), "after it"),
        (
            json!([{ "role": "user", "content": texts(&["stall\n", "[Request interrupted by user]\n", "next"]) }]),
            "next",
        ),
        (
            json!([
                { "role": "user", "content": texts(&[REMINDER, "with notes behind"]) },
                { "role": "system", "content": "Available agent types: say:none" },
            ]),
            "with notes behind",
        ),
        (
            json!([{ "role": "user", "content": "<local-command-stdout>Set model</local-command-stdout>" }]),
            "",
        ),
        (
            json!([{ "role": "user", "content": "an <system-reminder> left open" }]),
            "an <system-reminder> left open",
        ),
        (json!([]), ""),
    ];
    for (messages, expected) in cases {
        assert_eq!(prompt(&messages), expected, "{messages}");
    }
}

fn after_tools() -> Vec<Value> {
    vec![
        json!({ "role": "user", "content": "earlier" }),
        json!({ "role": "assistant", "content": "fine" }),
        json!({ "role": "user", "content": texts(&["read both"]) }),
        json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "" },
            { "type": "tool_use", "id": "a", "name": "Read", "input": {} },
            { "type": "tool_use", "id": "b", "name": "Bash", "input": {} },
        ] }),
        json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "b", "content": texts(&["two", "three"]) },
            { "type": "tool_result", "tool_use_id": "a", "content": "one" },
            { "type": "text", "text": REMINDER },
        ] }),
    ]
}

#[test]
fn tool_results_belong_to_the_prompt_before_them_in_the_order_of_their_calls() {
    let conversation = conversation(&after_tools().into());
    let results = [("Read", "one"), ("Bash", "two\nthree")];
    let results = results.map(|(tool, text)| ToolResult { tool: tool.into(), text: text.into() });
    assert_eq!(conversation.prompt, "read both");
    assert_eq!(conversation.turn, 1);
    assert_eq!(conversation.results, results);
}

#[test]
fn results_of_unknown_calls_and_empty_results_are_kept() {
    let messages = json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "lost" }] }]);
    let expected = ToolResult { tool: String::new(), text: String::new() };
    assert_eq!(conversation(&messages).results, [expected]);
}

#[test]
fn what_the_user_types_while_tools_run_is_the_newest_prompt() {
    let mut messages = after_tools();
    messages.push(json!({ "role": "system", "content": "The user sent a new message while you were working:\nsay:turn left\n\nIMPORTANT: After completing your current task, you MUST address it." }));
    let interjected = conversation(&messages.clone().into());
    assert_eq!((interjected.prompt.as_str(), interjected.turn), ("say:turn left", 0));
    assert_eq!(interjected.results.len(), 2);

    messages.push(json!({ "role": "assistant", "content": "left" }));
    messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a" }] }));
    assert_eq!(conversation(&messages.into()).turn, 1);
}

#[test]
fn a_retry_has_the_same_identity_and_other_requests_have_others() {
    let request = |session: &str, messages: Value| {
        let body = json!({ "model": "m", "messages": messages, "metadata": { "user_id": session } });
        read(body.to_string().as_bytes()).unwrap().identity
    };
    let once = json!([{ "role": "user", "content": "x" }]);
    let longer = json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": "y" }, { "role": "user", "content": "x" }]);
    let first = request("one", once.clone());
    assert_eq!(request("one", once.clone()), first);
    assert_ne!(request("two", once), first);
    assert_ne!(request("one", longer), first);
}

#[test]
fn the_system_prompt_may_be_text_or_blocks() {
    for system in [json!("one"), texts(&["one"])] {
        let body = json!({ "model": "m", "messages": [], "system": system, "stream": true });
        let conversation = read(body.to_string().as_bytes()).unwrap();
        assert_eq!((conversation.system.as_str(), conversation.stream), ("one", true));
    }
}
