//! Letting browsers in and out.

use super::harness::{Answer, Browser, TestServer, start};

fn exchange(server: &TestServer, code: &str) -> Answer {
    server.post("/auth/exchange", &format!("{{\"code\":\"{code}\"}}")).send()
}

#[test]
fn a_code_lets_one_browser_in() {
    let server = start();
    let answer = exchange(&server, server.code());
    let cookie = answer.header("set-cookie").unwrap();
    let port = server.address.port();
    assert!(cookie.starts_with(&format!("liminal_{port}_")), "{cookie}");
    let attributes: Vec<_> = cookie.split("; ").skip(1).collect();
    assert_eq!(attributes[..3], ["HttpOnly", "SameSite=Strict", "Path=/"], "{cookie}");
    assert!(!cookie.contains("Domain"), "{cookie}");
    let browser = Browser::from(&answer);
    assert_eq!(server.call("GET", "/api/meta").browser(&browser).send().status, 200);
    let again = exchange(&server, server.code());
    assert_eq!(again.verdict(), (401, "CODE_USED".to_owned()));
    assert_eq!(again.header("set-cookie"), None);
}

#[test]
fn of_fifty_browsers_with_one_code_exactly_one_is_let_in() {
    let server = start();
    let statuses: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..50).map(|_| scope.spawn(|| exchange(&server, server.code()).status)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|&&status| status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 401, 429].contains(status)), "{statuses:?}");
}

#[test]
fn a_cookie_that_another_port_saw_opens_nothing() {
    let server = start();
    let browser = server.browser();
    for path in ["/api/meta", "/api/agents", "/api/nothing", "/ws"] {
        let stolen = server.call("GET", path).with("Cookie", &browser.cookie);
        assert_eq!(stolen.send().status, 401, "{path}");
        let socket =
            server.call("GET", path).with("Cookie", &browser.cookie).with("Origin", &server.origin());
        assert_eq!(socket.with("Upgrade", "websocket").send().status, 401, "{path}");
    }
}

#[test]
fn a_socket_may_bring_its_key_as_a_subprotocol() {
    let server = start();
    let browser = server.browser();
    let socket = |key: &str| {
        let call = server.call("GET", "/ws").with("Origin", &server.origin()).with("Upgrade", "websocket");
        call.with("Cookie", &browser.cookie).with("Sec-WebSocket-Protocol", &format!("liminal.v1, key.{key}"))
    };
    // It is let in, and then it is no whole socket.
    assert_eq!(socket(&browser.key).send().status, 400);
    assert_eq!(socket("wrong").send().status, 401);
}

#[test]
fn rotation_ends_sessions_and_codes() {
    let server = start();
    let browser = server.browser();
    let rotate = server.call("POST", "/auth/rotate");
    assert_eq!(rotate.clone().browser(&browser).with("Origin", &server.origin()).send().status, 401);
    assert_eq!(rotate.with("Authorization", &server.token()).send().status, 204);
    assert_eq!(server.call("GET", "/api/meta").browser(&browser).send().status, 401);
    assert_eq!(exchange(&server, server.code()).verdict().1, "CODE_INVALID");
    let token = server.call("GET", "/api/meta").with("Authorization", &server.token());
    assert_eq!(token.send().status, 401, "the token that was used to rotate is over, too");
}

#[test]
fn guessing_is_slow_for_those_who_guess_alone() {
    let server = start();
    let browser = server.browser();
    let mut guesses = 0;
    for number in 0..200 {
        let spoofed = format!("192.0.2.{number}");
        let guess = server.post("/auth/exchange", &format!("{{\"code\":\"{number:032x}\"}}"));
        let answer = guess.with("X-Forwarded-For", &spoofed).send();
        guesses += usize::from(answer.status == 401);
        if answer.status == 429 {
            let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=31).contains(&wait), "{wait}");
        }
    }
    assert!((10..=20).contains(&guesses), "{guesses}");
    assert_eq!(server.call("GET", "/api/meta").browser(&browser).send().status, 200);
    assert_eq!(exchange(&server, server.code()).status, 200);
}

#[test]
fn a_body_that_is_no_code_is_told_with_its_place() {
    let server = start();
    for (body, told) in [
        ("", "expected"),
        ("nonsense", "expected"),
        ("[\"a\"]", "an object"),
        ("{}", "code"),
        ("{\"code\":7}", "code: expected a string"),
        ("{\"code\":\"a\"} x", "expected"),
        ("{\"code\":NaN}", "expected"),
    ] {
        let answer = server.post("/auth/exchange", body).send();
        assert_eq!(answer.verdict(), (400, "INVALID_REQUEST".to_owned()), "{body}");
        assert!(answer.body.contains(told), "{body}: {}", answer.body);
    }
}
