//! Answers to requests, and servers that are killed as soon as they have acknowledged one.

use std::fs;

use liminal_core::event::SettledBy;
use liminal_core::upsert::{Upsert, UpsertBody};
use serde_json::json;

use super::agents::asked;
use super::client::Client;
use super::figures::{Chance, tell, times};
use super::reader::{Reader, begin};
use super::world::World;

/// The option that a stored request was answered by.
fn stored(client: &Client, session: &str, item: &str) -> Option<String> {
    let reader = Reader::caught_up(client, session);
    let is_it = |state: &&&Upsert| state.item_id.as_str() == item;
    let all = reader.shown.in_order();
    let state = all.iter().find(is_it).unwrap_or_else(|| panic!("{item} is lost: {all:?}"));
    let UpsertBody::Permission(request) = &state.body else { panic!("{state:?}") };
    let outcome = request.outcome.as_ref().unwrap_or_else(|| panic!("it is open: {state:?}"));
    assert_eq!(outcome.by, SettledBy::User, "{outcome:?}");
    outcome.option_id.clone()
}

/// The answers that the audit log has for an item.
fn audited(world: &World, item: &str) -> Vec<String> {
    let audit = fs::read_to_string(world.data().join("audit.log")).unwrap();
    let lines = audit.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let targets = lines.filter_map(|line| line["target"].as_str().map(str::to_owned));
    targets.filter(|target| target.contains(&format!(" {item} "))).collect()
}

#[test]
fn p3_p2_an_acknowledged_answer_is_neither_lost_nor_changed_nor_given_twice_by_a_kill() {
    let (world, mut chance, kills) = (World::new(), Chance::new(3), times(12, 200));
    let mut server = world.begin();
    let session = world.create(&server.client);
    for _ in 0..kills {
        let mut reader = Reader::join(&server.client, &session, None);
        begin(&server.client, &session, "!perm ls !say 2");
        reader.until("it asks", |shown| asked(shown).is_some());
        let request = asked(&reader.shown).unwrap();
        let item = request.item_id.as_str();
        let UpsertBody::Permission(body) = &request.body else { panic!("{request:?}") };
        let option = &body.request.options[chance.index(body.request.options.len())].option_id;
        let approval = server.client.get("/api/approvals").json()["approvals"][0]["id"].clone();
        let path = format!("/api/approvals/{}", approval.as_str().unwrap());
        let answered = server.client.post(&path, &json!({ "optionId": option }));
        server.kill();
        assert_eq!(answered.status, 200, "{answered:?}");

        server = world.start();
        assert_eq!(stored(&server.client, &session, item).as_ref(), Some(option));
        let again = server.client.post(&path, &json!({ "optionId": option }));
        assert!([404, 409].contains(&again.status), "{again:?}");
        let kept = audited(&world, item);
        assert!(matches!(kept.as_slice(), [only] if only.ends_with(option)), "{kept:?}");
    }
    tell(
        "P3 P2",
        &format!("{kills} kills right after an answer was acknowledged: 0 lost, 0 changed, 0 twice"),
    );
}
