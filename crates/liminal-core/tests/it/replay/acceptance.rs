//! The acceptance cases for the translation of Claude Code's lines, on lines written by hand.

use std::collections::BTreeMap;

use liminal_core::dialect::Notice;
use serde_json::{Value, json};

use crate::replay::agent::{
    Agent, assistant, block_start, block_stop, call, delta, message_start, part, result, text, text_delta,
    tool_result,
};

fn statuses(outputs: &[Value]) -> Vec<&str> {
    outputs.iter().map(|output| output["status"].as_str().unwrap()).collect()
}

#[test]
fn tc_3_3a_text_blocks_become_messages() {
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, text(""))]);
    agent.line(&text_delta(0, "one two three four five six seven eight nine ten eleven "));
    agent.line(&text_delta(0, &"word ".repeat(21)));
    let whole = format!("one two three four five six seven eight nine ten eleven {}", "word ".repeat(21));
    agent.lines(&[assistant("m", text(&whole)), block_stop(0), result()]);
    let messages: Vec<Value> =
        agent.outputs_of("message").into_iter().filter(|message| message["origin"] == "agent").collect();
    assert_eq!(statuses(&messages), ["create", "update", "complete"]);
    assert_eq!(messages[0]["content"], "one two three four five six seven eight nine ten eleven ");
    assert_eq!(messages[1]["content"], whole);
    assert_eq!(messages[2]["content"], whole);
    assert_eq!(messages[0]["itemId"], messages[2]["itemId"]);
}

#[test]
fn tc_3_3a_every_state_of_a_message_holds_the_text_so_far() {
    let mut words = (1..).map(|number| format!("w{number} "));
    // 11, 4 + 17 and 30 + 11 words exceed the thresholds 10, 20 and 40; the last five wait for the end.
    let deltas = [11, 4, 17, 30, 11, 5].map(|count| words.by_ref().take(count).collect::<String>());
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, text(""))]);
    let (mut so_far, mut shown) = (String::new(), Vec::new());
    for delta in &deltas {
        agent.line(&text_delta(0, delta));
        so_far.push_str(delta);
        let messages = agent_messages(&agent);
        if messages.len() > shown.len() {
            shown.push(so_far.clone());
        }
        assert_eq!(contents(&messages), shown, "every state holds the text of all deltas before it");
    }
    assert_eq!(shown.len(), 3, "the first, the third and the fifth delta fill a batch");
    agent.lines(&[assistant("m", text(&so_far)), block_stop(0), result()]);
    shown.push(so_far);
    let messages = agent_messages(&agent);
    assert_eq!(contents(&messages), shown);
    assert_eq!(statuses(&messages), ["create", "update", "update", "complete"]);
    assert!(messages.iter().all(|message| message["itemId"] == "t/2"), "{messages:?}");
}

/// Every state of what the agent said, in order.
fn agent_messages(agent: &Agent) -> Vec<Value> {
    agent.outputs_of("message").into_iter().filter(|message| message["origin"] == "agent").collect()
}

fn contents(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["content"].as_str().unwrap()).collect()
}

#[test]
fn tc_3_3b_tool_use_blocks_become_calls() {
    let mut agent = Agent::in_turn();
    let announced = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {}});
    agent.lines(&[message_start("m"), block_start(0, announced)]);
    for json in ["", "{\"comm", "and\":\"ls\"}"] {
        agent.line(&delta(0, json!({"type": "input_json_delta", "partial_json": json})));
    }
    assert_eq!(agent.outputs_of("tool_call").len(), 1, "announced with its name and nothing else");
    agent.lines(&[assistant("m", call("c1", "ls")), tool_result("c1", "a.txt"), block_stop(0), result()]);
    let calls = agent.outputs_of("tool_call");
    assert_eq!(statuses(&calls), ["create", "update", "complete"]);
    assert_eq!((&calls[0]["toolName"], &calls[0]["callId"]), (&json!("Bash"), &json!("c1")));
    assert_eq!(calls[2]["toolArguments"], json!({"command": "ls"}));
}

#[test]
fn tc_3_3c_tool_results_complete_their_calls_in_the_order_they_come() {
    let mut agent = Agent::in_turn();
    agent.lines(&[assistant("m", call("c1", "a")), assistant("m", call("c2", "b"))]);
    agent.lines(&[tool_result("c2", "second"), tool_result("c1", "first"), result()]);
    let calls = agent.outputs_of("tool_call");
    let done: Vec<_> = calls.iter().filter(|call| call["status"] == "complete").collect();
    assert_eq!(done.iter().map(|call| &call["callId"]).collect::<Vec<_>>(), ["c2", "c1"]);
    assert_eq!(done[0]["toolOutput"], "second");
    assert_eq!(done[1]["toolOutputIsError"], false);
}

#[test]
fn tc_3_3d_thinking_blocks_become_reasoning() {
    let mut agent = Agent::in_turn();
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text, "signature": "x"});
    agent.lines(&[message_start("m"), block_start(0, thinking(""))]);
    agent.line(&delta(0, json!({"type": "thinking_delta", "thinking": "so"})));
    agent.line(&delta(0, json!({"type": "signature_delta", "signature": "secret"})));
    agent.lines(&[assistant("m", thinking("so it is")), block_stop(0)]);
    agent.lines(&[assistant("n", thinking("no parts")), assistant("n", thinking("")), result()]);
    let thoughts = agent.outputs_of("thinking");
    let done: Vec<_> = thoughts.iter().filter(|thought| thought["status"] == "complete").collect();
    assert_eq!(done.iter().map(|thought| &thought["content"]).collect::<Vec<_>>(), ["so it is", "no parts"]);
    assert_eq!(done[0]["providerId"], "claude-code");
}

#[test]
fn tc_3_3e_blocks_of_one_message_are_items_of_their_own() {
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, text("")), text_delta(0, "first")]);
    agent.lines(&[assistant("m", text("first")), block_stop(0), block_start(1, call("c1", ""))]);
    agent.lines(&[assistant("m", call("c1", "ls")), block_start(2, text("")), text_delta(2, "second")]);
    // The result comes before the message is complete.
    agent.lines(&[tool_result("c1", "x"), assistant("m", text("second")), block_stop(2), result()]);
    let outputs = agent.outputs();
    let done: Vec<_> = outputs.iter().filter(|output| output["status"] == "complete").collect();
    let ids: Vec<_> = done.iter().map(|output| output["itemId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["t/1", "t/2", "t/3", "t/4"]);
    assert_eq!(agent.messages("agent"), ["first", "second"]);
}

#[test]
fn tc_3_3f_a_turn_has_one_beginning_and_one_end() {
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, text("")), text_delta(0, "hi")]);
    agent.lines(&[assistant("m", text("hi")), block_stop(0)]);
    agent.line(&part(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
        "usage": {"input_tokens": 3, "output_tokens": 4}})));
    agent.lines(&[part(json!({"type": "message_stop"})), result()]);
    let outputs = agent.outputs();
    let first = json!({"type": "turn_started", "turnId": "t", "sessionId": "claude-code:s", "modelId": "m1",
        "providerId": "claude-code"});
    assert_eq!(outputs[0], first);
    let last = outputs.last().unwrap();
    assert_eq!((&last["type"], &last["status"]), (&json!("turn_complete"), &json!("completed")));
    assert_eq!(last["usage"], json!({"inputTokens": 3, "outputTokens": 4, "costUsd": 0.5}));

    let mut agent = Agent::in_turn();
    agent.line(&json!({"type": "assistant", "error": "rate_limit", "parent_tool_use_id": null,
        "message": {"id": "x", "model": "<synthetic>", "content": [text("API Error: too much")]}}));
    agent.line(
        &json!({"type": "result", "subtype": "success", "is_error": true, "result": "API Error: too much"}),
    );
    let outputs = agent.outputs();
    let last = outputs.last().unwrap();
    assert_eq!(last["type"], "turn_error");
    assert_eq!(
        (&last["errorCode"], &last["errorMessage"]),
        (&json!("rate_limit"), &json!("API Error: too much"))
    );
    assert_eq!(agent.messages("agent"), Vec::<String>::new(), "the error is told once");
}

#[test]
fn tc_3_3g_results_of_unknown_calls_are_told_defensively() {
    let mut agent = Agent::in_turn();
    agent.lines(&[tool_result("nobody", "what"), tool_result("nobody", "again"), result()]);
    let calls = agent.outputs_of("tool_call");
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0]["callId"], "nobody");
    assert_eq!(calls[0]["toolOutput"], "what");
    assert_eq!(calls[0]["toolOutputIsError"], false);
}

#[test]
fn sub_agents_work_inside_the_call_that_started_them() {
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, text("")), text_delta(0, "main ")]);
    let mut part = message_start("n");
    part["parent_tool_use_id"] = json!("c0");
    let inside = |mut line: Value| {
        line["parent_tool_use_id"] = json!("c0");
        line
    };
    agent.lines(&[part, inside(assistant("n", text("nested"))), inside(assistant("n", call("c1", "ls")))]);
    agent.lines(&[inside(tool_result("c1", "x")), text_delta(0, "text")]);
    agent.lines(&[assistant("m", text("main text")), block_stop(0), result()]);
    assert_eq!(agent.messages("agent"), ["nested", "main text"]);
    let outputs = agent.outputs();
    let parents: BTreeMap<_, _> = outputs
        .iter()
        .filter(|output| output["status"] == "complete")
        .map(|output| (output["itemId"].as_str().unwrap(), output["parentCallId"].as_str()))
        .collect();
    assert_eq!(
        parents,
        BTreeMap::from([("t/1", None), ("t/2", None), ("t/3", Some("c0")), ("t/4", Some("c0"))])
    );
}

#[test]
fn notes_tell_what_people_want_to_know() {
    let mut agent = Agent::in_turn();
    let system = |subtype: &str, more: Value| {
        let mut line = json!({"type": "system", "subtype": subtype});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    agent.line(&system(
        "api_retry",
        json!({"attempt": 2, "max_retries": 10, "retry_delay_ms": 1229.2,
        "error_status": 529, "error": "server_error"}),
    ));
    agent.line(&system("status", json!({"status": "compacting"})));
    agent.line(&system(
        "compact_boundary",
        json!({"compact_metadata": {"pre_tokens": 900, "post_tokens": 80}}),
    ));
    agent.line(&system("model_fallback", json!({"fallback_model": "m2"})));
    agent.line(&system("thinking_tokens", json!({"estimated_tokens": 3})));
    let spoken = json!({"type": "assistant", "parent_tool_use_id": null,
        "message": {"id": "x", "model": "<synthetic>", "content": [text("Context: 12 %")]}});
    agent.lines(&[spoken, result()]);
    let expected = [
        "The model's API failed (status 529, server error). Retry 2 of 10 in 1.2 s.",
        "Compacting the conversation.",
        "The conversation was compacted from 900 to 80 tokens.",
        "Another model answers: m2.",
        "Context: 12 %",
    ];
    assert_eq!(agent.messages("system"), expected);
}

#[test]
fn lines_that_nobody_understands_are_kept_and_cost_nothing() {
    let mut agent = Agent::in_turn();
    agent.input(liminal_core::dialect::Input::Frame(b"\xff\xfe not JSON"));
    agent.lines(&[
        json!({"type": "brand_new", "x": 1}),
        json!({"type": "system", "subtype": "brand_new"}),
        json!([1]),
    ]);
    agent.input(liminal_core::dialect::Input::Frame(b"  "));
    agent.lines(&[assistant("m", json!({"type": "hologram"})), assistant("m", text("hi")), result()]);
    let kinds = agent.notices.iter().filter_map(|notice| {
        if let Notice::Unknown { kind, .. } = notice { Some(kind.as_str()) } else { None }
    });
    let kinds: Vec<_> = kinds.collect();
    assert_eq!(kinds, ["unreadable", "brand_new", "system brand_new", "unreadable", "block hologram"]);
    assert_eq!(agent.messages("agent"), ["hi"]);
}

#[test]
fn the_price_of_a_turn_is_its_own() {
    let mut agent = Agent::in_turn();
    agent.line(&result());
    agent.prompt("t2", "more");
    let mut second = result();
    second["total_cost_usd"] = json!(0.75);
    agent.lines(&[crate::replay::agent::init(), second]);
    assert_eq!(agent.last_event()["usage"]["costUsd"], 0.25);
    agent.prompt("t3", "after the count began anew");
    let mut third = result();
    third["total_cost_usd"] = json!(0.1);
    agent.lines(&[crate::replay::agent::init(), third]);
    assert_eq!(agent.last_event()["usage"]["costUsd"], 0.1);
}

#[test]
fn a_new_agent_session_and_mode_are_told_once() {
    let mut agent = Agent::in_turn();
    agent.lines(&[result(), crate::replay::agent::init(), result()]);
    let mut cleared = crate::replay::agent::init();
    cleared["session_id"] = json!("s2");
    cleared["permissionMode"] = json!("plan");
    agent.line(&cleared);
    let told = agent.notices.iter().filter(|notice| {
        matches!(notice, Notice::AgentSession { .. } | Notice::PermissionMode { .. } | Notice::Model { .. })
    });
    let session = |id: &str| Notice::AgentSession { id: id.to_owned() };
    let mode = |mode: &str| Notice::PermissionMode { mode: mode.to_owned() };
    let model = Notice::Model { model: "m1".to_owned() };
    let expected = [session("s1"), model, mode("default"), session("s2"), mode("plan")];
    assert_eq!(told.cloned().collect::<Vec<_>>(), expected);
    let note = "The agent has begun anew, and does not know what was said before.";
    assert_eq!(agent.messages("system"), [note], "people see it where it happened");
}
