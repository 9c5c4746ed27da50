//! What is asked again, when, and what is not.

use std::time::Duration;

use liminal_core::dialect::AgentCommand;
use liminal_core::dialect::model_api::exchange::Record;
use liminal_core::dialect::model_api::{Options, RetryPolicy};
use serde_json::json;

use super::{VENDORS, begun, ended, error_body, failed, record, refused};

#[test]
fn a_busy_api_is_asked_again_when_it_says_and_the_reason_is_shown() {
    for vendor in VENDORS {
        for status in [429, 503, 529] {
            let mut agent = vendor.asked();
            agent.line(&refused(1, status, Some(2000), &error_body("rate_limit_error", "too many")));
            assert_eq!(agent.deadline(), Some(Duration::from_secs(2)));
            let note = format!(
                "The model's API failed (status {status}, rate limit error: too many). Retry 1 of 5 in 2.0 s."
            );
            assert_eq!(agent.messages("system"), [note]);
            agent.wait(1);
            assert_eq!(agent.frames.len(), 1, "not before its time");
            agent.wait(1);
            assert_eq!(agent.frames[1]["request"], 2);
            assert_eq!(agent.frames[1]["attempt"], 1);
            assert_eq!(agent.frames[1]["body"], agent.frames[0]["body"]);
            agent.line(&begun(2));
            agent.lines(&vendor.message("fine"));
            assert_eq!(agent.messages("agent"), ["fine"]);
            assert_eq!(agent.last_event()["status"], "completed");
        }
    }
}

#[test]
fn an_api_that_stays_busy_ends_the_turn_in_its_own_words() {
    for vendor in VENDORS {
        let retry = RetryPolicy { most: 2, ..RetryPolicy::default() };
        let mut agent = vendor.agent(Options { retry, ..Options::new("m") });
        agent.prompt("t", "go");
        for request in 1..=3 {
            agent.line(&refused(request, 529, None, &error_body("overloaded_error", "Overloaded")));
            agent.wait(10);
        }
        assert_eq!(agent.messages("system").len(), 2);
        let end = agent.last_event();
        assert_eq!(end["status"], "error");
        assert_eq!(end["error"], json!({"code": "overloaded_error", "message": "Overloaded"}));
        assert_eq!(agent.deadline(), None);
    }
}

#[test]
fn what_does_not_pass_is_not_asked_again() {
    let cases = [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
    ];
    for vendor in VENDORS {
        for (status, code) in cases {
            let mut agent = vendor.asked();
            agent.line(&refused(1, status, None, &error_body(code, "no")));
            assert_eq!(agent.last_event()["error"]["code"], code, "{vendor:?}");
            assert_eq!(agent.deadline(), None);
        }
    }
    let mut agent = super::Vendor::OpenAi.asked();
    agent.line(&refused(1, 429, None, &error_body("insufficient_quota", "pay")));
    assert_eq!(agent.last_event()["error"]["code"], "insufficient_quota");
}

#[test]
fn the_api_may_say_itself_whether_to_ask_again() {
    for vendor in VENDORS {
        let told = |status, should_retry| {
            let body = error_body("some_error", "no").to_string();
            record(&Record::Refused { request: 1, status, retry_after_ms: None, should_retry, body })
        };
        let mut agent = vendor.asked();
        agent.line(&told(400, Some(true)));
        assert!(agent.deadline().is_some());
        let mut agent = vendor.asked();
        agent.line(&told(503, Some(false)));
        assert_eq!(agent.deadline(), None);
    }
}

#[test]
fn a_wait_that_is_too_long_is_told_instead() {
    for vendor in VENDORS {
        let mut agent = vendor.asked();
        agent.line(&refused(1, 429, Some(3_600_000), &error_body("rate_limit_error", "too many")));
        assert_eq!(agent.last_event()["error"]["message"], "too many (the API asks to wait 3600 s)");
    }
}

#[test]
fn a_connection_that_fails_before_the_answer_is_made_again() {
    for vendor in VENDORS {
        let mut agent = vendor.asked();
        agent.line(&failed(1, "cannot connect"));
        assert_eq!(
            agent.messages("system"),
            ["The model's API failed (no answer, cannot connect). Retry 1 of 5 in 0.5 s."]
        );
        agent.wait(1);
        agent.line(&begun(2));
        agent.line(&ended(2));
        agent.wait(1);
        assert_eq!(agent.frames.len(), 3, "an answer that ends before it begins is no answer");
        for request in 3..=6 {
            agent.line(&failed(request, "cannot connect"));
            agent.wait(10);
        }
        assert_eq!(agent.last_event()["error"]["code"], "MODEL_UNREACHABLE");
    }
}

#[test]
fn an_answer_that_breaks_off_stays_as_far_as_it_came_and_is_not_asked_again() {
    for vendor in VENDORS {
        for end in [ended(1), failed(1, "reset by peer")] {
            let mut agent = vendor.answering();
            agent.lines(&vendor.piece("half an answer"));
            agent.line(&end);
            assert_eq!(agent.last_event()["error"]["code"], "STREAM_ENDED");
            let text = agent.outputs_of("message").pop().unwrap();
            assert_eq!(text["content"], "half an answer");
            assert_eq!(text["status"], "error");
            assert_eq!(agent.deadline(), None);
        }
    }
}

#[test]
fn an_error_inside_the_stream_is_asked_again_only_while_nothing_was_shown() {
    for vendor in VENDORS {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "code": "server_error", "message": "busy"}});
        let mut agent = vendor.answering();
        agent.line(&vendor.piece("x")[0]);
        agent.line(&error);
        assert!(agent.deadline().is_some(), "{vendor:?}");
        let mut agent = vendor.answering();
        agent.lines(&vendor.piece("half"));
        agent.line(&error);
        assert_eq!(agent.deadline(), None);
        assert_eq!(agent.last_event()["error"]["message"], "busy");
        assert_eq!(agent.frames.last().unwrap(), &json!({"abort": 1, "cause": "answer"}));
    }
}

#[test]
fn a_turn_that_waits_can_be_stopped() {
    for vendor in VENDORS {
        let mut agent = vendor.asked();
        agent.line(&refused(1, 429, Some(60_000), &error_body("rate_limit_error", "too many")));
        agent.command(AgentCommand::Cancel);
        assert_eq!(agent.last_event()["status"], "cancelled");
        assert_eq!(agent.deadline(), None);
        agent.wait(100);
        assert_eq!(agent.frames.len(), 2, "nothing is asked any more");
    }
}

#[test]
fn an_answer_that_is_not_the_apis_is_told_with_what_to_check() {
    for vendor in VENDORS {
        let page = record(&Record::Refused {
            request: 1,
            status: 200,
            retry_after_ms: None,
            should_retry: None,
            body: "<html>\n  Log in".to_owned(),
        });
        let mut agent = vendor.asked();
        agent.line(&page);
        assert_eq!(
            agent.last_event()["error"]["message"],
            "the API answered with status 200 and no stream; check its base URL. It said: <html> Log in"
        );
    }
}
