//! A disk that is full.

use std::time::Duration;

use super::figures::{Stopwatch, mib, tell};
use super::reader::{Reader, begin, turn};
use super::world::{World, wait_until};

#[test]
fn c28_p13_a_full_disk_refuses_messages_loses_nothing_and_passes() {
    let world = World::new().with("LIMINAL_STORAGE_DATABASE_MIB", "3");
    let server = world.begin();
    let (large, small) = (world.create(&server.client), world.create(&server.client));
    let mut reader = Reader::join(&server.client, &small, None);
    let kept = begin(&server.client, &small, "!say 3");
    reader.until_end(&kept);
    let padding = "x".repeat(200_000);
    let refused = loop {
        let sent = server.client.send(&large, &format!("{padding} !say 1"));
        match sent.status {
            202 => {
                let turn = sent.json()["turnId"].as_str().unwrap().to_owned();
                wait_until("the turn is over or the disk is full", || {
                    let status = server.client.get(&format!("/api/session/{large}/status")).json();
                    status["turn"].as_str() != Some(turn.as_str()) || world.stored_bytes() > 3 << 20
                });
            }
            409 => wait_until("the disk is full", || server.client.send(&small, &padding).status == 507),
            _ => break sent,
        }
        if server.client.send(&small, &format!("{padding} !say 1")).status == 507 {
            break server.client.send(&small, &padding);
        }
    };
    assert_eq!((refused.status, refused.code().as_str()), (507, "STORAGE_FULL"), "{refused:?}");
    assert!(server.is_alive());
    assert_eq!(server.client.get(&format!("/api/session/{small}/history")).status, 200);
    let begun = Stopwatch::start();
    assert_eq!(server.client.ask("DELETE", &format!("/api/session/{large}"), None).unwrap().status, 204);
    wait_until("there is room again", || {
        server.client.get(&format!("/api/session/{small}/status")).json()["state"] == "idle"
    });
    assert_eq!(turn(&server.client, &small, "!say 1"), "completed");
    let took = begun.elapsed();
    reader.until("both are shown", |shown| shown.has_ended(&kept));
    server.kill();
    let server = world.start();
    let mut fresh = Reader::join(&server.client, &small, None);
    fresh.until("it is all there", |shown| shown.has_ended(&kept));
    fresh.shown.assert_settled();
    tell(
        "C28 P13",
        &format!("507 at {}, alive, goes on {took:?} after room was made", mib(world.stored_bytes())),
    );
    assert!(took <= Duration::from_secs(10), "{took:?}");
}
