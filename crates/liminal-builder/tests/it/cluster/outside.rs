//! What programs outside are told of turns whose server is gone: their end, once, by whoever ends them.

use serde_json::Value;

use super::super::figures::tell;
use super::super::reader::{Reader, begin};
use super::super::world::wait_until;
use super::team::{Member, Team};
use crate::stream_b::consumer;

fn ends(team: &Team, turn: &str) -> Vec<Value> {
    let all = consumer::messages(&team.redis.borrow().url(), turn);
    let is_end = |message: &&Value| {
        matches!(message["payload"]["type"].as_str(), Some("turn_completed" | "turn_error"))
    };
    let ends: Vec<_> = all.iter().filter(is_end).cloned().collect();
    assert_eq!(all.last(), ends.last(), "nothing follows an end: {all:?}");
    ends
}

/// Everybody who is gone was looked after.
fn is_settled(team: &Team, members: usize) -> bool {
    team.redis.borrow().ask::<Vec<String>>(&["SMEMBERS", "liminal:servers"]).len() == members
}

fn has_nothing_to_tell(member: &Member) -> bool {
    member.client.get("/metrics").body.lines().any(|line| line == "liminal_stream_b_waiting 0")
}

#[test]
fn r24_the_end_of_a_killed_servers_turn_is_published_once() {
    let team = Team::new();
    let (one, two, three) = (team.member("one"), team.member("two"), team.member("three"));
    let session = team.create(&one);
    let turn = begin(&one.client, &session, "!say 20 !hang");
    let url = team.redis.borrow().url();
    wait_until("its words are published", || consumer::messages(&url, &turn).len() >= 2);
    // One more was on its way when the server died, and nobody knows how far it came.
    let key = format!("liminal:{{{session}}}:deliveries");
    let delivery: String = team.redis.borrow().ask(&["HGET", &key, &turn]);
    let unknown = liminal_builder::clock::new_turn_id().to_string();
    let delivery = delivery.replace(&turn, &unknown);
    let () = team.redis.borrow().ask(&["HSET", &key, &unknown, &delivery]);
    one.kill();
    for (turn, code) in [(&turn, "SERVER_LOST"), (&unknown, "DELIVERY_UNKNOWN")] {
        let end = consumer::follow(&url, turn).end;
        assert_eq!((&end["type"], &end["error"]["code"]), (&"turn_error".into(), &code.into()), "{end}");
    }
    wait_until("all of it was looked after", || is_settled(&team, 2));
    wait_until("all was told", || has_nothing_to_tell(&two) && has_nothing_to_tell(&three));
    // Whoever comes back ends nothing again.
    let one = team.member("one");
    wait_until("it has nothing to tell", || has_nothing_to_tell(&one));
    assert_eq!((ends(&team, &turn).len(), ends(&team, &unknown).len()), (1, 1));
    tell("Stream B", "the turn of a killed server and a message on its way: one end each, of three servers");
}

#[test]
fn c33_a_server_that_was_replaced_publishes_nothing_behind_the_end() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut reader = Reader::join(&two.client, &session, None);
    let turn = begin(&one.client, &session, "!split 5 !say 5000");
    reader.until("it speaks", |shown| shown.items.len() > 1);
    one.pause();
    reader.until_end(&turn);
    let end = consumer::follow(&team.redis.borrow().url(), &turn).end;
    assert_eq!(end["error"]["code"], "SERVER_LOST", "{end}");
    one.resume();
    wait_until("its agent is ended", || team.agents().is_empty());
    wait_until("it has told all it could", || has_nothing_to_tell(&one));
    assert_eq!(ends(&team, &turn).len(), 1);
}
