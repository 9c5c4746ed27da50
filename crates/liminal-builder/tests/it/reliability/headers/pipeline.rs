//! Many requests on one connection, sent before the first of them is answered. Owns that each gets an answer of its own,
//! also where an answer ends the connection.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::Client;

/// An answer to this begins something else on the connection.
const SWITCHING: u16 = 101;

pub(super) struct Pipeline {
    client: Client,
    open: Option<Open>,
}

struct Open {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Pipeline {
    pub(super) fn new(client: &Client) -> Self {
        Self { client: client.clone(), open: None }
    }

    /// The status of each.
    pub(super) fn statuses(&mut self, requests: &[&[u8]]) -> Vec<u16> {
        let mut statuses = Vec::new();
        while statuses.len() < requests.len() {
            let before = statuses.len();
            self.ask(&requests[before..], &mut statuses);
            if statuses.len() == before {
                // A server that hangs up on what follows may take its answer with it, so the next one is asked alone.
                self.ask(&requests[before..=before], &mut statuses);
                self.open = None;
                assert!(statuses.len() > before, "no answer: {}", requests[before].escape_ascii());
            }
        }
        statuses
    }

    /// Asks all on one connection, as far as it goes.
    fn ask(&mut self, requests: &[&[u8]], statuses: &mut Vec<u16>) {
        let mut open = self.open.take().unwrap_or_else(|| Open::to(&self.client));
        // It may hang up before all is sent.
        drop(open.stream.write_all(&requests.concat()));
        for _ in requests {
            let Some((status, is_last)) = open.answer() else { return };
            statuses.push(status);
            if is_last {
                return;
            }
        }
        self.open = Some(open);
    }
}

impl Open {
    fn to(client: &Client) -> Self {
        Self { stream: client.connect().unwrap(), received: Vec::new() }
    }

    /// The status of the next answer, and whether it is the last one.
    fn answer(&mut self) -> Option<(u16, bool)> {
        let end = loop {
            match self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.fill()?,
            }
        };
        let head = String::from_utf8_lossy(&self.received[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        while self.received.len() < end + length {
            self.fill()?;
        }
        self.received.drain(..end + length);
        Some((status, status == SWITCHING || head.contains("\r\nconnection: close\r\n")))
    }

    fn fill(&mut self) -> Option<()> {
        let mut bytes = [0; 16 * 1024];
        let count = self.stream.read(&mut bytes).ok().filter(|count| *count > 0)?;
        self.received.extend_from_slice(&bytes[..count]);
        Some(())
    }
}
