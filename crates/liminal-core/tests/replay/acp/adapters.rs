//! What single agents tell beside the protocol, and what people see of it.

use serde_json::{Value, json};

use super::agent::{block, call, call_update, ended, in_turn, text};

#[test]
fn a_command_that_failed_tells_its_exit_code() {
    let exit = |code: i64| json!({"terminal_exit": {"exit_code": code, "signal": null}});
    for (update, expected) in [
        (json!({"status": "failed", "_meta": exit(1)}), "[exit code 1]"),
        (
            json!({"status": "failed", "_meta": exit(2), "content": [block("no such file")]}),
            "no such file\n[exit code 2]",
        ),
        (json!({"status": "failed", "rawOutput": {"exit_code": -1, "stdout": "x\n"}}), "x\n[exit code -1]"),
        (json!({"status": "failed", "_meta": {"terminal_exit": {"exit_code": null}}}), ""),
        (json!({"status": "failed", "_meta": exit(0), "content": [block("not allowed")]}), "not allowed"),
        (json!({"status": "completed", "_meta": exit(1), "content": [block("some differ")]}), "some differ"),
    ] {
        let mut agent = in_turn();
        agent.lines(&[call("c1"), call_update("c1", update), ended("end_turn")]);
        assert_eq!(agent.outputs_of("tool_call").pop().unwrap()["toolOutput"], expected);
    }
}

#[test]
fn an_exit_code_stands_behind_what_was_shown_live() {
    let mut agent = in_turn();
    let output = json!({"_meta": {"terminal_output": {"data": "half"}}});
    let exit = json!({"status": "failed", "_meta": {"terminal_exit": {"exit_code": 137}}});
    agent.lines(&[call("c1"), call_update("c1", output), call_update("c1", exit), ended("end_turn")]);
    let last: Value = agent.outputs_of("tool_call").pop().unwrap();
    assert_eq!(
        (&last["toolOutput"], &last["toolOutputIsError"]),
        (&json!("half\n[exit code 137]"), &json!(true))
    );
}

#[test]
fn what_an_adapter_says_in_the_models_place_is_no_answer() {
    let mut agent = in_turn();
    let heads_up = "Heads up: Long threads and multiple compactions can cause the model to be less accurate.";
    agent.lines(&[
        text("Before. "),
        text("Context compacted\n"),
        text(heads_up),
        text("Hello"),
        text(" there"),
    ]);
    agent.line(&ended("end_turn"));
    assert_eq!(agent.messages("agent"), ["Before. ", "Hello there"]);
    assert_eq!(agent.messages("system"), ["Context compacted", heads_up]);
}
