//! Queues that are paused when their session moves to another server.

use serde_json::json;

use super::super::reader::begin;
use super::super::world::wait_until;
use super::team::{Member, Team};

/// Waits for an answer.
const GATE: &str = "the gate !perm true";

/// A session whose request was rejected at `one` while two messages were queued.
fn rejected(team: &Team) -> (Member, Member, String) {
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    begin(&one.client, &session, GATE);
    for message in ["first", "second"] {
        let queued = one.do_to(&session, "send", &json!({ "message": message, "queue": true }));
        assert_eq!(queued.status, 202, "{queued:?}");
    }
    reject(&two, &session);
    wait_until("both show the pause", || {
        [&one, &two].iter().all(|server| is_paused(server, &session, "rejected"))
    });
    (one, two, session)
}

fn reject(server: &Member, session: &str) {
    let mut approval = json!(null);
    wait_until("the request is listed", || {
        let approvals = server.client.get("/api/approvals").json();
        approval = approvals["approvals"][0].clone();
        approval["sessionId"] == session
    });
    let options = approval["item"]["options"].as_array().unwrap();
    let no = options.iter().find(|option| option["kind"] == "reject_once").unwrap();
    let path = format!("/api/approvals/{}", approval["id"].as_str().unwrap());
    let answered = server.client.post(&path, &json!({ "optionId": no["optionId"] }));
    assert_eq!(answered.status, 200, "{answered:?}");
}

fn is_paused(server: &Member, session: &str, reason: &str) -> bool {
    let status = server.status(session);
    status["queuePaused"] == reason && status["turn"].is_null()
}

#[test]
fn r24_a_paused_queue_is_resumed_from_another_server() {
    let team = Team::new();
    let (_one, two, session) = rejected(&team);
    let resumed = two.do_to(&session, "queue/resume", &json!({}));
    assert_eq!((resumed.status, &resumed.json()["queuePaused"]), (200, &json!(null)), "{resumed:?}");
    wait_until("everything is sent", || team.prompts() == [GATE, "first", "second"]);
    wait_until("nothing waits", || two.status(&session)["queue"] == json!([]));
}

#[test]
fn r24_the_reason_of_a_pause_travels_when_its_server_is_killed() {
    let team = Team::new();
    let (one, two, session) = rejected(&team);
    one.kill();
    two.send_until_taken(&session, &json!({ "message": "direct" }));
    wait_until("the turn is over", || is_paused(&two, &session, "rejected"));
    assert_eq!(team.prompts(), [GATE, "direct"]);
    assert_eq!(two.do_to(&session, "queue/resume", &json!({})).status, 200);
    wait_until("everything is sent", || team.prompts() == [GATE, "direct", "first", "second"]);
}

/// The server is started and stopped again without anybody asking for the session.
#[test]
fn r24_an_untouched_queue_is_given_back() {
    let team = Team::new();
    let (one, two, session) = rejected(&team);
    one.stop();
    team.member("one").stop();
    two.send_until_taken(&session, &json!({ "message": "direct" }));
    wait_until("the turn is over", || is_paused(&two, &session, "rejected"));
    assert_eq!(two.status(&session)["queue"].as_array().unwrap().len(), 2);
    assert_eq!(team.prompts(), [GATE, "direct"]);
}
