//! What a model is reminded of, and what the user may do in between.

use liminal_core::dialect::model_api::Options;
use liminal_core::dialect::{AgentCommand, AttachedFile, Notice, UserMessage};
use liminal_core::envelope::{self, Reading, StreamEventEnvelope};
use liminal_core::event::Attachment;
use serde_json::{Value, json};

use super::{VENDORS, Vendor, begun, ended, error_body, refused};
use crate::replay::agent::Agent;

fn said(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

/// Gives the request of that number this answer.
fn answer(agent: &mut Agent, vendor: Vendor, request: u64, text: &str) {
    agent.line(&begun(request));
    agent.lines(&vendor.message(text));
    agent.line(&ended(request));
}

fn events(agent: &Agent) -> Vec<StreamEventEnvelope> {
    let read = |event: &Value| match envelope::read(&event.to_string()).unwrap() {
        Reading::Event(event) => event,
        other => panic!("{other:?}"),
    };
    agent.events().iter().map(read).collect()
}

#[test]
fn a_prompt_is_bound_at_once_and_carries_all_that_was_said() {
    for vendor in VENDORS {
        let mut agent = vendor.asked();
        assert!(agent.notices.iter().any(|notice| matches!(notice, Notice::TurnBound { .. })));
        assert_eq!(vendor.messages(&agent), said(&[("user", "go")]));
        answer(&mut agent, vendor, 1, "gone");
        agent.prompt("t2", "and on");
        let expected = said(&[("user", "go"), ("assistant", "gone"), ("user", "and on")]);
        assert_eq!(vendor.messages(&agent), expected, "{vendor:?}");
        assert_eq!(agent.messages("agent"), ["gone"]);
    }
}

#[test]
fn the_same_is_said_after_a_restart() {
    for vendor in VENDORS {
        let mut agent = vendor.asked();
        answer(&mut agent, vendor, 1, "gone");
        agent.prompt("t2", "stop me");
        agent.line(&begun(2));
        agent.lines(&vendor.piece("half"));
        agent.command(AgentCommand::Cancel);
        agent.prompt("t3", "bad one");
        agent.line(&refused(3, 400, None, &error_body("invalid_request_error", "no")));
        agent.prompt("t4", "next");
        let live = vendor.messages(&agent);
        let expected = [
            ("user", "go"),
            ("assistant", "gone"),
            ("user", "stop me"),
            ("assistant", "half"),
            ("user", "next"),
        ];
        assert_eq!(live, said(&expected), "{vendor:?}");

        // The last turn has no end, as when the server was stopped in it.
        let again = vendor.dialect(Options::new("m")).after(&events(&agent), Vec::new());
        let mut again = Agent::speaking(Box::new(again));
        again.prompt("t5", "next");
        assert_eq!(vendor.messages(&again), live, "{vendor:?}");
    }
}

#[test]
fn a_turn_that_is_stopped_ends_at_once_and_what_still_comes_of_it_is_not_heard() {
    for vendor in VENDORS {
        let mut agent = vendor.answering();
        agent.lines(&vendor.piece("half"));
        agent.command(AgentCommand::Cancel);
        assert_eq!(agent.frames.last().unwrap(), &json!({"abort": 1, "cause": "user"}));
        assert_eq!(agent.last_event()["status"], "cancelled");
        agent.prompt("t2", "next");
        agent.lines(&vendor.message("late"));
        agent.line(&ended(1));
        assert_eq!(agent.messages("agent"), Vec::<String>::new());
        answer(&mut agent, vendor, 2, "fine");
        assert_eq!(agent.messages("agent"), ["fine"], "{vendor:?}");
        assert_eq!(agent.outputs_of("turn_complete").len(), 2);
    }
}

#[test]
fn a_second_prompt_does_not_disturb_the_first() {
    for vendor in VENDORS {
        let mut agent = vendor.answering();
        agent.prompt("t2", "me too");
        assert_eq!(agent.last_event()["error"]["code"], "TURN_IN_PROGRESS");
        agent.lines(&vendor.message("fine"));
        assert_eq!(agent.messages("agent"), ["fine"]);
        assert_eq!(agent.last_event()["status"], "completed");
    }
}

#[test]
fn another_model_is_asked_from_the_next_turn_on() {
    for vendor in VENDORS {
        let mut agent = vendor.answering();
        agent.command(AgentCommand::SetModel { model: Some("better".to_owned()) });
        agent.lines(&vendor.message("one"));
        agent.prompt("t2", "two");
        assert_eq!(agent.frames.last().unwrap()["body"]["model"], "better");
        let starts: Vec<_> =
            agent.events().into_iter().filter(|event| event["type"] == "response_start").collect();
        assert_eq!(starts[1]["payload"]["modelId"], "better");
    }
}

#[test]
fn fields_of_a_request_can_be_set_and_not_those_of_the_conversation() {
    let request = json!({"max_tokens": 7, "temperature": 0.5}).as_object().unwrap().clone();
    let mut agent = Vendor::Anthropic.agent(Options { request, ..Options::new("m") });
    agent.prompt("t", "go");
    let expected = json!({"model": "m", "max_tokens": 7, "temperature": 0.5, "stream": true,
        "messages": [{"role": "user", "content": "go"}]});
    assert_eq!(agent.frames[0], json!({"request": 1, "attempt": 0, "body": expected}));
    let mut agent = Vendor::OpenAi.agent(Options::new("m"));
    agent.prompt("t", "go");
    let expected =
        json!({"model": "m", "stream": true, "store": false, "input": [{"role": "user", "content": "go"}]});
    assert_eq!(agent.frames[0]["body"], expected);
}

#[test]
fn what_a_models_api_does_not_have_is_refused() {
    for vendor in VENDORS {
        let mut agent = vendor.asked();
        agent.command(AgentCommand::SetPermissionMode { mode: "plan".to_owned() });
        agent.command(AgentCommand::SetOption { id: "effort".to_owned(), value: "high".to_owned() });
        agent.choose("t/1", "allow_once");
        let refused =
            |notice: &&Notice| matches!(notice, Notice::CommandRefused(_) | Notice::AnswerRefused { .. });
        assert_eq!(agent.notices.iter().filter(refused).count(), 3);
    }
}

#[test]
fn a_session_that_is_closed_takes_no_prompt_and_ends_its_turn() {
    for vendor in VENDORS {
        let mut agent = vendor.answering();
        agent.lines(&vendor.piece("half"));
        agent.close(0, "");
        assert_eq!(agent.last_event()["error"]["code"], "PROCESS_EXIT_NO_RESULT");
        agent.prompt("t2", "hello?");
        assert_eq!(agent.last_event()["error"]["code"], "PROCESS_CRASH");
    }
}

#[test]
fn files_are_sent_to_the_model_with_every_request_and_after_a_restart() {
    for vendor in VENDORS {
        let file = |name: &str, mime_type: &str, content: &[u8]| AttachedFile {
            shown: Attachment {
                id: Some(name.into()),
                name: name.to_owned(),
                mime_type: mime_type.to_owned(),
                bytes: content.len() as u64,
            },
            content: content.into(),
        };
        let files = vec![
            file("a.png", "image/png", &[1, 2, 3]),
            file("b.pdf", "application/pdf", &[4, 5, 6]),
            file("c.txt", "text/plain", b"words of a file"),
        ];
        let message = UserMessage { text: "look".to_owned(), files: files.clone() };
        let mut agent = Agent::speaking(Box::new(vendor.dialect(Options::new("m"))));
        agent.command(AgentCommand::Prompt { turn: "t".into(), message });
        answer(&mut agent, vendor, 1, "seen");
        agent.prompt("t2", "and on");
        let has_files = |agent: &Agent| {
            let body = agent.frames.last().unwrap()["body"].to_string();
            ["AQID", "BAUG", "words of a file"].iter().all(|part| body.contains(part))
        };
        assert!(has_files(&agent), "{:?}", agent.frames);
        let again = vendor.dialect(Options::new("m")).after(&events(&agent), files);
        let mut again = Agent::speaking(Box::new(again));
        again.prompt("t3", "once more");
        assert!(has_files(&again), "{:?}", again.frames);
        let mut without =
            Agent::speaking(Box::new(vendor.dialect(Options::new("m")).after(&events(&agent), Vec::new())));
        without.prompt("t3", "once more");
        let body = without.frames.last().unwrap()["body"].to_string();
        assert!(body.contains("[the file a.png was here]") && !body.contains("AQID"), "{body}");
    }
}
