//! Requests that come twice.

use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{MessageAccepted, SessionOpened};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::machine::Machine;
use super::screen::texts;

async fn send(server: &Client, id: &SessionId, key: Option<&str>, body: Value) -> Answer {
    let headers: Vec<(&str, &str)> = key.map(|key| ("Idempotency-Key", key)).into_iter().collect();
    server.call("POST", &format!("/api/session/{id}/send"), &headers, Some(&body)).await
}

async fn is_idle(server: &Client, id: &SessionId) {
    server.until(id, |status| status.view.turn.is_none()).await;
}

async fn times(server: &Client, id: &SessionId, message: &str) -> usize {
    let page = server.history(id).await;
    texts(&page.entries).iter().filter(|text| **text == message).count()
}

#[tokio::test]
async fn the_same_message_is_sent_once_even_across_servers() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    let body = json!({ "message": "hello", "clientMessageId": "a" });
    let first: MessageAccepted = send(&server, &id, None, body.clone()).await.read(202);
    is_idle(&server, &id).await;
    // Both ways to name a message name the same one.
    let again: MessageAccepted = send(&server, &id, None, body.clone()).await.read(202);
    let by_header: MessageAccepted =
        send(&server, &id, Some("a"), json!({ "message": "hello" })).await.read(202);
    assert_eq!((&again, &by_header), (&first, &first));
    let other = json!({ "message": "other", "clientMessageId": "a" });
    send(&server, &id, None, other.clone()).await.assert_problem(422, "IDEMPOTENCY_MISMATCH");
    server.crash().await;

    let server = machine.start_bare().await;
    let again: MessageAccepted = send(&server, &id, None, body).await.read(202);
    assert_eq!(again, first);
    send(&server, &id, None, other).await.assert_problem(422, "IDEMPOTENCY_MISMATCH");
    assert_eq!(times(&server, &id, "hello").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_message_that_was_refused_may_be_sent_again() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    let body = json!({ "message": "hello", "clientMessageId": "a" });
    send(&server, &id, None, body.clone()).await.assert_problem(409, "TURN_IN_PROGRESS");
    server.act(&id, "cancel").await;
    is_idle(&server, &id).await;
    send(&server, &id, None, body).await.read::<MessageAccepted>(202);
    server.stop().await;
}

#[tokio::test]
async fn a_message_that_waits_is_queued_once() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    let body = json!({ "message": "later", "queue": true });
    let first: MessageAccepted = send(&server, &id, Some("k"), body.clone()).await.read(202);
    let again: MessageAccepted = send(&server, &id, Some("k"), body).await.read(202);
    assert_eq!(first, again);
    assert_eq!(server.status(&id).await.view.queue.len(), 1);
    server.act(&id, "cancel").await;
    server.act(&id, "queue/resume").await.read::<Value>(200);
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(times(&server, &id, "later").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn of_many_equal_messages_at_once_one_begins_a_turn() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let sends = (0..6).map(|_| send(&server, &id, Some("same"), json!({ "message": "hello" })));
    let answers = futures_util::future::join_all(sends).await;
    let turns: Vec<MessageAccepted> = answers.iter().map(|answer| answer.read(202)).collect();
    assert!(turns.iter().all(|turn| *turn == turns[0]), "{turns:?}");
    is_idle(&server, &id).await;
    assert_eq!(times(&server, &id, "hello").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_session_is_made_once_per_key() {
    let machine = Machine::new();
    let server = machine.start().await;
    let create = async |server: &Client, key: &str, cli_type: &str| {
        let body = json!({ "cliType": cli_type, "projectDir": machine.project });
        server.call("POST", "/api/session/create", &[("Idempotency-Key", key)], Some(&body)).await
    };
    let first: SessionOpened = create(&server, "k", "demo").await.read(201);
    let again: SessionOpened = create(&server, "k", "demo").await.read(201);
    assert_eq!(first, again);
    create(&server, "k", "codex").await.assert_problem(422, "IDEMPOTENCY_MISMATCH");
    let other: SessionOpened = create(&server, "l", "demo").await.read(201);
    assert_ne!(first, other);
    assert_eq!(server.list().await.len(), 2);
    // What failed may be tried again under the same key.
    create(&server, "m", "nothing").await.assert_problem(400, "UNSUPPORTED_CLI_TYPE");
    create(&server, "m", "nothing").await.assert_problem(400, "UNSUPPORTED_CLI_TYPE");
    create(&server, &"k".repeat(201), "demo").await.assert_problem(400, "INVALID_REQUEST");
    server.stop().await;
    let server = machine.start_bare().await;
    assert_eq!(create(&server, "k", "demo").await.read::<SessionOpened>(201), first);
    assert_eq!(server.list().await.len(), 2);
    server.stop().await;
}
