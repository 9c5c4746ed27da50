//! Forms of an agent, as questions that people answer.
#![expect(
    clippy::needless_pass_by_value,
    reason = "messages are easier to read when they are built in place"
)]

use std::time::Duration;

use liminal_core::dialect::acp::Options;
use liminal_core::dialect::{AgentCommand, Notice};
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::{Value, json};

use super::agent::{ended, in_turn, in_turn_with, opened};
use crate::replay::agent::Agent;

fn asks(properties: Value, required: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "f", "method": "elicitation/create", "params": {
        "sessionId": "s1", "toolCallId": "c1", "mode": "form", "message": "I need to know",
        "requestedSchema": {"type": "object", "properties": properties, "required": required}}})
}

fn asked(agent: &Agent) -> Value {
    agent.outputs_of("permission").pop().unwrap()
}

fn answer(agent: &mut Agent, option: Option<&str>, answers: &[(&str, &str)]) {
    let item = asked(agent)["itemId"].as_str().unwrap().to_owned();
    let answers = answers.iter().map(|(question, answer)| ((*question).to_owned(), (*answer).to_owned()));
    agent.answer(
        &item,
        PermissionAnswer { option_id: option.map(str::to_owned), answers: answers.collect(), reason: None },
    );
}

/// What the agent was answered.
fn results(agent: &Agent) -> Vec<&Value> {
    agent.frames.iter().filter(|frame| frame["id"] == "f").map(|frame| &frame["result"]).collect()
}

fn refusal(agent: &Agent) -> &str {
    match agent.notices.last() {
        Some(Notice::AnswerRefused { error, .. }) => &error.message,
        other => panic!("{other:?}"),
    }
}

/// The form that Codex makes of a question.
fn of_codex() -> Value {
    let choice = |label: &str, words: &str| json!({"const": label, "title": label, "description": words});
    asks(
        json!({
            "q1": {"type": "string", "title": "Which color?", "description": "Color",
                "oneOf": [choice("Red", "warm"), choice("Blue", "cold")]},
            "q1_note": {"type": "string", "title": "Note", "_meta": {"codex": {"isSecret": true}}}}),
        json!(["q1"]),
    )
}

#[test]
fn a_form_is_shown_as_questions_and_answered_by_its_fields() {
    let mut agent = in_turn();
    agent.lines(&[of_codex(), of_codex()]);
    assert_eq!(agent.outputs_of("permission").len(), 1, "asking twice is asking once");
    let shown = asked(&agent);
    assert_eq!((&shown["title"], &shown["callId"]), (&json!("I need to know"), &json!("c1")));
    let first = json!({"question": "Which color?", "header": "Color", "multiSelect": false, "options": [
        {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
        "answerType": "choice"});
    assert_eq!(shown["questions"][0], first);
    answer(&mut agent, None, &[("Note", "x")]);
    assert_eq!(refusal(&agent), "answer the question `Which color?`");
    answer(&mut agent, None, &[("Which color?", "Green")]);
    assert_eq!(refusal(&agent), "answer the question `Which color?` with one of its options");
    assert_eq!(results(&agent), Vec::<&Value>::new(), "nothing half done");
    answer(&mut agent, None, &[("Which color?", "Blue"), ("Note", "my password")]);
    let content = json!({"q1": "Blue", "q1_note": "my password"});
    assert_eq!(results(&agent), [&json!({"action": "accept", "content": content})]);
    let outcome = json!({"optionId": "accept", "answers": {"Which color?": "Blue"}, "by": "user"});
    assert_eq!(asked(&agent)["outcome"], outcome, "a secret is not kept");
}

#[test]
fn every_kind_of_field_has_its_answer() {
    let mut agent = in_turn();
    let long = "a description that is much too long for a heading";
    let properties = json!({
        "a": {"type": "integer", "title": "Same"}, "b": {"type": "number", "title": "Same"},
        "c": {"type": "boolean", "description": "Sure?"}, "d": {"type": "string", "enum": ["x", "y"]},
        "e": {"type": "array", "title": "Several", "description": long,
            "items": {"anyOf": [{"const": "1", "title": "One"}, {"const": "2", "title": "Two"}]}},
        "f": {"type": "string", "title": "Left out"}});
    agent.line(&asks(properties, json!([])));
    let several = format!("Several: {long}");
    let questions = asked(&agent)["questions"].as_array().unwrap().clone();
    let names: Vec<_> = questions.iter().map(|question| question["question"].as_str().unwrap()).collect();
    assert_eq!(names, ["Same", "Same (b)", "Sure?", "d", &several, "Left out"]);
    assert_eq!(questions[4]["multiSelect"], true);
    answer(&mut agent, Some("accept"), &[("Same", "many")]);
    assert_eq!(refusal(&agent), "answer the question `Same` with a whole number");
    let answers =
        [("Same", "3"), ("Same (b)", "0.5"), ("Sure?", "Yes"), ("d", "y"), (several.as_str(), "One, Two")];
    answer(&mut agent, Some("accept"), &answers);
    let content = json!({"a": 3, "b": 0.5, "c": true, "d": "y", "e": ["1", "2"]});
    assert_eq!(results(&agent), [&json!({"action": "accept", "content": content})]);
}

#[test]
fn a_form_that_is_not_filled_in_is_not_accepted() {
    let closings: [fn(&mut Agent); 4] = [
        |agent| answer(agent, Some("decline"), &[]),
        |agent| agent.wait(600),
        |agent| agent.command(AgentCommand::Cancel),
        |agent| agent.line(&ended("end_turn")),
    ];
    for (close, action) in closings.into_iter().zip(["decline", "cancel", "cancel", "cancel"]) {
        let permission_timeout = Some(Duration::from_secs(600));
        let mut agent = in_turn_with(Options { permission_timeout, ..Options::default() });
        agent.line(&of_codex());
        close(&mut agent);
        assert_eq!(results(&agent), [&json!({ "action": action })]);
    }
    let mut agent = in_turn();
    let odd = asks(json!({"a": {"type": "hologram"}}), json!([]));
    agent.line(&odd);
    assert_eq!(results(&agent), [&json!({"action": "cancel"})], "what cannot be shown");
    assert!(
        matches!(agent.notices.last(), Some(Notice::Unknown { kind, .. }) if kind == "elicitation/create")
    );
    assert_eq!(agent.outputs_of("permission"), Vec::<Value>::new());
}

#[test]
fn a_form_outside_a_turn_can_be_answered() {
    let mut agent = opened();
    agent.line(&asks(json!({}), json!([])));
    answer(&mut agent, Some("accept"), &[]);
    assert_eq!(results(&agent), [&json!({"action": "accept", "content": {}})]);
}
