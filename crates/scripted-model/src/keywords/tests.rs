use super::*;
use crate::answer::{Fault, FaultKind, Place, ToolUse};
use crate::conversation::ToolResult;

fn conversation(prompt: &str) -> Conversation {
    Conversation { prompt: prompt.into(), stream: true, ..Conversation::default() }
}

fn reply_to(prompt: &str) -> Reply {
    reply(&conversation(prompt), &mut Attempts::default())
}

fn answer_to(prompt: &str) -> Answer {
    let reply = reply_to(prompt);
    let Reply::Answer(answer) = reply else { panic!("{prompt:?} gave {reply:?}") };
    answer
}

fn text(text: &str) -> Block {
    Block::Text(Speech::of(text))
}

fn thinking(text: &str) -> Block {
    Block::thinking(Speech::of(text), None)
}

fn tool(name: &str, input: &str) -> Block {
    Block::ToolUse(ToolUse::of(name, serde_json::from_str(input).unwrap()))
}

#[test]
fn directives_become_blocks_in_their_order() {
    let cases = [
        ("say:hello world", vec![text("hello world")]),
        ("please say: hello", vec![text("hello")]),
        ("say:one\nsay:two", vec![text("one"), text("two")]),
        (r"say:one\ntwo", vec![text("one\ntwo")]),
        ("say:a  b say:c", vec![text("a  b"), text("c")]),
        ("words:3", vec![text("word1 word2 word3")]),
        ("think:hmm say:so", vec![thinking("hmm"), text("so")]),
        ("say:why say:tool:x", vec![text("why"), text("tool:x")]),
        ("tool:Now", vec![tool("Now", "{}")]),
        (r#"tool:Bash {"command":"echo hi"}"#, vec![tool("Bash", r#"{"command":"echo hi"}"#)]),
        (
            r#"tool:A {"x":"say:inner tool:B"} say:outer"#,
            vec![tool("A", r#"{"x":"say:inner tool:B"}"#), text("outer")],
        ),
        ("tool:A {\n  \"x\": 1\n}\ntool:B {}", vec![tool("A", r#"{"x":1}"#), tool("B", "{}")]),
        ("say:ünï 日本 think:€", vec![text("ünï 日本"), thinking("€")]),
    ];
    for (prompt, blocks) in cases {
        assert_eq!(answer_to(prompt).blocks, blocks, "{prompt:?}");
    }
}

#[test]
fn everyday_words_are_no_directives() {
    let prompts = [
        "",
        "hello",
        "the engine may stall here",
        "stall the engine",
        "the status: 500 lines",
        "drop: it",
        "a tool: hammer",
        "essay:one",
        "non-stop:x-less",
        GREETING,
    ];
    for prompt in prompts {
        let answer = answer_to(prompt);
        assert_eq!(answer, Answer::saying(GREETING), "{prompt:?}");
    }
}

#[test]
fn faults_are_read_with_their_place() {
    let drop_at = |place| Fault { place, kind: FaultKind::Drop };
    let early = |kind| Fault { place: Place::AfterDeltas(1), kind };
    let cases = [
        ("drop:mid", drop_at(Place::AfterDeltas(1))),
        ("drop:block", drop_at(Place::AfterBlocks(1))),
        ("drop:0", drop_at(Place::AfterDeltas(0))),
        ("stall", early(FaultKind::Stall(None))),
        ("stall\nsay:x", early(FaultKind::Stall(None))),
        ("slow:0ms stall say:x", early(FaultKind::Stall(None))),
        ("say:x stall:2s", early(FaultKind::Stall(Some(Duration::from_secs(2))))),
        ("sse-error", early(FaultKind::error_event(None, None))),
        (
            "say:x sse-error:api_error it broke",
            early(FaultKind::error_event(Some("api_error".into()), Some("it broke".into()))),
        ),
    ];
    for (prompt, fault) in cases {
        assert_eq!(answer_to(prompt).fault, Some(fault), "{prompt:?}");
    }
    assert_eq!(reply_to("drop:start"), Reply::HangUp);
}

#[test]
fn a_status_may_have_a_message_and_a_retry_time() {
    let cases = [
        ("status:529", Refusal::of(529)),
        ("status:529 say:unsaid", Refusal::of(529)),
        (
            "status:400 prompt is too long",
            Refusal { message: Some("prompt is too long".into()), ..Refusal::of(400) },
        ),
        ("status:429 retry-after:7", Refusal { retry_after_seconds: Some(7), ..Refusal::of(429) }),
    ];
    for (prompt, refusal) in cases {
        assert_eq!(reply_to(prompt), Reply::Refusal(refusal), "{prompt:?}");
    }
}

#[test]
fn a_counted_fault_strikes_that_often_and_then_starts_anew() {
    for prompt in [
        "status:500x2 \nsay:ok",
        "drop:startx2 say:ok",
        "drop:midx2 say:ok",
        "sse-errorx2\nsay:ok",
        "stallx2\nsay:ok",
    ] {
        let mut attempts = Attempts::default();
        for round in 0..2 {
            for attempt in 0..3 {
                let clean =
                    reply(&conversation(prompt), &mut attempts) == Reply::Answer(Answer::saying("ok"));
                assert_eq!(clean, attempt == 2, "{prompt:?}, round {round}, attempt {attempt}");
            }
        }
    }
}

#[test]
fn counted_faults_of_other_requests_are_counted_apart() {
    let mut attempts = Attempts::default();
    for identity in ["one", "two"] {
        let request = Conversation { identity: identity.into(), ..conversation("status:500x1 \nsay:ok") };
        assert_eq!(reply(&request, &mut attempts), Reply::Refusal(Refusal::of(500)));
    }
}

#[test]
fn an_answer_that_does_not_stream_has_no_stream_faults() {
    for prompt in ["drop:mid say:ok", "stall\nsay:ok", "sse-error\nsay:ok"] {
        let request = Conversation { stream: false, ..conversation(prompt) };
        let reply = reply(&request, &mut Attempts::default());
        assert_eq!(reply, Reply::Answer(Answer::saying("ok")), "{prompt:?}");
    }
}

#[test]
fn later_turns_continue_the_program() {
    let program = "tool:A {}\nthen: think:next tool:B {} then:finished then:";
    let results = vec![ToolResult { tool: "A".into(), text: format!("line\n{}", "é".repeat(100)) }];
    let report = format!("done: line {}", "é".repeat(75));
    let turns = [
        vec![tool("A", "{}")],
        vec![thinking("next"), tool("B", "{}")],
        vec![text("finished")],
        vec![text(GREETING)],
        vec![text(&report)],
    ];
    for (turn, blocks) in turns.into_iter().enumerate() {
        let request = Conversation { turn, results: results.clone(), ..conversation(program) };
        let Reply::Answer(answer) = reply(&request, &mut Attempts::default()) else { panic!("turn {turn}") };
        assert_eq!(answer.blocks, blocks, "turn {turn}");
    }
}

#[test]
fn pace_and_stop_reason_are_read() {
    let answer = answer_to("slow:20ms say:cut stop:max_tokens");
    let expected = Speech { delay: Duration::from_millis(20), ..Speech::of("cut") };
    assert_eq!(answer.blocks, [Block::Text(expected)]);
    assert_eq!(answer.stop_reason.as_deref(), Some("max_tokens"));
}

#[test]
fn a_malformed_directive_is_refused_with_advice() {
    let cases = [
        ("status:abc", "status:N"),
        ("status:200", "from 400 to 599"),
        ("words:0", "from 1 to 100000"),
        ("words:many", "words:N"),
        ("drop:never", "drop:start"),
        ("stall:long", "stall:500ms"),
        ("slow:5", "slow:20ms"),
        ("retry-after:soon", "retry-after:SECONDS"),
        ("tool:Bash {\"command\":", "the input of tool Bash is not a JSON object"),
        ("status:500 drop:mid", "one fault only"),
    ];
    for (prompt, advice) in cases {
        let Reply::Refusal(refusal) = reply_to(prompt) else { panic!("{prompt:?} was accepted") };
        assert_eq!(refusal.status, 400);
        let message = refusal.message.unwrap_or_default();
        assert!(message.contains(advice), "{prompt:?} gave {message:?}");
    }
}
