//! A wall clock that is set while the server runs, for this one server: `libfaketime` tells it another time, and leaves
//! the monotonic clock alone, as the system does.

use std::fs;
use std::path::PathBuf;

use liminal_core::event::{Origin, SettledBy};
use liminal_core::upsert::{Upsert, UpsertBody};
use serde_json::json;

use super::agents::asked;
use super::figures::{Stopwatch, tell};
use super::reader::{Reader, begin, turn};
use super::shown::Shown;
use super::world::{Server, World, wait_until};

/// Where Debian's package `faketime` has it; the loader knows what `$LIB` is.
const LIBRARY: &str = "/usr/$LIB/faketime/libfaketimeMT.so.1";
const HOURS: i64 = 60 * 60;

/// The wall clock of a server.
struct WallClock(PathBuf);

impl WallClock {
    /// Sets it to the time of the machine and so much more or less, at once.
    fn set(&self, offset: &str) {
        let new = self.0.with_extension("new");
        fs::write(&new, offset).unwrap();
        fs::rename(new, &self.0).unwrap();
    }
}

/// A machine whose server's clock can be set.
fn machine() -> (World, WallClock) {
    let world = World::new();
    let clock = WallClock(world.data().with_extension("clock"));
    clock.set("+0");
    let world = world
        .with("LD_PRELOAD", LIBRARY)
        .with("FAKETIME_TIMESTAMP_FILE", clock.0.to_str().unwrap())
        .with("FAKETIME_NO_CACHE", "1")
        .with("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .with("NO_FAKE_STAT", "1");
    (world, clock)
}

/// How many hours the server's clock went on from each item to the next.
fn steps(shown: &Shown) -> Vec<i64> {
    let times: Vec<_> = shown.in_order().iter().map(|item| item.emitted_at.instant().as_second()).collect();
    let steps = times.windows(2).map(|pair| (pair[1] - pair[0] + HOURS / 2).div_euclid(HOURS));
    steps.filter(|hours| *hours != 0).collect()
}

fn numbers(shown: &Shown) -> Vec<u64> {
    let texts = shown.texts(Origin::Agent);
    texts.iter().map(|text| text.trim().trim_start_matches('s').parse().unwrap()).collect()
}

#[test]
fn c30_r19_a_clock_that_is_set_while_a_turn_runs_changes_no_order_and_no_cursor() {
    const MESSAGES: usize = 80;
    let (world, clock) = machine();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, Some("append"));
    let turn_id = begin(&server.client, &session, &"!say 1 !stall 20 ".repeat(MESSAGES));
    for offset in ["+1d", "-1d", "+0"] {
        let said = reader.shown.texts(Origin::Agent).len();
        reader.until("it speaks", |shown| shown.texts(Origin::Agent).len() > said + 3);
        clock.set(offset);
        let said = reader.shown.texts(Origin::Agent).len();
        reader.until("it speaks on", |shown| shown.texts(Origin::Agent).len() > said + 3);
        let shown = std::mem::take(&mut reader.shown);
        reader = Reader::rejoin(&server.client, &session, shown, Some("append"));
    }
    reader.until_end(&turn_id);
    assert_eq!(reader.shown.end_of(&turn_id).as_deref(), Some("completed"));
    let numbers = numbers(&reader.shown);
    assert!(numbers.len() == MESSAGES && numbers.is_sorted(), "{numbers:?}");
    let set = steps(&reader.shown);
    assert_eq!(set, [24, -48, 24], "the clock is not set by this; is faketime installed? ./x test does it");
    let fresh = Reader::caught_up(&server.client, &session);
    fresh.shown.assert_settled();
    fresh.shown.assert_same(&reader.shown);
    assert_eq!(reader.shown.resets, 1, "a cursor was of no use");
    tell("C30", &format!("{MESSAGES} messages in order while the clock was set by {set:?} hours"));
}

#[test]
fn c30_r19_a_clock_that_is_set_answers_no_request() {
    let (world, clock) = machine();
    let server = world.begin();
    let [asking, other] = [(); 2].map(|()| world.create(&server.client));
    let mut reader = Reader::join(&server.client, &asking, None);
    let turn_id = begin(&server.client, &asking, "!perm ls !say 1");
    reader.until("it asks", |shown| asked(shown).is_some());
    for offset in ["+1d", "-1d"] {
        clock.set(offset);
        assert_eq!(turn(&server.client, &other, "!say 1"), "completed");
    }
    assert!(asked(&Reader::caught_up(&server.client, &asking).shown).is_some(), "it waits");
    let approval = server.client.get("/api/approvals").json()["approvals"][0]["id"].clone();
    let path = format!("/api/approvals/{}", approval.as_str().unwrap());
    let answered = server.client.post(&path, &json!({ "optionId": "allow_once" }));
    assert_eq!(answered.status, 200, "{answered:?}");
    reader.until_end(&turn_id);
    assert_eq!(reader.shown.end_of(&turn_id).as_deref(), Some("completed"));
}

/// Whether the request was rejected because nobody answered in time.
fn is_timed_out(shown: &Shown) -> bool {
    let outcome = |item: &&Upsert| match &item.body {
        UpsertBody::Permission(request) => request.outcome.as_ref().map(|outcome| outcome.by),
        _ => None,
    };
    shown.in_order().iter().any(|item| outcome(item) == Some(SettledBy::Timeout))
}

/// The seconds after which a request is rejected, and an agent that does nothing is ended.
const PATIENCE: u64 = 2;

fn is_alive(server: &Server, session: &str) -> bool {
    server.client.get(&format!("/api/session/{session}/status")).json()["isAlive"] == true
}

#[test]
fn c30_r19_a_clock_that_is_set_ends_no_wait_early_and_none_late() {
    let (world, clock) = machine();
    let (seconds, none) = (PATIENCE.to_string(), "0");
    let world =
        world.with("LIMINAL_SESSIONS_IDLE_MINUTES", none).with("LIMINAL_SESSIONS_IDLE_SECONDS", &seconds);
    let world = world
        .with("LIMINAL_SESSIONS_PERMISSION_MINUTES", none)
        .with("LIMINAL_SESSIONS_PERMISSION_SECONDS", &seconds);
    let server = world.begin();
    for offset in ["+1d", "-1d"] {
        let [asking, quiet] = [(); 2].map(|()| world.create(&server.client));
        let begun = Stopwatch::start();
        let mut reader = Reader::join(&server.client, &asking, None);
        let turn_id = begin(&server.client, &asking, "!perm ls !say 1");
        assert_eq!(turn(&server.client, &quiet, "!say 1"), "completed");
        reader.until("it asks", |shown| asked(shown).is_some());
        clock.set(offset);
        reader.until("it is rejected", is_timed_out);
        let rejected = begun.elapsed();
        reader.until_end(&turn_id);
        wait_until("the agent is ended", || !is_alive(&server, &quiet));
        let ended = begun.elapsed();
        assert!(rejected.as_secs() >= PATIENCE, "rejected after {rejected:?}");
        assert!(ended.as_secs() >= PATIENCE, "ended after {ended:?}");
        tell("C30", &format!("clock set by {offset}: rejected after {rejected:?}, idle end after {ended:?}"));
    }
}
