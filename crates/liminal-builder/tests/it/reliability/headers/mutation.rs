//! A request of a browser with one header changed, and what has to become of it. The rule is the plainest one: the header
//! is to the letter what the browser would send, or the request is refused.

use super::super::figures::Chance;
use super::Browser;

/// What has to become of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The header says what it said before.
    Served,
    /// It says that and more.
    Either,
    /// It does not.
    Refused,
}

#[derive(Debug)]
pub(super) struct Mutated {
    pub(super) header: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) verdict: Verdict,
    /// The status if it is served.
    pub(super) served: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Read,
    Write,
    Socket,
}

impl Deed {
    const fn line(self) -> &'static str {
        match self {
            Self::Read => "GET /api/ui-state HTTP/1.1",
            Self::Write => "PUT /api/ui-state HTTP/1.1",
            Self::Socket => "GET /ws HTTP/1.1",
        }
    }

    const fn served(self) -> u16 {
        match self {
            Self::Read => 200,
            Self::Write => 204,
            Self::Socket => 101,
        }
    }

    /// What it needs beside the headers that are changed.
    fn more(self, key: &str) -> String {
        match self {
            Self::Read => format!("X-Liminal-Key: {key}\r\n\r\n"),
            Self::Write => format!(
                "X-Liminal-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
            ),
            Self::Socket => format!(
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \
                 dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: liminal.v1, key.{key}\r\n\r\n"
            ),
        }
    }
}

pub(super) fn mutate(chance: &mut Chance, browser: &Browser) -> Mutated {
    let deed = [Deed::Read, Deed::Write, Deed::Socket][chance.index(3)];
    let own = [
        ("Host", browser.host.as_str()),
        ("Origin", &browser.origin),
        ("Cookie", &browser.cookie),
        ("Upgrade", "websocket"),
    ];
    // Only a socket is upgraded to; whoever asks for one is asked for nearly all of these.
    let own = &own[..if deed == Deed::Socket { 4 } else { 3 }];
    let changed = if deed == Deed::Socket && chance.one_in(2) { 3 } else { chance.index(own.len()) };
    let (header, value) = own[changed];
    let values = values(chance, header, value, browser);
    let mut bytes = format!("{}\r\n", deed.line()).into_bytes();
    for (number, (name, own)) in own.iter().enumerate() {
        let unchanged = [own.as_bytes().to_vec()];
        for value in if number == changed { &values[..] } else { &unchanged } {
            bytes.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
    }
    bytes.extend_from_slice(deed.more(&browser.key).as_bytes());
    Mutated { header, bytes, verdict: verdict(deed, header, value, &values), served: deed.served() }
}

/// The values of the changed header; none if it is left out.
fn values(chance: &mut Chance, header: &str, own: &str, browser: &Browser) -> Vec<Vec<u8>> {
    let mut value = own.as_bytes().to_vec();
    match chance.below(16) {
        0 => return Vec::new(),
        1 => return vec![value.clone(), value],
        2 => return vec![value, foreign(chance, header, browser)],
        3 => return vec![foreign(chance, header, browser), value],
        4 | 5 => value = foreign(chance, header, browser),
        6 => value = surrounded(chance, &value),
        7 => value = case_changed(chance, &value),
        8 if chance.one_in(8) => value.extend(vec![b'a'; 20 * 1024]),
        _ => (0..=chance.below(4)).for_each(|_| edit(chance, &mut value)),
    }
    vec![value]
}

/// Something that attackers send, or nearly.
fn foreign(chance: &mut Chance, header: &str, browser: &Browser) -> Vec<u8> {
    let (host, port) = browser.host.split_once(':').unwrap();
    let name = browser.cookie.split('=').next().unwrap();
    let choices = match header {
        "Host" => vec![
            format!("evil.example:{port}"),
            format!("localhost.evil.example:{port}"),
            format!("{host}.nip.io:{port}"),
            format!("0.0.0.0:{port}"),
            format!("2130706433:{port}"),
            format!("127.1:{port}"),
            format!("[::ffff:127.0.0.1]:{port}"),
            format!("[::1]:{port}"),
            format!("localhost:{port}"),
            format!("{host}:0{port}"),
            format!("user@{host}:{port}"),
            host.to_owned(),
            String::new(),
        ],
        "Origin" => vec![
            "null".to_owned(),
            "http://evil.example".to_owned(),
            format!("https://{host}:{port}"),
            format!("http://localhost:{port}"),
            format!("http://{host}:{port}.evil.example"),
            format!("http://{host}:{port}/"),
            format!("http://evil.example/http://{host}:{port}"),
            format!("http://user@{host}:{port}"),
            format!("http://{host}:1{port}"),
            "chrome-extension://abcdefgh".to_owned(),
            "file://".to_owned(),
            String::new(),
        ],
        "Cookie" => vec![
            format!("{name}="),
            format!("{name}=planted"),
            format!("{name}=planted; ").repeat(100),
            format!("x{}", browser.cookie),
            format!("{}; {name}=planted", browser.cookie),
            browser.cookie.replace('_', "-"),
            "; ;;=;".to_owned(),
            String::new(),
        ],
        _ => ["h2c", "websocket2", "TLS/1.0", "web socket", "websocket, h2c", "WebSocket", ""]
            .map(str::to_owned)
            .to_vec(),
    };
    choices[chance.index(choices.len())].clone().into_bytes()
}

fn surrounded(chance: &mut Chance, value: &[u8]) -> Vec<u8> {
    let around =
        [" ", "\t", "  \t", ".", ",", ";", "/", "\"", "%00", "\u{a0}", ".evil.example", "@evil.example"];
    let (before, after) = (around[chance.index(around.len())], around[chance.index(around.len())]);
    match chance.below(3) {
        0 => [before.as_bytes(), value].concat(),
        1 => [value, after.as_bytes()].concat(),
        _ => [before.as_bytes(), value, after.as_bytes()].concat(),
    }
}

fn case_changed(chance: &mut Chance, value: &[u8]) -> Vec<u8> {
    let upper =
        |byte: &u8| if chance.one_in(2) { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
    value.iter().map(upper).collect()
}

/// Any byte at all, also those that end a line.
fn edit(chance: &mut Chance, value: &mut Vec<u8>) {
    let (at, byte) = (chance.index(value.len().max(1)), u8::try_from(chance.below(256)).unwrap());
    match chance.below(4) {
        0 if at < value.len() => value[at] = byte,
        1 if at < value.len() => drop(value.remove(at)),
        2 => value.truncate(at),
        _ => value.insert(at.min(value.len()), byte),
    }
}

fn verdict(deed: Deed, header: &str, own: &str, values: &[Vec<u8>]) -> Verdict {
    // Whoever only reads need not tell its page.
    if values.is_empty() && header == "Origin" && deed == Deed::Read {
        return Verdict::Served;
    }
    // A name and a page are never told twice. Names are the same in capitals, but this one has no letters.
    let is_own = |value: &[u8]| match header {
        "Upgrade" => value.eq_ignore_ascii_case(own.as_bytes()),
        _ => value == own.as_bytes(),
    };
    let is_single = matches!(header, "Host" | "Origin");
    match values {
        [value] if is_own(trimmed(value)) => Verdict::Served,
        [_, _, ..] if is_single => Verdict::Refused,
        values if values.iter().any(|value| parts(header, value).any(is_own)) => Verdict::Either,
        _ => Verdict::Refused,
    }
}

/// What stands in one line for itself: cookies, and whatever follows a byte that ends the line.
fn parts<'a>(header: &str, value: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let is_list = header == "Cookie";
    let parts = value.split(move |byte| b"\r\n".contains(byte) || (is_list && *byte == b';'));
    parts.map(trimmed)
}

fn trimmed(value: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| b" \t".contains(byte);
    let begin = value.iter().position(|byte| !is_blank(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_blank(byte)).map_or(begin, |last| last + 1);
    &value[begin..end]
}
