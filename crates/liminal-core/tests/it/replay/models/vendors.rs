//! What each API says in its own way.

use liminal_core::dialect::{Input, Notice};
use serde_json::{Value, json};

use super::Vendor::{Anthropic, OpenAi};
use super::{VENDORS, ended};
use crate::replay::agent::Agent;

const NOT_RUN: &str = "This provider does not run tools, so the call was not carried out.";

fn block(index: u64, start: &Value, deltas: &[Value]) -> Vec<Value> {
    let mut payloads = vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
    payloads.extend(
        deltas.iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
    );
    payloads.push(json!({"type": "content_block_stop", "index": index}));
    payloads
}

fn stopped(reason: &str) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}}),
        json!({"type": "message_stop"}),
    ]
}

fn unknown(agent: &Agent) -> Vec<&str> {
    let mut kinds = Vec::new();
    for notice in &agent.notices {
        if let Notice::Unknown { kind, .. } = notice {
            kinds.push(kind.as_str());
        }
    }
    kinds
}

#[test]
fn a_call_is_shown_as_one_that_nobody_runs() {
    let mut anthropic = Anthropic.answering();
    let pieces = [
        json!({"type": "input_json_delta", "partial_json": ""}),
        json!({"type": "input_json_delta", "partial_json": "{\"a\":"}),
        json!({"type": "input_json_delta", "partial_json": "1}"}),
    ];
    anthropic.lines(&block(
        0,
        &json!({"type": "tool_use", "id": "c1", "name": "look", "input": {}}),
        &pieces,
    ));
    anthropic.lines(&stopped("tool_use"));

    let mut openai = OpenAi.answering();
    let item = |arguments: &str| json!({"type": "function_call", "call_id": "c1", "name": "look", "arguments": arguments});
    openai.lines(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": item("")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"a\":1}"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"a\":1}"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item("{\"a\":1}")}),
    ]);
    openai.lines(&OpenAi.end());
    for agent in [anthropic, openai] {
        let call = agent.outputs_of("tool_call").pop().unwrap();
        assert_eq!(call["toolName"], "look");
        assert_eq!(call["toolArguments"], json!({"a": 1}));
        assert_eq!((&call["toolOutput"], &call["toolOutputIsError"]), (&json!(NOT_RUN), &json!(true)));
        assert_eq!(agent.last_event()["status"], "completed");
    }
}

#[test]
fn free_text_and_broken_arguments_are_shown_as_input() {
    let mut agent = OpenAi.answering();
    let item = json!({"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin"});
    agent.line(&json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    agent.lines(&OpenAi.end());
    assert_eq!(agent.outputs_of("tool_call").pop().unwrap()["toolArguments"], json!({"input": "*** Begin"}));
    let mut agent = Anthropic.answering();
    let broken = [json!({"type": "input_json_delta", "partial_json": "{\"a\":"})];
    agent.lines(&block(0, &json!({"type": "tool_use", "id": "c1", "name": "look"}), &broken));
    assert_eq!(agent.outputs_of("tool_call").pop().unwrap()["toolArguments"], json!({"input": "{\"a\":"}));
}

#[test]
fn calls_that_share_an_id_are_told_apart() {
    let mut agent = Anthropic.answering();
    for index in 0..2 {
        agent.lines(&block(index, &json!({"type": "tool_use", "id": "c1", "name": "look"}), &[]));
    }
    agent.lines(&stopped("tool_use"));
    let calls: Vec<Value> =
        agent.outputs_of("tool_call").into_iter().filter(|call| call["status"] == "complete").collect();
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0]["callId"], calls[1]["callId"]);
}

#[test]
fn thoughts_come_before_words() {
    let mut agent = Anthropic.answering();
    let thoughts = [
        json!({"type": "thinking_delta", "thinking": "hm"}),
        json!({"type": "signature_delta", "signature": "s"}),
    ];
    agent.lines(&block(0, &json!({"type": "thinking", "thinking": "", "signature": ""}), &thoughts));
    agent.lines(&block(1, &json!({"type": "redacted_thinking", "data": "x"}), &[]));
    agent.lines(&block(
        2,
        &json!({"type": "text", "text": "so"}),
        &[json!({"type": "text_delta", "text": " it is"})],
    ));
    agent.lines(&stopped("end_turn"));
    assert_eq!(agent.outputs_of("thinking").pop().unwrap()["content"], "hm");
    assert_eq!(agent.messages("agent"), ["so it is"]);
    assert_eq!(unknown(&agent), Vec::<&str>::new());

    let mut agent = OpenAi.answering();
    let place = |kind: &str, field: &str, text: &str| json!({"type": kind, "output_index": 0, "summary_index": 0, "content_index": 0, field: text});
    agent.lines(&[
        place("response.reasoning_summary_text.delta", "delta", "a sum"),
        place("response.reasoning_summary_text.done", "text", "a summary"),
        place("response.reasoning_text.delta", "delta", "raw"),
        json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning",
            "summary": [{"type": "summary_text", "text": "a summary"}, {"type": "summary_text", "text": "more"}],
            "content": [{"type": "reasoning_text", "text": "raw thought"}]}}),
    ]);
    agent.lines(&OpenAi.end());
    let thoughts: Vec<Value> =
        agent.outputs_of("thinking").into_iter().filter(|each| each["status"] == "complete").collect();
    let contents: Vec<&str> = thoughts.iter().map(|each| each["content"].as_str().unwrap()).collect();
    assert_eq!(contents, ["a summary", "more", "raw thought"]);
}

#[test]
fn a_refusal_is_shown_and_forgotten() {
    let mut anthropic = Anthropic.answering();
    anthropic.lines(&Anthropic.piece("I"));
    anthropic.lines(&[
        json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": "not this"}}}),
        json!({"type": "message_stop"}),
    ]);
    assert_eq!(anthropic.messages("system"), ["The model refused to answer: not this"]);
    let mut openai = OpenAi.answering();
    openai.lines(&[
        json!({"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": "I can"}),
        json!({"type": "response.refusal.done", "output_index": 0, "content_index": 0, "refusal": "I cannot"}),
    ]);
    openai.lines(&OpenAi.end());
    assert_eq!(openai.messages("agent"), ["I cannot"]);
    for (vendor, mut agent) in [(Anthropic, anthropic), (OpenAi, openai)] {
        assert_eq!(agent.last_event()["status"], "completed");
        assert_eq!(agent.last_event()["finishReason"], "refusal");
        agent.prompt("t2", "then this");
        assert_eq!(vendor.messages(&agent), [("user".to_owned(), "then this".to_owned())]);
    }
}

#[test]
fn an_answer_that_is_cut_short_says_so() {
    let mut anthropic = Anthropic.answering();
    anthropic.lines(&Anthropic.piece("some"));
    anthropic.lines(&stopped("max_tokens"));
    let mut openai = OpenAi.answering();
    openai.lines(&OpenAi.piece("some"));
    openai.line(&json!({"type": "response.incomplete", "response": {"status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"}, "usage": {"input_tokens": 8, "output_tokens": 2,
        "input_tokens_details": {"cached_tokens": 3}}}}));
    for (agent, reason) in [(&anthropic, "max_tokens"), (&openai, "max_output_tokens")] {
        assert_eq!(agent.messages("agent"), ["some"]);
        assert_eq!(
            agent.messages("system"),
            [format!("The answer is incomplete: {}.", reason.replace('_', " "))]
        );
        assert_eq!(agent.last_event()["finishReason"], reason);
        assert_eq!(agent.last_event()["status"], "completed");
    }
    let usage = json!({"inputTokens": 5, "outputTokens": 2, "cacheReadInputTokens": 3});
    assert_eq!(openai.last_event()["usage"], usage);
}

#[test]
fn usage_is_what_was_told_last() {
    let mut agent = Anthropic.answering();
    agent.lines(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1,
            "cache_read_input_tokens": 2, "cache_creation_input_tokens": 0}}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": null, "output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]);
    let usage = json!({"inputTokens": 5, "outputTokens": 9, "cacheReadInputTokens": 2, "cacheCreationInputTokens": 0});
    assert_eq!(agent.last_event()["usage"], usage);
}

#[test]
fn an_error_of_the_stream_keeps_the_apis_own_word() {
    let cases = [
        (
            Anthropic,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}),
            "invalid_request_error",
        ),
        (OpenAi, json!({"type": "error", "code": "some_code", "message": "no", "param": null}), "some_code"),
        (OpenAi, json!({"type": "error", "code": null, "message": "no"}), "RESPONSE_ERROR"),
        (
            OpenAi,
            json!({"type": "response.failed", "response": {"error": {"code": "bad_image", "message": "no"}}}),
            "bad_image",
        ),
        (OpenAi, json!({"type": "response.failed", "response": {}}), "RESPONSE_ERROR"),
        (Anthropic, json!({"type": "error"}), "RESPONSE_ERROR"),
    ];
    for (vendor, payload, code) in cases {
        let mut agent = vendor.answering();
        agent.line(&payload);
        assert_eq!(agent.last_event()["error"]["code"], code, "{payload}");
    }
}

#[test]
fn what_is_not_known_is_counted_and_nothing_else() {
    for vendor in VENDORS {
        let mut agent = vendor.answering();
        agent.lines(&[json!({"type": "something_new"}), json!({}), json!({"transport": "new"})]);
        agent.input(Input::Frame(b"no json"));
        agent.input(Input::Frame(b"[DONE]"));
        agent.lines(&vendor.message("fine"));
        assert_eq!(unknown(&agent).len(), 4, "{:?}", unknown(&agent));
        assert_eq!(agent.messages("agent"), ["fine"]);
        agent.line(&ended(1));
        assert_eq!(agent.last_event()["status"], "completed");
    }
}

#[test]
fn an_event_that_is_too_long_ends_the_turn() {
    for vendor in VENDORS {
        let mut agent = vendor.answering();
        agent.lines(&vendor.piece("half"));
        agent.input(Input::FrameTooLong { bytes: 1 << 30 });
        assert_eq!(agent.last_event()["error"]["code"], "LINE_TOO_LONG");
        assert_eq!(agent.frames.last().unwrap(), &json!({"abort": 1, "cause": "answer"}));
    }
}
