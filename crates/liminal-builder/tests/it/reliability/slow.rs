//! Clients that read slowly, or never, and what large messages cost those that do.

use std::fs;
use std::thread;
use std::time::Duration;

use liminal_core::event::Origin;

use super::client::Client;
use super::figures::{Stopwatch, Times, gate_bytes, gate_ratio, mib, tell, times};
use super::held::connections;
use super::reader::{Reader, begin, turn};
use super::stream::Stream;
use super::world::{Server, World, alone, wait_until};

const STUCK: usize = 50;

/// What a session that floods costs while clients follow it that never read.
struct Flooded {
    grown: u64,
    received: u64,
    took: Duration,
    delays: Times,
    session: String,
    healthy: Reader,
    stuck: Vec<Reader>,
}

fn flood(world: &World, server: &Server, stuck: usize, wanted: u64) -> Flooded {
    let session = world.create(&server.client);
    let stuck: Vec<Reader> = (0..stuck).map(|_| Reader::join(&server.client, &session, None)).collect();
    let mut healthy = Reader::join(&server.client, &session, Some("append"));
    let before = server.memory();
    server.forget_peak();
    let flood = begin(&server.client, &session, "!flood");
    let (begun, mut delays) = (Stopwatch::start(), Times::default());
    while healthy.socket.received < wanted {
        let message = delays.measure(|| healthy.socket.message());
        healthy.shown.apply(message);
    }
    let (took, received) = (begun.elapsed(), healthy.socket.received);
    let grown = server.peak().saturating_sub(before);
    assert_eq!(server.client.act(&format!("/api/session/{session}/cancel")).status, 200);
    healthy.until_end(&flood);
    Flooded { grown, received, took, delays, session, healthy, stuck }
}

#[test]
fn c25_p10_clients_that_never_read_cost_little_and_disturb_nobody() {
    let _alone = alone();
    let world = World::new().with("LIMINAL_LIMITS_STALL_SECONDS", "4");
    let server = world.begin();
    let wanted = (times(20, 200) as u64) << 20;
    // What the first one costs is not had a second time.
    flood(&world, &server, 0, wanted / 4);
    let undisturbed = flood(&world, &server, 0, wanted);
    let others = connections(&server);
    let Flooded { grown, received, took, delays, session, healthy, stuck } =
        flood(&world, &server, STUCK, wanted);
    // One that reads in time is not closed.
    wait_until("those that never read are closed", || connections(&server) <= others + 1);
    let mut told = 0;
    for (index, mut reader) in stuck.into_iter().enumerate() {
        reader.until_closed(&mut told);
        if index < 3 {
            let mut back = Reader::rejoin(&server.client, &session, reader.shown, None);
            back.until("it has caught up", |shown| shown.seq >= healthy.shown.seq);
            back.shown.assert_same(&healthy.shown);
        }
    }
    let each = grown.saturating_sub(undisturbed.grown) / STUCK as u64;
    tell(
        "C25 P10",
        &format!(
            "{STUCK} clients that never read, {} sent to a healthy one in {took:?} (without them {:?}): memory grew by {} (without them {}); all {STUCK} closed, {told} saw 1013 afterwards, those that came back show the same",
            mib(received),
            undisturbed.took,
            mib(grown),
            mib(undisturbed.grown),
        ),
    );
    delays.gate_p99("c25.healthy-client");
    gate_bytes("c25.memory-per-client", each);
}

#[test]
fn c17_r29_a_message_of_one_megabyte_is_sent_and_stored_at_a_bounded_cost() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    assert_eq!(turn(&server.client, &session, "!say 1"), "completed");
    assert!(server.stop().success());
    let stored = world.stored_bytes();

    let server = world.start();
    let readers = [None, Some("append")].map(|encoding| {
        let mut reader = Reader::join(&server.client, &session, encoding);
        thread::spawn(move || {
            reader.until("the message is whole", |shown| {
                shown.turns.values().filter(|turn| !turn.ends.is_empty()).count() == 2
            });
            reader
        })
    });
    let mut events = Stream::open(&server.client, &session, None);
    let events = thread::spawn(move || {
        let mut ends = 0;
        while ends == 0 {
            let event = events.next();
            let is_end = event.data["payload"]["type"].as_str().is_some_and(|kind| kind == "turn_complete");
            ends += usize::from(event.kind == "session:turn" && is_end);
        }
        events.received
    });
    let begun = Stopwatch::start();
    begin(&server.client, &session, "!say 150000");
    let [whole, append] = readers.map(|reader| reader.join().unwrap());
    let took = begun.elapsed();
    whole.shown.assert_same(&append.shown);
    let content = whole.shown.texts(Origin::Agent).iter().map(|text| text.len() as u64).max().unwrap();
    let events = events.join().unwrap();
    let text = whole.shown.texts(Origin::Agent).into_iter().max_by_key(|text| text.len()).unwrap();
    let last_word = text.split_whitespace().last().unwrap();
    wait_until("its last word is in the index", || {
        let found = server.client.get(&format!("/api/search?q={last_word}")).json();
        found["hits"].as_array().is_some_and(|hits| !hits.is_empty())
    });
    assert!(server.stop().success());
    let grown = world.stored_bytes() - stored;
    tell("C17 R29", &format!("{} said in {took:?}", mib(content)));
    assert!(content > 1_000_000);
    gate_bytes("r29.sent.socket", whole.socket.received);
    gate_bytes("r29.sent.events", events);
    gate_ratio("r29.sent.append.ratio", append.socket.received, content);
    // Kept are the text, its canonical events with every part and the whole once more, and an index of its words, none of
    // which comes twice here. It takes the most room while the parts are not packed yet.
    gate_ratio("r29.disk.ratio", grown, content);
}

/// A long message that is not taken keeps nothing open: neither for whoever was logged out, nor for a server that stops.
#[test]
fn d09_c19_whoever_takes_nothing_of_a_long_message_is_closed_at_once() {
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    // More than the buffers of both sides hold.
    let long = format!("!say 1\n{}", "x".repeat(900_000));
    for _ in 0..8 {
        assert_eq!(turn(&server.client, &session, &long), "completed");
    }
    let stuck = Reader::join(&server.client, &session, None);
    assert_eq!(server.client.act("/auth/rotate").status, 204);
    let begun = Stopwatch::start();
    wait_until("it is closed", || connections(&server) == 0);
    let rotated = begun.elapsed();
    drop(stuck);
    let token = fs::read_to_string(world.data().join("token")).unwrap();
    let client = Client::with_token(server.client.address, token.trim());
    let stuck = Reader::join(&client, &session, None);
    let begun = Stopwatch::start();
    assert!(server.stop().success());
    let stopped = begun.elapsed();
    drop(stuck);
    // Otherwise it takes the 30 s of whoever takes nothing, or all that a server is given to stop.
    Times::from(rotated).gate("d9.rotation-to-close");
    Times::from(stopped).gate("c19.stop.stuck-client");
}
