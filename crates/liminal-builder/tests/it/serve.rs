//! `liminal serve` as far as it goes today: a page, a sign of life, and nobody else's names.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::support::{Running, liminal, run};

fn start() -> (Running, String) {
    let mut child = Running(liminal(&["serve", "--port", "0"]).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("Liminal Builder is at http://").expect(&line);
    let address = url.trim_end_matches('/').to_owned();
    (child, address)
}

fn get(address: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn the_page_is_served_with_a_strict_policy() {
    let (_server, address) = start();
    let page = get(&address, "/", &address);
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(page.contains("<title>Liminal Builder</title>"));
    assert!(get(&address, "/healthz", &address).ends_with("ok\n"));
    assert!(get(&address, "/nothing", &address).starts_with("HTTP/1.1 404 "));
}

#[test]
fn a_request_under_another_name_is_refused() {
    let (_server, address) = start();
    let port = address.rsplit(':').next().unwrap().to_owned();
    for host in
        ["evil.example", "evil.example:80", &format!("evil.example:{port}"), "127.0.0.1", "localhost", ""]
    {
        assert!(get(&address, "/", host).starts_with("HTTP/1.1 403 "), "{host}");
    }
    assert!(get(&address, "/", &format!("localhost:{port}")).starts_with("HTTP/1.1 200 "));
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let output = run(&["serve", "--host", "0.0.0.0"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("listen on 127.0.0.1"));
}

#[test]
fn a_taken_port_is_told_with_what_to_do() {
    let (_server, address) = start();
    let port = address.rsplit(':').next().unwrap();
    let output = run(&["serve", "--port", port], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("choose another port"));
}
