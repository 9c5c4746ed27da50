//! What a server shows and does with sessions of another.

use serde_json::json;

use super::super::figures::tell;
use super::super::reader::{Reader, begin};
use super::super::world::wait_until;
use super::team::{Member, Team};

/// Says much, slowly enough that there is time to do something meanwhile.
const SLOW: &str = "!split 1 !say 300 !think 100 !say 300";

#[test]
fn r24_a_session_is_listed_read_and_followed_from_another_server() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut there = Reader::join(&two.client, &session, None);
    let mut appended = Reader::join(&two.client, &session, Some("append"));
    let mut here = Reader::join(&one.client, &session, None);
    let turn = begin(&one.client, &session, "!say 20 !think 5 !tool Bash {\"command\":\"ls\"} !say 40");
    for reader in [&mut here, &mut there, &mut appended] {
        reader.until_end(&turn);
    }
    wait_until("the other server has all of it", || {
        two.history(&session)["seq"] == one.history(&session)["seq"]
    });
    assert_eq!(one.history(&session), two.history(&session));
    there.until("it has caught up", |shown| shown.seq >= here.shown.seq);
    there.shown.assert_same(&here.shown);
    wait_until("both lists are the same", || {
        let states = |sessions: Vec<serde_json::Value>| -> Vec<_> {
            sessions
                .iter()
                .map(|one| (one["sessionId"].clone(), one["state"].clone(), one["title"].clone()))
                .collect()
        };
        states(one.listed(&team)) == states(two.listed(&team)) && one.listed(&team).len() == 1
    });
    let (shown_here, shown_there) = (one.status(&session), two.status(&session));
    assert_eq!(shown_here["title"], shown_there["title"]);
    assert_eq!(shown_here["state"], "idle");
    // Each searches its own disk, and says what it did not search.
    let found = |server: &Member| server.client.get("/api/search?q=think").json();
    assert_eq!(found(&one)["elsewhere"], serde_json::Value::Null);
    assert_eq!(
        (found(&two)["elsewhere"].as_u64(), found(&two)["hits"].as_array().unwrap().len()),
        (Some(1), 0)
    );
    tell("R24", "a session of another server: list, history, status and stream are the same");
}

#[test]
fn a_file_is_taken_for_a_session_of_another_server_and_stays_there() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let file = json!({ "name": "a.txt", "mimeType": "text/plain", "data": "c29tZSB3b3Jkcw==" });
    let uploaded = two.do_to(&session, "attachments", &file);
    assert_eq!(uploaded.status, 201, "{uploaded:?}");
    let id = uploaded.json()["id"].clone();
    let sent = two.do_to(&session, "send", &json!({ "message": "!say 1", "attachments": [id] }));
    assert_eq!(sent.status, 202, "{sent:?}");
    let has_file = |server: &Member| server.history(&session)["entries"][0]["attachments"][0]["id"] == id;
    wait_until("both show the file", || has_file(&one) && has_file(&two));
    wait_until("Redis keeps no mail that was read", || mail(&team).is_empty());
}

/// The entries that are left in the mail of all servers.
fn mail(team: &Team) -> Vec<String> {
    let redis = team.redis.borrow();
    let boxes = ["*:inbox", "*:replies"].map(|pattern| redis.ask::<Vec<String>>(&["KEYS", pattern])).concat();
    assert!(!boxes.is_empty(), "mail went over Redis");
    boxes.into_iter().filter(|key| redis.ask::<u64>(&["XLEN", key]) > 0).collect()
}

#[test]
fn r24_commands_for_a_session_of_another_server_reach_its_agent() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut reader = Reader::join(&two.client, &session, None);
    let turn = begin(&two.client, &session, SLOW);
    reader.until("the turn is seen", |shown| shown.turns.contains_key(&turn.as_str().into()));
    let busy = two.do_to(&session, "send", &json!({ "message": "now" }));
    assert_eq!((busy.status, busy.code().as_str()), (409, "TURN_IN_PROGRESS"));
    let queued = two.do_to(&session, "send", &json!({ "message": "!say 1", "queue": true }));
    assert_eq!(queued.status, 202, "{queued:?}");
    let waiting = queued.json()["queued"]["id"].as_str().unwrap().to_owned();
    wait_until("both show the queue", || {
        [&one, &two].iter().all(|server| server.status(&session)["queue"][0]["id"] == waiting.as_str())
    });
    let removed = two.client.ask("DELETE", &format!("/api/session/{session}/queue/{waiting}"), None).unwrap();
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(two.do_to(&session, "cancel", &json!({})).status, 200);
    reader.until_end(&turn);
    assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("cancelled"));
    assert_eq!(two.do_to(&session, "title", &json!({ "title": "Shared" })).status, 200);
    wait_until("the title is seen", || two.status(&session)["title"] == "Shared");
    assert_eq!(one.status(&session)["title"], "Shared");
    let unknown = two.do_to("claude-code:nobody", "cancel", &json!({}));
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "SESSION_NOT_FOUND"));
    assert_eq!(two.client.ask("DELETE", &format!("/api/session/{session}"), None).unwrap().status, 204);
    wait_until("nobody lists it as made", || {
        let is_made = |one: &serde_json::Value| one["source"] == "made";
        !one.listed(&team).iter().chain(&two.listed(&team)).any(is_made)
    });
}

#[test]
fn r24_questions_are_listed_and_answered_from_another_server() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut reader = Reader::join(&two.client, &session, None);
    for by_socket in [false, true] {
        let turn = begin(&one.client, &session, "!perm touch asked");
        // The one of the turn before may be listed a moment longer.
        let asked = |server: &Member| {
            let all = server.client.get("/api/approvals").json()["approvals"].as_array().unwrap().clone();
            all.into_iter().find(|question| question["item"]["turnId"] == turn.as_str())
        };
        wait_until("the question is listed", || asked(&one).is_some() && asked(&two).is_some());
        let (question, same) = (asked(&two).unwrap(), asked(&one).unwrap());
        assert_eq!((&question["id"], &question["item"]), (&same["id"], &same["item"]));
        let (item, allow) = (question["item"]["itemId"].clone(), "allow_once");
        if by_socket {
            let frame = json!({ "type": "session:permission", "sessionId": session, "itemId": item, "optionId": allow });
            reader.socket.say(&frame).unwrap();
        } else {
            let path = format!("/api/approvals/{}", question["id"].as_str().unwrap());
            let answered = two.client.post(&path, &json!({ "optionId": allow }));
            assert_eq!(answered.status, 200, "{answered:?}");
            let again = two.client.post(&path, &json!({ "optionId": allow }));
            assert!(matches!(again.code().as_str(), "ALREADY_ANSWERED" | "APPROVAL_NOT_FOUND"), "{again:?}");
        }
        reader.until_end(&turn);
        assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("completed"));
    }
}

#[test]
fn r24_a_server_without_the_project_shows_its_sessions_and_says_what_is_missing() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.stranger("two"));
    let session = team.create(&one);
    let mut reader = Reader::join(&two.client, &session, None);
    let turn = begin(&two.client, &session, "!say 3");
    reader.until_end(&turn);
    assert_eq!(two.listed(&team).len(), 1);
    one.stop();
    wait_until("the session is nobody's", || two.status(&session)["isAlive"] == false);
    let refused = two.do_to(&session, "send", &json!({ "message": "!say 1" }));
    assert_eq!((refused.status, refused.code().as_str()), (400, "PROJECT_DIR_INVALID"), "{refused:?}");
    let path = team.project().display().to_string();
    assert!(refused.body.contains(&path), "{refused:?}");
    let added = two.client.post("/api/projects", &json!({ "path": path }));
    assert_eq!(added.status, 201, "{added:?}");
    let turn = begin(&two.client, &session, "!say 2");
    reader.until_end(&turn);
    assert_eq!(team.prompts(), ["!say 3", "!say 2"]);
}
