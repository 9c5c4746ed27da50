//! What agents ask: shown to everybody, answered once.

use jiff::SignedDuration;
use liminal_core::upsert::{TurnEvent, TurnStatus, UpsertBody, UpsertStatus};
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::{SessionState, SessionStatus};
use serde_json::{Value, json};

use super::machine::Machine;
use super::screen::texts;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(tools_of_claude_code_run_when_they_are_allowed_and_not_when_they_are_denied);

fn is_error(message: &ServerMessage, code: &str) -> bool {
    matches!(message, ServerMessage::Error { problem, .. } if problem.code.as_str() == code)
}

#[tokio::test]
async fn a_question_is_shown_and_answered_by_http() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, "/permission").await;
    let asked = server.question(&id).await;
    let status = server.status(&id).await;
    assert_eq!((status.view.state, &status.view.turn), (SessionState::Waiting, &Some(turn.clone())));
    assert_eq!(status.view.pending, std::slice::from_ref(&asked.item.item_id));
    assert_eq!(asked.session_id, id);
    assert!(asked.title.as_deref().is_some_and(|title| title.contains("/permission")), "{asked:?}");
    assert_eq!(server.list().await[0].pending, 1);
    server.answer(&asked, "nonsense").await.assert_problem(400, "INVALID_REQUEST");
    server
        .post(&format!("/api/approvals/{}", asked.id), json!({}))
        .await
        .assert_problem(400, "INVALID_REQUEST");
    assert_eq!(server.answer(&asked, "allow-once").await.read::<Value>(200), json!({}));
    let end = socket.end_of(&turn).await;
    assert!(matches!(end, TurnEvent::TurnComplete { status: TurnStatus::Completed, .. }), "{end:?}");
    server.answer(&asked, "allow-once").await.assert_problem(409, "ALREADY_ANSWERED");
    assert!(server.approvals().await.is_empty());
    let page = server.history(&id).await;
    assert!(texts(&page.entries).iter().any(|text| text.contains("It was allowed")));
    server.answer(&asked, "reject-once").await.assert_problem(409, "ALREADY_ANSWERED");
    server
        .post("/api/approvals/nothing", json!({ "optionId": "a" }))
        .await
        .assert_problem(404, "APPROVAL_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn a_question_is_answered_over_the_socket() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let (mut one, mut other) = (server.socket().await, server.socket().await);
    one.subscribe(&id).await;
    other.subscribe(&id).await;
    let turn = server.send(&id, "/permission").await;
    let waits = |message: &ServerMessage| matches!(message, ServerMessage::State { view, .. } if !view.pending.is_empty());
    let ServerMessage::State { view, .. } = one.until(waits).await else { unreachable!() };
    let item = view.pending[0].clone();
    let answer = |item: &str, option: &str| json!({ "type": "session:permission", "sessionId": id, "itemId": item, "optionId": option });
    let wrong = one.ask(answer(item.as_str(), "nonsense")).await;
    assert!(is_error(&wrong, "INVALID_REQUEST"), "{wrong:?}");
    let wrong = one.ask(answer("nothing", "allow-once")).await;
    assert!(is_error(&wrong, "APPROVAL_NOT_FOUND"), "{wrong:?}");
    let taken = one.ask(answer(item.as_str(), "reject-once")).await;
    assert!(matches!(taken, ServerMessage::Ok { .. }), "{taken:?}");
    other
        .until(|message| matches!(message, ServerMessage::State { view, .. } if view.pending.is_empty()))
        .await;
    other.end_of(&turn).await;
    let late = other.ask(answer(item.as_str(), "allow-once")).await;
    assert!(is_error(&late, "ALREADY_ANSWERED"), "{late:?}");
    let page = server.history(&id).await;
    assert!(texts(&page.entries).iter().any(|text| text.contains("It was rejected")));
    server.stop().await;
}

/// Many at once, because the order in which two arrive is chance.
#[tokio::test]
async fn of_many_answers_at_once_exactly_one_counts() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    for _ in 0..5 {
        let turn = server.send(&id, "/permission").await;
        let asked = server.question(&id).await;
        let answers =
            (0..8).map(|number| {
                let (server, asked) = (&server, &asked);
                async move {
                    server.answer(asked, if number % 2 == 0 { "allow-once" } else { "reject-once" }).await
                }
            });
        let answers = futures_util::future::join_all(answers).await;
        let (good, bad): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
        assert_eq!(good.len(), 1, "{answers:?}");
        bad.iter().for_each(|answer| answer.assert_problem(409, "ALREADY_ANSWERED"));
        server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_question_lapses_with_its_turn() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.send(&id, "/permission").await;
    let asked = server.question(&id).await;
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    server.until(&id, |status| status.view.turn.is_none() && status.view.pending.is_empty()).await;
    assert!(server.approvals().await.is_empty());
    let item = asked.item.item_id.as_str();
    let mut socket = server.socket().await;
    let frame =
        json!({ "type": "session:permission", "sessionId": id, "itemId": item, "optionId": "allow-once" });
    let late = socket.ask(frame).await;
    assert!(is_error(&late, "ALREADY_ANSWERED"), "{late:?}");
    server.answer(&asked, "allow-once").await.assert_problem(409, "ALREADY_ANSWERED");
    server.stop().await;
}

/// What nobody answers is denied, at the moment that was told all along; whoever comes late is told that it is.
#[tokio::test]
async fn c46_a_question_lapses_when_it_was_told_to_and_counts_as_denied() {
    for (mut machine, cli_type, prompt) in
        [(Machine::new(), "demo", "/permission"), (Machine::with_fake(), "claude-code", "!perm ls")]
    {
        machine.settings += "[sessions]\npermission-minutes = 0\npermission-seconds = 2\n";
        let server = machine.start().await;
        let id = server.create(cli_type).await;
        let turn = server.send(&id, prompt).await;
        let asked = server.question(&id).await;
        let UpsertBody::Permission(request) = &asked.item.body else { panic!("{asked:?}") };
        let lapses = request.request.deadline.as_ref().expect("a deadline").instant();
        assert_eq!(lapses.duration_since(asked.item.emitted_at.instant()), SignedDuration::from_secs(2));
        server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
        assert!(server.approvals().await.is_empty());
        server.answer(&asked, "allow-once").await.assert_problem(409, "ALREADY_ANSWERED");
        let page = server.history(&id).await;
        let item = page.entries.iter().find(|entry| entry.item_id == asked.item.item_id).unwrap();
        assert_eq!(item.status, UpsertStatus::Error, "{item:?}");
        assert!(item.emitted_at.instant() >= lapses, "nobody was hurried: {item:?}");
        let UpsertBody::Permission(body) = &item.body else { panic!("{item:?}") };
        let allowed = body.outcome.as_ref().and_then(|outcome| outcome.option_id.as_deref());
        assert!(allowed.is_none_or(|option| !option.starts_with("allow")), "{item:?}");
        server.stop().await;
    }
}

async fn tools_of_claude_code_run_when_they_are_allowed_and_not_when_they_are_denied(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let write = |name: &str| {
        let path = machine.project.join(name);
        format!(r#"tool:Write {{"file_path":"{}","content":"hello\n"}}"#, path.display())
    };
    for (name, option, is_written) in [("yes.txt", "allow_once", true), ("no.txt", "deny", false)] {
        let turn = server.send(&id, &write(name)).await;
        let asked = server.question(&id).await;
        assert!(!machine.project.join(name).exists());
        server.answer(&asked, option).await.read::<Value>(200);
        server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
        assert_eq!(machine.project.join(name).exists(), is_written, "{name}");
    }
    server.stop().await;
}
