//! A WebSocket as a program opens it: what it hears is kept in order.

use futures_util::{SinkExt, StreamExt};
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::TurnEvent;
use liminal_core::wire::{Resume, ServerMessage};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::client::Client;
use crate::chat::PATIENCE;

pub(super) struct Socket {
    stream: WebSocketStream<TcpStream>,
    pub(super) log: Vec<ServerMessage>,
    asked: u32,
}

impl Socket {
    pub(super) async fn connect(client: &Client) -> Self {
        let mut request = format!("ws://{}/ws", client.address).into_client_request().unwrap();
        let token = format!("Bearer {}", client.token).parse().unwrap();
        request.headers_mut().insert("authorization", token);
        let tcp = TcpStream::connect(client.address).await.unwrap();
        let (stream, _) = client_async(request, tcp).await.unwrap();
        Self { stream, log: Vec::new(), asked: 0 }
    }

    pub(super) async fn say(&mut self, frame: &Value) {
        self.raw(Message::text(frame.to_string())).await;
    }

    pub(super) async fn raw(&mut self, message: Message) {
        self.stream.send(message).await.unwrap();
    }

    /// What comes next, or why the server hung up.
    pub(super) async fn hear(&mut self) -> Result<ServerMessage, Option<CloseFrame>> {
        let heard = timeout(PATIENCE, self.listen()).await;
        let text = heard.unwrap_or_else(|_| panic!("nothing came; so far {:#?}", self.log))?;
        let message: ServerMessage =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        self.log.push(message.clone());
        Ok(message)
    }

    async fn listen(&mut self) -> Result<String, Option<CloseFrame>> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
                Some(Ok(Message::Close(frame))) => return Err(frame),
                Some(Ok(_)) => {}
                Some(Err(error)) => panic!("{error}"),
                None => return Err(None),
            }
        }
    }

    pub(super) async fn next(&mut self) -> ServerMessage {
        self.hear().await.expect("the socket stays open")
    }

    pub(super) async fn until(&mut self, wanted: impl Fn(&ServerMessage) -> bool) -> ServerMessage {
        loop {
            let message = self.next().await;
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Asks something and waits for the answer to it.
    pub(super) async fn ask(&mut self, mut frame: Value) -> ServerMessage {
        self.asked += 1;
        let id = format!("request-{}", self.asked);
        frame["requestId"] = json!(id);
        self.say(&frame).await;
        self.until(|message| match message {
            ServerMessage::Ok { request_id, .. } => *request_id == id,
            ServerMessage::Error { request_id, .. } => request_id.as_ref() == Some(&id),
            _ => false,
        })
        .await
    }

    /// Follows a session, from the beginning.
    pub(super) async fn subscribe(&mut self, id: &SessionId) -> (Resume, String, u64) {
        self.subscribe_with(id, json!({})).await
    }

    /// Follows a session as it is wished, up to the frame that says how.
    pub(super) async fn subscribe_with(&mut self, id: &SessionId, wish: Value) -> (Resume, String, u64) {
        let mut frame = json!({ "type": "session:subscribe", "sessionId": id });
        frame.as_object_mut().unwrap().extend(wish.as_object().unwrap().clone());
        self.say(&frame).await;
        let is_first = |message: &ServerMessage| matches!(message, ServerMessage::Subscribed { session_id, .. } if session_id == id);
        match self.until(is_first).await {
            ServerMessage::Subscribed { resume, epoch, seq, .. } => (resume, epoch, seq),
            other => panic!("{other:?}"),
        }
    }

    /// The history of a subscription that began anew. Lists and agents may change before it comes.
    pub(super) async fn history(&mut self) -> ServerMessage {
        loop {
            match self.next().await {
                ServerMessage::SessionsChanged { .. } | ServerMessage::AgentsChanged { .. } => {}
                history @ ServerMessage::History { .. } => return history,
                other => panic!("no history but {other:?}"),
            }
        }
    }

    /// Waits until a turn is over, however it ends.
    pub(super) async fn end_of(&mut self, turn: &TurnId) -> TurnEvent {
        let message = self.until(|message| ended(message) == Some(turn)).await;
        match message {
            ServerMessage::Turn { payload, .. } => payload,
            other => panic!("{other:?}"),
        }
    }
}

/// The turn whose end this tells.
pub(super) fn ended(message: &ServerMessage) -> Option<&TurnId> {
    match message {
        ServerMessage::Turn {
            payload: TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. },
            ..
        } => Some(turn_id),
        _ => None,
    }
}
