//! Telling agents something: section 6.2 of the acceptance cases, and the life of a session from end to end.

use liminal_core::event::Origin;
use liminal_core::upsert::{TurnEvent, TurnStatus, Upsert, UpsertBody};
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::{SessionState, SessionStatus};
use serde_json::{Value, json};

use super::machine::Machine;
use super::screen::texts;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(tc_6_2a_a_message_reaches_the_agent_of_its_session);

/// Everything that a provider is asked for in a session's life can be asked for from outside.
#[tokio::test]
async fn tc_2_1a_every_step_of_a_life_can_be_asked_for() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, "hello").await;
    socket.end_of(&turn).await;
    let is_answer = |frame: &ServerMessage| match frame {
        ServerMessage::Upsert { payload, .. } => {
            matches!(&payload.body, UpsertBody::Message(said) if said.origin == Origin::Agent)
        }
        _ => false,
    };
    assert!(socket.log.iter().any(is_answer), "{:?}", socket.log);
    let is_start = |frame: &ServerMessage| match frame {
        ServerMessage::Turn { payload: TurnEvent::TurnStarted { turn_id, .. }, .. } => *turn_id == turn,
        _ => false,
    };
    assert!(socket.log.iter().any(is_start), "{:?}", socket.log);
    server.until(&id, |status| status.view.state == SessionState::Idle).await;
    let turn = server.send(&id, "/hang").await;
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    socket.end_of(&turn).await;
    assert!(server.status(&id).await.view.is_alive);
    assert!(!server.act(&id, "kill").await.read::<SessionStatus>(200).view.is_alive);
    server.act(&id, "load").await.read::<Value>(200);
    server.turn(&id, "hello again").await;
    server.stop().await;
}

async fn tc_6_2a_a_message_reaches_the_agent_of_its_session(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let (id, other) = (server.create("claude-code").await, server.create("demo").await);
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    socket.subscribe(&other).await;
    let turn = server.send(&id, "say:from the model").await;
    let is_of = |message: &ServerMessage| match message {
        ServerMessage::Upsert { payload, .. } => {
            matches!(&payload.body, UpsertBody::Message(said) if said.content == "from the model")
        }
        _ => false,
    };
    socket.until(is_of).await;
    let end = socket.end_of(&turn).await;
    assert!(matches!(end, TurnEvent::TurnComplete { status: TurnStatus::Completed, .. }), "{end:?}");
    assert!(
        machine.model.as_ref().unwrap().requests().iter().any(|request| request.path.contains("messages"))
    );
    assert!(server.history(&other).await.entries.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn tc_6_2b_nobody_is_told_what_nobody_can_hear() {
    let server = Machine::new().start().await;
    let nobody = "demo:nothing".into();
    server.say(&nobody, "hello").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.act(&nobody, "cancel").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn tc_6_2c_a_running_turn_is_cancelled() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, "/hang").await;
    server.say(&id, "hello").await.assert_problem(409, "TURN_IN_PROGRESS");
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    let end = socket.end_of(&turn).await;
    assert!(matches!(end, TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. }), "{end:?}");
    // Asking twice is asking once, also when nothing runs.
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    server.turn(&id, "hello").await;
    server.stop().await;
}

#[tokio::test]
async fn tc_6_2d_all_of_a_turn_carries_the_id_that_sending_told() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    for prompt in ["/tools 5", "/plan", "/think", "/fail"] {
        server.until(&id, |status| status.view.turn.is_none()).await;
        let from = socket.log.len();
        let turn = server.send(&id, prompt).await;
        socket.end_of(&turn).await;
        let mut turns = socket.log[from..].iter().filter_map(|frame| match frame {
            ServerMessage::Upsert { payload, .. } => Some(&payload.turn_id),
            ServerMessage::Turn {
                payload:
                    TurnEvent::TurnStarted { turn_id, .. }
                    | TurnEvent::TurnComplete { turn_id, .. }
                    | TurnEvent::TurnError { turn_id, .. },
                ..
            } => Some(turn_id),
            _ => None,
        });
        assert!(turns.clone().count() > 3, "{prompt}");
        assert!(turns.all(|found| *found == turn), "{prompt}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_message_of_nothing_is_refused() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let path = format!("/api/session/{id}/send");
    for body in [json!({}), json!({ "message": "" }), json!({ "message": " \n" }), json!({ "message": 7 })] {
        server.post(&path, body).await.assert_problem(400, "INVALID_REQUEST");
    }
    server.stop().await;
}

/// The message as its user wrote it is a part of the turn, for every reader.
#[tokio::test]
async fn what_the_user_said_stands_before_the_answer() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let turn = server.turn(&id, "hello  there\n").await;
    let page = server.history(&id).await;
    assert!(page.entries.iter().all(|Upsert { turn_id, .. }| *turn_id == turn));
    assert_eq!(texts(&page.entries)[0], "hello  there\n");
    server.stop().await;
}
