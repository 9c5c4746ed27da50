//! A WebSocket by hand, so that every frame and every byte can be wrong, late or missing.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use liminal_core::wire::ServerMessage;
use serde_json::{Value, json};

use super::client::Client;
use super::figures::Stopwatch;
use super::world::PATIENCE;

pub(super) const TEXT: u8 = 0x1;
pub(super) const CONTINUED: u8 = 0x0;
pub(super) const PING: u8 = 0x9;
pub(super) const FINAL: u8 = 0x80;
const CLOSE: u8 = 0x8;
const PONG: u8 = 0xa;

pub(super) struct Socket {
    pub(super) stream: TcpStream,
    buffer: Vec<u8>,
    /// What came of a message that has not ended.
    begun: Vec<u8>,
    /// Bytes that came, with frames' heads.
    pub(super) received: u64,
}

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    Message(Box<ServerMessage>),
    Closed(u16),
    /// The connection ended without a word.
    Gone,
    /// Nothing came in time.
    Nothing,
}

impl Socket {
    pub(super) fn open(client: &Client) -> Self {
        Self::try_open(client).unwrap()
    }

    pub(super) fn try_open(client: &Client) -> io::Result<Self> {
        let mut socket = Self::ask(client)?;
        socket.agree()?;
        Ok(socket)
    }

    /// Asks for a socket without waiting for the answer.
    pub(super) fn ask(client: &Client) -> io::Result<Self> {
        let mut stream = client.connect()?;
        let head = client.head("GET", "/ws");
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: liminal.v1\r\n";
        stream.write_all(format!("{head}{upgrade}{key}\r\n").as_bytes())?;
        Ok(Self { stream, buffer: Vec::new(), begun: Vec::new(), received: 0 })
    }

    /// Reads the answer.
    pub(super) fn agree(&mut self) -> io::Result<()> {
        loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
                let agreed = head.starts_with(b"HTTP/1.1 101");
                return if agreed { Ok(()) } else { Err(io::Error::other(String::from_utf8_lossy(&head))) };
            }
            if !self.fill(PATIENCE)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    pub(super) fn say(&mut self, frame: &Value) -> io::Result<()> {
        self.write(FINAL | TEXT, frame.to_string().as_bytes())
    }

    pub(super) fn subscribe(&mut self, session: &str, after: Option<&str>, encoding: Option<&str>) {
        let mut frame = json!({ "type": "session:subscribe", "sessionId": session });
        for (name, value) in [("after", after), ("encoding", encoding)] {
            if let Some(value) = value {
                frame[name] = value.into();
            }
        }
        self.say(&frame).unwrap();
    }

    pub(super) fn write(&mut self, head: u8, payload: &[u8]) -> io::Result<()> {
        self.stream.write_all(&frame(head, 0x80, payload))
    }

    /// The next frame that means something.
    pub(super) fn next(&mut self) -> Heard {
        let heard = self.next_within(PATIENCE);
        assert!(!matches!(heard, Heard::Nothing), "nothing was heard for too long");
        heard
    }

    /// The next message; fails if the socket ends.
    pub(super) fn message(&mut self) -> ServerMessage {
        match self.next() {
            Heard::Message(message) => *message,
            other => panic!("no message but {other:?}"),
        }
    }

    /// The answer to a subscription. News of the list may come before it.
    pub(super) fn subscribed(&mut self) -> ServerMessage {
        self.until(|message| matches!(message, ServerMessage::Subscribed { .. }))
    }

    /// Reads until a message is what is looked for.
    pub(super) fn until(&mut self, mut is_it: impl FnMut(&ServerMessage) -> bool) -> ServerMessage {
        loop {
            let message = self.message();
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Pings do not count: a server sends them for as long as it has nothing to say.
    pub(super) fn next_within(&mut self, patience: Duration) -> Heard {
        let begun = Stopwatch::start();
        loop {
            if let Some((opcode, payload)) = self.take_frame() {
                match opcode {
                    TEXT => return Heard::Message(serde_json::from_slice(&payload).unwrap()),
                    CLOSE => {
                        let code = payload.first_chunk().copied().map(u16::from_be_bytes);
                        return Heard::Closed(code.unwrap_or(1005));
                    }
                    // As every browser does by itself. The server may be gone already.
                    PING => drop(self.write(FINAL | PONG, &payload)),
                    _ => {}
                }
                continue;
            }
            match self.fill(patience.saturating_sub(begun.elapsed())) {
                Ok(true) => {}
                Ok(false) => return Heard::Gone,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Heard::Nothing;
                }
                Err(_) => return Heard::Gone,
            }
        }
    }

    /// How it is closed: with a code, or without.
    pub(super) fn end(&mut self) -> Option<u16> {
        loop {
            match self.next() {
                Heard::Message(_) => {}
                Heard::Closed(code) => return Some(code),
                Heard::Gone | Heard::Nothing => return None,
            }
        }
    }

    /// A whole message, or a frame that is none.
    fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        loop {
            let (head, payload) = self.take_piece()?;
            match (head & FINAL, head & 0x0f) {
                (FINAL, TEXT | CONTINUED) => {
                    self.begun.extend(payload);
                    return Some((TEXT, std::mem::take(&mut self.begun)));
                }
                (_, TEXT | CONTINUED) => self.begun.extend(payload),
                (_, other) => return Some((other, payload)),
            }
        }
    }

    fn take_piece(&mut self) -> Option<(u8, Vec<u8>)> {
        let (head, length) = (*self.buffer.first()?, *self.buffer.get(1)?);
        let (start, length) = match length & 0x7f {
            126 => (4, usize::from(u16::from_be_bytes(*self.buffer.get(2..)?.first_chunk()?))),
            127 => (10, usize::try_from(u64::from_be_bytes(*self.buffer.get(2..)?.first_chunk()?)).unwrap()),
            short => (2, usize::from(short)),
        };
        let payload = self.buffer.get(start..start + length)?.to_vec();
        self.buffer.drain(..start + length);
        Some((head, payload))
    }

    /// Reads what is there; `false` at the end.
    fn fill(&mut self, patience: Duration) -> io::Result<bool> {
        self.stream.set_read_timeout(Some(patience.max(Duration::from_micros(1))))?;
        let mut bytes = [0; 64 * 1024];
        let read = self.stream.read(&mut bytes)?;
        self.received += read as u64;
        self.buffer.extend_from_slice(&bytes[..read]);
        Ok(read > 0)
    }

    /// Reads at most so many bytes more, then ends as if a cable was cut. Gives what came whole.
    pub(super) fn cut_after(mut self, bytes: usize, patience: Duration) -> Vec<ServerMessage> {
        self.stream.set_read_timeout(Some(patience)).unwrap();
        let mut left = vec![0; bytes.saturating_sub(self.buffer.len())];
        while !left.is_empty() {
            let Ok(read @ 1..) = self.stream.read(&mut left) else { break };
            self.buffer.extend_from_slice(&left[..read]);
            left.truncate(left.len() - read);
        }
        let frames = std::iter::from_fn(|| self.take_frame()).filter(|(opcode, _)| *opcode == TEXT);
        frames.map(|(_, payload)| serde_json::from_slice(&payload).unwrap()).collect()
    }

    /// The same at the end of a frame.
    pub(super) fn take_some(mut self, most: u64, patience: Duration) -> Vec<ServerMessage> {
        let next = |_| match self.next_within(patience) {
            Heard::Message(message) => Some(*message),
            Heard::Closed(_) | Heard::Gone | Heard::Nothing => None,
        };
        (0..most).map_while(next).collect()
    }
}

/// A frame. The mask is of zeros, which changes nothing but is one.
pub(super) fn frame(head: u8, mask: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![head];
    match payload.len() {
        length @ 0..126 => frame.push(mask | u8::try_from(length).unwrap()),
        length @ 126..0x1_0000 => {
            frame.push(mask | 126);
            frame.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        length => {
            frame.push(mask | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    if mask != 0 {
        frame.extend([0; 4]);
    }
    frame.extend_from_slice(payload);
    frame
}
