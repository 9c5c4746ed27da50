//! Clients without credentials that hold connections: the owner gets in all the same, and soon.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::client::{Answer, Client};
use super::figures::{Stopwatch, tell};
use super::reader::turn;
use super::socket::{Heard, Socket};
use super::world::{Server, World, alone};

/// Every client is given much longer than the owner may wait.
const FOREVER: &str = "600";
/// A login, a socket and a turn, with room for a machine that does much else.
const SOON: Duration = Duration::from_secs(30);

fn world() -> World {
    World::new().with("LIMINAL_LIMITS_HEADER_SECONDS", FOREVER).with("LIMINAL_LIMITS_BODY_SECONDS", FOREVER)
}

/// A page of the server's own, which has shown nothing yet.
pub(super) fn page(client: &Client) -> Client {
    let Client { address, .. } = *client;
    Client { address, headers: format!("Host: {address}\r\nOrigin: http://{address}\r\n") }
}

/// Opens connections that send this and nothing more.
fn strangers(server: &Server, count: usize, text: &str) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = server.client.connect().unwrap();
        // It may have to leave before all is sent.
        drop(stream.write_all(text.as_bytes()));
        stream
    };
    (0..count).map(connect).collect()
}

/// Lets a browser in; the answer has its cookie and its key.
pub(super) fn login(client: &Client) -> Answer {
    let url = client.act("/auth/code").json()["url"].as_str().unwrap().to_owned();
    let code = url.rsplit_once("/#c=").unwrap().1;
    let login = page(client).post("/auth/exchange", &json!({ "code": code }));
    assert_eq!(login.status, 200, "{login:?}");
    login
}

/// Logs in, opens a socket and has a turn; returns how long that takes.
fn work(world: &World, server: &Server) -> Duration {
    let begun = Stopwatch::start();
    login(&server.client);
    let session = world.create(&server.client);
    assert_eq!(turn(&server.client, &session, "!say 3"), "completed");
    begun.elapsed()
}

fn owner_gets_in(what: &str, count: usize, text: impl FnOnce(&Server) -> String) {
    let _alone = alone();
    let world = world();
    let server = world.begin();
    let mut early = Socket::open(&server.client);
    let strangers = strangers(&server, count, &text(&server));
    let took = work(&world, &server);
    tell("C43", &format!("{count} connections that {what}: a login, a socket and a turn take {took:?}"));
    assert!(took < SOON, "{took:?}");
    let heard = early.next_within(Duration::from_millis(1));
    assert!(!matches!(heard, Heard::Closed(_) | Heard::Gone), "who was there stays: {heard:?}");
    drop(strangers);
}

#[test]
fn c43_idle_connections_without_credentials_do_not_keep_the_owner_out() {
    owner_gets_in("send nothing", 1_100, |_| String::new());
}

#[test]
fn c43_unfinished_heads_do_not_keep_the_owner_out() {
    owner_gets_in("send half a head", 1_100, |_| "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ".to_owned());
}

#[test]
fn c43_connections_that_stay_after_a_request_without_credentials_do_not_keep_the_owner_out() {
    owner_gets_in("stay", 1_100, |server| format!("{}\r\n", page(&server.client).head("GET", "/healthz")));
}

#[test]
fn c43_unfinished_bodies_do_not_keep_the_owner_out() {
    owner_gets_in("send no body", 1_100, |server| {
        let head = page(&server.client).head("POST", "/auth/exchange");
        format!("{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n")
    });
}
