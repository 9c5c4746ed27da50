//! The task of one agent process that serves many sessions. Owns the process, the router between its lines and the
//! sessions' frames, and when the process has been idle for long enough to be ended.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::dialect::Notice;
use liminal_core::dialect::acp::{Channel, Connection, Routed};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::diagnostics::Diagnostics;
use crate::process::StopLadder;
use crate::transport::{AgentPipe, Closed, Frame, Outgoing, SendError};

/// Frames a session may leave unread before the agent is made to wait for it.
const FRAMES_WAITING: usize = 1_024;
/// How long a process waits for whoever started it.
const START_PATIENCE: Duration = Duration::from_secs(5);

/// What is asked of the process.
#[derive(Debug)]
pub(super) enum Request {
    /// The process lives on for so long after the one who opens.
    Open {
        lives_on: Duration,
        reply: oneshot::Sender<Share>,
    },
    Send {
        channel: Channel,
        frame: Vec<u8>,
        reply: oneshot::Sender<Result<(), SendError>>,
    },
    Close {
        channel: Channel,
    },
}

/// A session's share in the process.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) channel: Channel,
    pub(super) pid: Option<u32>,
    pub(super) heard: mpsc::Receiver<Heard>,
}

/// What a session hears of the process.
#[derive(Debug)]
pub(super) enum Heard {
    Frame(Frame),
    Closed(Closed),
}

pub(super) struct ConnectionTask {
    transport: Option<Box<dyn AgentPipe>>,
    pid: Option<u32>,
    outgoing: Outgoing,
    router: Connection,
    requests: mpsc::Receiver<Request>,
    sessions: BTreeMap<Channel, Session>,
    /// When it is ended if it serves nobody.
    lives_until: Instant,
    diagnostics: Diagnostics,
}

struct Session {
    hears: mpsc::Sender<Heard>,
    lives_on: Duration,
}

enum Woken {
    Frames(Vec<Frame>),
    Closed(Closed),
    Request(Request),
    NotWritten,
    Idle,
    NobodyLeft,
}

impl ConnectionTask {
    pub(super) fn new(
        transport: Box<dyn AgentPipe>,
        requests: mpsc::Receiver<Request>,
        diagnostics: Diagnostics,
    ) -> Self {
        Self {
            outgoing: Outgoing::new(transport.sender()),
            pid: transport.pid(),
            transport: Some(transport),
            router: Connection::default(),
            requests,
            sessions: BTreeMap::new(),
            lives_until: Instant::now() + START_PATIENCE,
            diagnostics,
        }
    }

    pub(super) async fn run(mut self) {
        while self.transport.is_some() {
            let woken = self.wait().await;
            self.take(woken).await;
        }
    }

    async fn wait(&mut self) -> Woken {
        let (is_idle, lives_until) = (self.sessions.is_empty(), self.lives_until);
        let Some(transport) = &mut self.transport else { return Woken::NobodyLeft };
        tokio::select! {
            received = transport.recv_ready() => received.map_or_else(Woken::Closed, Woken::Frames),
            request = self.requests.recv() => request.map_or(Woken::NobodyLeft, Woken::Request),
            _ = self.outgoing.write() => Woken::NotWritten,
            () = sleep_until(lives_until), if is_idle => Woken::Idle,
        }
    }

    async fn take(&mut self, woken: Woken) {
        match woken {
            Woken::Frames(frames) => {
                for frame in frames {
                    self.heard(frame).await;
                }
            }
            Woken::Closed(closed) => self.closed(closed).await,
            Woken::Request(request) => self.request(request).await,
            // A process that does not read serves nobody; the sessions are told by its end.
            Woken::NotWritten | Woken::Idle | Woken::NobodyLeft => self.end().await,
        }
    }

    async fn heard(&mut self, frame: Frame) {
        match &frame {
            Frame::Line(line) => {
                let mut routed = Routed::default();
                self.router.hear_agent(line, &mut routed);
                self.pass_on_or_end(routed).await;
            }
            // It may have been anybody's.
            Frame::TooLong { .. } => {
                for session in self.sessions.values() {
                    drop(session.hears.send(Heard::Frame(frame.clone())).await);
                }
            }
        }
    }

    async fn request(&mut self, request: Request) {
        match request {
            Request::Open { lives_on, reply } => {
                let (hears, heard) = mpsc::channel(FRAMES_WAITING);
                let channel = self.router.open();
                self.sessions.insert(channel, Session { hears, lives_on });
                if reply.send(Share { channel, pid: self.pid, heard }).is_err() {
                    self.detach(channel).await;
                }
            }
            Request::Send { channel, frame, reply } => {
                let mut routed = Routed::default();
                self.router.hear_session(channel, &frame, &mut routed);
                let result = self.pass_on(routed).await;
                // The session may have stopped waiting.
                reply.send(result).ok();
            }
            Request::Close { channel } => self.detach(channel).await,
        }
    }

    async fn detach(&mut self, channel: Channel) {
        let mut routed = Routed::default();
        self.router.close(channel, &mut routed);
        if let Some(session) = self.sessions.remove(&channel) {
            self.lives_until = self.lives_until.max(Instant::now() + session.lives_on);
        }
        self.pass_on_or_end(routed).await;
    }

    /// A process that leaves everything unread serves nobody.
    async fn pass_on_or_end(&mut self, routed: Routed) {
        if self.pass_on(routed).await.is_err() {
            self.end().await;
        }
    }

    async fn pass_on(&mut self, routed: Routed) -> Result<(), SendError> {
        for notice in routed.notices {
            if let Notice::Unknown { kind, sample } = notice {
                self.diagnostics.unknown(&kind, &sample);
            }
        }
        for frame in routed.to_agent {
            self.outgoing.push(frame)?;
        }
        for (channel, line) in routed.to_sessions {
            if let Some(session) = self.sessions.get(&channel) {
                // A session that is gone has told, or will tell, that it is.
                drop(session.hears.send(Heard::Frame(Frame::Line(Bytes::from(line)))).await);
            }
        }
        Ok(())
    }

    async fn end(&mut self) {
        let Some(transport) = self.transport.take() else { return };
        let report = transport.close(StopLadder::default()).await;
        let reason = crate::transport::CloseReason::Exited;
        self.tell_all(Closed { reason, exit: Some(report) }).await;
    }

    async fn closed(&mut self, closed: Closed) {
        if closed.exit.is_none() {
            // It closed its output and lives on: of no use to anybody.
            return self.end().await;
        }
        self.transport = None;
        self.tell_all(closed).await;
    }

    async fn tell_all(&mut self, closed: Closed) {
        for session in std::mem::take(&mut self.sessions).into_values() {
            drop(session.hears.send(Heard::Closed(closed.clone())).await);
        }
    }
}
