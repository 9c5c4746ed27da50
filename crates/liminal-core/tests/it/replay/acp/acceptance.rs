//! The acceptance cases for the translation of ACP messages, on messages written by hand.

use liminal_core::dialect::{AgentCommand, Input, Notice};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::ItemId;
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::{Value, json};

use super::agent::{
    asks, block, call, call_update, ended, in_turn, initialized, opened, opening, refused, result, said,
    text, text_of, thought_of, unopened, update,
};
use crate::replay::agent::Agent;

fn statuses(outputs: &[Value]) -> Vec<&str> {
    outputs.iter().map(|output| output["status"].as_str().unwrap()).collect()
}

fn unknown(agent: &Agent) -> Vec<&str> {
    let kinds = agent.notices.iter().filter_map(|notice| {
        if let Notice::Unknown { kind, .. } = notice { Some(kind.as_str()) } else { None }
    });
    kinds.collect()
}

#[test]
fn tc_4_2a_message_chunks_become_messages() {
    let mut agent = in_turn();
    let first = "one two three four five six seven eight nine ten eleven ";
    agent.lines(&[text(first), text(&"word ".repeat(21)), text("end"), ended("end_turn")]);
    let messages: Vec<Value> =
        agent.outputs_of("message").into_iter().filter(|message| message["origin"] == "agent").collect();
    assert_eq!(statuses(&messages), ["create", "update", "complete"]);
    assert_eq!(messages[2]["content"], format!("{first}{}end", "word ".repeat(21)));
    assert_eq!(messages[0]["itemId"], messages[2]["itemId"]);
}

#[test]
fn tc_4_2b_tool_calls_are_created_with_name_and_id() {
    let mut agent = in_turn();
    let named = json!({"toolCallId": "c1", "name": "exec_command", "title": "ls", "kind": "execute",
        "status": "pending", "rawInput": {"command": "ls"}});
    agent.line(&update("tool_call", named));
    let calls = agent.outputs_of("tool_call");
    assert_eq!(statuses(&calls), ["create"]);
    assert_eq!((&calls[0]["toolName"], &calls[0]["callId"]), (&json!("exec_command"), &json!("c1")));
    assert_eq!(calls[0]["toolArguments"], json!({"command": "ls"}));
    assert_eq!((&calls[0]["kind"], &calls[0]["title"]), (&json!("execute"), &json!("ls")));
}

#[test]
fn tc_4_2c_tool_call_updates_complete_calls() {
    let mut agent = in_turn();
    agent.lines(&[
        call("c1"),
        call_update("c1", json!({"status": "completed", "content": [block("built")]})),
        ended("end_turn"),
    ]);
    let calls = agent.outputs_of("tool_call");
    assert_eq!(statuses(&calls), ["create", "complete"]);
    assert_eq!((&calls[1]["callId"], &calls[1]["toolOutput"]), (&json!("c1"), &json!("built")));
    assert_eq!(calls[1]["toolOutputIsError"], false);
}

#[test]
fn texts_end_where_their_ids_end() {
    let mut agent = in_turn();
    agent.lines(&[
        thought_of("m1", "\n\n"),
        thought_of("m1", "hm"),
        text_of("m1", ""),
        text_of("m1", "one "),
    ]);
    agent.lines(&[text_of("m1", "text"), text_of("m2", "another"), call("c1"), text_of("m3", "third ")]);
    // A command that runs beside the text does not part it.
    let output = json!({"_meta": {"terminal_output": {"data": "x"}}});
    agent.lines(&[call_update("c1", output), text_of("m3", "text"), ended("end_turn")]);
    assert_eq!(agent.messages("agent"), ["one text", "another", "third text"]);
    assert_eq!(agent.outputs_of("thinking").pop().unwrap()["content"], "hm");
}

#[test]
fn texts_without_ids_end_where_something_else_begins() {
    let mut agent = in_turn();
    let usage = update("usage_update", json!({"used": 5, "size": 10}));
    agent.lines(&[text("one "), usage, text("text"), call("c1"), text("two"), update("plan", json!({}))]);
    agent.lines(&[text("three"), ended("end_turn")]);
    assert_eq!(
        agent.messages("agent"),
        ["one ", "text", "two", "three"],
        "what is used is told with an answer"
    );
    assert!(agent.notices.contains(&Notice::Context { used: 5, size: 10 }));
}

#[test]
fn a_part_of_a_thought_that_is_told_again_is_shown_once() {
    let thought =
        |text: &str| update("agent_thought_chunk", json!({"content": {"type": "text", "text": text}}));
    let mut agent = in_turn();
    agent.lines(&["\n\n", "one ", "part", "\n\n", "an", "other", "another"].map(thought));
    agent.lines(&[text("hi"), ended("end_turn")]);
    assert_eq!(agent.outputs_of("thinking").pop().unwrap()["content"], "one part\n\nanother");
    let mut agent = in_turn();
    agent.lines(&["ha", "ha", " ha"].map(thought));
    agent.line(&ended("end_turn"));
    assert_eq!(
        agent.outputs_of("thinking").pop().unwrap()["content"],
        "haha ha",
        "a piece may repeat another"
    );
}

#[test]
fn an_agent_that_wants_a_login_tells_the_ways() {
    let mut greeting = initialized();
    greeting["result"]["authMethods"] = json!([
        {"id": "a", "name": "Account", "description": "Use your account."},
        {"type": "env_var", "id": "k", "name": "Key", "vars": [{"name": "A_KEY"}]},
        {"id": "plain"}]);
    let told = "not logged in: Account (Use your account), Key (set A_KEY), plain; \
        log in with its own program, then try again";
    let mut agent = opening(None);
    agent.lines(&[greeting.clone(), refused(2, -32000, Value::Null)]);
    let failed = ErrorInfo::new(ErrorCode::LoginRequired, told);
    assert!(matches!(agent.notices.last(), Some(Notice::Failed(error)) if *error == failed));
    // A login may lapse later.
    let mut agent = opening(None);
    agent.lines(&[greeting, result(2, json!({"sessionId": "s1"}))]);
    agent.prompt("t", "go");
    agent.line(&refused(3, -32000, Value::Null));
    assert_eq!(agent.last_event()["error"], json!({"code": "LOGIN_REQUIRED", "message": told}));
}

#[test]
fn words_of_the_program_around_the_agent_stand_alone() {
    let mut agent = in_turn();
    agent.lines(&[text_of("m1", "text"), text("Warning: one\n\n"), text("Warning: two"), ended("end_turn")]);
    assert_eq!(agent.messages("agent"), ["text"]);
    assert_eq!(agent.messages("system"), ["Warning: one", "Warning: two"]);

    let mut agent = opening(None);
    let mut greeting = initialized();
    greeting["result"]["agentInfo"] = json!({"name": "@agentclientprotocol/codex-acp"});
    agent.lines(&[greeting, result(2, json!({"sessionId": "s1"}))]);
    agent.prompt("t", "/status");
    agent.lines(&[text("all is well"), ended("end_turn")]);
    assert_eq!(agent.messages("system"), ["all is well"], "before the model said anything");
}

#[test]
fn output_comes_from_every_place_and_once() {
    let mut agent = in_turn();
    let live = |key: &str, data: &str| json!({"_meta": {key: {"data": data, "terminal_id": "x"}}});
    agent.lines(&[call("a"), call_update("a", live("terminal_output", "1 "))]);
    agent.line(&call_update("a", live("terminal_output_delta", "2 ")));
    let whole = json!({"status": "completed", "rawOutput": {"formatted_output": "1 2 "},
        "content": [block("1 2 ")]});
    agent.line(&call_update("a", whole));
    let fenced = json!({"status": "completed", "content": [block("```sh\nout\n```\n")], "rawOutput": "raw"});
    agent.lines(&[call("b"), call_update("b", fenced)]);
    agent.lines(&[
        call("c"),
        call_update("c", json!({"status": "failed", "rawOutput": {"stdout": "o", "stderr": "e"}})),
    ]);
    let mcp =
        json!({"status": "completed", "rawOutput": {"result": {"content": [{"type": "text", "text": "m"}]}}});
    agent.lines(&[call("d"), call_update("d", mcp)]);
    // What stands there before the end describes the call.
    agent.lines(&[call("e"), call_update("e", json!({"content": [block("say hi")]}))]);
    agent.lines(&[call_update("e", json!({"status": "completed", "content": []})), ended("end_turn")]);
    let calls = agent.outputs_of("tool_call");
    let done: Vec<_> = calls.iter().filter(|call| call["status"] == "complete").collect();
    let outputs: Vec<_> = done.iter().map(|call| call["toolOutput"].as_str().unwrap()).collect();
    assert_eq!(outputs, ["1 2 ", "out\n", "oe", "m", ""]);
    assert_eq!(done[2]["toolOutputIsError"], true);
}

#[test]
fn calls_are_joined_whatever_tells_of_them_first() {
    let mut agent = in_turn();
    let diff = json!({"type": "diff", "path": "/a", "oldText": null, "newText": "new"});
    agent.line(&call_update(
        "c1",
        json!({"kind": "edit", "content": [diff], "locations": [{"path": "/a", "line": 3}]}),
    ));
    agent.lines(&[asks(0, "c1"), call("c1"), call_update("c1", json!({"status": "completed"}))]);
    agent.line(&ended("end_turn"));
    let last = agent.outputs_of("tool_call").pop().unwrap();
    assert_eq!(
        (&last["status"], &last["kind"], &last["title"]),
        (&json!("complete"), &json!("execute"), &json!("make"))
    );
    assert_eq!(last["diffs"], json!([{"path": "/a", "newText": "new"}]));
    assert_eq!(last["locations"], json!([{"path": "/a", "line": 3}]));
    let ids: std::collections::BTreeSet<_> =
        agent.outputs_of("tool_call").iter().map(|call| call["itemId"].to_string()).collect();
    assert_eq!(ids.len(), 1);
}

#[test]
fn a_later_version_costs_only_what_is_new_in_it() {
    let mut agent = in_turn();
    let odd = json!({"toolCallId": "c", "status": "dreaming", "kind": "levitate", "title": "x",
        "content": [{"type": "hologram"}, 5], "locations": [{}]});
    agent.lines(&[update("tool_call", odd), update("brand_new", json!({})), update("tool_call", json!({}))]);
    agent.line(&json!({"jsonrpc": "2.0", "method": "_auth/status_update", "params": {}}));
    agent.line(&json!({"jsonrpc": "2.0", "id": "r", "method": "brand/new", "params": {"sessionId": "s1"}}));
    agent.input(Input::Frame(b"\xff no JSON"));
    agent.lines(&[result(77, json!({})), json!({"error": {"code": -32700}}), json!([1])]);
    agent.lines(&[text("hi"), result(3, json!({"stopReason": "brand_new"}))]);
    let expected = [
        "session/update brand_new",
        "tool_call",
        "brand/new",
        "unreadable",
        "response to no request",
        "response to no request",
        "unreadable",
    ];
    assert_eq!(unknown(&agent), expected);
    let refusal = agent.frames.last().unwrap();
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!("r"), &json!(-32601)));
    assert_eq!(agent.messages("agent"), ["hi"]);
    assert_eq!(agent.last_event()["finishReason"], "brand_new");
}

#[test]
fn what_is_declared_is_served() {
    let agent = opening(None);
    let said = &agent.frames[0]["params"];
    assert_eq!(said["protocolVersion"], 1);
    assert_eq!(said["clientCapabilities"]["fs"], json!({"readTextFile": false, "writeTextFile": false}));
    assert_eq!(said["clientCapabilities"]["terminal"], false);
    assert_eq!(said["clientCapabilities"]["elicitation"], json!({"form": {}}));
    assert_eq!(said["clientCapabilities"]["_meta"], json!({"terminal_output": true}));
}

#[test]
fn what_is_wanted_early_waits_until_the_session_is_open() {
    let mut agent = opening(None);
    agent.prompt("t", "go");
    agent.command(AgentCommand::SetPermissionMode { mode: "plan".to_owned() });
    assert_eq!(agent.frames.len(), 1, "only `initialize` was said");
    agent.lines(&[initialized(), result(2, json!({"sessionId": "s1"}))]);
    let methods: Vec<_> = agent.frames.iter().map(|frame| frame["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialize", "session/new", "session/prompt", "session/set_mode"]);
    assert_eq!(agent.event_types(), ["response_start", "item_done"]);
}

#[test]
fn a_session_that_cannot_be_opened_says_why() {
    let cases = [
        (vec![result(1, json!({"protocolVersion": 2}))], "version 2"),
        (vec![refused(1, -32600, json!("no"))], "no"),
        (vec![initialized(), refused(2, -32000, Value::Null)], "not logged in"),
        (vec![initialized(), result(2, json!({}))], "did not tell its id"),
    ];
    for (lines, part) in cases {
        let mut agent = opening(None);
        agent.prompt("t", "go");
        agent.lines(&lines);
        let failed = agent.notices.iter().find_map(|notice| {
            if let Notice::Failed(error) = notice { Some(error.message.clone()) } else { None }
        });
        assert!(failed.unwrap().contains(part), "{part}");
        agent.prompt("t2", "again");
        let ends: Vec<_> = agent.event_types().into_iter().filter(|kind| kind == "response_error").collect();
        assert_eq!(ends.len(), 2, "no prompt is lost");
    }
    let mut agent = opening(None);
    agent.close(1, "config.toml:2: unclosed array");
    let told =
        "the session could not be opened: the agent ended with exit code 1: config.toml:2: unclosed array";
    assert!(matches!(agent.notices.last(), Some(Notice::Failed(error)) if error.message == told));
    let mut agent = opening(None);
    agent.wait(61);
    assert!(matches!(agent.notices.last(), Some(Notice::Failed(_))));
    assert_eq!(agent.deadline(), None);
}

#[test]
fn an_agent_that_cannot_go_on_says_so() {
    let mut agent = opening(Some("old"));
    agent.line(&result(1, json!({"protocolVersion": 1})));
    assert!(matches!(agent.notices.last(), Some(Notice::Failed(_))));
}

#[test]
fn history_is_told_as_turns_that_were() {
    let mut agent = opening(Some("s1"));
    agent.line(&initialized());
    assert_eq!(agent.frames[1]["method"], "session/load");
    agent.lines(&[said("first "), said("prompt"), text("answer"), call("c1")]);
    let done = json!({"status": "completed", "rawOutput": "late"});
    agent.lines(&[call_update("c1", done), said("second"), said("")]);
    agent.lines(&[result(2, json!({})), text("unasked")]);
    assert_eq!(agent.messages("user"), ["first prompt", "second"]);
    assert_eq!(agent.messages("agent"), ["answer"]);
    assert_eq!(agent.outputs_of("tool_call").pop().unwrap()["toolOutput"], "late");
    let ended = agent.outputs_of("turn_complete");
    let turns: Vec<_> = ended.iter().map(|turn| turn["turnId"].as_str().unwrap()).collect();
    assert_eq!(turns, ["history-1", "history-2"]);
    assert!(agent.notices.contains(&Notice::AgentSession { id: "s1".to_owned() }));
}

#[test]
fn an_echo_of_the_prompt_is_no_second_entry() {
    let mut agent = in_turn();
    agent.lines(&[said("g"), said("o"), text("hi"), said("more"), ended("end_turn")]);
    assert_eq!(agent.messages("user"), ["go", "more"]);
}

#[test]
fn what_is_said_unasked_is_a_turn_of_its_own() {
    let mut agent = opened();
    agent.lines(&[text("the server "), text("is gone")]);
    assert!(!agent.notices.iter().any(|notice| matches!(notice, Notice::TurnOpened { .. })), "nothing runs");
    agent.wait(1);
    assert_eq!(agent.messages("agent"), ["the server is gone"]);
    assert_eq!(agent.outputs_of("turn_complete").len(), 1);
    agent.line(&text("and again"));
    agent.prompt("t", "go");
    agent.lines(&[text("hi"), ended("end_turn")]);
    assert_eq!(agent.messages("agent"), ["the server is gone", "and again", "hi"]);
    assert_eq!(agent.outputs_of("turn_complete").len(), 3);
}

#[test]
fn choices_are_told_and_made() {
    let mut agent = opening(None);
    let options = |model: &str| {
        json!([
            {"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask",
                "options": [{"group": "g", "name": "G", "options": [{"value": "ask", "name": "Ask"}]}]},
            {"id": "llm", "name": "Model", "category": "model", "type": "select", "currentValue": model,
                "options": [{"value": "m1", "name": "M1"}, {"value": "m2", "name": "M2"}]}])
    };
    agent.lines(&[initialized(), result(2, json!({"sessionId": "s1", "configOptions": options("m1")}))]);
    let Some(Notice::Ready(abilities)) = agent.notices.last() else { panic!("{:?}", agent.notices) };
    let models: Vec<_> = abilities.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(models, ["m1", "m2"]);
    assert_eq!(abilities.permission_modes[0].id, "ask");
    assert!(agent.notices.contains(&Notice::Model { model: "m1".to_owned() }));
    agent.command(AgentCommand::SetModel { model: Some("m2".to_owned()) });
    let sent = agent.frames.last().unwrap();
    assert_eq!(sent["method"], "session/set_config_option");
    assert_eq!(sent["params"], json!({"sessionId": "s1", "configId": "llm", "value": "m2"}));
    agent.line(&result(3, json!({"configOptions": options("m2")})));
    assert!(agent.notices.contains(&Notice::Model { model: "m2".to_owned() }));
    agent.command(AgentCommand::SetOption { id: "llm".to_owned(), value: "m9".to_owned() });
    agent.line(&refused(4, -32602, json!("no such model")));
    assert!(
        matches!(agent.notices.last(), Some(Notice::CommandRefused(error)) if error.message == "no such model")
    );
    let commands =
        json!({"availableCommands": [{"name": "plan", "description": "d", "input": {"hint": "h"}}]});
    agent.line(&update("available_commands_update", commands));
    assert!(matches!(agent.notices.last(), Some(Notice::Commands(commands)) if commands[0].name == "plan"));
    agent.line(&update("session_info_update", json!({"title": "About it"})));
    assert_eq!(agent.notices.last(), Some(&Notice::Title { title: "About it".to_owned() }));
}

#[test]
fn nothing_is_answered_before_the_session_is() {
    let mut agent = unopened();
    agent.command(AgentCommand::Cancel);
    agent.prompt("t", "go");
    agent.command(AgentCommand::Cancel);
    assert_eq!(agent.last_event()["status"], "cancelled", "the prompt was never given");
    let answer = PermissionAnswer { option_id: None, answers: Default::default(), reason: None };
    agent.command(AgentCommand::Answer { item_id: ItemId::from("x"), answer });
    assert!(matches!(agent.notices.last(), Some(Notice::AnswerRefused { .. })));
    assert_eq!(agent.frames, Vec::<Value>::new());
}
