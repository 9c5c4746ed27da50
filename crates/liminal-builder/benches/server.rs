//! What the server adds between an agent's pipe and a client's socket: how old a message is when it is read. Prints
//! figures, asserts nothing.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    dead_code,
    reason = "a benchmark prints, reads the clock and fails by panicking, and needs only a part of what tests do"
)]

#[path = "../tests/it/reliability/client.rs"]
mod client;
#[path = "../tests/it/reliability/figures.rs"]
mod figures;
#[path = "../tests/it/reliability/reader.rs"]
mod reader;
#[path = "../tests/it/reliability/shown.rs"]
mod shown;
#[path = "../tests/it/reliability/socket.rs"]
mod socket;
#[path = "../tests/it/support.rs"]
mod support;
#[path = "../tests/it/reliability/world.rs"]
mod world;

use std::time::Duration;

use liminal_core::event::Origin;
use liminal_core::upsert::{Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::ServerMessage;

use client::Client;
use figures::{Stopwatch, Times, mib};
use reader::{Reader, begin};
use world::World;

const MESSAGES: usize = 500;
const STARTS: usize = 20;

fn main() {
    let world = World::new();
    let server = world.begin();
    println!("memory of an idle server: {}", mib(server.memory()));
    for readers in [1, 20] {
        relay(&world, &server.client, readers);
    }
    first_words(&world, &server.client);
    drop(server);
    let mut starts = Times::default();
    (0..STARTS).for_each(|_| starts.add(world.start().started));
    report("start of the server", &starts);
}

/// Pipe to socket, with others reading along.
fn relay(world: &World, client: &Client, readers: usize) {
    let session = world.create(client);
    let mut others: Vec<Reader> = (1..readers).map(|_| Reader::join(client, &session, None)).collect();
    let mut reader = Reader::join(client, &session, None);
    begin(client, &session, &format!("!clock {MESSAGES}"));
    let mut ages = Times::default();
    for _ in 0..MESSAGES {
        let message = reader.socket.until(|message| said(message).is_some());
        let age = jiff::Timestamp::now().as_microsecond() - said(&message).unwrap();
        ages.add(Duration::from_micros(age.unsigned_abs()));
        others.iter_mut().for_each(|other| drop(other.socket.until(|message| said(message).is_some())));
    }
    report(&format!("pipe to socket, {readers} readers"), &ages);
}

/// When a finished message of the agent was said.
fn said(message: &ServerMessage) -> Option<i64> {
    let ServerMessage::Upsert { payload, .. } = message else { return None };
    let Upsert { status: UpsertStatus::Complete, body: UpsertBody::Message(body), .. } = &**payload else {
        return None;
    };
    (body.origin == Origin::Agent).then(|| body.content.parse().ok()).flatten()
}

/// A request to the first words of a new session's agent.
fn first_words(world: &World, client: &Client) {
    let mut times = Times::default();
    for _ in 0..STARTS {
        let session = world.create(client);
        let mut reader = Reader::join(client, &session, None);
        let begun = Stopwatch::start();
        begin(client, &session, "!say 20");
        reader.until("it speaks", |shown| !shown.texts(Origin::Agent).is_empty());
        times.add(begun.elapsed());
        assert_eq!(client.act(&format!("/api/session/{session}/kill")).status, 200);
    }
    report("message to first words", &times);
}

fn report(what: &str, times: &Times) {
    let [median, most, worst] = [50, 99, 100].map(|percent| times.percentile(percent));
    println!("{what:<28} p50 {median:>12.1?}  p99 {most:>12.1?}  max {worst:>12.1?}");
}
