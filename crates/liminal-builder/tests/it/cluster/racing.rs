//! Servers that do the same at once.

use std::thread;

use serde_json::{Value, json};

use super::super::client::{Client, answer};
use super::super::figures::{tell, times};
use super::super::reader::Reader;
use super::team::Team;

#[test]
fn c33_whoever_sends_first_to_a_session_of_nobody_has_it_and_the_other_is_handed_on() {
    let team = Team::new();
    let (one, two, three) = (team.member("one"), team.member("two"), team.member("three"));
    let rounds = times(5, 100);
    let sessions: Vec<String> = (0..rounds).map(|_| team.create(&one)).collect();
    one.stop();
    let mut reader;
    for (round, session) in sessions.iter().enumerate() {
        let body = json!({ "message": format!("!say 1 {round}"), "clientMessageId": "both" });
        let send = |client: Client| {
            let (body, session) = (body.clone(), session.clone());
            thread::spawn(move || send(&client, &session, &body))
        };
        let (left, right) = (send(two.client.clone()), send(three.client.clone()));
        let (left, right) = (left.join().unwrap(), right.join().unwrap());
        assert_eq!(left, right, "one message, one answer");
        reader = Reader::join(&two.client, session, None);
        reader.until_end(left["turnId"].as_str().unwrap());
        assert_eq!(reader.shown.turns.len(), 1);
    }
    assert_eq!(team.prompts().len(), rounds, "every message reached an agent once: {:?}", team.prompts());
    tell("C33", &format!("{rounds} messages sent by two servers at once: each delivered once"));
}

fn send(client: &Client, session: &str, body: &Value) -> Value {
    let sent = client.post(&format!("/api/session/{session}/send"), body);
    assert_eq!(sent.status, 202, "{sent:?}");
    sent.json()
}

#[test]
fn c33_a_session_that_is_made_twice_by_one_key_is_made_once() {
    let team = Team::new();
    let (one, two) = (team.member("one"), team.member("two"));
    let body = json!({ "cliType": "claude-code", "projectDir": team.project() });
    let create = |client: &Client| {
        let request = client.request("POST", "/api/session/create", Some(&body));
        let request = request.replacen("Connection:", "Idempotency-Key: once\r\nConnection:", 1);
        let mut stream = client.connect().unwrap();
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        answer(&mut stream).unwrap()
    };
    let first = create(&one.client);
    assert_eq!(first.status, 201, "{first:?}");
    let second = create(&two.client);
    assert_eq!(first.json(), second.json());
    assert_eq!(one.listed(&team).len(), 1);
}
