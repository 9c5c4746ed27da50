//! The queue pauses when something happened that a person should see before the next message is sent.

use futures_util::future::join_all;
use liminal_core::event::PermissionOptionKind;
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::ServerMessage;
use liminal_core::wire::approvals::Approval;
use liminal_core::wire::rest::{
    MessageAccepted, Queue, SessionList, SessionOpened, SessionState, SessionStatus,
};
use liminal_core::wire::view::QueuePause;
use serde_json::{Value, json};

use super::client::{Client, eventually};
use super::machine::{Machine, Server};
use super::screen::texts;

/// The fake agent asks before it continues, so the turn lasts until it is answered.
const GATE: &str = "the gate !perm true";

/// A running turn that waits for an answer, and two queued messages behind it.
async fn queued_behind(machine: &Machine, first: &str) -> (Server, SessionId, Vec<String>) {
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.send(&id, first).await;
    let mut ids = Vec::new();
    for message in ["one", "two"] {
        ids.push(server.queue(&id, message).await);
    }
    (server, id, ids)
}

fn option_of(asked: &Approval, kind: PermissionOptionKind) -> String {
    let UpsertBody::Permission(permission) = &asked.item.body else { panic!("{asked:?}") };
    let option = permission.request.options.iter().find(|option| option.kind == kind);
    option.unwrap_or_else(|| panic!("{asked:?}")).option_id.clone()
}

async fn answer(server: &Client, id: &SessionId, kind: PermissionOptionKind) {
    let asked = server.question(id).await;
    server.answer(&asked, &option_of(&asked, kind)).await.read::<Value>(200);
}

async fn queue(server: &Client, id: &SessionId) -> Queue {
    server.get(&format!("/api/session/{id}/queue")).await.read(200)
}

async fn resume(server: &Client, id: &SessionId) -> Queue {
    server.act(id, "queue/resume").await.read(200)
}

/// Waits for the end of the turn, and expects the queue to be paused for this reason.
async fn paused(server: &Client, id: &SessionId, reason: QueuePause) -> SessionStatus {
    let status = server.until(id, |status| status.view.turn.is_none()).await;
    assert_eq!(status.view.queue_paused, Some(reason), "{status:?}");
    let queue = queue(server, id).await;
    assert_eq!((queue.queue_paused, queue.queue), (Some(reason), status.view.queue.clone()));
    status
}

/// Resumes the queue, and expects that the agent hears exactly these prompts.
async fn drained(machine: &Machine, server: &Client, id: &SessionId, heard: &[&str]) {
    let resumed = resume(server, id).await;
    assert_eq!(resumed.queue_paused, None, "{resumed:?}");
    server.until(id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(machine.heard(), heard);
}

#[tokio::test]
async fn a_rejection_pauses_the_queue_until_it_is_resumed() {
    let machine = Machine::with_fake();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    let mut watcher = server.socket().await;
    watcher.subscribe(&id).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    let is_paused = |message: &ServerMessage| matches!(message, ServerMessage::State { view, .. } if view.queue_paused == Some(QueuePause::Rejected));
    watcher.until(is_paused).await;
    let status = paused(&server, &id, QueuePause::Rejected).await;
    assert_eq!(status.view.queue.len(), 2);
    assert_eq!(machine.heard(), [GATE]);
    drained(&machine, &server, &id, &[GATE, "one", "two"]).await;
    server.stop().await;
}

#[tokio::test]
async fn a_skipped_question_pauses_the_queue() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.send(&id, "/question").await;
    let asked = server.question(&id).await;
    server.queue(&id, "later").await;
    let skip = option_of(&asked, PermissionOptionKind::RejectOnce);
    server.answer(&asked, &skip).await.read::<Value>(200);
    paused(&server, &id, QueuePause::Rejected).await;
    server.stop().await;
}

#[tokio::test]
async fn a_failed_turn_pauses_the_queue() {
    let machine = Machine::with_fake();
    let dies = "dies !perm true !exit 3";
    let (server, id, _) = queued_behind(&machine, dies).await;
    answer(&server, &id, PermissionOptionKind::AllowOnce).await;
    paused(&server, &id, QueuePause::Failed).await;
    assert_eq!(machine.heard(), [dies]);
    drained(&machine, &server, &id, &[dies, "one", "two"]).await;
    server.stop().await;
}

#[tokio::test]
async fn stop_pauses_the_queue() {
    let machine = Machine::with_fake();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    let stopped: SessionStatus = server.act(&id, "cancel").await.read(200);
    assert_eq!(
        stopped.view.queue_paused,
        Some(QueuePause::Cancelled),
        "at once, not when the turn has ended"
    );
    paused(&server, &id, QueuePause::Cancelled).await;
    assert_eq!(machine.heard(), [GATE]);
    drained(&machine, &server, &id, &[GATE, "one", "two"]).await;
    server.stop().await;
}

/// The turn ends cancelled after the queue was resumed; that is no news to the person who stopped it.
#[tokio::test]
async fn a_queue_resumed_while_its_turn_stops_is_not_paused_again() {
    let machine = Machine::with_fake();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    drained(&machine, &server, &id, &[GATE, "one", "two"]).await;
    server.stop().await;
}

#[tokio::test]
async fn ending_a_session_pauses_its_queue() {
    let machine = Machine::with_fake();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    server.act(&id, "kill").await.read::<SessionStatus>(200);
    paused(&server, &id, QueuePause::Cancelled).await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    paused(&server, &id, QueuePause::Cancelled).await;
    drained(&machine, &server, &id, &[GATE, "one", "two"]).await;
    server.stop().await;
}

/// Looking at the session, and opening it, sends nothing.
#[tokio::test]
async fn a_restarted_server_sends_nothing_until_the_queue_is_resumed() {
    for is_killed in [false, true] {
        let machine = Machine::with_fake();
        let (server, id, _) = queued_behind(&machine, GATE).await;
        if is_killed {
            server.crash().await;
        } else {
            server.stop().await;
        }
        let server = machine.start_bare().await;
        server.socket().await.subscribe(&id).await;
        paused(&server, &id, QueuePause::Restart).await;
        server.act(&id, "load").await.read::<SessionOpened>(200);
        server.turn(&id, "!say 1").await;
        paused(&server, &id, QueuePause::Restart).await;
        assert_eq!(machine.heard(), [GATE, "!say 1"], "killed: {is_killed}");
        drained(&machine, &server, &id, &[GATE, "!say 1", "one", "two"]).await;
        server.stop().await;
    }
}

#[tokio::test]
async fn the_reason_of_a_pause_survives_restarts() {
    let machine = Machine::with_fake();
    let (mut server, id, _) = queued_behind(&machine, GATE).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    for is_killed in [true, false] {
        if is_killed {
            server.crash().await;
        } else {
            server.stop().await;
        }
        server = machine.start_bare().await;
        paused(&server, &id, QueuePause::Rejected).await;
    }
    drained(&machine, &server, &id, &[GATE, "one", "two"]).await;
    server.crash().await;
    let server = machine.start_bare().await;
    assert_eq!(queue(&server, &id).await, Queue { queue: Vec::new(), queue_paused: None });
    server.stop().await;
}

#[tokio::test]
async fn a_message_sent_while_paused_goes_at_once_and_the_queue_stays_paused() {
    let machine = Machine::with_fake();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    let mut expected = vec![GATE];
    for (message, may_wait) in [("plain", false), ("may wait", true)] {
        let body = json!({ "message": message, "queue": may_wait });
        let accepted: MessageAccepted = server.post(&format!("/api/session/{id}/send"), body).await.read(202);
        assert!(accepted.turn_id.is_some() && accepted.queued.is_none(), "{accepted:?}");
        expected.push(message);
        let status = paused(&server, &id, QueuePause::Rejected).await;
        assert_eq!((machine.heard(), status.view.queue.len()), (own(&expected), 2));
    }
    // While a turn runs it is as always: refused, or added to the queue.
    server.send(&id, GATE).await;
    server.say(&id, "refused").await.assert_problem(409, "TURN_IN_PROGRESS");
    server.queue(&id, "three").await;
    answer(&server, &id, PermissionOptionKind::AllowOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    drained(&machine, &server, &id, &[GATE, "plain", "may wait", GATE, "one", "two", "three"]).await;
    server.stop().await;
}

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test]
async fn sending_one_message_now_does_not_pause_the_queue() {
    let machine = Machine::with_fake();
    let (server, id, ids) = queued_behind(&machine, GATE).await;
    server.act(&id, &format!("queue/{}/now", ids[1])).await.read::<MessageAccepted>(202);
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(machine.heard(), [GATE, "two", "one"]);
    server.stop().await;
}

#[tokio::test]
async fn one_message_of_a_paused_queue_can_be_sent_now_and_the_rest_stays_paused() {
    let machine = Machine::with_fake();
    let (server, id, ids) = queued_behind(&machine, GATE).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    server.act(&id, &format!("queue/{}/now", ids[1])).await.read::<MessageAccepted>(202);
    let is_sent = |status: &SessionStatus| status.view.queue.len() == 1 && status.view.turn.is_none();
    server.until(&id, is_sent).await;
    paused(&server, &id, QueuePause::Rejected).await;
    assert_eq!(machine.heard(), [GATE, "two"]);
    drained(&machine, &server, &id, &[GATE, "two", "one"]).await;
    server.stop().await;
}

#[tokio::test]
async fn resuming_at_the_same_time_sends_each_message_once() {
    let machine = Machine::with_fake();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    join_all((0..8).map(|_| resume(&server, &id))).await;
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(machine.heard(), [GATE, "one", "two"]);
    // Resuming a queue that is not paused changes nothing.
    assert_eq!(resume(&server, &id).await, Queue { queue: Vec::new(), queue_paused: None });
    server.act(&"claude-code:nothing".into(), "queue/resume").await.assert_problem(404, "SESSION_NOT_FOUND");
    server.stop().await;
}

#[tokio::test]
async fn the_pause_ends_when_the_queue_is_empty() {
    let machine = Machine::with_fake();
    let (server, id, ids) = queued_behind(&machine, GATE).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    for (left, queued) in ids.iter().enumerate().map(|(index, queued)| (1 - index, queued)) {
        let rest: Queue = server.delete(&format!("/api/session/{id}/queue/{queued}")).await.read(200);
        assert_eq!((rest.queue.len(), rest.queue_paused.is_some()), (left, left > 0), "{rest:?}");
    }
    server.send(&id, GATE).await;
    server.queue(&id, "after").await;
    answer(&server, &id, PermissionOptionKind::AllowOnce).await;
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(machine.heard(), [GATE, GATE, "after"]);
    server.stop().await;
}

/// A rejection concerns what waited when it was given, not what a person queues afterwards.
#[tokio::test]
async fn an_empty_queue_is_not_paused() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let twice = "!perm true !perm true";
    server.send(&id, twice).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    server.queue(&id, "after").await;
    answer(&server, &id, PermissionOptionKind::AllowOnce).await;
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    assert_eq!(machine.heard(), [twice, "after"]);
    server.stop().await;
}

#[tokio::test]
async fn changing_a_paused_queue_sends_nothing() {
    let machine = Machine::with_fake();
    let (server, id, ids) = queued_behind(&machine, GATE).await;
    answer(&server, &id, PermissionOptionKind::RejectOnce).await;
    paused(&server, &id, QueuePause::Rejected).await;
    let edit = json!({ "message": "two, edited", "position": 0 });
    let path = format!("/api/session/{id}/queue/{}", ids[1]);
    let edited: Queue = server.call("PATCH", &path, &[], Some(&edit)).await.read(200);
    assert_eq!(edited.queue_paused, Some(QueuePause::Rejected));
    server.delete(&format!("/api/session/{id}/queue/{}", ids[0])).await.read::<Queue>(200);
    server.turn(&id, "!say 1").await;
    paused(&server, &id, QueuePause::Rejected).await;
    drained(&machine, &server, &id, &[GATE, "!say 1", "two, edited"]).await;
    server.stop().await;
}

/// The agent dies when it is asked to stop: the message goes to a new one, the others wait for a person.
#[tokio::test]
async fn a_message_sent_now_reaches_a_new_agent_if_the_old_one_dies() {
    let machine = Machine::with_fake();
    let deaf = "!ignore-term !hang";
    let (server, id, ids) = queued_behind(&machine, deaf).await;
    server.act(&id, &format!("queue/{}/now", ids[1])).await.read::<MessageAccepted>(202);
    eventually(|| machine.heard().len() == 2).await;
    let is_sent = |status: &SessionStatus| status.view.queue.len() == 1 && status.view.turn.is_none();
    server.until(&id, is_sent).await;
    paused(&server, &id, QueuePause::Failed).await;
    assert_eq!(machine.heard(), [deaf, "two"]);
    server.stop().await;
}

/// Nothing is lost of a session that no client looked at between two restarts.
#[tokio::test]
async fn an_untouched_queue_survives_several_restarts() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    server.queue(&id, "later").await;
    server.stop().await;
    machine.start_bare().await.stop().await;
    machine.start_bare().await.crash().await;
    let server = machine.start_bare().await;
    let status = paused(&server, &id, QueuePause::Restart).await;
    assert_eq!(status.view.state, SessionState::Idle);
    resume(&server, &id).await;
    server.until(&id, |status| status.view.queue.is_empty() && status.view.turn.is_none()).await;
    let page = server.history(&id).await;
    assert_eq!(texts(&page.entries).iter().filter(|text| **text == "later").count(), 1);
    server.stop().await;
}

/// A machine on which a request is rejected after a second.
fn impatient() -> Machine {
    let mut machine = Machine::with_fake();
    machine.settings += "[sessions]\npermission-seconds = 1\n";
    machine
}

#[tokio::test]
async fn a_timed_out_request_pauses_the_queue_and_marks_the_session() {
    let machine = impatient();
    let (server, id, _) = queued_behind(&machine, GATE).await;
    server.until(&id, |status| status.view.turn.is_none()).await;
    let status = paused(&server, &id, QueuePause::Timeout).await;
    assert!(status.view.timed_out && server.list().await[0].timed_out, "{status:?}");
    server.crash().await;
    let server = machine.start_bare().await;
    let listed: SessionList = server.get("/api/session/list?attention=true").await.read(200);
    assert!(
        listed.sessions.iter().any(|session| session.session_id == id && session.timed_out),
        "{listed:?}"
    );
    let status = paused(&server, &id, QueuePause::Timeout).await;
    assert!(status.view.timed_out, "{status:?}");
    assert_eq!(machine.heard(), [GATE]);
    drained(&machine, &server, &id, &[GATE, "one", "two"]).await;
    assert!(!server.list().await[0].timed_out, "resuming the queue is an action of a person");
    server.stop().await;
}

#[tokio::test]
async fn a_session_in_which_a_request_timed_out_is_marked_until_a_person_acts() {
    let machine = impatient();
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let timed_out = async || {
        server.send(&id, GATE).await;
        let is_over = |status: &SessionStatus| status.view.turn.is_none() && status.view.timed_out;
        let status = server.until(&id, is_over).await;
        assert_eq!(status.view.queue_paused, None, "the queue is empty");
    };
    timed_out().await;
    let seen: SessionStatus = server.act(&id, "seen").await.read(200);
    assert!(!seen.view.timed_out && !server.list().await[0].timed_out);
    timed_out().await;
    server.turn(&id, "!say 1").await;
    assert!(!server.status(&id).await.view.timed_out);
    timed_out().await;
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    assert!(!server.status(&id).await.view.timed_out);
    server.stop().await;
}
