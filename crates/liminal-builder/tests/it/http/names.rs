//! Under which names the server answers.

use super::harness::{Call, send, start};

#[test]
fn every_own_name_is_answered() {
    let server = start();
    let port = server.address.port();
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        let name = format!("{host}:{port}");
        assert_eq!(server.call("GET", "/").changed("Host", &name).send().status, 200, "{host}");
        let meta = server.call("GET", "/api/meta").changed("Host", &name);
        assert_eq!(meta.with("Authorization", &server.token()).send().status, 200, "{host}");
    }
}

#[test]
fn names_that_lead_here_by_rebinding_are_refused() {
    let server = start();
    let port = server.address.port();
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "7f000001.c0a80001.rbndr.us",
        "localtest.me",
        "localhost.",
        "127.1",
        "0.0.0.0",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:0:0:1]",
        "127.0.0.2",
        "ip6-localhost",
        "xn--lcalhost-s4a",
    ] {
        for path in ["/", "/healthz", "/api/meta", "/nothing"] {
            let answer = server.call("GET", path).changed("Host", &format!("{host}:{port}"));
            let answer = answer.with("Authorization", &server.token()).send();
            assert_eq!(answer.verdict(), (403, "HOST_NOT_ALLOWED".to_owned()), "{host}{path}");
        }
    }
}

#[test]
fn an_absolute_target_must_name_the_same_host() {
    let server = start();
    let (own, port) = (server.host(), server.address.port());
    for (target, status) in [
        (format!("http://{own}/healthz"), 200),
        (format!("http://localhost:{port}/healthz"), 400),
        ("http://evil.example/healthz".to_owned(), 403),
        (format!("http://evil.example:{port}/healthz"), 403),
        (format!("http://evil.example@{own}/healthz"), 400),
    ] {
        assert_eq!(server.call("GET", &target).send().status, status, "{target}");
    }
    let foreign_host = Call::new(server.address, "GET", &format!("http://{own}/healthz"));
    assert_eq!(foreign_host.with("Host", "evil.example").send().status, 403);
    let tunnel = server.call("CONNECT", "evil.example:443").send();
    assert!((400..500).contains(&tunnel.status), "{tunnel:?}");
}

#[test]
fn what_proxies_say_changes_nothing() {
    let server = start();
    for name in [
        "X-Forwarded-Host",
        "X-Forwarded-For",
        "X-Real-IP",
        "X-Forwarded-Proto",
        "Forwarded",
        "X-HTTP-Method-Override",
    ] {
        let call = server.call("GET", "/api/meta").with(name, "127.0.0.1");
        assert_eq!(call.send().status, 401, "{name}");
        let foreign = server.call("GET", "/").changed("Host", "evil.example").with(name, &server.host());
        assert_eq!(foreign.send().status, 403, "{name}");
    }
}

#[test]
fn an_old_request_without_a_name_is_refused() {
    let server = start();
    let answer = send(server.address, b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(answer.verdict(), (400, "INVALID_REQUEST".to_owned()));
}
