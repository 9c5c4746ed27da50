//! A disk that is full.

use liminal_core::event::Origin;

use super::client::{Answer, Client};
use super::figures::{Stopwatch, mib, tell};
use super::reader::{Reader, turn};
use super::world::{World, wait_until};

/// Sends to one session after another until a message is refused for want of room; gives what the last one accepted.
fn fill(client: &Client, sessions: &[&str]) -> (Answer, Vec<String>) {
    let (padding, begun) = ("x".repeat(200_000), Stopwatch::start());
    let mut accepted = Vec::new();
    for (number, session) in (0..).zip(sessions.iter().cycle()) {
        assert!(begun.elapsed() < super::world::PATIENCE, "it never gets full");
        let message = format!("f{number} {padding} !say 1");
        let sent = client.send(session, &message);
        match sent.status {
            202 if Some(session) == sessions.last() => accepted.push(message),
            202 | 409 => {}
            _ => return (sent, accepted),
        }
    }
    unreachable!("sessions come again and again")
}

#[test]
fn c28_p13_a_full_disk_refuses_messages_loses_nothing_and_passes() {
    let world = World::new().with("LIMINAL_STORAGE_DATABASE_MIB", "3");
    let server = world.begin();
    let (large, small) = (world.create(&server.client), world.create(&server.client));
    let (refused, mut accepted) = fill(&server.client, &[&large, &small]);
    assert_eq!((refused.status, refused.code().as_str()), (507, "STORAGE_FULL"), "{refused:?}");
    let full = world.stored_bytes();
    assert!(server.is_alive());
    assert_eq!(server.client.get(&format!("/api/session/{small}/history")).status, 200);
    let freed = server.client.ask("DELETE", &format!("/api/session/{large}"), None).unwrap();
    assert_eq!(freed.status, 204, "{freed:?}");
    let begun = Stopwatch::start();
    let status = || server.client.get(&format!("/api/session/{small}/status")).json();
    wait_until("it goes on by itself", || status()["state"] == "idle");
    assert_eq!(turn(&server.client, &small, "after !say 1"), "completed");
    let took = begun.elapsed();
    accepted.push("after !say 1".to_owned());
    server.kill();
    let server = world.start();
    let mut fresh = Reader::join(&server.client, &small, None);
    fresh.until("everything is shown", |shown| shown.texts(Origin::User).len() >= accepted.len());
    assert_eq!(fresh.shown.texts(Origin::User), accepted);
    fresh.shown.assert_settled();
    let count = accepted.len();
    tell(
        "C28 P13",
        &format!(
            "507 at {}, {count} of {count} accepted messages kept, goes on {took:?} after room was made",
            mib(full)
        ),
    );
}
