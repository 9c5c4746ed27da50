//! A conversation in a terminal: a session is followed, and whoever sits there is asked and listened to. Owns the one
//! loop in which all of that happens; what is shown is the transcript's business.

use std::collections::{BTreeSet, VecDeque};
use std::future::pending;
use std::io::{self, IsTerminal, Stderr, Stdout};

use anyhow::Result;
use liminal_core::error::ErrorCode;
use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::upsert::{TurnEvent, TurnStatus, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::{SendMessage, SessionStatus};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::signal::unix::Signal;
use tokio::time::Instant;

use super::approve;
use super::asking::{Asking, is_read};
use super::send;
use super::terminal::{is_attended, json_line, say};
use super::transcript::{Prompts, Transcript};
use crate::exit::Exit;
use crate::http::client::{AskError, Client, Follower, encoded};

/// What a conversation is held for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To see one turn to its end.
    Turn(TurnId),
    /// To follow whatever happens.
    Watch,
}

/// How a conversation is shown, and who answers in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Frames as they are, instead of text.
    pub(super) is_json: bool,
    /// Whether a person may be asked, if there is one.
    pub(super) asks: bool,
}

pub(super) struct Conversation {
    client: Client,
    session: SessionId,
    follower: Follower,
    purpose: Purpose,
    manner: Manner,
    transcript: Transcript<Stdout, Stderr>,
    /// Questions that wait for a person, the one that is being asked first.
    questions: VecDeque<Asking>,
    /// The calls that run in the background.
    background: BTreeSet<ItemId>,
    /// When the question that is being asked was shown.
    prompted_at: Instant,
    lines: Option<Lines<BufReader<Stdin>>>,
    interrupts: Signal,
    is_stopping: bool,
}

enum Woken {
    Message(ServerMessage),
    Line(Option<String>),
    Interrupted,
}

impl Conversation {
    pub(super) fn new(
        client: Client,
        session: SessionId,
        follower: Follower,
        purpose: Purpose,
        manner: Manner,
        interrupts: Signal,
    ) -> Self {
        let prompts = if purpose == Purpose::Watch { Prompts::Shown } else { Prompts::Hidden };
        let is_dimming = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let lines = is_attended().then(|| BufReader::new(tokio::io::stdin()).lines());
        Self {
            client,
            session,
            follower,
            purpose,
            manner: Manner { asks: manner.asks && lines.is_some(), ..manner },
            transcript: Transcript::new(io::stdout(), io::stderr(), is_dimming, prompts),
            questions: VecDeque::new(),
            background: BTreeSet::new(),
            prompted_at: Instant::now(),
            lines,
            interrupts,
            is_stopping: false,
        }
    }

    /// Until its purpose is fulfilled, or somebody has enough.
    pub(super) async fn hold(mut self) -> Result<Exit> {
        loop {
            let woken = tokio::select! {
                message = self.follower.next() => Woken::Message(message?),
                line = line(&mut self.lines) => Woken::Line(line),
                _ = self.interrupts.recv() => Woken::Interrupted,
            };
            let end = match woken {
                Woken::Message(message) => self.message(message).await?,
                Woken::Line(Some(line)) => self.said(&line).await?,
                Woken::Line(None) => self.left().await?,
                Woken::Interrupted => self.interrupted().await?,
            };
            if let Some(exit) = end {
                self.transcript.break_line()?;
                return Ok(exit);
            }
        }
    }

    async fn message(&mut self, message: ServerMessage) -> Result<Option<Exit>> {
        if self.manner.is_json && is_told(&message) {
            say(&json_line(&message)?)?;
        }
        match message {
            ServerMessage::Upsert { payload, .. } => self.state(&payload).await?,
            ServerMessage::Turn { payload, .. } => return self.turn(&payload),
            ServerMessage::History { entries, turns, .. } => {
                for entry in &entries {
                    self.state(entry).await?;
                }
                for turn in &turns {
                    if let Some(exit) = self.turn(turn)? {
                        return Ok(Some(exit));
                    }
                }
            }
            ServerMessage::Subscribed { .. }
            | ServerMessage::Append { .. }
            | ServerMessage::State { .. }
            | ServerMessage::SessionsChanged { .. }
            | ServerMessage::AgentsChanged { .. }
            | ServerMessage::Storage { .. }
            | ServerMessage::Ok { .. }
            | ServerMessage::Error { .. } => {}
        }
        Ok(None)
    }

    async fn state(&mut self, state: &Upsert) -> Result<()> {
        if !self.manner.is_json {
            self.transcript.show(state)?;
        }
        self.note_background(state);
        let UpsertBody::Permission(asked) = &state.body else { return Ok(()) };
        match state.status {
            UpsertStatus::Create => {
                self.asked(Asking::new(state.item_id.clone(), asked.request.clone()), &state.turn_id).await
            }
            UpsertStatus::Update => Ok(()),
            UpsertStatus::Complete | UpsertStatus::Error => {
                self.questions.retain(|asking| asking.item != state.item_id);
                Ok(())
            }
        }
    }

    fn note_background(&mut self, state: &Upsert) {
        let UpsertBody::ToolCall(call) = &state.body else { return };
        match state.status {
            UpsertStatus::Create | UpsertStatus::Update if call.detached => {
                self.background.insert(state.item_id.clone());
            }
            UpsertStatus::Create | UpsertStatus::Update => {}
            UpsertStatus::Complete | UpsertStatus::Error => drop(self.background.remove(&state.item_id)),
        }
    }

    /// A command that sees one turn to its end leaves while work in the background goes on.
    fn tell_background(&mut self) -> Result<()> {
        let tasks = match self.background.len() {
            0 => return Ok(()),
            1 => "1 task has".to_owned(),
            count => format!("{count} tasks have"),
        };
        let session = &self.session;
        let note = format!("{tasks} not finished in the background; follow with `liminal attach {session}`");
        Ok(self.transcript.note(&note)?)
    }

    async fn asked(&mut self, asking: Asking, of: &TurnId) -> Result<()> {
        if self.questions.iter().any(|known| known.item == asking.item) {
            return Ok(());
        }
        match (&self.purpose, self.manner.asks) {
            (_, true) => {
                self.questions.push_back(asking);
                if self.questions.len() == 1 { self.ask() } else { Ok(()) }
            }
            (Purpose::Turn(turn), false) if of == turn => self.deny(&asking).await,
            // Somebody else may answer it, and background work of another turn is not this command's to reject.
            (Purpose::Turn(_) | Purpose::Watch, false) => {
                Ok(self.transcript.note(&format!("? {}; answer with `liminal approve`", asking.summary()))?)
            }
        }
    }

    fn ask(&mut self) -> Result<()> {
        let Some(asking) = self.questions.front() else { return Ok(()) };
        let prompt = asking.prompt();
        self.prompted_at = Instant::now();
        Ok(self.transcript.note(&prompt)?)
    }

    /// Nobody is there who could allow anything.
    async fn deny(&mut self, asking: &Asking) -> Result<()> {
        let summary = asking.summary();
        match asking.denial() {
            Some(answer) => {
                self.transcript.note(&format!("Rejected (no terminal to ask on): {summary}"))?;
                approve::answer(&self.client, &self.session, &asking.item, &answer).await?;
            }
            None => {
                self.transcript
                    .note(&format!("Stopped (no terminal to ask on, and no way to reject): {summary}"))?;
                self.cancel().await?;
            }
        }
        Ok(())
    }

    /// A line answers the question that is asked; while there is none, it is for the agent.
    async fn said(&mut self, line: &str) -> Result<Option<Exit>> {
        if self.questions.front().is_some() && !is_read(self.prompted_at.elapsed()) {
            // Whatever it says, it was typed for what was on the screen before.
            self.transcript.note("Not taken as an answer: the request had just appeared. Type it again.")?;
        } else if self.questions.front().is_some() {
            self.answered(line).await?;
        } else if self.purpose == Purpose::Watch && !line.trim().is_empty() {
            let message = SendMessage {
                message: line.to_owned(),
                queue: true,
                client_message_id: None,
                attachments: Vec::new(),
            };
            send::post(&self.client, &self.session, &message).await?;
        }
        Ok(None)
    }

    async fn answered(&mut self, line: &str) -> Result<()> {
        let Some(asking) = self.questions.front_mut() else { return Ok(()) };
        let Some(answer) = asking.take(line) else { return self.ask() };
        let item = asking.item.clone();
        match approve::answer(&self.client, &self.session, &item, &answer).await {
            Err(AskError::Refused { code: ErrorCode::InvalidRequest, detail }) => {
                asking.start_over();
                self.transcript.note(&format!("The agent cannot take this answer: {detail}"))?;
            }
            other => {
                other?;
                self.questions.pop_front();
            }
        }
        self.ask()
    }

    /// The person is gone: nobody answers any more.
    async fn left(&mut self) -> Result<Option<Exit>> {
        self.lines = None;
        self.manner.asks = false;
        if self.purpose == Purpose::Watch {
            return Ok(Some(Exit::Good));
        }
        for asking in std::mem::take(&mut self.questions) {
            self.deny(&asking).await?;
        }
        Ok(None)
    }

    async fn interrupted(&mut self) -> Result<Option<Exit>> {
        match self.purpose {
            Purpose::Watch => Ok(Some(Exit::Good)),
            Purpose::Turn(_) if self.is_stopping => Ok(Some(Exit::Interrupted)),
            Purpose::Turn(_) => {
                self.is_stopping = true;
                self.transcript.note("stopping; press Ctrl-C again to quit")?;
                self.cancel().await?;
                Ok(None)
            }
        }
    }

    async fn cancel(&self) -> Result<()> {
        let path = format!("/api/session/{}/cancel", encoded(self.session.as_str()));
        self.client.post::<SessionStatus>(&path, &()).await?;
        Ok(())
    }

    fn turn(&mut self, event: &TurnEvent) -> Result<Option<Exit>> {
        let (turn, exit) = match event {
            TurnEvent::TurnStarted { .. } => return Ok(None),
            TurnEvent::TurnComplete { turn_id, status: TurnStatus::Completed, .. } => (turn_id, Exit::Good),
            TurnEvent::TurnComplete { turn_id, status: TurnStatus::Cancelled, .. } => {
                (turn_id, Exit::Interrupted)
            }
            TurnEvent::TurnError { turn_id, error_code, error_message, .. } => {
                if !self.manner.is_json {
                    self.transcript.note(&format!("the turn failed: {error_message} ({error_code})"))?;
                }
                (turn_id, Exit::Failed)
            }
        };
        let is_its_end = self.purpose == Purpose::Turn(turn.clone());
        if is_its_end && !self.manner.is_json {
            self.tell_background()?;
        }
        Ok(is_its_end.then_some(exit))
    }
}

/// What a session says; what it does is for those who show it.
const fn is_told(message: &ServerMessage) -> bool {
    matches!(
        message,
        ServerMessage::Upsert { .. } | ServerMessage::Turn { .. } | ServerMessage::History { .. }
    )
}

/// The next line of whoever sits there; never, if nobody does.
async fn line(lines: &mut Option<Lines<BufReader<Stdin>>>) -> Option<String> {
    match lines {
        Some(lines) => lines.next_line().await.ok().flatten(),
        None => pending().await,
    }
}
