//! Redis that goes away, comes back, or forgets.

use serde_json::json;

use super::super::figures::{Stopwatch, tell};
use super::super::reader::{Reader, begin};
use super::super::socket::Socket;
use super::super::world::wait_until;
use super::team::Team;
use crate::redis_server::RedisServer;

#[test]
fn c31_r23_local_clients_go_on_while_redis_is_gone_and_others_catch_up() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut here = Reader::join(&one.client, &session, None);
    let mut there = Reader::join(&two.client, &session, None);
    let turn = begin(&one.client, &session, "!split 1 !say 300 !think 50 !say 300");
    there.until("it speaks", |shown| shown.items.len() > 1);
    team.redis.borrow_mut().kill();
    here.until_end(&turn);
    assert_eq!(here.shown.end_of(&turn).as_deref(), Some("completed"));
    let second = begin(&one.client, &session, "!say 3");
    here.until_end(&second);
    wait_until("it is told", || one.client.get("/readyz").body.contains("Redis"));
    let refused = two.do_to(&session, "send", &json!({ "message": "!say 1" }));
    assert_eq!(refused.status, 503, "{refused:?}");
    let own = team.create(&one);
    team.redis.borrow_mut().restart();
    let back = Stopwatch::start();
    there.until_end(&second);
    tell("C31", &format!("{} ms after Redis was back, others had everything", back.elapsed().as_millis()));
    there.until("it has caught up", |shown| shown.seq >= here.shown.seq);
    there.shown.assert_same(&here.shown);
    there.shown.assert_settled();
    wait_until("what was made meanwhile is listed", || {
        two.listed(&team).iter().any(|session| session["sessionId"] == own.as_str())
    });
    wait_until("commands arrive again", || two.do_to(&session, "cancel", &json!({})).status == 200);
    let third = begin(&two.client, &session, "!say 1");
    there.until_end(&third);
    assert_eq!(team.agents().len(), 2, "nobody took anybody for gone");
}

/// News of a session come before a flush, and the question what they are about after it: the session is not gone.
#[test]
fn c32_whoever_follows_a_session_that_redis_lacks_for_a_moment_goes_on() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut there = Reader::join(&two.client, &session, None);
    let first = begin(&one.client, &session, "!say 1");
    there.until_end(&first);
    let is_lacking = |redis: &RedisServer| {
        let record = redis.ask::<Vec<String>>(&["KEYS", &format!("*{session}*record")]).remove(0);
        let () = redis.ask(&["DEL", &record]);
        redis.ask::<u64>(&["PUBLISH", "liminal:changes", &session])
    };
    assert_eq!(is_lacking(&team.redis.borrow()), 2, "both servers hear it");
    let second = begin(&one.client, &session, "!say 2");
    there.until_end(&second);
    there.shown.assert_settled();
}

#[test]
fn c32_r23_a_flushed_redis_is_filled_again_and_stale_cursors_are_told() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let sessions = [team.create(&one), team.create(&two)];
    let mut readers: Vec<Reader> = sessions
        .iter()
        .flat_map(|session| [&one, &two].map(|at| Reader::join(&at.client, session, None)))
        .collect();
    for session in &sessions {
        let turn = begin(&one.client, session, "!say 10");
        let of_session = readers.iter_mut().skip(if session == &sessions[0] { 0 } else { 2 }).take(2);
        of_session.for_each(|reader| reader.until_end(&turn));
    }
    let before = sessions.each_ref().map(|session| one.history(session));
    team.redis.borrow().flush();
    for (session, before) in sessions.iter().zip(&before) {
        for server in [&one, &two] {
            let path = format!("/api/session/{session}/history?limit=1000");
            wait_until("it is there again", || server.client.get(&path).json() == *before);
        }
        let mut socket = Socket::open(&two.client);
        socket.subscribe(session, Some("gone.7"), None);
        let subscribed = serde_json::to_value(socket.subscribed()).unwrap();
        assert_eq!(subscribed["resume"], "reset");
    }
    for (index, session) in sessions.iter().enumerate() {
        // Each is asked by the server that does not have it.
        let asked = [&two, &one][index];
        let turn = asked.send_until_taken(session, &json!({ "message": "!say 2" }));
        let turn = turn["turnId"].as_str().unwrap();
        for reader in readers.iter_mut().skip(index * 2).take(2) {
            reader.until_end(turn);
            reader.shown.assert_settled();
        }
    }
    assert_eq!(team.prompts().len(), 4);
    assert_eq!(team.agents().len(), 2, "nobody took anybody for gone");
}
