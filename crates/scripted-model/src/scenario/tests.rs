use super::*;
use crate::answer::{Answer, Refusal};
use crate::conversation::ToolResult;

fn conversation() -> Conversation {
    Conversation {
        model: "claude-opus".into(),
        stream: true,
        system: "you are a sub-agent".into(),
        prompt: "read the file".into(),
        turn: 1,
        results: vec![ToolResult { tool: "Read".into(), text: "hello".into() }],
        ..Conversation::default()
    }
}

#[test]
fn a_condition_holds_when_all_its_parts_do() {
    let cases = [
        ("{}", true),
        (r#"{"promptContains":"the file"}"#, true),
        (r#"{"promptContains":"the folder"}"#, false),
        (r#"{"systemContains":"sub-agent"}"#, true),
        (r#"{"systemContains":"main"}"#, false),
        (r#"{"modelContains":"opus"}"#, true),
        (r#"{"modelContains":"haiku"}"#, false),
        (r#"{"toolResult":"Read"}"#, true),
        (r#"{"toolResult":"Bash"}"#, false),
        (r#"{"turn":1}"#, true),
        (r#"{"turn":0}"#, false),
        (r#"{"request":7}"#, true),
        (r#"{"request":8}"#, false),
        (r#"{"stream":true}"#, true),
        (r#"{"stream":false}"#, false),
        (r#"{"turn":1,"toolResult":"Bash"}"#, false),
    ];
    for (condition, holds) in cases {
        let scenario = format!(r#"{{"rules":[{{"when":{condition},"answer":{{"steps":[]}}}}]}}"#);
        let scenario = Scenario::from_json(&scenario).unwrap();
        assert_eq!(scenario.rules()[0].applies(&conversation(), 7, 0), holds, "{condition}");
    }
}

#[test]
fn a_rule_without_condition_is_the_default_until_it_is_used_up() {
    let scenario = Scenario::from_json(r#"{"rules":[{"times":2,"error":{"status":529}}]}"#).unwrap();
    let rule = &scenario.rules()[0];
    assert_eq!([0, 1, 2].map(|used| rule.applies(&conversation(), 1, used)), [true, true, false]);
    assert_eq!(rule.reply(), &Reply::Refusal(Refusal::of(529)));
}

#[test]
fn a_plain_answer_is_that_of_the_directive() {
    let scenario = Scenario::from_json(r#"{"rules":[{"answer":{"steps":[{"text":"hello"}]}}]}"#).unwrap();
    assert_eq!(scenario.rules()[0].reply(), &Reply::Answer(Answer::saying("hello")));
}

#[test]
fn a_wrong_scenario_is_refused_with_the_place() {
    let cases = [
        ("", ".", "EOF"),
        (r#"{"rules":[]} x"#, "the end of the file", "trailing"),
        (r#"{"rule":[]}"#, "rule", "unknown field `rule`"),
        (r#"{"rules":[],"otherwise":"guess"}"#, "otherwise", "unknown variant `guess`"),
        (r#"{"rules":[{"when":{"prompt":"x"},"hangUp":true}]}"#, "rules[0].when.prompt", "unknown field"),
        (r#"{"rules":[{}]}"#, "rules[0]", "exactly one of answer, error and hangUp"),
        (
            r#"{"rules":[{"hangUp":true,"error":{"status":500}}]}"#,
            "rules[0]",
            "exactly one of answer, error and hangUp",
        ),
        (r#"{"rules":[{"error":{"status":200}}]}"#, "rules[0].error.status", "from 400 to 599"),
        (r#"{"rules":[{"error":{"status":500,"times":1}}]}"#, "rules[0].error.times", "unknown field"),
    ];
    for (json, place, problem) in cases {
        check_refused(json, place, problem);
    }
}

#[test]
fn a_wrong_answer_is_refused_with_the_place() {
    let cases = [
        (r#"{"step":[]}"#, "rules[0].answer.step", "unknown field"),
        (r#"{"steps":[{"text":"a"},{}]}"#, "rules[0].answer.steps[1]", "exactly one of text, thinking"),
        (r#"{"steps":[{"text":"a","thinking":"b"}]}"#, "rules[0].answer.steps[0]", "exactly one of"),
        (r#"{"steps":[{"text":"a","signature":"b"}]}"#, "rules[0].answer.steps[0]", "only a thinking step"),
        (
            r#"{"steps":[{"text":"a","chunks":"letters"}]}"#,
            "rules[0].answer.steps[0].chunks",
            "unknown variant",
        ),
        (r#"{"steps":[{"text":"a","chunks":{"bytes":0}}]}"#, "rules[0].answer.steps[0].chunks", "nonzero"),
        (
            r#"{"steps":[{"toolUse":{"name":"A","input":{}},"chunks":"whole"}]}"#,
            "rules[0].answer.steps[0]",
            "inputChunks",
        ),
        (
            r#"{"steps":[{"toolUse":{"name":"A","input":"x"}}]}"#,
            "rules[0].answer.steps[0].toolUse.input",
            "expected a map",
        ),
        (r#"{"steps":[],"usage":{"tokens":1}}"#, "rules[0].answer.usage.tokens", "unknown field"),
        (r#"{"steps":[],"fault":"drop"}"#, "rules[0].answer.fault", "struct variant"),
        (
            r#"{"steps":[],"fault":{"drop":{"afterDeltas":1,"afterBlocks":1}}}"#,
            "rules[0].answer.fault",
            "not both",
        ),
        (r#"{"steps":[],"fault":{"drop":{"forMs":1}}}"#, "rules[0].answer.fault.drop.forMs", "unknown field"),
    ];
    for (answer, place, problem) in cases {
        check_refused(&format!(r#"{{"rules":[{{"answer":{answer}}}]}}"#), place, problem);
    }
}

fn check_refused(json: &str, wanted_place: &str, wanted_problem: &str) {
    let ScenarioError::Invalid { place, problem } = Scenario::from_json(json).expect_err(json);
    assert!(place.starts_with(wanted_place), "{json} was refused at {place}");
    assert!(problem.contains(wanted_problem), "{json} was refused: {problem}");
}
