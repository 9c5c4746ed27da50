//! Connections that take too long, are too many, or stay.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use liminal_builder::http::Limits;

use super::harness::{TestServer, no_agents, receive, send, start};
use crate::reliability::figures::{Times, gate_lateness};

fn quick(change: fn(&mut Limits)) -> TestServer {
    let mut limits = Limits::default();
    change(&mut limits);
    TestServer::start(limits, no_agents())
}

/// Asks on a connection that stays open, and reads the whole answer.
fn ask(server: &TestServer, stream: &mut TcpStream) -> String {
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"ok\n") {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&answer));
        answer.push(byte[0]);
    }
    String::from_utf8(answer).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "measures what the clock of a client would show")]
pub(super) fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

#[test]
fn heads_beyond_the_limits_are_refused() {
    let server = start();
    let host = server.host();
    let head = |fields: usize, bytes: usize| {
        let fields: String = (2..fields).map(|number| format!("X-{number}: a\r\n")).collect();
        let start = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}");
        let padding = bytes.saturating_sub(start.len() + "X-Pad: \r\n\r\n".len());
        format!("{start}X-Pad: {}\r\n\r\n", "p".repeat(padding))
    };
    let status = |text: String| send(server.address, text.as_bytes()).map(|answer| answer.status);
    assert_eq!(status(head(63, 0)), Some(200));
    assert_eq!(status(head(64, 0)), Some(431));
    assert_eq!(status(head(500, 0)), Some(431));
    assert_eq!(status(head(2, 16 * 1024)), Some(200));
    assert_eq!(status(head(2, 16 * 1024 + 1)), Some(431));
    assert_eq!(status(head(2, 4 * 1024 * 1024)), Some(431));
    assert!(server.is_alive());
}

#[test]
fn slow_heads_are_hung_up_on_while_others_are_served() {
    const DEADLINE: Duration = Duration::from_secs(1);
    let server = quick(|limits| limits.head_time = DEADLINE);
    let mut slow: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        stream.write_all("GET / HTTP/1.1\r\nHos".get(..number % 20).unwrap().as_bytes()).unwrap();
    }
    assert!(server.is_alive());
    let waited = time(|| slow.iter_mut().for_each(|stream| assert!(receive(stream).is_none())));
    gate_lateness("c42.lateness.head", DEADLINE, waited);
}

#[test]
fn one_byte_now_and_then_does_not_buy_time() {
    let server = quick(|limits| limits.head_time = Duration::from_millis(300));
    let mut stream = server.connect();
    stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nX-Slow: {}", server.host(), "x".repeat(2000));
    let is_open = |byte: u8, stream: &mut TcpStream| {
        let sent = stream.write_all(&[byte]).is_ok();
        sent && stream.read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    let sent = head.bytes().take_while(|&byte| is_open(byte, &mut stream)).count();
    assert!(sent < 100, "{sent} bytes were taken");
}

#[test]
fn a_connection_may_rest_longer_than_a_head_may_take() {
    let server = quick(|limits| {
        limits.head_time = Duration::from_millis(600);
        limits.idle_time = Duration::from_secs(60);
    });
    let mut stream = server.connect();
    ask(&server, &mut stream);
    stream.set_read_timeout(Some(Duration::from_millis(900))).unwrap();
    let rested = stream.read(&mut [0]).unwrap_err();
    assert_eq!(rested.kind(), std::io::ErrorKind::WouldBlock);
    ask(&server, &mut stream);
    // The head of a further request is as limited as that of the first.
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(b"GET").unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_connection_that_rests_too_long_is_closed() {
    const DEADLINE: Duration = Duration::from_millis(800);
    let server = quick(|limits| limits.idle_time = DEADLINE);
    let mut stream = server.connect();
    ask(&server, &mut stream);
    let waited = time(|| assert_eq!(stream.read(&mut [0]).unwrap(), 0));
    assert!(waited >= Duration::from_millis(600), "{waited:?}");
    gate_lateness("c42.lateness.idle", DEADLINE, waited);
}

#[test]
fn beyond_the_limit_connections_wait_for_a_place() {
    let server = quick(|limits| {
        limits.connections = 2;
        limits.head_time = Duration::from_millis(600);
    });
    let (_first, _second) = (server.connect(), server.connect());
    // Both say nothing, so each has to leave for the next one once it has had its time.
    let waited = time(|| assert!(server.is_alive()));
    assert!(waited >= Duration::from_millis(200), "{waited:?}");
}

#[test]
fn stopping_does_not_wait_for_those_who_want_nothing() {
    let mut server = quick(|limits| limits.stop_time = Duration::from_secs(600));
    let mut idle = server.connect();
    ask(&server, &mut idle);
    let (mut silent, mut partial) = (server.connect(), server.connect());
    partial.write_all(b"GET / HT").unwrap();
    assert!(server.is_alive());
    Times::from(time(|| server.stop())).gate("c19.stop.idle-connections");
    for stream in [&mut idle, &mut silent, &mut partial] {
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
    }
}

#[test]
fn stopping_ends_what_does_not_end_by_itself() {
    const DEADLINE: Duration = Duration::from_millis(300);
    let limits = Limits { stop_time: DEADLINE, ..Limits::default() };
    let forever = std::sync::Arc::new(|_| Box::pin(std::future::pending()) as _);
    let mut server = TestServer::start(limits, forever);
    let mut stream = server.connect();
    let (host, token) = (server.host(), server.token());
    write!(stream, "GET /api/agents HTTP/1.1\r\nHost: {host}\r\nAuthorization: {token}\r\n\r\n").unwrap();
    assert!(server.is_alive());
    let waited = time(|| server.stop());
    assert!(waited >= Duration::from_millis(250), "{waited:?}");
    gate_lateness("c19.lateness.endless-request", DEADLINE, waited);
}
