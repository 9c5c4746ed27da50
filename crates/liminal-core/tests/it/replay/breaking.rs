//! Streams of the model that break, and what becomes of what was shown of them.

use std::collections::BTreeMap;

use liminal_core::dialect::AgentCommand;
use serde_json::{Value, json};

use crate::replay::agent::{
    Agent, aborted, assistant, block_start, block_stop, call, init, message_start, part, result, text,
    text_delta, tool_result,
};

/// An agent whose stream broke after this much of a text was shown, as item `t/2`.
fn broken_text() -> Agent {
    let mut agent = Agent::in_turn();
    agent.lines(&[message_start("m"), block_start(0, text("")), text_delta(0, &"half of it ".repeat(9))]);
    assert_eq!(agent.outputs_of("message").last().unwrap()["status"], "create", "the half was shown");
    agent
}

fn thought(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text})
}

fn thought_delta(index: u64, text: &str) -> Value {
    crate::replay::agent::delta(index, json!({"type": "thinking_delta", "thinking": text}))
}

fn stopped() -> Value {
    part(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}))
}

/// What a client shows in the end, by replacing: the last state of each item of the agent, without its id.
fn shown(agent: &Agent) -> Vec<(String, String)> {
    let upserts = agent.outputs().into_iter().filter(|output| output["itemId"].is_string());
    let by_agent = upserts.filter(|upsert| upsert["origin"] != "user");
    let last: BTreeMap<String, Value> =
        by_agent.map(|upsert| (upsert["itemId"].as_str().unwrap().to_owned(), upsert)).collect();
    let word = |upsert: &Value, key: &str| upsert[key].as_str().unwrap_or_default().to_owned();
    last.values().map(|upsert| (word(upsert, "status"), word(upsert, "content"))).collect()
}

fn is_shown(agent: &Agent, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(shown(agent), expected);
}

#[test]
fn a_stream_that_breaks_is_replaced_by_the_answer_asked_again() {
    let mut agent = broken_text();
    agent.lines(&[assistant("other", text("the whole")), assistant("other", call("c", "ls"))]);
    agent.lines(&[tool_result("c", "x"), message_start("n"), block_start(0, text("")), text_delta(0, "end")]);
    agent.lines(&[assistant("n", text("end")), block_stop(0), result()]);
    is_shown(&agent, &[("complete", "the whole"), ("complete", ""), ("complete", "end")]);
}

#[test]
fn an_answer_that_streams_again_replaces_what_was_shown_when_it_is_whole() {
    let mut agent = broken_text();
    agent.lines(&[message_start("n"), block_start(0, text("")), text_delta(0, "another answer altogether")]);
    let shown = agent.outputs_of("message");
    assert!(shown.iter().all(|message| !message["content"].as_str().unwrap().contains("another")));
    agent.lines(&[assistant("n", text("another answer altogether")), block_stop(0), stopped()]);
    agent.lines(&[message_start("o"), block_start(0, text("")), text_delta(0, "more"), block_stop(0)]);
    agent.lines(&[assistant("o", text("more")), stopped(), result()]);
    is_shown(&agent, &[("complete", "another answer altogether"), ("complete", "more")]);
}

#[test]
fn an_answer_that_breaks_twice_is_still_shown_once() {
    let mut agent = broken_text();
    agent.lines(&[message_start("n"), block_start(0, text("")), text_delta(0, "broken too")]);
    agent.lines(&[message_start("o"), block_start(0, text("")), text_delta(0, "at last")]);
    agent.lines(&[assistant("o", text("at last")), block_stop(0), stopped(), result()]);
    is_shown(&agent, &[("complete", "at last")]);
}

#[test]
fn the_place_is_taken_by_a_block_of_the_same_kind() {
    let mut agent = broken_text();
    agent.lines(&[
        assistant("n", thought("first a thought")),
        assistant("n", text("then the text")),
        result(),
    ]);
    is_shown(&agent, &[("complete", "then the text"), ("complete", "first a thought")]);
}

#[test]
fn what_nothing_took_the_place_of_ends_as_broken() {
    let words = "one two three four five six seven eight nine ten eleven";
    for later in [vec![result()], vec![message_start("o"), block_start(0, thought("")), result()]] {
        let mut agent = Agent::in_turn();
        agent.lines(&[message_start("m"), block_start(0, thought("")), thought_delta(0, words)]);
        agent.line(&assistant("n", text("no thought this time")));
        agent.lines(&later);
        is_shown(&agent, &[("error", words), ("complete", "no thought this time")]);
        assert_eq!(agent.outputs_of("thinking").last().unwrap()["errorCode"], "STREAM_ENDED");
    }
}

#[test]
fn what_was_whole_before_the_break_stays_and_the_repetition_is_explained() {
    let first = [message_start("m"), block_start(0, thought("")), assistant("m", thought("let me see"))];
    let note = "The model's answer broke off, and is asked for again.";
    for again in [vec![message_start("n"), block_start(0, thought(""))], Vec::new()] {
        let mut agent = Agent::in_turn();
        agent.lines(&first);
        agent.line(&block_stop(0));
        agent.lines(&again);
        agent.lines(&[assistant("n", thought("let me see")), assistant("n", text("there")), result()]);
        let thought = ("complete", "let me see");
        is_shown(&agent, &[thought, ("complete", note), thought, ("complete", "there")]);
    }
    let mut agent = Agent::in_turn();
    agent.lines(&first);
    agent.lines(&[block_stop(0), stopped(), message_start("n"), assistant("n", text("there")), result()]);
    is_shown(&agent, &[("complete", "let me see"), ("complete", "there")]);
}

#[test]
fn a_message_that_ended_is_not_asked_again() {
    let mut agent = broken_text();
    agent.lines(&[
        block_stop(0),
        stopped(),
        message_start("n"),
        block_start(0, text("")),
        text_delta(0, "new"),
    ]);
    agent.lines(&[assistant("n", text("new")), block_stop(0), stopped(), result()]);
    is_shown(&agent, &[("error", &"half of it ".repeat(9)), ("complete", "new")]);
}

#[test]
fn a_call_that_breaks_is_replaced_by_the_call_asked_again() {
    let again = |agent: &mut Agent| agent.lines(&[message_start("n"), block_start(0, call("c2", ""))]);
    for streams_again in [false, true] {
        let mut agent = Agent::in_turn();
        agent.lines(&[message_start("m"), block_start(0, call("c1", ""))]);
        if streams_again {
            again(&mut agent);
        }
        agent.lines(&[assistant("n", call("c2", "ls")), tool_result("c2", "x"), result()]);
        let calls = agent.outputs_of("tool_call");
        assert!(calls.iter().all(|call| call["itemId"] == "t/2"), "{calls:?}");
        let last = calls.last().unwrap();
        assert_eq!((&last["status"], &last["callId"]), (&json!("complete"), &json!("c2")));
        assert_eq!(last["toolArguments"], json!({"command": "ls"}));
    }
}

#[test]
fn an_interruption_while_it_is_asked_again_leaves_one_text() {
    let mut agent = broken_text();
    agent.lines(&[message_start("n"), block_start(0, text("")), text_delta(0, "as far")]);
    agent.command(AgentCommand::Cancel);
    agent.lines(&[assistant("n", text("as far as")), aborted()]);
    is_shown(&agent, &[("complete", "as far as")]);

    let mut agent = broken_text();
    agent.line(&message_start("n"));
    agent.command(AgentCommand::Cancel);
    agent.line(&aborted());
    is_shown(&agent, &[("create", &"half of it ".repeat(9))]);
}

#[test]
fn what_broke_in_one_turn_is_no_matter_of_the_next() {
    let mut agent = broken_text();
    agent.line(&json!({"type": "result", "subtype": "success", "is_error": true, "result": "lost"}));
    agent.prompt("u", "again");
    agent.lines(&[init(), message_start("n"), block_start(0, text("")), text_delta(0, "fine")]);
    agent.lines(&[assistant("n", text("fine")), block_stop(0), result()]);
    is_shown(&agent, &[("error", &"half of it ".repeat(9)), ("complete", "fine")]);
}
