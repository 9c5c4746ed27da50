//! Clients of a socket: one that behaves as a browser does, and one that answers nothing.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use liminal_core::ids::SessionId;
use liminal_core::wire::ServerMessage;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, DuplexStream};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::world::World;

/// A client that waits longer than this has found a fault.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longer than any silence that the server accepts.
const LONGEST: Duration = Duration::from_secs(600);

/// Answers pings, as browsers do.
pub(super) struct Client {
    socket: WebSocketStream<DuplexStream>,
    /// How many came.
    pub(super) pings: usize,
}

impl Client {
    pub(super) async fn connect(world: &World) -> Self {
        let socket = WebSocketStream::from_raw_socket(world.accept(1 << 20), Role::Client, None).await;
        Self { socket, pings: 0 }
    }

    pub(super) async fn say(&mut self, frame: &Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// The next message that is not about lists.
    pub(super) async fn message(&mut self) -> ServerMessage {
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await.expect("nothing came in time");
            let Message::Text(text) = message.expect("the socket was closed").unwrap() else { continue };
            let message = serde_json::from_str(&text).unwrap();
            if !matches!(message, ServerMessage::SessionsChanged { .. }) {
                return message;
            }
        }
    }

    /// The request that was answered next.
    pub(super) async fn answered(&mut self) -> String {
        let message = self.message().await;
        let ServerMessage::Ok { request_id, .. } = message else { panic!("no answer but {message:?}") };
        request_id
    }

    /// What begins a subscription is next, in its order.
    pub(super) async fn expect_subscription(&mut self, session: &SessionId) {
        let first = self.message().await;
        let is_first =
            matches!(&first, ServerMessage::Subscribed { session_id, .. } if session_id == session);
        assert!(is_first, "{first:?}");
        let second = self.message().await;
        let is_second = matches!(&second, ServerMessage::History { session_id, .. } if session_id == session);
        assert!(is_second, "{second:?}");
    }

    /// Reads `frames` frames of a stream, one after each pause.
    pub(super) async fn stream_for(&mut self, world: &World, pause: Duration, frames: usize) {
        for _ in 0..frames {
            world.announce();
            self.wait(pause).await;
        }
    }

    /// Reads for a while, whatever comes.
    pub(super) async fn wait(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Ok(message) = timeout_at(end, self.socket.next()).await {
            let message = message.expect("the socket was closed").unwrap();
            self.pings += usize::from(message.is_ping());
        }
    }

    pub(super) async fn is_open(&mut self) -> bool {
        self.say(&json!({ "type": "session:unsubscribe", "sessionId": "a:b", "requestId": "open" })).await;
        self.answered().await == "open"
    }
}

/// Reads bytes and answers nothing.
pub(super) struct Silent(DuplexStream);

impl Silent {
    /// A client whose connection has a buffer of this size.
    pub(super) fn connect(world: &World, bytes: usize) -> Self {
        Self(world.accept(bytes))
    }

    /// Reads a stream with a frame after each pause; returns how long it was open.
    pub(super) async fn stream_until_closed(&mut self, world: &World, pause: Duration) -> Duration {
        let begun = Instant::now();
        while begun.elapsed() < LONGEST {
            world.announce();
            let next = Instant::now() + pause;
            while let Ok(read) = timeout_at(next, self.0.read(&mut [0; 4096])).await {
                if read.unwrap() == 0 {
                    return begun.elapsed();
                }
            }
        }
        LONGEST
    }

    /// Reads a few bytes a second of a stream that brings more; returns whether it stays open.
    pub(super) async fn reads_slowly_for(&mut self, world: &World, time: Duration) -> bool {
        let begun = Instant::now();
        let second = Duration::from_secs(1);
        while begun.elapsed() < time {
            world.announce();
            let next = Instant::now() + second;
            if timeout(second, self.0.read(&mut [0; 8])).await.is_ok_and(|read| read.unwrap() == 0) {
                return false;
            }
            timeout_at(next, std::future::pending::<()>()).await.ok();
        }
        true
    }
}
