//! Requests that were damaged at random, from a seed that is always the same.

use super::harness::{send, start};

const ROUNDS: usize = 5000;

/// Splitmix: small, and good enough to damage text.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        usize::try_from((mixed ^ (mixed >> 27)) % (limit as u64)).unwrap()
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices.get(self.below(choices.len())).unwrap()
    }
}

/// A request of plausible parts in which nothing is right for sure.
fn request(chance: &mut Chance, host: &str) -> Vec<u8> {
    let method = chance.of(&["GET", "POST", "HEAD", "OPTIONS", "PUT", "G\u{e9}T", "CONNECT", "get"]);
    let path = chance.of(&[
        "/",
        "/api/meta",
        "/auth/exchange",
        "/ws",
        "*",
        "/%ff%00",
        "http://[::1",
        "//a@b/",
        "/api/agents?x",
    ]);
    let mut lines = vec![format!("{method} {path} HTTP/1.1")];
    for _ in 0..chance.below(7) {
        let name = chance.of(&[
            "Host",
            "Host",
            "Origin",
            "Cookie",
            "Authorization",
            "Upgrade",
            "Sec-Fetch-Site",
            "X-Liminal-Key",
            "Content-Type",
            "Content-Length",
            "Transfer-Encoding",
            "Connection",
            "Sec-WebSocket-Protocol",
            "Expect",
        ]);
        let own_origin = format!("http://{host}");
        let value = chance.of(&[
            host,
            &own_origin,
            "",
            "null",
            "Bearer ",
            "Bearer \u{1f600}",
            "liminal_1_a=b; ;;=;",
            "websocket",
            "same-origin",
            "application/json",
            "0",
            "5",
            "-1",
            "chunked",
            "[::1]:x",
            "localhost:99999",
            "a\tb",
            "key.,key.",
            "\u{80}",
            "100-continue",
            "close",
        ]);
        lines.push(format!("{name}: {value}"));
    }
    let mut bytes = (lines.join("\r\n") + "\r\n\r\n{}").into_bytes();
    for _ in 0..chance.below(4) {
        let at = chance.below(bytes.len());
        match chance.below(3) {
            0 => *bytes.get_mut(at).unwrap() = u8::try_from(chance.below(256)).unwrap(),
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, u8::try_from(chance.below(256)).unwrap()),
        }
    }
    bytes
}

#[test]
fn no_damaged_request_breaks_the_server() {
    let server = start();
    let mut chance = Chance(0x011d_14a1);
    let mut answered = 0;
    for round in 0..ROUNDS {
        let bytes = request(&mut chance, &server.host());
        let mut stream = server.connect();
        drop(std::io::Write::write_all(&mut stream, &bytes));
        drop(stream.shutdown(std::net::Shutdown::Write));
        let Some(answer) = super::harness::receive(&mut stream) else { continue };
        answered += 1;
        let shown = String::from_utf8_lossy(&bytes);
        assert!(answer.status < 500, "round {round}: {} for {shown}", answer.status);
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{shown}");
        assert!(answer.status != 200 || !shown.contains(" /api"), "{shown}");
    }
    assert!(answered > ROUNDS / 2, "only {answered} were answered");
    assert!(server.is_alive());
    let token = server.token();
    let meta = format!(
        "GET /api/meta HTTP/1.1\r\nHost: {}\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n",
        server.host()
    );
    assert_eq!(send(server.address, meta.as_bytes()).unwrap().status, 200);
}
