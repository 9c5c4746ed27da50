//! A WebSocket client that notes when each frame came. The server and the relay have the same one.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Longer silence is a fault.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Listener {
    sink: SplitSink<WebSocketStream<TcpStream>, Message>,
    frames: mpsc::UnboundedReceiver<(Instant, Utf8Bytes)>,
    /// Reads on its own, so that nothing else delays the time it notes.
    _reader: JoinSet<()>,
}

impl Listener {
    pub(crate) async fn connect(address: SocketAddr, path: &str, token: Option<&str>) -> Self {
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        if let Some(token) = token {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        let connection = TcpStream::connect(address).await.unwrap();
        connection.set_nodelay(true).unwrap();
        let (sink, stream) = client_async(request, connection).await.unwrap().0.split();
        let (sender, frames) = mpsc::unbounded_channel();
        let mut reader = JoinSet::new();
        reader.spawn(read(stream, sender));
        Self { sink, frames, _reader: reader }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.sink.send(Message::text(message.to_string())).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> (Instant, Value) {
        let frame = timeout(PATIENCE, self.frames.recv()).await;
        let (at, text) = frame.expect("a frame in time").expect("an open socket");
        // A relay forwards whatever its program writes.
        (at, serde_json::from_str(&text).unwrap_or_default())
    }

    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (_, frame) = self.next().await;
            if wanted(&frame) {
                return frame;
            }
        }
    }
}

async fn read(
    mut stream: SplitStream<WebSocketStream<TcpStream>>,
    sender: mpsc::UnboundedSender<(Instant, Utf8Bytes)>,
) {
    while let Some(Ok(message)) = stream.next().await {
        let at = Instant::now();
        if let Message::Text(text) = message
            && sender.send((at, text)).is_err()
        {
            return;
        }
    }
}
