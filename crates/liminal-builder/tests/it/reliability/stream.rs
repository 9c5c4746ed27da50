//! Server-sent events by hand.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::client::Client;

pub(super) struct Stream {
    reader: BufReader<TcpStream>,
    /// Bytes that came.
    pub(super) received: u64,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) data: Value,
}

impl Stream {
    pub(super) fn open(client: &Client, session: &str, after: Option<&str>) -> Self {
        let mut stream = client.connect().unwrap();
        let head = client.head("GET", &format!("/api/session/{session}/upserts"));
        let after = after.map(|after| format!("Last-Event-ID: {after}\r\n")).unwrap_or_default();
        stream.write_all(format!("{head}{after}\r\n").as_bytes()).unwrap();
        let mut stream = Self { reader: BufReader::new(stream), received: 0 };
        assert!(stream.line().starts_with("HTTP/1.1 200"));
        while !stream.line().is_empty() {}
        stream
    }

    /// The next event. Sizes of chunks stand on lines of their own, which no field is.
    pub(super) fn next(&mut self) -> Event {
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let line = self.line();
            match line.split_once(':') {
                Some(("event", value)) => value.trim().clone_into(&mut kind),
                Some(("data", value)) => data.push_str(value.trim_start()),
                Some(_) => {}
                None if line.is_empty() && !data.is_empty() => {
                    return Event { kind, data: serde_json::from_str(&data).unwrap() };
                }
                None => {}
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).unwrap();
        assert!(read > 0, "the stream ended");
        self.received += read as u64;
        line.trim_end_matches(['\r', '\n']).to_owned()
    }
}
