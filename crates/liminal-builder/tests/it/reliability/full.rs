//! A disk that is full.

use std::fs;
use std::sync::Arc;

use figures::{Samples, Unit, gate};
use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::store::Store;
use liminal_core::event::Origin;
use serde_json::json;

use super::client::{Answer, Client};
use super::figures::{Stopwatch, Times, mib, tell};
use super::reader::{Reader, begin, turn};
use super::small_disk::SmallDisk;
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
    tell("C28 P13", &format!("507 at {}, {count} of {count} accepted messages kept", mib(full)));
    Times::from(took).gate("c28.room-to-turn");
}

/// Logs a browser in, as the page does.
fn log_in(program: &Client) -> Client {
    let address = program.address;
    let page = Client { address, headers: format!("Host: {address}\r\nOrigin: http://{address}\r\n") };
    let url = program.act("/auth/code").json()["url"].as_str().unwrap().to_owned();
    let login = page.post("/auth/exchange", &json!({ "code": url.rsplit_once("/#c=").unwrap().1 }));
    assert_eq!(login.status, 200, "{login:?}");
    let cookie = login.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let key = login.json()["key"].as_str().unwrap().to_owned();
    Client { address, headers: format!("{}Cookie: {cookie}\r\nX-Liminal-Key: {key}\r\n", page.headers) }
}

/// The states of sessions that are active, or of those that are not.
fn states(client: &Client, archived: bool) -> Vec<(String, String)> {
    let project = client.get("/api/projects").json()["projects"][0]["id"].as_str().unwrap().to_owned();
    let list = client.get(&format!("/api/session/list?projectId={project}&archived={archived}")).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let state = |session: &serde_json::Value| (text(&session["sessionId"]), text(&session["state"]));
    let mut states: Vec<_> = list["sessions"].as_array().unwrap().iter().map(state).collect();
    states.sort();
    states
}

/// How many browsers a server that has stopped left logged in, and whether a session counts as killed.
fn kept(disk: &SmallDisk, session: &str) -> (usize, bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let copy = tempfile::tempdir().unwrap();
        let path = copy.path().join("liminal.db");
        fs::copy(disk.path().join("liminal.db"), &path).unwrap();
        let (log, _) = SqliteLog::open(&path, Settings::default()).unwrap();
        let log = Arc::new(log);
        let store = Store::new(Arc::clone(&log));
        let (browsers, row) =
            (store.browsers().await.unwrap(), store.session(&session.into()).await.unwrap());
        log.close().await.unwrap();
        (browsers.len(), row.unwrap().was_killed)
    })
}

fn audited(disk: &SmallDisk, action: &str) -> bool {
    let audit = fs::read_to_string(disk.path().join("audit.log")).unwrap();
    audit.contains(&format!("\"action\":\"{action}\""))
}

/// Fails unless the stored file was never taken for a damaged one.
fn assert_not_moved_aside(disk: &SmallDisk) {
    let files = fs::read_dir(disk.path()).unwrap().map(|file| file.unwrap().file_name());
    let moved: Vec<_> = files.filter(|name| name.to_string_lossy().contains("corrupt")).collect();
    assert!(moved.is_empty(), "{moved:?}");
}

/// So many messages, 20 ms apart: the disk is full for the middle of them.
const SPOKEN: usize = 250;

#[test]
fn c28_r17_on_a_full_disk_agents_are_heard_and_what_they_said_is_stored_when_there_is_room() {
    let world = World::new();
    let disk = SmallDisk::mount(&world.data(), "32m");
    let server = world.knowing_project(disk.start(&world));
    let [speaking, other] = [(); 2].map(|()| world.create(&server.client));
    let mut reader = Reader::join(&server.client, &speaking, Some("append"));
    let turn_id = begin(&server.client, &speaking, &format!("!clock {SPOKEN}"));
    reader.until("it speaks", |shown| shown.texts(Origin::Agent).len() > 3);
    let filler = disk.fill();

    reader.until("it is heard on", |shown| shown.unstored.len() > 30 && shown.is_disk_full == Some(true));
    let refused = server.client.send(&other, "no room");
    assert_eq!((refused.status, refused.code().as_str()), (507, "STORAGE_FULL"), "{refused:?}");
    assert_eq!(server.client.get("/readyz").status, 503);
    let (stored, seen) = (reader.shown.seq, reader.shown.unstored.len());
    let mut late = Reader::join(&server.client, &speaking, None);
    late.until("who comes meanwhile hears all of it", |shown| {
        shown.unstored.len() >= seen && shown.is_disk_full == Some(true)
    });
    assert_eq!(late.shown.seq, stored, "nothing that is not stored has a place");

    drop(filler);
    let begun = Stopwatch::start();
    reader.until("it is stored", |shown| shown.seq > stored && shown.unstored.is_empty());
    reader.until("the disk has room", |shown| shown.is_disk_full == Some(false));
    assert_eq!(turn(&server.client, &other, "room !say 1"), "completed");
    let took = begun.elapsed();
    reader.until_end(&turn_id);
    late.until_end(&turn_id);
    assert_eq!(reader.shown.texts(Origin::Agent).len(), SPOKEN);
    late.shown.assert_same(&Reader::caught_up(&server.client, &speaking).shown);
    server.kill();

    let server = disk.start(&world);
    let fresh = Reader::caught_up(&server.client, &speaking);
    fresh.shown.assert_settled();
    fresh.shown.assert_same(&reader.shown);
    assert_not_moved_aside(&disk);
    tell(
        "C28",
        &format!("{seen} messages heard on a full disk; all {SPOKEN} stored, {took:?} after room was made"),
    );
    gate("reliability", &Samples::new("c28.resume", Unit::Milliseconds, vec![took.as_secs_f64() * 1e3]));
}

/// A disk that is full while its server dies: what was shown and not stored is gone, and no cursor counts it.
#[test]
fn c28_what_was_heard_on_a_full_disk_and_not_stored_has_no_cursor_after_a_kill() {
    let world = World::new();
    let disk = SmallDisk::mount(&world.data(), "32m");
    let server = world.knowing_project(disk.start(&world));
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    begin(&server.client, &session, &format!("!clock {SPOKEN}"));
    reader.until("it speaks", |shown| shown.texts(Origin::Agent).len() > 3);
    let filler = disk.fill();
    reader.until("it is heard on", |shown| shown.unstored.len() > 10);
    server.kill();
    drop(filler);

    let server = disk.start(&world);
    assert_eq!(turn(&server.client, &session, "again !say 1"), "completed");
    reader.shown.unstored.clear();
    let shown = std::mem::take(&mut reader.shown);
    let mut back = Reader::rejoin(&server.client, &session, shown, None);
    let fresh = Reader::caught_up(&server.client, &session);
    back.until("it has all there is", |shown| shown.seq == fresh.shown.seq);
    fresh.shown.assert_settled();
    back.shown.assert_same(&fresh.shown);
    assert_eq!((back.shown.resets, fresh.shown.resets), (1, 1), "its cursor is of use");
}

#[test]
fn c28_on_a_full_disk_a_browser_can_log_in() {
    let world = World::new();
    let disk = SmallDisk::mount(&world.data(), "32m");
    let server = world.knowing_project(disk.start(&world));
    let session = world.create(&server.client);
    let filler = disk.fill();
    assert_eq!(server.client.send(&session, "no room").status, 507);
    let begun = Stopwatch::start();
    let browser = log_in(&server.client);
    let took = begun.elapsed();
    assert_eq!(browser.get("/api/meta").status, 200);
    drop(filler);
    assert!(server.stop().success());
    assert_eq!(kept(&disk, &session), (1, false), "the login was stored when there was room");
    assert!(audited(&disk, "auth"));
    tell("C28", &format!("on a full disk a login takes {took:?}"));
}

#[test]
fn c28_on_a_full_disk_agents_can_be_cancelled_and_killed() {
    let world = World::new();
    let disk = SmallDisk::mount(&world.data(), "32m");
    let server = world.knowing_project(disk.start(&world));
    let [killed, cancelled, other] = [(); 3].map(|()| world.create(&server.client));
    let mut reader = Reader::join(&server.client, &cancelled, None);
    begin(&server.client, &killed, "!say 1 !stall 600000");
    let turn_id = begin(&server.client, &cancelled, "!say 1 !stall 600000");
    let status = |session: &str| server.client.get(&format!("/api/session/{session}/status")).json();
    wait_until("both run", || {
        [&killed, &cancelled].iter().all(|session| status(session)["state"] == "running")
    });
    let filler = disk.fill();
    assert_eq!(server.client.send(&other, "no room").status, 507);

    let begun = Stopwatch::start();
    assert_eq!(server.client.act(&format!("/api/session/{cancelled}/cancel")).status, 200);
    let ended = server.client.act(&format!("/api/session/{killed}/kill"));
    assert_eq!((ended.status, &ended.json()["state"]), (200, &"closed".into()), "{ended:?}");
    let took = begun.elapsed();
    assert_eq!(world.processes().len(), 2, "the agent that was killed is gone");
    assert_eq!(
        states(&server.client, true),
        [(killed.clone(), "closed".to_owned())],
        "also before it is stored"
    );
    assert_eq!(server.client.send(&killed, "too late").status, 502);

    drop(filler);
    reader.until_end(&turn_id);
    assert_eq!(reader.shown.end_of(&turn_id).as_deref(), Some("cancelled"));
    assert!(server.stop().success());
    assert_eq!(kept(&disk, &killed), (0, true), "the kill was stored when there was room");
    assert!(audited(&disk, "cancel") && audited(&disk, "kill"));
    tell("C28", &format!("on a full disk a cancel and a kill take {took:?}"));
}
