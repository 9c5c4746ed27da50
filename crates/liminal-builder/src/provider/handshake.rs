//! Bringing an agent up until it is ready. Owns the talk before a session begins, for agents that tell only then what
//! their session is called; what was said in the session before comes in the course of it.

use std::time::Duration;

use liminal_core::dialect::{AgentCommand, Closed, Dialect, Input, Notice, Outbox};
use liminal_core::envelope::StreamEventEnvelope;
use tokio::time::{Instant, sleep_until, timeout};

use super::OpenError;
use crate::clock::Clock;
use crate::transport::{self, AgentPipe, Frame, Outgoing};

/// What an agent told until it was ready.
#[derive(Debug, Default)]
pub(super) struct Opened {
    /// Its own id of the session.
    pub(super) agent_session: Option<String>,
    /// What was said in the session before.
    pub(super) history: Vec<StreamEventEnvelope>,
    /// What the session should know.
    pub(super) notices: Vec<Notice>,
    is_ready: bool,
}

/// Talks to an agent until it is ready, or says why it will not be.
pub(super) async fn open(
    pipe: &mut dyn AgentPipe,
    dialect: &mut dyn Dialect,
    command: AgentCommand,
    clock: &Clock,
) -> Result<Opened, OpenError> {
    let mut opened = Opened::default();
    converse(pipe, dialect, (&[command], clock), &mut opened, |opened| opened.is_ready).await?;
    Ok(opened)
}

/// Gives an agent that is ready some commands, and talks to it until they are done; one that takes too long is left to
/// itself.
pub(super) async fn wish(
    pipe: &mut dyn AgentPipe,
    dialect: &mut dyn Dialect,
    (commands, clock): (&[AgentCommand], &Clock),
    patience: Duration,
    opened: &mut Opened,
    is_done: impl Fn(&[Notice]) -> bool,
) -> Result<(), OpenError> {
    let talk = converse(pipe, dialect, (commands, clock), opened, |opened| is_done(&opened.notices));
    timeout(patience, talk).await.unwrap_or(Ok(()))
}

async fn converse(
    pipe: &mut dyn AgentPipe,
    dialect: &mut dyn Dialect,
    (commands, clock): (&[AgentCommand], &Clock),
    opened: &mut Opened,
    is_done: impl Fn(&Opened) -> bool,
) -> Result<(), OpenError> {
    let mut outgoing = Outgoing::new(pipe.sender());
    let mut out = Outbox::default();
    for command in commands {
        dialect.handle(Input::Command(command.clone()), clock.now(), &mut out);
    }
    loop {
        opened.take(&mut out, &mut outgoing)?;
        if is_done(opened) {
            return Ok(());
        }
        let deadline = dialect.next_deadline().map(|at| clock.instant(at));
        tokio::select! {
            received = pipe.recv_ready() => match received {
                Ok(frames) => frames.iter().for_each(|frame| hear(dialect, frame, clock, &mut out)),
                Err(closed) => {
                    dialect.handle(Input::Closed(ended(closed)), clock.now(), &mut out);
                    opened.take(&mut out, &mut outgoing)?;
                    return Err(OpenError::Unusable("the agent ended before it was ready".to_owned()));
                }
            },
            error = outgoing.write() => return Err(OpenError::Unusable(error.to_string())),
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                dialect.handle(Input::Timeout, clock.now(), &mut out);
            }
        }
    }
}

impl Opened {
    /// Does what the dialect asks for.
    fn take(&mut self, out: &mut Outbox, outgoing: &mut Outgoing) -> Result<(), OpenError> {
        for frame in out.frames.drain(..) {
            outgoing.push(frame).map_err(|error| OpenError::Unusable(error.to_string()))?;
        }
        self.history.append(&mut out.events);
        for notice in out.notices.drain(..) {
            if let Notice::Failed(error) = notice {
                return Err(OpenError::Refused(error));
            }
            if let Notice::AgentSession { id } = &notice {
                self.agent_session = Some(id.clone());
            }
            self.is_ready |= matches!(notice, Notice::Ready(_));
            self.notices.push(notice);
        }
        Ok(())
    }
}

fn hear(dialect: &mut dyn Dialect, frame: &Frame, clock: &Clock, out: &mut Outbox) {
    let input = match frame {
        Frame::Line(line) => Input::Frame(line),
        Frame::TooLong { bytes } => Input::FrameTooLong { bytes: *bytes },
    };
    dialect.handle(input, clock.now(), out);
}

fn ended(closed: transport::Closed) -> Closed {
    closed.exit.map_or_else(Closed::default, |report| report.as_closed(None))
}
