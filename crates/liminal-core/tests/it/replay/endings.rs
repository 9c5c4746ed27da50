//! How turns begin and end: by the agent, by the user, by neither.

use liminal_core::dialect::{AgentCommand, Closed, Input, Notice};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::TurnId;
use serde_json::{Value, json};

use crate::replay::agent::{
    Agent, aborted, assistant, block_start, call, init, message_start, result, text, text_delta, tool_result,
};

fn failures(agent: &Agent) -> Vec<&ErrorInfo> {
    let failed = agent
        .notices
        .iter()
        .filter_map(|notice| if let Notice::Failed(error) = notice { Some(error) } else { None });
    failed.collect()
}

#[test]
fn the_handshake_tells_what_the_agent_offers() {
    let mut agent = Agent::new();
    agent.command(AgentCommand::Open { directory: "/home/dev/project".to_owned(), resume: None });
    let expected = json!({"subtype": "initialize", "hooks": null, "forwardSubagentText": true});
    assert_eq!(agent.frames[0]["request"], expected, "what sub-agents say is wanted");
    let id = agent.frames[0]["request_id"].clone();
    agent.line(&json!({"type": "control_response", "response": {"subtype": "success", "request_id": id,
        "response": {"models": [{"value": "sonnet", "displayName": "Sonnet"}],
            "commands": [{"name": "compact", "description": "d", "argumentHint": ""}]}}}));
    let Some(Notice::Ready(abilities)) = agent.notices.last() else { panic!() };
    assert_eq!(abilities.models[0].name, "Sonnet");
    assert_eq!(abilities.commands[0].argument_hint, None);
    assert_eq!(agent.deadline(), None);
}

#[test]
fn an_agent_that_does_not_answer_the_handshake_has_failed() {
    let mut agent = Agent::new();
    agent.command(AgentCommand::Open { directory: String::new(), resume: None });
    agent.wait(60);
    assert_eq!(failures(&agent)[0].code, "AGENT_NOT_READING");

    let mut agent = Agent::new();
    agent.command(AgentCommand::Open { directory: String::new(), resume: None });
    agent.line(&json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "errors": ["No conversation found"]}));
    assert_eq!(failures(&agent)[0].message, "No conversation found");
}

#[test]
fn a_turn_is_bound_when_the_agent_takes_its_prompt() {
    let mut agent = Agent::new();
    agent.prompt("t", "go");
    let frame = &agent.frames[0];
    assert_eq!(frame["message"], json!({"role": "user", "content": "go"}));
    assert!(agent.notices.is_empty() && agent.events().is_empty());
    agent.line(&init());
    assert!(agent.notices.contains(&Notice::TurnBound { turn: TurnId::from("t") }));
    assert_eq!(agent.event_types(), ["response_start", "item_done"]);
    assert_eq!(agent.messages("user"), ["go"]);
}

#[test]
fn a_prompt_that_nobody_reads_fails_in_bounded_time() {
    let mut agent = Agent::new();
    agent.prompt("t", "go");
    agent.wait(29);
    agent.line(&json!({"type": "keep_alive"}));
    agent.wait(29);
    assert!(failures(&agent).is_empty(), "it still says something");
    agent.wait(1);
    assert_eq!(failures(&agent)[0].code, "AGENT_NOT_READING");
    assert_eq!(agent.last_event()["error"]["code"], "AGENT_NOT_READING");
    assert_eq!(agent.event_types(), ["response_start", "item_done", "response_error"]);
    // What comes late belongs to no turn.
    agent.lines(&[assistant("m", text("late")), result()]);
    agent.prompt("t2", "again");
    agent.lines(&[init(), assistant("m", text("now")), result()]);
    assert_eq!(agent.messages("agent"), ["now"]);
}

#[test]
fn compaction_before_the_turns_first_line_binds_it() {
    let mut agent = Agent::new();
    agent.prompt("t", "/compact");
    agent.line(&json!({"type": "system", "subtype": "status", "status": "compacting"}));
    assert!(agent.notices.contains(&Notice::TurnBound { turn: TurnId::from("t") }));
    agent.wait(120);
    assert!(failures(&agent).is_empty());
    agent.lines(&[init(), result()]);
    assert_eq!(agent.event_types().iter().filter(|kind| *kind == "response_start").count(), 1);
}

#[test]
fn a_cancelled_turn_labels_nothing_as_complete_or_failed() {
    let mut agent = Agent::in_turn();
    agent.lines(&[assistant("l", call("c1", "sleep 9")), message_start("m"), block_start(0, text(""))]);
    agent.line(&text_delta(0, "as far as"));
    agent.command(AgentCommand::Cancel);
    agent.command(AgentCommand::Cancel);
    let interrupts = agent.frames.iter().filter(|frame| frame["request"]["subtype"] == "interrupt");
    assert_eq!(interrupts.count(), 1);
    agent.lines(&[assistant("m", text("as far as it came")), aborted()]);
    let outputs = agent.outputs();
    let shown: Vec<_> = outputs.iter().filter(|output| output["origin"] != "user").collect();
    assert!(shown.iter().all(|output| output["status"] != "complete" && output["status"] != "error"));
    assert_eq!(agent.outputs_of("message").last().unwrap()["content"], "as far as it came");
    let cancelled = agent.events().into_iter().find(|event| event["type"] == "item_cancelled").unwrap();
    assert_eq!(
        cancelled["payload"],
        json!({"type": "item_cancelled", "itemId": "t/2", "reason": "user_cancel"})
    );
    assert_eq!(outputs.last().unwrap()["status"], "cancelled");
}

#[test]
fn an_interrupted_turn_without_a_terminal_reason_is_cancelled() {
    let broken_off = json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "errors": ["[ede_diagnostic]"]});
    let ended_by = |commands: &[AgentCommand], result: &Value| {
        let mut agent = Agent::in_turn();
        commands.iter().for_each(|command| agent.command(command.clone()));
        agent.line(result);
        agent.last_event()["status"].clone()
    };
    assert_eq!(ended_by(&[AgentCommand::Cancel], &broken_off), "cancelled");
    assert_eq!(ended_by(&[], &broken_off), "error", "nobody stopped it");
    let mut out_of_turns = broken_off;
    out_of_turns["subtype"] = json!("error_max_turns");
    assert_eq!(ended_by(&[AgentCommand::Cancel], &out_of_turns), "error", "it ended for another reason");
}

#[test]
fn a_turn_that_ends_before_the_interruption_is_complete() {
    let mut agent = Agent::in_turn();
    agent.command(AgentCommand::Cancel);
    agent.lines(&[assistant("m", text("done")), result()]);
    assert_eq!(agent.last_event()["status"], "completed");
}

#[test]
fn a_prompt_cancelled_before_its_turn_is_interrupted_when_it_begins() {
    let mut agent = Agent::new();
    agent.command(AgentCommand::Cancel);
    agent.prompt("t", "go");
    agent.command(AgentCommand::Cancel);
    assert_eq!(agent.frames.len(), 1, "an interruption now would have no effect");
    agent.line(&init());
    assert_eq!(agent.frames[1]["request"]["subtype"], "interrupt");
    agent.line(&aborted());
    assert_eq!(agent.last_event()["status"], "cancelled");
}

#[test]
fn the_end_of_the_process_ends_the_turn() {
    for (closed, code, message) in [
        (
            Closed { code: Some(1), stderr_tail: "bad\n".to_owned(), ..Closed::default() },
            "PROCESS_CRASH",
            "the agent ended with exit code 1: bad",
        ),
        (Closed { signal: Some(9), ..Closed::default() }, "PROCESS_CRASH", "the agent was ended by signal 9"),
        (
            Closed { code: Some(0), ..Closed::default() },
            "PROCESS_EXIT_NO_RESULT",
            "the agent ended without finishing its turn",
        ),
        (
            Closed { reason: Some(ErrorInfo::new(ErrorCode::ServerRestart, "bye")), ..Closed::default() },
            "SERVER_RESTART",
            "bye",
        ),
    ] {
        let mut agent = Agent::in_turn();
        agent.line(&assistant("m", call("c1", "ls")));
        agent.input(Input::Closed(closed.clone()));
        agent.input(Input::Closed(closed));
        assert_eq!(agent.last_event()["error"], json!({"code": code, "message": message}));
        assert_eq!(agent.outputs_of("tool_call").last().unwrap()["status"], "error");
        assert_eq!(agent.outputs_of("turn_error").len(), 1);
    }
}

#[test]
fn the_end_of_a_cancelled_process_is_no_crash() {
    let mut agent = Agent::in_turn();
    agent.line(&assistant("m", call("c1", "ls")));
    agent.command(AgentCommand::Cancel);
    agent.close(143, "");
    assert_eq!(agent.last_event()["status"], "cancelled");
    assert!(agent.outputs_of("tool_call").iter().all(|call| call["status"] != "error"));
}

#[test]
fn prompts_to_a_dead_agent_fail() {
    let mut agent = Agent::new();
    agent.prompt("t", "queued");
    agent.close(1, "");
    agent.prompt("t2", "too late");
    let ends: Vec<Value> = agent.outputs_of("turn_error");
    assert_eq!(ends.iter().map(|end| &end["turnId"]).collect::<Vec<_>>(), ["t", "t2"]);
    assert!(ends.iter().all(|end| end["errorCode"] == "PROCESS_CRASH"));
}

#[test]
fn a_line_that_is_too_long_ends_the_turn_and_the_rest_of_it_is_skipped() {
    let mut agent = Agent::in_turn();
    agent.line(&assistant("m", text("before")));
    agent.input(Input::FrameTooLong { bytes: 99 });
    assert_eq!(agent.last_event()["error"]["code"], "LINE_TOO_LONG");
    assert_eq!(agent.frames.last().unwrap()["request"]["subtype"], "interrupt");
    agent.prompt("t2", "next");
    agent.lines(&[assistant("m", text("rest")), tool_result("c", "rest"), aborted()]);
    agent.lines(&[init(), assistant("n", text("after")), result()]);
    assert_eq!(agent.messages("agent"), ["before", "after"]);
    let ends = agent.outputs_of("turn_complete");
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert_eq!((&ends[0]["turnId"], &ends[0]["status"]), (&json!("t2"), &json!("completed")));
}

#[test]
fn the_end_of_a_background_task_opens_a_turn_of_its_own() {
    let mut agent = Agent::in_turn();
    agent.line(&result());
    let ended = json!({"type": "system", "subtype": "task_notification", "task_id": "b", "tool_use_id": "c",
        "status": "completed", "summary": "Background command completed"});
    agent.line(&ended);
    // Written at the same moment, and taken later.
    agent.prompt("t2", "hello");
    agent.lines(&[init(), assistant("m", text("it is done")), result()]);
    agent.lines(&[init(), assistant("n", text("hello")), result()]);
    let opened = Notice::TurnOpened { turn: TurnId::from("auto-1-u1") };
    assert!(agent.notices.contains(&opened));
    assert_eq!(agent.messages("system"), ["Background command completed"]);
    let ends = agent.outputs_of("turn_complete");
    assert_eq!(ends.iter().map(|end| &end["turnId"]).collect::<Vec<_>>(), ["t", "auto-1-u1", "t2"]);
}

#[test]
fn a_task_that_ended_long_ago_begins_no_turn() {
    let mut agent = Agent::in_turn();
    agent.line(&result());
    agent.line(&json!({"type": "system", "subtype": "task_notification", "summary": "stopped"}));
    agent.wait(5);
    agent.prompt("t2", "hello");
    agent.line(&init());
    assert!(agent.notices.contains(&Notice::TurnBound { turn: TurnId::from("t2") }));
}

#[test]
fn prompts_that_the_agent_joins_are_merged_into_the_turn_that_runs() {
    let mut agent = Agent::in_turn();
    agent.prompt("t2", "one");
    agent.prompt("t3", "two");
    let last_id = agent.frames[2]["uuid"].clone();
    let echo = |uuid: Value, said: &str| {
        json!({"type": "user", "isReplay": true, "uuid": uuid,
        "message": {"role": "user", "content": said}})
    };
    agent.lines(&[echo(json!("x"), "go"), result(), init()]);
    agent.lines(&[echo(json!("y"), "one"), echo(last_id, "one\ntwo"), result()]);
    let merged = Notice::TurnMerged { turn: TurnId::from("t3"), into: TurnId::from("t2") };
    assert!(agent.notices.contains(&merged), "{:?}", agent.notices);
    assert_eq!(agent.messages("user"), ["go", "one", "two"]);
    assert_eq!(agent.deadline(), None, "nobody waits for the merged one");
}

#[test]
fn a_completed_turn_leaves_no_call_without_an_end() {
    let mut agent = Agent::in_turn();
    agent.lines(&[assistant("m", call("c1", "ls")), result()]);
    let last = agent.outputs_of("tool_call").pop().unwrap();
    assert_eq!((&last["status"], &last["errorCode"]), (&json!("error"), &json!("STREAM_ENDED")));
}

#[test]
fn settings_are_asked_for_and_refusals_told() {
    let mut agent = Agent::new();
    agent.command(AgentCommand::SetModel { model: Some("opus".to_owned()) });
    agent.command(AgentCommand::SetModel { model: None });
    agent.command(AgentCommand::SetPermissionMode { mode: "plan".to_owned() });
    let requests: Vec<_> = agent.frames.iter().map(|frame| frame["request"].clone()).collect();
    let expected = [
        json!({"subtype": "set_model", "model": "opus"}),
        json!({"subtype": "set_model"}),
        json!({"subtype": "set_permission_mode", "mode": "plan"}),
    ];
    assert_eq!(requests, expected);
    agent.command(AgentCommand::SetPermissionMode { mode: "bogus".to_owned() });
    assert_eq!(agent.frames.len(), 3);
    assert!(matches!(agent.notices.last(), Some(Notice::CommandRefused(_))));
    let id = agent.frames[0]["request_id"].clone();
    agent.line(&json!({"type": "control_response",
        "response": {"subtype": "error", "request_id": id, "error": "no such model"}}));
    let Some(Notice::CommandRefused(error)) = agent.notices.last() else { panic!() };
    assert_eq!(error.message, "no such model");
}
