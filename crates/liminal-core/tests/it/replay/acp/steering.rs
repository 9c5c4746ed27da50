//! Messages for a turn that runs.

use liminal_core::dialect::Notice;
use serde_json::{Value, json};

use super::agent::{ended, initialized, opening, result, text};
use crate::replay::agent::Agent;

/// A turn of an agent that can, or cannot.
fn running(can_steer: bool) -> Agent {
    let mut agent = opening(None);
    let mut able = initialized();
    able["result"]["_meta"] = json!({"steering": {"supported": can_steer}});
    agent.lines(&[able, result(2, json!({"sessionId": "s1"}))]);
    agent.prompt("t", "go");
    agent
}

fn outcome(request: u64, word: &str) -> Value {
    result(request, json!({ "outcome": word }))
}

/// What became of a message: the turn that shows it, or nothing.
fn became<'a>(agent: &'a Agent, message: &str) -> Vec<Option<&'a str>> {
    let became = agent.notices.iter().filter_map(|notice| {
        if let Notice::Steered { turn, into } = notice {
            return (turn.as_str() == message).then_some(Some(into.as_str()));
        }
        let Notice::NotSteered { turn, .. } = notice else { return None };
        (turn.as_str() == message).then_some(None)
    });
    became.collect()
}

#[test]
fn a_message_is_taken_into_the_turn_that_runs() {
    let mut agent = running(true);
    agent.line(&text("half "));
    agent.steer("m", "faster");
    assert_eq!(agent.frames[3]["method"], "_session/steering");
    assert_eq!(agent.frames[3]["params"]["_meta"]["steering"]["idleBehavior"], "promptRequired");
    assert!(became(&agent, "m").is_empty(), "nobody knows yet");
    agent.lines(&[outcome(4, "injected"), text("done"), ended("end_turn")]);
    assert_eq!(became(&agent, "m"), [Some("t")]);
    assert_eq!(
        (agent.messages("user"), agent.messages("agent")),
        (vec!["go".into(), "faster".into()], vec!["half ".into(), "done".into()])
    );
    assert_eq!(agent.outputs_of("turn_complete").len(), 1);
}

#[test]
fn a_message_that_comes_too_late_or_is_not_wanted_is_not_taken() {
    let mut agent = running(true);
    agent.steer("late", "a");
    agent.steer("broken", "b");
    agent.lines(&[ended("end_turn"), outcome(4, "promptRequired")]);
    agent.line(&json!({"id": 5, "error": {"code": -32600, "message": "no images"}}));
    agent.steer("after", "c");
    agent.prompt("t2", "go on");
    agent.command(liminal_core::dialect::AgentCommand::Cancel);
    agent.steer("stopped", "d");
    let mut other = running(false);
    other.steer("never", "e");
    for message in ["late", "broken", "after", "stopped"] {
        assert_eq!(became(&agent, message), [None], "{message}");
    }
    assert_eq!(became(&other, "never"), [None]);
    assert_eq!(agent.messages("user"), ["go", "go on"]);
}

#[test]
fn a_turn_that_ends_while_a_message_is_taken_ends_once_and_the_message_is_shown() {
    let mut agent = running(true);
    agent.steer("m", "faster");
    agent.lines(&[ended("end_turn"), outcome(4, "injected")]);
    assert_eq!(became(&agent, "m"), [Some("m")]);
    assert_eq!(agent.messages("user"), ["go", "faster"]);
    let ends: Vec<String> =
        agent.outputs_of("turn_complete").iter().map(|end| end["turnId"].to_string()).collect();
    assert_eq!(ends, ["\"t\"", "\"m\""]);
}

#[test]
fn an_agent_that_begins_a_turn_of_its_own_with_it_is_shown_as_that() {
    let mut agent = running(true);
    agent.steer("m", "faster");
    agent.lines(&[ended("end_turn"), outcome(4, "startedNewTurn"), text("of my own")]);
    agent.wait(2);
    assert_eq!(became(&agent, "m"), [Some("m")]);
    assert_eq!(agent.messages("agent"), ["of my own"]);
    assert_eq!(agent.outputs_of("turn_complete").len(), 2);
}

#[test]
fn an_agent_that_is_gone_has_taken_nothing() {
    let mut agent = running(true);
    agent.steer("m", "faster");
    agent.close(1, "");
    assert_eq!(became(&agent, "m"), [None]);
    assert_eq!(agent.outputs_of("turn_error").len(), 1);
}
