//! Bytes that a client is sent of a long answer, against the answer's own length.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use futures_util::{SinkExt, StreamExt};
use liminal_builder::http::Server;
use liminal_core::ids::SessionId;
use liminal_core::upsert::TurnEvent;
use liminal_core::wire::ServerMessage;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::agent::Pace;
use crate::figure;
use crate::machine::{Machine, simulate};

/// As much as a kernel's send buffer.
const BUFFER: usize = 1 << 20;

const ANSWERS: [(&str, Pace); 2] = [
    ("61k", Pace { deltas: 1_220, bytes: 50, every_ms: 10, after_ms: 0 }),
    ("1mb", Pace { deltas: 5_000, bytes: 200, every_ms: 10, after_ms: 0 }),
];

pub(crate) fn measure() {
    for (name, pace) in ANSWERS {
        let [append, plain] = simulate(answer(pace));
        figure::ratio(&format!("wire.{name}.append"), append, pace.content());
        figure::ratio(&format!("wire.{name}.plain"), plain, pace.content());
    }
}

/// What a client of each encoding is sent of one answer.
async fn answer(pace: Pace) -> [u64; 2] {
    let machine = Machine::start(None).await;
    let server = Arc::new(machine.server().await);
    let session = machine.create().await;
    let mut connections = JoinSet::new();
    let append = Client::join(&server, &session, Some("append"), &mut connections).await;
    let plain = Client::join(&server, &session, None, &mut connections).await;
    machine.prompt(&session, pace).await;
    let (append, plain) = tokio::join!(append.until_end(), plain.until_end());
    connections.shutdown().await;
    machine.stop().await;
    [append, plain]
}

struct Client {
    socket: WebSocketStream<Counting>,
    received: Arc<AtomicU64>,
}

impl Client {
    async fn join(
        server: &Arc<Server>,
        session: &SessionId,
        encoding: Option<&str>,
        connections: &mut JoinSet<()>,
    ) -> Self {
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let (server, token) = (Arc::clone(server), server.file().token);
        connections.spawn(async move { server.converse(theirs).await });
        let received = Arc::new(AtomicU64::new(0));
        let stream = Counting { stream: ours, received: Arc::clone(&received) };
        let mut request = "ws://localhost/ws".into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        let (mut socket, _) = client_async(request, stream).await.unwrap();
        let mut subscribe = json!({ "type": "session:subscribe", "sessionId": session });
        if let Some(encoding) = encoding {
            subscribe["encoding"] = encoding.into();
        }
        socket.send(Message::text(subscribe.to_string())).await.unwrap();
        let mut client = Self { socket, received };
        client.until(|message| matches!(message, ServerMessage::History { .. })).await;
        client
    }

    /// Bytes from here to the end of the turn, with frames' heads.
    async fn until_end(mut self) -> u64 {
        let before = self.received.load(Relaxed);
        let is_end = |message: &ServerMessage| match message {
            ServerMessage::Turn { payload, .. } => matches!(payload, TurnEvent::TurnComplete { .. }),
            _ => false,
        };
        self.until(is_end).await;
        self.received.load(Relaxed) - before
    }

    async fn until(&mut self, mut is_it: impl FnMut(&ServerMessage) -> bool) {
        loop {
            let Message::Text(text) = self.socket.next().await.unwrap().unwrap() else { continue };
            if is_it(&serde_json::from_str(&text).unwrap()) {
                return;
            }
        }
    }
}

/// A stream that counts what comes.
struct Counting {
    stream: DuplexStream,
    received: Arc<AtomicU64>,
}

impl AsyncRead for Counting {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.received.fetch_add((buffer.filled().len() - before) as u64, Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Counting {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
