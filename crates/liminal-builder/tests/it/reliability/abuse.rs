//! Clients that break the rules of sockets and requests, or take what others need.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use liminal_core::wire::ServerMessage;
use rustix::process::{Resource, Rlimit, prlimit};
use serde_json::json;

use super::client::{Client, answer};
use super::figures::{Stopwatch, Times, gate_lateness, mib, tell};
use super::socket::{CONTINUED, FINAL, PING, Socket, TEXT, frame};
use super::world::{World, alone, wait_until};

/// Bytes to send, and the code to be closed with.
pub(super) fn abuses() -> Vec<(&'static str, Vec<u8>, u16)> {
    let mut huge = frame(FINAL | TEXT, 0x80, &[]);
    huge.truncate(1);
    huge.push(0x80 | 127);
    huge.extend((64_u64 << 20).to_be_bytes());
    huge.extend([0; 4]);
    let whole = frame(FINAL | TEXT, 0x80, &vec![b' '; 16 << 20]);
    let piece = vec![b' '; 200 * 1024];
    let mut fragments = frame(TEXT, 0x80, &piece);
    (0..10).for_each(|_| fragments.extend(frame(CONTINUED, 0x80, &piece)));
    let many = |head: u8, payload: &[u8]| frame(head, 0x80, payload).repeat(200);
    let unsubscribe = json!({ "type": "session:unsubscribe", "sessionId": "a:b" }).to_string();
    vec![
        ("a message of 64 MiB", huge, 1009),
        ("a message of 16 MiB that is sent to its end", whole, 1009),
        ("fragments of 2 MiB", fragments, 1009),
        ("a flood of pings", many(FINAL | PING, b"x"), 1008),
        ("200 frames at once", many(FINAL | TEXT, unsubscribe.as_bytes()), 1008),
        ("no UTF-8", frame(FINAL | TEXT, 0x80, b"\"\xff\xfe\""), 1007),
        ("no mask", frame(FINAL | TEXT, 0, b"{}"), 1002),
        ("a kind of frame that nobody knows", frame(FINAL | 0x3, 0x80, b"{}"), 1002),
        ("a continuation of nothing", frame(FINAL | CONTINUED, 0x80, b"{}"), 1002),
        ("bytes", frame(FINAL | 0x2, 0x80, b"{}"), 1003),
    ]
}

#[test]
fn c26_whoever_abuses_a_socket_is_closed_with_the_code_that_says_why() {
    let world = World::new();
    let server = world.begin();
    let before = server.memory();
    for (what, bytes, code) in abuses() {
        let mut socket = Socket::open(&server.client);
        // It may be closed before all is sent.
        drop(socket.stream.write_all(&bytes));
        assert_eq!(socket.end(), Some(code), "{what}");
        assert!(server.is_alive(), "{what}");
    }
    for wrong in ["{", "[]", "null", "{\"type\":\"session:fly\"}", "\"\"", "{\"type\":\"session:subscribe\"}"]
    {
        let mut socket = Socket::open(&server.client);
        socket.write(FINAL | TEXT, wrong.as_bytes()).unwrap();
        socket.until(|message| matches!(message, ServerMessage::Error { .. }));
    }
    let grown = server.memory().saturating_sub(before);
    tell("C26", &format!("{} abuses closed with their codes; memory grew by {}", abuses().len(), mib(grown)));
    assert!(grown <= 32 << 20, "{}", mib(grown));
}

#[test]
fn c42_a_socket_keeps_the_place_of_its_connection() {
    let world = World::new().with("LIMINAL_LIMITS_CONNECTIONS", "8");
    let server = world.begin();
    let mut sockets: Vec<Socket> = (0..8).map(|_| Socket::open(&server.client)).collect();
    let mut late = raw(&server.client, &server.client.request("GET", "/api/meta", None));
    late.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let waits = late.read(&mut [0]).unwrap_err();
    assert_eq!(waits.kind(), std::io::ErrorKind::WouldBlock);
    late.set_read_timeout(None).unwrap();
    drop(sockets.pop());
    assert_eq!(answer(&mut late).unwrap().status, 200);
}

/// A browser sends a message as one frame, however long it is.
#[test]
fn c26_a_message_of_nearly_a_mebibyte_is_taken() {
    let world = World::new();
    let server = world.begin();
    let mut socket = Socket::open(&server.client);
    let message = "x".repeat(1_000_000);
    socket
        .say(&json!({ "type": "session:send", "sessionId": "a:b", "message": message, "requestId": "long" }))
        .unwrap();
    let answer = socket.until(|message| matches!(message, ServerMessage::Error { .. }));
    let ServerMessage::Error { problem, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(problem.status, 404);
}

fn raw(client: &Client, request: &str) -> TcpStream {
    let mut stream = client.connect().unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

#[test]
fn c41_bodies_that_are_too_long_or_never_end_are_refused_in_little_memory() {
    let (world, deadline) = (World::new().with("LIMINAL_LIMITS_BODY_SECONDS", "1"), Duration::from_secs(1));
    let server = world.begin();
    let (before, path) = (server.memory(), "/api/projects");
    let post = |fields: &str| {
        format!("{}Content-Type: application/json\r\n{fields}\r\n\r\n", server.client.head("POST", path))
    };
    for _ in 0..10 {
        let long = json!({ "path": "x".repeat(2 << 20) });
        assert_eq!(server.client.post(path, &long).status, 413);
        let mut endless = raw(&server.client, &post("Transfer-Encoding: chunked"));
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while endless.write_all(chunk.as_bytes()).is_ok() {}
    }
    let begun = Stopwatch::start();
    let mut short = raw(&server.client, &post("Content-Length: 1000\r\nConnection: close"));
    short.write_all(b"{\"path\":").unwrap();
    assert_eq!(answer(&mut short).unwrap().status, 408);
    gate_lateness("c41.lateness.body", deadline, begun.elapsed());
    let grown = server.memory().saturating_sub(before);
    tell("C41", &format!("20 bodies too long: memory grew by {}", mib(grown)));
    assert!(grown <= 32 << 20, "{}", mib(grown));
    assert!(server.is_alive());
}

/// The default deadline of a request's head.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// A client that never finishes its head, and the time since it connected.
fn slow(client: &Client) -> (TcpStream, Stopwatch) {
    (raw(client, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "), Stopwatch::start())
}

#[test]
fn c42_p12_clients_that_dawdle_are_closed_and_keep_nobody_waiting() {
    let _alone = alone();
    let (world, mut good) = (World::new(), Times::default());
    let server = world.begin();
    let mut serve = |count: usize| (0..count).for_each(|_| good.measure(|| assert!(server.is_alive())));
    // 256 connections may be open without credentials: of a thousand, the oldest are closed to make room.
    let crowd: Vec<_> = (0..800).map(|_| slow(&server.client)).collect();
    serve(25);
    // None of these is closed before its deadline.
    let last: Vec<_> = (0..200).map(|_| slow(&server.client)).collect();
    serve(25);
    let mut lateness = Times::default();
    for (mut stream, connected) in last {
        drop(stream.read_to_end(&mut Vec::new()));
        lateness.add(connected.elapsed().abs_diff(HEAD_TIME));
    }
    for (mut stream, _) in crowd {
        drop(stream.read_to_end(&mut Vec::new()));
    }
    lateness.gate("c42.lateness");
    good.gate_p99("c42.request-beside-slow-heads");
    assert!(server.is_alive());
}

#[test]
fn c43_running_out_of_files_passes() {
    let world = World::new();
    let server = world.begin();
    let few = Rlimit { current: Some(256), maximum: Some(256) };
    prlimit(Some(server.pid()), Resource::Nofile, few).unwrap();
    let answers = || server.client.ask("GET", "/healthz", None).is_ok_and(|answer| answer.status == 200);
    let mut times = Times::default();
    for _ in 0..3 {
        let hogs: Vec<_> = (0..400).map(|_| server.client.connect().unwrap()).collect();
        drop(hogs);
        times.measure(|| wait_until("it answers again", answers));
    }
    times.gate("c43.release-to-answer");
    assert!(server.is_alive());
}
