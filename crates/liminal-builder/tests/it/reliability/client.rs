//! HTTP/1.1 by hand: one connection per request, every byte of it known.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

use super::world::PATIENCE;

/// Who is asked, and by whom.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) address: SocketAddr,
    /// The lines by which it shows where it asks and who it is.
    pub(super) headers: String,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The word of a problem.
    pub(super) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    /// A program with the token.
    pub(super) fn with_token(address: SocketAddr, token: &str) -> Self {
        Self { address, headers: format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n") }
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, None).unwrap()
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, Some(body)).unwrap()
    }

    pub(super) fn act(&self, path: &str) -> Answer {
        self.post(path, &serde_json::json!({}))
    }

    pub(super) fn send(&self, session: &str, message: &str) -> Answer {
        self.post(&send_path(session), &serde_json::json!({ "message": message }))
    }

    /// Fails if the server is not there, or goes away meanwhile.
    pub(super) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> io::Result<Answer> {
        let mut stream = self.connect()?;
        // Whoever refuses a body answers and goes before all of it is written.
        let written = stream.write_all(self.request(method, path, body).as_bytes());
        answer(&mut stream).map_err(|error| written.err().unwrap_or(error))
    }

    pub(super) fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    pub(super) fn request(&self, method: &str, path: &str, body: Option<&Value>) -> String {
        let head = self.head(method, path);
        match body.map(Value::to_string) {
            None => format!("{head}Connection: close\r\n\r\n"),
            Some(body) => {
                let length = body.len();
                let kind = "Content-Type: application/json";
                format!("{head}{kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
            }
        }
    }

    /// A request's beginning, with what every one needs.
    pub(super) fn head(&self, method: &str, path: &str) -> String {
        format!("{method} {path} HTTP/1.1\r\n{}", self.headers)
    }
}

pub(super) fn send_path(session: &str) -> String {
    format!("/api/session/{session}/send")
}

/// Reads an answer to its end.
pub(super) fn answer(stream: &mut TcpStream) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    // What came before the connection was reset is an answer too.
    if bytes.is_empty() {
        read?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or(io::ErrorKind::InvalidData)?;
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Ok(Answer { status, head: head.to_owned(), body })
}

fn unchunked(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        let Some(chunk) = rest.get(..size).filter(|_| size > 0) else { break };
        body.push_str(chunk);
        text = rest.get(size + 2..).unwrap_or_default();
    }
    body
}
