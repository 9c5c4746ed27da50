//! Bodies that are too large, never end, or never come.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use liminal_builder::http::Limits;

use super::connections::time;
use super::harness::{TestServer, no_agents, receive, send, start};

/// Whatever takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(20);

fn head(server: &TestServer, more: &str) -> String {
    let (host, origin) = (server.host(), server.origin());
    format!(
        "POST /auth/exchange HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\n\
         Connection: close\r\n{more}\r\n\r\n"
    )
}

#[test]
fn a_body_up_to_the_limit_is_read() {
    let server = start();
    let padding = " ".repeat(1024 * 1024 - 2);
    assert_eq!(server.post("/auth/exchange", &format!("{{}}{padding}")).send().status, 400);
    assert_eq!(server.post("/auth/exchange", &format!("{{}} {padding}")).send().status, 413);
}

#[test]
fn a_length_beyond_the_limit_is_refused_before_a_byte_is_sent() {
    let server = start();
    for length in ["1048577", "99999999999", "9007199254740993"] {
        let answer = send(server.address, head(&server, &format!("Content-Length: {length}")).as_bytes());
        assert_eq!(answer.unwrap().status, 413, "{length}");
    }
    let contradiction = head(&server, "Content-Length: 5\r\nContent-Length: 6");
    assert_eq!(send(server.address, contradiction.as_bytes()).unwrap().status, 400);
    assert!(server.is_alive());
}

#[test]
fn chunks_without_end_are_cut_off() {
    let server = start();
    let mut stream = server.connect();
    stream.write_all(head(&server, "Transfer-Encoding: chunked").as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let cut_off = time(|| while stream.write_all(chunk.as_bytes()).is_ok() {});
    assert!(cut_off < HANGS, "{cut_off:?}");
    assert_eq!(receive(&mut stream).unwrap().status, 413);
    assert!(server.is_alive());
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let limits = Limits { body_time: Duration::from_millis(200), ..Limits::default() };
    let server = TestServer::start(limits, no_agents());
    let answer = send(server.address, (head(&server, "Content-Length: 10") + "{").as_bytes()).unwrap();
    assert_eq!(answer.verdict(), (408, "REQUEST_TIMEOUT".to_owned()));
}

#[test]
fn a_handler_that_panics_is_a_problem_and_the_server_lives() {
    let server = TestServer::start(
        Limits::default(),
        Arc::new(|_| Box::pin(async { panic!("a secret path of the test") })),
    );
    for _ in 0..3 {
        let answer = server.call("GET", "/api/agents").with("Authorization", &server.token()).send();
        assert_eq!(answer.verdict(), (500, "INTERNAL".to_owned()));
        assert!(!answer.body.contains("secret path"));
        assert!(answer.header("content-security-policy").is_some());
    }
    assert!(server.is_alive());
}
