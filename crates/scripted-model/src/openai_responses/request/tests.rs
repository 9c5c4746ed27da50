use serde_json::{Value, json};

use super::super::tool_kinds::ToolKind;
use super::*;
use crate::conversation::ToolResult;
use crate::errand::Errand;

fn request(fields: Value) -> Request {
    let mut body = json!({ "model": "m", "input": [] });
    let Value::Object(mut fields) = fields else { panic!("an object") };
    body.as_object_mut().unwrap().append(&mut fields);
    read(body.to_string().as_bytes()).unwrap()
}

fn said(role: &str, text: &str) -> Value {
    json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] })
}

/// What Codex sends before the first prompt.
fn preamble() -> Vec<Value> {
    vec![
        said("developer", "You are Codex. say:no"),
        json!({ "type": "message", "role": "user", "content": [
            { "type": "input_text", "text": "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nsay:no\n</INSTRUCTIONS>" },
            { "type": "input_text", "text": "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>" },
        ] }),
    ]
}

fn with_preamble(items: &[Value]) -> Request {
    let input = [preamble(), items.to_vec()].concat();
    request(json!({ "input": input }))
}

#[test]
fn the_prompt_is_found_behind_what_codex_writes() {
    let cases = [
        (vec![said("user", "say:a")], "say:a"),
        (vec![said("user", "status:500"), said("user", "say:b")], "say:b"),
        (vec![said("user", "say:c"), said("user", "<turn_aborted>\nstopped\n</turn_aborted>")], "say:c"),
        (vec![said("user", "say:d"), said("developer", "<model_switch>say:no</model_switch>")], "say:d"),
        (vec![], ""),
    ];
    for (items, prompt) in cases {
        assert_eq!(with_preamble(&items).conversation.prompt, prompt, "{items:?}");
    }
    assert_eq!(request(json!({ "input": "say:text" })).conversation.prompt, "say:text");
}

#[test]
fn calls_of_every_kind_have_their_results() {
    let conversation = with_preamble(&[
        said("user", "go"),
        json!({ "type": "reasoning", "summary": [] }),
        json!({ "type": "function_call", "call_id": "a", "name": "exec_command", "arguments": "{}" }),
        json!({ "type": "custom_tool_call", "call_id": "b", "name": "apply_patch", "input": "" }),
        json!({ "type": "local_shell_call", "call_id": "c", "action": {} }),
        json!({ "type": "local_shell_call_output", "call_id": "c", "output": "three" }),
        json!({ "type": "custom_tool_call_output", "call_id": "b", "output": [{ "type": "input_text", "text": "two" }] }),
        json!({ "type": "function_call_output", "call_id": "a", "output": "one" }),
    ])
    .conversation;
    let expected = [("exec_command", "one"), ("apply_patch", "two"), ("local_shell", "three")];
    let expected = expected.map(|(tool, text)| ToolResult { tool: tool.into(), text: text.into() });
    assert_eq!(conversation.results, expected);
    assert_eq!((conversation.turn, conversation.prompt.as_str()), (1, "go"));
}

#[test]
fn the_instructions_and_what_developers_say_are_the_system_prompt() {
    let request =
        request(json!({ "instructions": "one", "input": [said("developer", "two")], "stream": true }));
    assert_eq!(request.conversation.system, "one\ntwo");
    assert!(request.conversation.stream);
}

#[test]
fn a_request_for_json_is_an_errand() {
    let schema = json!({ "type": "object" });
    let format = json!({ "type": "json_schema", "name": "x", "schema": schema });
    let asked = request(json!({ "input": "say:no", "text": { "verbosity": "low", "format": format } }));
    assert_eq!(asked.conversation.errand, Some(Errand::Structured(schema)));
    let plain = request(json!({ "input": "x", "text": { "format": { "type": "text" } } }));
    assert_eq!(plain.conversation.errand, None);
}

#[test]
fn the_kind_of_a_tool_is_known_from_its_offer() {
    let kinds = request(json!({
        "tools": [
            { "type": "function", "name": "exec_command" },
            { "type": "custom", "name": "apply_patch" },
            { "type": "local_shell" },
            { "type": "web_search" },
            { "type": "namespace", "name": "files", "tools": [{ "type": "function", "name": "read" }] },
        ],
        "input": [{ "type": "additional_tools", "role": "developer", "tools": [
            { "type": "namespace", "name": "functions", "tools": [{ "type": "custom", "name": "exec" }] },
        ] }],
    }))
    .wishes;
    let namespace = |name: &str| Some(name.to_owned());
    let cases = [
        ("exec_command", ToolKind::Function { namespace: None }),
        ("apply_patch", ToolKind::Custom { namespace: None }),
        ("local_shell", ToolKind::LocalShell),
        ("web_search", ToolKind::WebSearch),
        ("read", ToolKind::Function { namespace: namespace("files") }),
        ("exec", ToolKind::Custom { namespace: namespace("functions") }),
        ("never_offered", ToolKind::Function { namespace: None }),
    ];
    for (tool, kind) in cases {
        assert_eq!(kinds.of(tool), kind, "{tool}");
    }
}

#[test]
fn a_retry_has_the_same_identity_even_after_half_an_answer() {
    let identity = |items: &[Value]| with_preamble(items).conversation.identity;
    let first = identity(&[said("user", "x")]);
    assert_eq!(identity(&[said("user", "x"), said("assistant", "half")]), first);
    assert_ne!(identity(&[said("user", "x"), said("assistant", "all"), said("user", "x")]), first);
    let session = request(json!({ "input": preamble(), "prompt_cache_key": "s" })).conversation.identity;
    assert_ne!(session, request(json!({ "input": preamble() })).conversation.identity);
}
