//! A server that is asked to stop, and one that cannot start.

use std::fs;
use std::io::Read;

use super::figures::{Stopwatch, Times, tell};
use super::reader::{Reader, begin};
use super::world::{World, alone, wait_until};

#[test]
fn c19_a_server_that_is_asked_to_stop_leaves_nothing_behind() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let stubborn = [
        "!ignore-term !spawn plain !hang",
        "!ignore-term !linger !spawn setsid !spawn double !noread !say 3 !hang",
        "!spawn setsid !say 10 !linger !stall 100000",
    ];
    let mut turns = Vec::new();
    for prompt in stubborn {
        let session = world.create(&server.client);
        turns.push((session.clone(), begin(&server.client, &session, prompt)));
    }
    let sleeps = || world.processes().iter().filter(|(_, command)| command.contains("sleep 1000")).count();
    wait_until("all descendants run", || sleeps() >= 4);
    let begun = Stopwatch::start();
    let status = server.stop();
    let took = begun.elapsed();
    assert_eq!(world.processes(), []);
    assert_eq!(status.code(), Some(0));
    Times::from(took).gate("c19.stop.stubborn-agents");
    let server = world.start();
    for (session, turn) in turns {
        let mut reader = Reader::join(&server.client, &session, None);
        reader.until_end(&turn);
        reader.shown.assert_settled();
    }
}

#[test]
fn c29_a_directory_that_cannot_be_written_is_told_in_one_line() {
    let world = World::new();
    fs::write(world.data(), "a file where the directory should be").unwrap();
    let begun = Stopwatch::start();
    let output = world.command().output().unwrap();
    let took = begun.elapsed();
    assert_eq!(output.status.code(), Some(78));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.lines().count() == 1 && told.contains("--data-dir"), "{told}");
    tell("C29", told.trim_end());
    Times::from(took).gate("c29.refusal");
}

#[test]
fn c38_a_second_server_is_sent_to_the_first_and_takes_over_from_a_killed_one() {
    let world = World::new();
    let first = world.start();
    let begun = Stopwatch::start();
    let output = world.command().output().unwrap();
    let took = begun.elapsed();
    assert_eq!(output.status.code(), Some(75));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains(&format!("http://{}", first.client.address)), "{told}");
    assert!(first.is_alive());
    first.kill();
    assert!(world.start().is_alive());
    tell("C38", told.trim_end());
    Times::from(took).gate("c38.refusal");
}

/// A socket is told that the server goes, so that its page can wait for the next one.
#[test]
fn c19_sockets_are_told_that_the_server_stops() {
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut reader = Reader::join(&server.client, &session, None);
    let mut events = server.client.connect().unwrap();
    let request = server.client.head("GET", &format!("/api/session/{session}/upserts"));
    std::io::Write::write_all(&mut events, format!("{request}\r\n").as_bytes()).unwrap();
    let mut first = [0; 12];
    events.read_exact(&mut first).unwrap();
    let begun = Stopwatch::start();
    assert_eq!(server.stop().code(), Some(0));
    assert_eq!(reader.socket.end(), Some(1001));
    assert!(events.read_to_end(&mut Vec::new()).is_ok());
    Times::from(begun.elapsed()).gate("c19.stop.clients");
}
