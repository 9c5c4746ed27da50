//! The agent's task lists: one item each, whichever of its tools tells them.

use serde_json::{Value, json};

use crate::replay::agent::{Agent, assistant, block_start, init, message_start, result, tool_result};

fn tool(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn todo(id: &str, status: &str) -> Value {
    tool(id, "TodoWrite", &json!({"todos": [{"content": "look", "status": status, "activeForm": "looking"}]}))
}

fn told(id: &str, output: &Value) -> Value {
    let mut line = tool_result(id, "done");
    line["tool_use_result"] = output.clone();
    line
}

/// The states of all task lists: item, status of the item, parent, tasks.
fn plans(agent: &Agent) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let plans = agent.outputs_of("plan").into_iter().map(|plan| {
        let tasks = plan["entries"].as_array().unwrap().iter();
        let tasks = tasks.map(|task| format!("{} {}", word(&task["content"]), word(&task["status"])));
        let parts = [word(&plan["itemId"]), word(&plan["status"]), word(&plan["parentCallId"])];
        format!("{}: {}", parts.join(" "), tasks.collect::<Vec<_>>().join(", "))
    });
    plans.collect()
}

#[test]
fn a_list_that_is_told_as_a_whole_is_one_item_and_no_call() {
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, tool("c1", "TodoWrite", &json!({})))]);
    agent.lines(&[assistant("m", todo("c1", "pending")), tool_result("c1", "Todos have been modified")]);
    agent.lines(&[assistant("n", todo("c2", "completed")), tool_result("c2", "Todos have been modified")]);
    agent.line(&result());
    let expected =
        ["t/2 create -: look pending", "t/2 update -: look completed", "t/2 complete -: look completed"];
    assert_eq!(plans(&agent), expected);
    assert!(agent.outputs_of("tool_call").is_empty());
    agent.prompt("u", "again");
    agent.lines(&[init(), assistant("o", todo("c3", "in_progress")), result()]);
    assert_eq!(plans(&agent)[3..], ["u/2 create -: look in_progress", "u/2 complete -: look in_progress"]);
}

#[test]
fn what_is_no_list_shows_as_a_call() {
    let mut agent = Agent::in_turn();
    let bad = tool("c1", "TodoWrite", &json!({"todos": "all"}));
    agent.lines(&[message_start("m"), block_start(0, tool("c1", "TodoWrite", &json!({})))]);
    agent.lines(&[assistant("m", bad), tool_result("c1", "todos must be a list"), result()]);
    assert!(plans(&agent).is_empty());
    assert_eq!(agent.outputs_of("tool_call").last().unwrap()["toolOutput"], "todos must be a list");
}

#[test]
fn a_sub_agent_has_a_list_of_its_own() {
    let mut agent = Agent::in_turn();
    agent.line(&assistant("m", todo("c1", "pending")));
    let mut nested = assistant("n", todo("c2", "completed"));
    nested["parent_tool_use_id"] = json!("agent");
    agent.lines(&[nested, result()]);
    let expected = [
        "t/2 create -: look pending",
        "t/3 create agent: look completed",
        "t/2 complete -: look pending",
        "t/3 complete agent: look completed",
    ];
    assert_eq!(plans(&agent), expected);
}

#[test]
fn tasks_that_are_told_one_by_one_make_a_list_that_outlives_the_turn() {
    let mut agent = Agent::in_turn();
    agent.line(&assistant("m", tool("c1", "TaskCreate", &json!({"subject": "look"}))));
    assert!(plans(&agent).is_empty(), "only the result tells that there is a task");
    agent.lines(&[told("c1", &json!({"task": {"id": "1", "subject": "look"}})), result()]);
    assert_eq!(plans(&agent), ["t/4 create -: look pending", "t/4 complete -: look pending"]);
    agent.prompt("u", "go on");
    let update = tool("c2", "TaskUpdate", &json!({"taskId": "1", "status": "completed"}));
    agent.lines(&[init(), assistant("n", update), told("c2", &json!({"success": true})), result()]);
    assert_eq!(plans(&agent)[2..], ["u/4 create -: look completed", "u/4 complete -: look completed"]);
    assert_eq!(agent.outputs_of("tool_call").len(), 4, "the calls are shown as well");
}
