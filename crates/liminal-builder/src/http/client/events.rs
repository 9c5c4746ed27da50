//! A stream of server-sent events as it is read. Owns how bytes become events; what they mean is told elsewhere.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The server says something every 15 seconds; one that is silent for so long is not there any more.
const SILENCE: Duration = Duration::from_secs(45);

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) id: Option<String>,
    pub(super) data: String,
}

/// A stream that is open.
pub(super) struct Events {
    body: Incoming,
    lines: Lines,
    _connection: JoinSet<()>,
}

impl Events {
    pub(super) fn new(body: Incoming, connection: JoinSet<()>) -> Self {
        Self { body, lines: Lines::default(), _connection: connection }
    }

    /// The next event; none at the end of the stream. Cancel-safe.
    pub(super) async fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            if let Some(event) = self.lines.next() {
                return Ok(Some(event));
            }
            match timeout(SILENCE, self.body.frame()).await? {
                Some(Ok(frame)) => self.lines.add(&frame.into_data().unwrap_or_default()),
                Some(Err(error)) => return Err(io::Error::other(error)),
                None => return Ok(None),
            }
        }
    }
}

/// Gathers lines into events.
#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    /// How much was looked at without finding the end of a line.
    seen: usize,
    event: Event,
    has_data: bool,
}

impl Lines {
    fn add(&mut self, bytes: &Bytes) {
        self.bytes.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Event> {
        while let Some(line) = self.line() {
            if line.is_empty() {
                let event = std::mem::take(&mut self.event);
                if std::mem::take(&mut self.has_data) {
                    return Some(event);
                }
            } else {
                self.field(&line);
            }
        }
        None
    }

    fn line(&mut self) -> Option<String> {
        let rest = self.bytes.get(self.seen..).unwrap_or_default();
        let Some(at) = memchr::memchr(b'\n', rest) else {
            self.seen = self.bytes.len();
            return None;
        };
        let line: Vec<u8> = self.bytes.drain(..=self.seen + at).collect();
        self.seen = 0;
        let line = String::from_utf8_lossy(&line);
        Some(line.trim_end_matches(['\n', '\r']).to_owned())
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event.kind),
            "id" => self.event.id = Some(value.to_owned()),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // Comments keep the connection alive; how long to wait is our own business.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parts: &[&str]) -> Vec<Event> {
        let mut lines = Lines::default();
        let mut events = Vec::new();
        for part in parts {
            lines.add(&Bytes::copy_from_slice(part.as_bytes()));
            events.extend(std::iter::from_fn(|| lines.next()));
        }
        events
    }

    #[test]
    fn events_are_the_same_however_their_bytes_come() {
        let text = ":\n\nretry: 500\nevent: a\nid: e.1\ndata: {\"b\":\"ä\"}\n\ndata:x\r\ndata: y\r\n\r\nevent: c\n\n";
        let first =
            Event { kind: "a".to_owned(), id: Some("e.1".to_owned()), data: "{\"b\":\"ä\"}".to_owned() };
        let second = Event { data: "x\ny".to_owned(), ..Event::default() };
        assert_eq!(read(&[text]), [first.clone(), second.clone()]);
        let bytes: Vec<Bytes> = text.bytes().map(|byte| Bytes::copy_from_slice(&[byte])).collect();
        let mut lines = Lines::default();
        let mut events = Vec::new();
        for byte in &bytes {
            lines.add(byte);
            events.extend(lines.next());
        }
        assert_eq!(events, [first, second]);
    }

    #[test]
    fn what_is_cut_off_is_no_event() {
        assert_eq!(read(&["event: a\ndata: b\n"]), []);
        assert_eq!(read(&["event: a\ndata: b"]), []);
    }
}
