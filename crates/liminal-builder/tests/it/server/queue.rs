//! Messages that wait for their turn.

use liminal_core::ids::SessionId;
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::{MessageAccepted, Queue, QueuedMessage, SessionOpened, SessionState};
use liminal_core::wire::view::QueuePause;
use serde_json::{Value, json};

use super::client::{Client, eventually};
use super::machine::Machine;
use super::screen::texts;

/// The fake agent asks before it goes on, so that a turn lasts until it is answered.
const GATE: &str = "the gate !perm true";

async fn open_gate(server: &Client, id: &SessionId) {
    let asked = server.question(id).await;
    server.answer(&asked, "allow_once").await.read::<Value>(200);
}

fn messages(queue: &[QueuedMessage]) -> Vec<&str> {
    queue.iter().map(|queued| queued.message.as_str()).collect()
}

async fn edit(server: &Client, id: &SessionId, queued: &str, edit: Value) -> Queue {
    server.call("PATCH", &format!("/api/session/{id}/queue/{queued}"), &[], Some(&edit)).await.read(200)
}

#[tokio::test]
async fn messages_wait_are_changed_and_are_sent_in_their_order() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let mut watcher = server.socket().await;
    watcher.subscribe(&id).await;
    server.send(&id, GATE).await;
    let mut ids = Vec::new();
    for message in ["one", "two", "three", "four"] {
        ids.push(server.queue(&id, message).await);
    }
    let queue: Queue = server.get(&format!("/api/session/{id}/queue")).await.read(200);
    assert_eq!(messages(&queue.queue), ["one", "two", "three", "four"]);
    let queue = edit(&server, &id, &ids[3], json!({ "position": 0 })).await;
    assert_eq!(messages(&queue.queue), ["four", "one", "two", "three"]);
    let queue = edit(&server, &id, &ids[1], json!({ "message": "two and a half" })).await;
    assert_eq!(messages(&queue.queue), ["four", "one", "two and a half", "three"]);
    let queue: Queue = server.delete(&format!("/api/session/{id}/queue/{}", ids[0])).await.read(200);
    assert_eq!(messages(&queue.queue), ["four", "two and a half", "three"]);
    let sees = |message: &ServerMessage| matches!(message, ServerMessage::State { view, .. } if messages(&view.queue) == ["four", "two and a half", "three"]);
    watcher.until(sees).await;
    open_gate(&server, &id).await;
    eventually(|| machine.heard().len() == 4).await;
    server.until(&id, |status| status.view.turn.is_none() && status.view.queue.is_empty()).await;
    assert_eq!(machine.heard(), [GATE, "four", "two and a half", "three"]);
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_changed_is_told() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    let queued = server.queue(&id, "later").await;
    let path = |queued: &str| format!("/api/session/{id}/queue/{queued}");
    let patch = async |path: String, body: Value| server.call("PATCH", &path, &[], Some(&body)).await;
    patch(path("nothing"), json!({ "position": 0 })).await.assert_problem(404, "QUEUED_NOT_FOUND");
    patch(path(&queued), json!({ "message": " " })).await.assert_problem(400, "INVALID_REQUEST");
    patch(path(&queued), json!({ "position": -1 })).await.assert_problem(400, "INVALID_REQUEST");
    server.delete(&path("nothing")).await.assert_problem(404, "QUEUED_NOT_FOUND");
    server
        .call("POST", &format!("{}/now", path("nothing")), &[], None)
        .await
        .assert_problem(404, "QUEUED_NOT_FOUND");
    server.get("/api/session/demo:nothing/queue").await.assert_problem(404, "SESSION_NOT_FOUND");
    // A place behind the last is the last.
    assert_eq!(messages(&edit(&server, &id, &queued, json!({ "position": 99 })).await.queue), ["later"]);
    server.stop().await;
}

#[tokio::test]
async fn a_queue_has_an_end() {
    let mut machine = Machine::new();
    machine.settings += "[sessions]\nqueue-length = 2\n";
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    server.queue(&id, "one").await;
    server.queue(&id, "two").await;
    let body = json!({ "message": "three", "queue": true });
    server.post(&format!("/api/session/{id}/send"), body).await.assert_problem(429, "QUEUE_FULL");
    server.stop().await;
}

/// Nothing runs and nothing waits: there is nothing to wait for.
#[tokio::test]
async fn a_message_that_need_not_wait_begins_at_once() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let body = json!({ "message": "hello", "queue": true });
    let accepted: MessageAccepted = server.post(&format!("/api/session/{id}/send"), body).await.read(202);
    assert!(accepted.turn_id.is_some() && accepted.queued.is_none(), "{accepted:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_message_that_is_sent_now_stops_the_turn_and_comes_first() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let turn = server.send(&id, "/hang").await;
    server.queue(&id, "first in line").await;
    let urgent = server.queue(&id, "urgent").await;
    let path = format!("/api/session/{id}/queue/{urgent}/now");
    let accepted: MessageAccepted = server.call("POST", &path, &[], None).await.read(202);
    assert_eq!(accepted.queued.map(|queued| queued.message).as_deref(), Some("urgent"));
    socket.end_of(&turn).await;
    server.until(&id, |status| status.view.turn.is_none() && status.view.queue.is_empty()).await;
    let page = server.history(&id).await;
    let said = texts(&page.entries);
    let place = |text: &str| said.iter().position(|said| *said == text).expect(text);
    assert!(place("/hang") < place("urgent") && place("urgent") < place("first in line"), "{said:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_queue_outlives_the_server_and_continues_when_it_is_resumed() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    server.queue(&id, "one").await;
    server.queue(&id, "two").await;
    server.stop().await;

    let server = machine.start_bare().await;
    let waiting: Queue = server.get(&format!("/api/session/{id}/queue")).await.read(200);
    assert_eq!(messages(&waiting.queue), ["one", "two"]);
    assert_eq!(messages(&server.status(&id).await.view.queue), ["one", "two"]);
    assert_eq!(waiting.queue_paused, Some(QueuePause::Restart));
    let resumed: Queue = server.act(&id, "queue/resume").await.read(200);
    assert_eq!(messages(&resumed.queue), ["one", "two"]);
    server
        .until(&id, |status| {
            status.view.queue.is_empty()
                && status.view.state == SessionState::Idle
                && status.view.turn.is_none()
        })
        .await;
    let page = server.history(&id).await;
    let said: Vec<&str> =
        texts(&page.entries).into_iter().filter(|text| ["one", "two"].contains(text)).collect();
    assert_eq!(said, ["one", "two"]);
    server.stop().await;
}

#[tokio::test]
async fn opening_a_session_does_not_resume_the_queue_of_an_earlier_server() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.send(&id, "!hang").await;
    server.queue(&id, "!say 1").await;
    server.stop().await;

    let server = machine.start_bare().await;
    let _socket = {
        let mut socket = server.socket().await;
        socket.subscribe(&id).await;
        socket
    };
    server.history(&id).await;
    assert_eq!(messages(&server.status(&id).await.view.queue), ["!say 1"], "looking at it begins nothing");
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(server.status(&id).await.view.queue_paused, Some(QueuePause::Restart));
    server.act(&id, "queue/resume").await.read::<Queue>(200);
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(machine.heard(), ["!hang", "!say 1"]);
    server.stop().await;
}
