//! What a session guarantees whatever its dialect does: one turn at a time, and an end of every turn.
#![expect(
    clippy::needless_pass_by_value,
    reason = "payloads are easier to read when they are built in place"
)]

use std::time::Duration;

use liminal_core::dialect::{AgentCommand, Closed, Dialect, Input, Notice, Outbox};
use liminal_core::envelope;
use liminal_core::event::StreamEvent;
use liminal_core::ids::TurnId;
use liminal_core::processor::Config;
use liminal_core::replay::Recording;
use liminal_core::session::{News, Patience, Phase, Refused, Session, SessionStep};
use liminal_core::time::Now;
use liminal_core::upsert::{Output, TurnEvent, UpsertStatus};
use serde_json::{Value, json};

/// Passes on the canonical events that it is given as lines, and does nothing when the agent ends.
#[derive(Debug)]
struct Forgetful;

impl Dialect for Forgetful {
    fn handle(&mut self, input: Input<'_>, _: Now, out: &mut Outbox) {
        if matches!(input, Input::Command(_) | Input::Closed(_)) {
            out.frames.push(b"heard".to_vec());
        }
        let Input::Frame(line) = input else { return };
        let event = envelope::read_bytes(line).unwrap().event().unwrap();
        if matches!(event.payload, StreamEvent::ResponseStart(_)) {
            out.notices.push(Notice::TurnBound { turn: event.turn_id.clone() });
        }
        out.events.push(event);
    }

    fn next_deadline(&self) -> Option<Duration> {
        None
    }
}

struct Conversation {
    session: Session,
    outputs: Vec<Output>,
}

impl Conversation {
    /// A session whose prompt `t` was sent.
    fn asked() -> Self {
        let session = Session::new(Box::new(Forgetful), Config::default(), Patience::default());
        let mut conversation = Self { session, outputs: Vec::new() };
        conversation.prompt("t").unwrap();
        conversation
    }

    /// A session whose agent has taken the prompt `t`.
    fn in_turn() -> Self {
        let mut conversation = Self::asked();
        conversation.event(json!({"type": "response_start", "modelId": "m", "providerId": "p"}));
        conversation
    }

    fn input(&mut self, input: Input<'_>) -> Result<(Vec<News>, usize), Refused> {
        let mut step = SessionStep::new(&mut self.outputs);
        self.session.handle(input, Recording::moment(Duration::ZERO), &mut step)?;
        Ok((step.news, step.frames.len()))
    }

    fn prompt(&mut self, turn: &str) -> Result<(Vec<News>, usize), Refused> {
        self.input(Input::Command(AgentCommand::Prompt { turn: TurnId::from(turn), message: "go".into() }))
    }

    fn event(&mut self, payload: Value) {
        let event = json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00.000Z", "turnId": "t",
            "sessionId": "s", "type": payload["type"], "payload": payload});
        self.input(Input::Frame(event.to_string().as_bytes())).unwrap();
    }

    /// The outputs when the agent ends, and how often its dialect was informed.
    fn close(&mut self) -> (Vec<News>, usize) {
        self.input(Input::Closed(Closed::default())).unwrap()
    }

    /// The last state of an item, with the code of its error.
    fn state_of(&self, id: &str) -> Option<(UpsertStatus, Option<&str>)> {
        let mut upserts = self.outputs.iter().filter_map(|output| match output {
            Output::Upsert(upsert) if upsert.item_id.as_str() == id => Some(upsert),
            Output::Upsert(_) | Output::Turn(_) => None,
        });
        upserts.next_back().map(|upsert| (upsert.status, upsert.error_code.as_deref()))
    }
}

#[test]
fn no_prompt_is_taken_while_a_turn_is_being_cancelled() {
    let mut conversation = Conversation::in_turn();
    assert_eq!(conversation.prompt("t2").unwrap_err(), Refused::Busy, "a turn runs");
    conversation.input(Input::Command(AgentCommand::Cancel)).unwrap();
    assert_eq!(conversation.prompt("t2").unwrap_err(), Refused::Busy, "it has not stopped yet");
    let steer = AgentCommand::Steer { turn: TurnId::from("m"), message: "faster".into() };
    assert_eq!(conversation.input(Input::Command(steer)).unwrap_err(), Refused::NotRunning);
    assert_eq!(conversation.session.phase(), Phase::Cancelling);
    assert_eq!(conversation.session.turn(), Some(&TurnId::from("t")));
    conversation.event(json!({"type": "response_done", "status": "cancelled"}));
    let (_, frames) = conversation.prompt("t2").unwrap();
    assert_eq!((frames, conversation.session.turn()), (1, Some(&TurnId::from("t2"))));
}

#[test]
fn the_end_of_an_agent_ends_what_its_dialect_left_open() {
    let mut conversation = Conversation::in_turn();
    conversation.event(json!({"type": "item_start", "itemId": "a", "itemType": "message",
        "initialContent": "as far as"}));
    conversation.event(json!({"type": "item_start", "itemId": "b", "itemType": "function_call",
        "name": "Bash", "callId": "c", "detached": true}));
    assert_eq!(conversation.session.background(), 1);
    assert_eq!(conversation.close(), (Vec::new(), 1), "the prompt was taken");
    for item in ["a", "b"] {
        assert_eq!(conversation.state_of(item), Some((UpsertStatus::Error, Some("PROCESS_CRASH"))), "{item}");
    }
    let Some(Output::Turn(TurnEvent::TurnError { turn_id, error_code, .. })) = conversation.outputs.last()
    else {
        panic!("{:?}", conversation.outputs)
    };
    assert_eq!((turn_id.as_str(), error_code.as_str()), ("t", "PROCESS_CRASH"));
    let session = &conversation.session;
    assert_eq!((session.phase(), session.turn(), session.background()), (Phase::Closed, None, 0));
}

#[test]
fn an_agent_that_ends_twice_ends_its_turn_once() {
    let mut conversation = Conversation::in_turn();
    conversation.close();
    let outputs = conversation.outputs.clone();
    assert_eq!(conversation.close(), (Vec::new(), 0), "the dialect hears it once");
    assert_eq!(conversation.outputs, outputs);
    assert_eq!(conversation.prompt("t2").unwrap_err(), Refused::Gone);
}

#[test]
fn a_prompt_that_the_agent_never_took_is_refused_by_its_end() {
    let mut conversation = Conversation::asked();
    let (news, _) = conversation.close();
    let [News::NotBound { asked, error }] = news.as_slice() else { panic!("{news:?}") };
    assert_eq!((asked.as_str(), error.code.as_str()), ("t", "PROCESS_CRASH"));
    assert_eq!(conversation.outputs, [], "there was no turn");
}
