//! A disk that is full.

use std::fs;
use std::sync::Arc;

use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::store::Store;
use liminal_core::event::Origin;
use serde_json::json;

use super::client::{Answer, Client};
use super::figures::{Stopwatch, mib, tell};
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
    tell(
        "C28 P13",
        &format!(
            "507 at {}, {count} of {count} accepted messages kept, goes on {took:?} after room was made",
            mib(full)
        ),
    );
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
