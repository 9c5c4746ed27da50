//! How long a session waits for its agent, on virtual time.

use std::time::Duration;

use liminal_core::dialect::claude::{ClaudeDialect, Options};
use liminal_core::dialect::{AgentCommand, Input};
use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::processor::Config;
use liminal_core::replay::Recording;
use liminal_core::session::{News, Patience, Session, SessionStep};
use liminal_core::upsert::Output;
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::Value;

use crate::replay::agent::{can_use_tool, init};

struct Waiting {
    session: Session,
    at: Duration,
}

impl Waiting {
    /// A session whose agent began its turn at zero and says nothing more.
    fn in_turn() -> Self {
        let dialect = ClaudeDialect::new(SessionId::from("claude-code:s"), Options::default());
        let session = Session::new(Box::new(dialect), Config::default(), Patience::default());
        let mut waiting = Self { session, at: Duration::ZERO };
        let prompt = AgentCommand::Prompt { turn: TurnId::from("t"), message: "go".into() };
        waiting.input(Input::Command(prompt));
        waiting.line(&init());
        waiting
    }

    fn input(&mut self, input: Input<'_>) -> Vec<News> {
        let mut outputs = Vec::<Output>::new();
        let mut step = SessionStep::new(&mut outputs);
        self.session.handle(input, Recording::moment(self.at), &mut step).unwrap();
        step.news
    }

    fn line(&mut self, line: &Value) -> Vec<News> {
        self.input(Input::Frame(line.to_string().as_bytes()))
    }

    /// What is told until then, and when.
    fn told_until(&mut self, seconds: u64) -> Vec<(u64, News)> {
        let mut told = Vec::new();
        while let Some(at) = self.session.next_deadline().filter(|at| *at <= Duration::from_secs(seconds)) {
            self.at = at;
            told.extend(self.input(Input::Timeout).into_iter().map(|news| (at.as_secs(), news)));
        }
        self.at = Duration::from_secs(seconds);
        told
    }
}

#[test]
fn c04_silence_in_a_turn_is_told_after_a_minute_and_again_when_it_ends() {
    let mut waiting = Waiting::in_turn();
    assert_eq!(waiting.told_until(3600), [(60, News::Stalled(true))]);
    assert!(waiting.line(&init()).contains(&News::Stalled(false)));
    assert_eq!(waiting.told_until(3659), []);
    assert_eq!(waiting.told_until(3660), [(3660, News::Stalled(true))]);
}

#[test]
fn c04_an_agent_that_waits_for_people_is_not_silent() {
    let mut waiting = Waiting::in_turn();
    waiting.line(&can_use_tool("r1", "c1"));
    assert_eq!(waiting.told_until(500), []);
    let answer = PermissionAnswer {
        option_id: Some("allow_once".to_owned()),
        answers: Default::default(),
        reason: None,
    };
    waiting.input(Input::Command(AgentCommand::Answer { item_id: ItemId::from("t/2"), answer }));
    assert_eq!(waiting.told_until(3600), [(560, News::Stalled(true))]);
}

#[test]
fn c04_a_turn_that_does_not_stop_ends_its_agent_after_five_seconds() {
    let mut waiting = Waiting::in_turn();
    waiting.input(Input::Command(AgentCommand::Cancel));
    let told = waiting.told_until(3600);
    let [(5, News::EndAgent(error))] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(error.code, "AGENT_NOT_READING");
}
