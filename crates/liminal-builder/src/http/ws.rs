//! The socket: one for all sessions of a page. Owns a socket's life: how fast it may speak, that it is spoken to at a
//! pace it can take, and when it is closed; what is said is decided in its modules.

mod commands;
mod feeders;
mod handshake;
mod heartbeat;
mod opening;
#[cfg(test)]
mod tests;
mod wire;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use bytes::Bytes;
use liminal_core::wire::ServerMessage;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::answers::Socket;
use super::app::App;
use super::credentials::Caller;
use super::frames;
use super::gate::Peer;
use super::ledger::Party;
use commands::Commands;
use feeders::Feeders;
pub(super) use handshake::{PROTOCOL, Upgrade};
use heartbeat::{Beat, Heartbeat};
use opening::Opened;
use wire::{Taken, Wire};

use crate::agents::AgentReport;

/// Frames that wait for the socket. A feeder gives a mouthful at most, and waits with the next one.
const WAITING: usize = 1;
/// Within a second nobody who was logged out is left.
const FAREWELL: Duration = Duration::from_millis(500);
/// People are slower, and programs can wait.
const MOST_A_SECOND: u32 = 50;

/// The credential is not good any more.
const CLOSE_UNAUTHORIZED: u16 = 4401;

/// Takes a socket.
pub(super) async fn open(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Extension(Peer(peer)): Extension<Peer>,
    Upgrade { answer, connection }: Upgrade,
) -> Socket {
    let logged_out = app.logged_out(caller);
    begin(async move {
        let Some(wire) = Wire::over(connection, app.limits().message_bytes).await else { return };
        let Some(place) = app.enter() else { return };
        Connection::new(app, caller, peer, wire).run(logged_out).await;
        drop(place);
    });
    Socket(answer)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a socket ends when the server stops, which waits for those that are left"
)]
fn begin(socket: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(socket);
}

struct Connection<S> {
    app: App,
    wire: Wire<S>,
    feeders: Feeders,
    commands: Commands,
    outgoing: mpsc::Receiver<Vec<Bytes>>,
    pace: Pace,
    heartbeat: Heartbeat,
}

/// Why a socket is closed.
enum End {
    Gone,
    Because(CloseCode, &'static str),
}

/// What happened.
enum Woken {
    Heard(Option<Result<Message, Error>>),
    Frames(Vec<Bytes>),
    Answer(ServerMessage),
    Opened(Box<Opened>),
    News(ServerMessage),
    Beat,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    fn new(app: App, caller: Caller, peer: IpAddr, wire: Wire<S>) -> Self {
        let (sender, outgoing) = mpsc::channel(WAITING);
        let feeders = Feeders::new(app.clone(), sender);
        let commands = Commands::new(app.clone(), Party::new(Some(caller), peer));
        let heartbeat = Heartbeat::new(Instant::now());
        Self { app, wire, feeders, commands, outgoing, pace: Pace::default(), heartbeat }
    }

    async fn run(mut self, logged_out: impl Future<Output = ()>) {
        let app = self.app.clone();
        // Whoever takes a long message slowly is not waited for.
        let end = tokio::select! {
            end = self.converse() => end,
            () = logged_out => End::Because(CLOSE_UNAUTHORIZED.into(), "logged out"),
            () = app.stopping() => End::Because(CloseCode::Away, "the server is stopping"),
        };
        self.close(end).await;
    }

    async fn converse(&mut self) -> End {
        let mut changes = self.app.sessions().changes();
        let mut agents = self.app.agent_changes();
        let mut is_full = self.app.sessions().is_full();
        if *is_full.borrow() {
            is_full.mark_changed();
        }
        loop {
            let outgoing = async {
                tokio::select! {
                    Some(frames) = self.outgoing.recv() => Woken::Frames(frames),
                    answer = self.commands.next() => Woken::Answer(answer),
                    opened = self.feeders.opened() => Woken::Opened(Box::new(opened)),
                    change = changes.recv() => Woken::News(list_changed(change.ok().flatten())),
                    Ok(()) = agents.changed() => Woken::News(agents_changed(&mut agents)),
                    Ok(()) = is_full.changed() => Woken::News(storage(&mut is_full)),
                }
            };
            let woken = tokio::select! {
                // What the client has sent already counts before its silence, and a ping is due however much is sent.
                biased;
                message = self.wire.hear() => Woken::Heard(message),
                () = sleep_until(self.heartbeat.next()) => Woken::Beat,
                woken = outgoing => woken,
            };
            if let Err(end) = self.take(woken).await {
                return end;
            }
        }
    }

    async fn take(&mut self, woken: Woken) -> Result<(), End> {
        match woken {
            Woken::Heard(Some(Ok(message))) => self.heard(message).await,
            Woken::Heard(Some(Err(error))) => Err(broken(&error)),
            Woken::Heard(None) => Err(End::Gone),
            Woken::Frames(frames) => self.send_all(frames).await,
            Woken::Answer(answer) | Woken::News(answer) => self.send_message(&answer).await,
            Woken::Opened(opened) => match commands::follow(*opened, &mut self.feeders).await {
                Some(answer) => self.send_message(&answer).await,
                None => Ok(()),
            },
            Woken::Beat => match self.heartbeat.beat(Instant::now()) {
                Beat::Ping => self.send(Message::Ping(Bytes::new())).await,
                Beat::Gone => Err(End::Gone),
            },
        }
    }

    async fn heard(&mut self, message: Message) -> Result<(), End> {
        self.heartbeat.alive();
        if !self.pace.admits(Instant::now()) {
            return Err(End::Because(CloseCode::Policy, "too many frames"));
        }
        match message {
            Message::Text(text) => self.said(text.as_bytes()).await,
            Message::Binary(_) => Err(End::Because(CloseCode::Unsupported, "frames are text")),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(()),
            Message::Close(_) => Err(End::Gone),
        }
    }

    async fn said(&mut self, text: &[u8]) -> Result<(), End> {
        match commands::read(text) {
            Ok(frame) => {
                for answer in self.commands.take(frame, &mut self.feeders).await {
                    self.send_message(&answer).await?;
                }
                Ok(())
            }
            Err(problem) => self.send_message(&problem).await,
        }
    }

    async fn send_message(&mut self, message: &ServerMessage) -> Result<(), End> {
        if let ServerMessage::Error { problem, .. } = message {
            self.app.sessions().metrics().rejected(problem.code.as_str());
        }
        self.send_text(frames::message(message)).await
    }

    async fn send_all(&mut self, frames: Vec<Bytes>) -> Result<(), End> {
        for frame in frames {
            self.send_text(frame).await?;
        }
        Ok(())
    }

    async fn send_text(&mut self, text: Bytes) -> Result<(), End> {
        for piece in wire::pieces(text) {
            self.send(piece).await?;
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(self.app.limits().stall_time, self.wire.say(message)).await {
            Ok(Ok(Taken::AtOnce)) => Ok(()),
            Ok(Ok(Taken::AfterWaiting)) => {
                // A slow client answers a ping only once it has read all that was sent before it.
                self.heartbeat.alive();
                Ok(())
            }
            Ok(Err(_)) => Err(End::Gone),
            Err(_) => Err(End::Because(CloseCode::Again, "SLOW_CONSUMER")),
        }
    }

    async fn close(mut self, end: End) {
        let farewell = async {
            match end {
                End::Gone => self.wire.settle().await,
                End::Because(code, reason) => {
                    let frame = CloseFrame { code, reason: reason.into() };
                    self.wire.say(Message::Close(Some(frame))).await.map(drop)
                }
            }
        };
        // Whoever reads nothing does not read this either.
        timeout(FAREWELL, farewell).await.ok();
    }
}

fn list_changed(project_id: Option<liminal_core::ids::ProjectId>) -> ServerMessage {
    ServerMessage::SessionsChanged { project_id }
}

fn agents_changed(agents: &mut watch::Receiver<Arc<[AgentReport]>>) -> ServerMessage {
    ServerMessage::AgentsChanged { agents: agents.borrow_and_update().to_vec() }
}

fn storage(is_full: &mut watch::Receiver<bool>) -> ServerMessage {
    ServerMessage::Storage { is_full: *is_full.borrow_and_update() }
}

fn broken(error: &Error) -> End {
    if matches!(error, Error::Capacity(_)) {
        End::Because(CloseCode::Size, "the frame is too large")
    } else if matches!(error, Error::Utf8(_)) {
        End::Because(CloseCode::Invalid, "frames are UTF-8")
    } else if matches!(error, Error::Protocol(_)) {
        End::Because(CloseCode::Protocol, "not what sockets speak")
    } else {
        End::Gone
    }
}

/// How fast a client speaks, counted by the second.
#[derive(Debug, Default)]
struct Pace {
    second: Option<Instant>,
    frames: u32,
}

impl Pace {
    fn admits(&mut self, now: Instant) -> bool {
        let is_same = self.second.is_some_and(|second| now.duration_since(second) < Duration::from_secs(1));
        if !is_same {
            (self.second, self.frames) = (Some(now), 0);
        }
        self.frames += 1;
        self.frames <= MOST_A_SECOND
    }
}
