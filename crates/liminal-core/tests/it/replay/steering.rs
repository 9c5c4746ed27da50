//! Messages for a turn of Claude Code that runs.

use liminal_core::dialect::{AgentCommand, Notice};
use liminal_core::ids::TurnId;
use serde_json::{Value, json};

use crate::replay::agent::{Agent, aborted, assistant, call, init, result, text, tool_result};

fn running() -> Agent {
    let mut agent = Agent::new();
    agent.prompt("t", "go");
    agent.lines(&[init(), assistant("m1", call("c", "ls"))]);
    agent
}

/// The agent repeats what it takes in.
fn echo(agent: &Agent, frame: usize) -> Value {
    let sent = &agent.frames[frame];
    json!({"type": "user", "isReplay": true, "uuid": sent["uuid"], "message": sent["message"]})
}

fn taken(agent: &Agent, message: &str) -> bool {
    agent.notices.contains(&Notice::Steered { turn: TurnId::from(message), into: TurnId::from("t") })
}

fn ends(agent: &Agent) -> Vec<String> {
    let ends = agent
        .outputs()
        .into_iter()
        .filter(|output| output["type"] == "turn_complete" || output["type"] == "turn_error");
    ends.map(|end| end["turnId"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_message_is_shown_at_once_and_taken_in_after_the_tool() {
    let mut agent = running();
    agent.steer("m", "faster");
    assert!(taken(&agent, "m"));
    assert_eq!(agent.messages("user"), ["go", "faster"]);
    let echo = echo(&agent, 1);
    agent.lines(&[tool_result("c", "out"), echo, assistant("m2", text("done")), result()]);
    assert_eq!((agent.messages("user").len(), ends(&agent)), (2, vec!["t".to_owned()]));
    assert_eq!(agent.deadline(), None, "nothing is waited for");
}

#[test]
fn what_was_not_taken_in_is_the_next_turn_and_is_shown_once() {
    let mut agent = running();
    agent.steer("m", "faster");
    agent.lines(&[tool_result("c", "out"), result()]);
    assert!(agent.notices.contains(&Notice::TurnOpened { turn: TurnId::from("m") }));
    let echo = echo(&agent, 1);
    agent.lines(&[init(), echo, assistant("m2", text("done")), result()]);
    assert_eq!(agent.messages("user"), ["go", "faster"]);
    assert_eq!(ends(&agent), ["t", "m"]);
}

#[test]
fn messages_that_the_agent_joins_are_all_taken_in() {
    let mut agent = running();
    agent.steer("m1", "one");
    agent.steer("m2", "two");
    let mut joined = echo(&agent, 2);
    joined["message"]["content"] = json!("one\ntwo");
    agent.lines(&[tool_result("c", "out"), joined, result()]);
    assert_eq!(agent.messages("user"), ["go", "one", "two"]);
    assert_eq!((ends(&agent), agent.deadline()), (vec!["t".to_owned()], None));
}

#[test]
fn outside_a_turn_or_while_one_is_stopped_nothing_is_taken() {
    let mut agent = Agent::new();
    agent.steer("early", "a");
    agent.prompt("t", "go");
    agent.line(&init());
    agent.command(AgentCommand::Cancel);
    agent.steer("stopped", "b");
    agent.line(&aborted());
    agent.steer("late", "c");
    let refused = agent.notices.iter().filter(|notice| matches!(notice, Notice::NotSteered { .. }));
    assert_eq!(refused.count(), 3);
    assert_eq!((agent.messages("user"), ends(&agent)), (vec!["go".into()], vec!["t".to_owned()]));
}

#[test]
fn an_agent_that_forgets_a_message_or_ends_leaves_no_turn_open() {
    let mut agent = running();
    agent.steer("m", "faster");
    agent.line(&result());
    agent.wait(60);
    assert_eq!(ends(&agent), ["t", "m"]);
    let mut agent = running();
    agent.steer("m", "faster");
    agent.close(1, "");
    assert_eq!(ends(&agent), ["t"], "what was said inside the turn ends with it");
    let mut agent = running();
    agent.steer("m", "faster");
    agent.line(&result());
    agent.close(1, "");
    assert_eq!(ends(&agent), ["t", "m"]);
}
