//! What an agent says between turns, and that it keeps nobody from going on.

use std::time::Duration;

use liminal_core::dialect::acp::{AcpDialect, Options};
use liminal_core::dialect::{AgentCommand, Input};
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, Profile};
use liminal_core::replay::Recording;
use liminal_core::session::{Patience, Phase, Session, SessionStep};
use serde_json::{Value, json};

use super::agent::{asks, initialized, result, text};

/// A session that is open.
fn open_session() -> Session {
    let dialect = AcpDialect::new(SessionId::from("codex:s"), Options::default());
    let mut session = Session::new(Box::new(dialect), Config::new(Profile::UpsertV1), Patience::default());
    give(
        &mut session,
        Input::Command(AgentCommand::Open { directory: "/home/dev".to_owned(), resume: None }),
    );
    hear(&mut session, &initialized());
    hear(&mut session, &result(2, json!({"sessionId": "s1"})));
    assert_eq!(session.phase(), Phase::Idle);
    session
}

fn give(session: &mut Session, input: Input<'_>) -> String {
    let mut lines = Lines::new(Profile::UpsertV1);
    let mut step = SessionStep::new(&mut lines);
    session.handle(input, Recording::moment(Duration::ZERO), &mut step).unwrap();
    String::from_utf8(lines.bytes().to_vec()).unwrap()
}

fn hear(session: &mut Session, line: &Value) -> String {
    give(session, Input::Frame(line.to_string().as_bytes()))
}

#[test]
fn a_prompt_is_taken_while_the_agent_says_something_unasked() {
    let mut session = open_session();
    hear(&mut session, &text("your configuration is old"));
    assert_eq!(session.phase(), Phase::Idle, "nothing runs");
    let prompt = AgentCommand::Prompt { turn: TurnId::from("t"), message: "go".into() };
    let told = give(&mut session, Input::Command(prompt));
    assert!(told.contains("your configuration is old") && told.contains("turn_complete"), "{told}");
    assert_eq!((session.phase(), session.turn()), (Phase::Running, Some(&TurnId::from("t"))));
    hear(&mut session, &result(3, json!({"stopReason": "end_turn"})));
    assert_eq!(session.phase(), Phase::Idle);
}

#[test]
fn a_question_between_turns_is_something_that_runs() {
    let mut session = open_session();
    hear(&mut session, &asks(0, "c1"));
    assert_eq!(session.phase(), Phase::Running);
    give(&mut session, Input::Command(AgentCommand::Cancel));
    assert_eq!(session.phase(), Phase::Idle);
}
