//! Following a session over anything that breaks. Owns the cursor: whoever comes back gets what was missed, and nothing
//! twice.

use std::future::pending;
use std::io;
use std::time::Duration;

use liminal_core::ids::SessionId;
use liminal_core::wire::ServerMessage;
use tokio::time::timeout;

use super::events::{Event, Events};
use super::{AskError, Client, encoded};

/// A server that is started again is back within this many attempts.
const ATTEMPTS: u32 = 12;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A reader of one session.
pub struct Follower {
    client: Client,
    path: String,
    cursor: Option<String>,
    events: Option<Events>,
    failures: u32,
}

impl Follower {
    /// Begins with everything there is.
    pub async fn open(client: &Client, session: &SessionId) -> Result<Self, AskError> {
        let path = format!("/api/session/{}/upserts", encoded(session.as_str()));
        let events = Some(client.events(&path, None).await?);
        Ok(Self { client: client.clone(), path, cursor: None, events, failures: 0 })
    }

    /// The next message of the session. Comes back by itself after a break; fails only if the server stays away or
    /// refuses. Cancel-safe.
    pub async fn next(&mut self) -> Result<ServerMessage, AskError> {
        loop {
            let Some(events) = &mut self.events else {
                self.come_back().await?;
                continue;
            };
            match events.next().await {
                Ok(Some(event)) => {
                    self.failures = 0;
                    if let Some(message) = self.take(event) {
                        return Ok(message);
                    }
                }
                Ok(None) => self.lost(io::ErrorKind::UnexpectedEof.into())?,
                Err(error) => self.lost(error)?,
            }
        }
    }

    /// A message of a later version is passed over.
    fn take(&mut self, event: Event) -> Option<ServerMessage> {
        self.cursor = event.id.or(self.cursor.take());
        serde_json::from_str(&event.data).ok()
    }

    fn lost(&mut self, error: io::Error) -> Result<(), AskError> {
        self.events = None;
        self.failures += 1;
        if self.failures > ATTEMPTS { Err(self.client.silent(error)) } else { Ok(()) }
    }

    async fn come_back(&mut self) -> Result<(), AskError> {
        let wait = FIRST_PAUSE.saturating_mul(1 << self.failures.min(8)).min(LONGEST_PAUSE);
        timeout(wait, pending::<()>()).await.ok();
        match self.client.events(&self.path, self.cursor.as_deref()).await {
            Ok(events) => self.events = Some(events),
            Err(AskError::Silent { source, .. }) => self.lost(source)?,
            Err(error @ (AskError::Refused { .. } | AskError::Foreign(_))) => return Err(error),
        }
        Ok(())
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Follower").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::http::ServerFile;

    /// Takes a connection, tells the events and hangs up; gives what was asked.
    async fn serve(listener: &TcpListener, events: &str) -> String {
        let (mut stream, _) = listener.accept().await.unwrap();
        let asked = head(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        stream.write_all(format!("{head}{events}").as_bytes()).await.unwrap();
        asked
    }

    async fn head(stream: &mut TcpStream) -> String {
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            bytes.push(stream.read_u8().await.unwrap());
        }
        String::from_utf8(bytes).unwrap().to_ascii_lowercase()
    }

    fn changed(id: &str, project: &str) -> String {
        format!("id: {id}\ndata: {{\"type\":\"sessions:changed\",\"projectId\":\"{project}\"}}\n\n")
    }

    fn message(project: &str) -> ServerMessage {
        ServerMessage::SessionsChanged { project_id: Some(project.into()) }
    }

    #[tokio::test]
    async fn whoever_was_cut_off_comes_back_with_the_cursor_and_misses_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (url, token) = (format!("http://127.0.0.1:{port}"), "t".to_owned());
        let client = Client::new(ServerFile { url, port, pid: 1, token, certificate: None });
        let server = async {
            let hello = "event: hello\ndata: {\"resume\":\"reset\"}\n\n";
            // The last one is cut off, and so was not told.
            let first = format!("{hello}{}{}data: {{\"ty", changed("e.1", "a"), changed("e.2", "b"));
            (serve(&listener, &first).await, serve(&listener, &changed("e.3", "c")).await)
        };
        let reader = async {
            let mut follower = Follower::open(&client, &"demo:a/b".into()).await.unwrap();
            let mut told = Vec::new();
            for _ in 0..3 {
                told.push(follower.next().await.unwrap());
            }
            told
        };
        let ((first, second), told) = tokio::join!(server, reader);
        assert_eq!(told, [message("a"), message("b"), message("c")]);
        assert!(first.starts_with("get /api/session/demo:a%2fb/upserts http/1.1"), "{first}");
        assert!(!first.contains("last-event-id") && second.contains("last-event-id: e.2"), "{second}");
    }
}
