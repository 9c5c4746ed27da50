//! The task of one session. Owns the pipe, the pure session and its one timer; everything that happens comes
//! through here, one thing after another.

mod commands;
mod ending;
mod following;

use std::collections::BTreeMap;
use std::time::Duration;

use liminal_core::dialect::{AgentCommand, Input, Notice, UserMessage};
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::ErrorInfo;
use liminal_core::ids::{ItemId, TurnId};
use liminal_core::processor::Config;
use liminal_core::session::{News, Phase, Refused, Session, SessionStep};
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::wire::rest::PermissionAnswer;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use ending::{Ending, not_kept, not_reading};
use following::Following;

use super::board::Board;
use super::journal::Journal;
use super::outlet::Outlet;
use super::{History, SessionError, Setup};
use crate::clock::Clock;
use crate::diagnostics::Diagnostics;
use crate::log::LogError;
use crate::process::StopLadder;
use crate::provider::OpenedAgent;
use crate::recording::{Recorder, Said};
use crate::transport::{self, AgentPipe, Frame, Outgoing, SendError};

/// How long an agent that is to end may take to stop its turn by itself.
const INTERRUPT_PATIENCE: Duration = Duration::from_secs(5);
/// How long the log may take to take the rest.
const FINISH_PATIENCE: Duration = Duration::from_secs(5);

/// What can be asked of a session.
#[derive(Debug)]
pub(super) enum Command {
    Prompt {
        turn: TurnId,
        message: UserMessage,
        reply: oneshot::Sender<Result<TurnId, SessionError>>,
    },
    Steer {
        turn: TurnId,
        message: UserMessage,
        reply: oneshot::Sender<Result<TurnId, SessionError>>,
    },
    Cancel,
    StopBackground,
    Answer {
        item_id: ItemId,
        answer: PermissionAnswer,
        reply: oneshot::Sender<Result<(), SessionError>>,
    },
    /// Wishes that change what the agent does next.
    Configure(Vec<AgentCommand>),
    /// The agent is not wanted any more.
    Kill,
    /// The agent is of no use any more.
    End(ErrorInfo),
}

pub(super) struct SessionTask {
    session: Session,
    /// Gone once the agent has ended.
    transport: Option<Box<dyn AgentPipe>>,
    outgoing: Outgoing,
    clock: Clock,
    ladder: StopLadder,
    recorder: Option<Recorder>,
    diagnostics: Diagnostics,
    commands: mpsc::Receiver<Command>,
    journal: Journal,
    board: Board,
    phase: watch::Sender<Phase>,
    binding: Option<oneshot::Sender<Result<TurnId, SessionError>>>,
    /// Those who wait whether their messages are taken into the turn that runs.
    steering: BTreeMap<TurnId, oneshot::Sender<Result<TurnId, SessionError>>>,
    /// Why the answer that is being given was refused.
    refused_answer: Option<ErrorInfo>,
    following: Following,
    ending: Option<Ending>,
    /// Whether somebody wished the agent to end.
    is_unwanted: bool,
}

/// What woke the task.
enum Woken {
    Frames(Vec<Frame>),
    AgentClosed(transport::Closed),
    Command(Command),
    NotWritten(SendError),
    /// The log has what it was given, or does not take it.
    Written(Result<(), LogError>),
    Deadline,
    NobodyLeft,
}

impl SessionTask {
    pub(super) fn new(
        agent: OpenedAgent,
        setup: Setup,
        commands: mpsc::Receiver<Command>,
        (outlet, phase): (Outlet, watch::Sender<Phase>),
        diagnostics: Diagnostics,
    ) -> Self {
        let OpenedAgent { session_id, transport, dialect, clock, history, notices, guards, begin } = agent;
        let Setup { config, patience, ladder, recorder, history: telling } = setup;
        let (board, pid) = (outlet.board.clone(), transport.pid());
        let mut task = Self {
            session: Session::new(dialect, config.clone(), patience),
            outgoing: Outgoing::new(transport.sender()),
            transport: Some(transport),
            clock,
            ladder,
            recorder,
            diagnostics,
            commands,
            journal: Journal::new(session_id, outlet),
            board,
            phase,
            binding: None,
            steering: BTreeMap::new(),
            refused_answer: None,
            following: Following::default(),
            ending: None,
            is_unwanted: false,
        };
        task.board.started(pid, guards);
        if telling == History::Tell {
            task.tell_history(history, config);
        }
        task.journal.begin();
        task.step(|session, _, step| session.tell(notices, step));
        begin.into_iter().for_each(|command| drop(task.pass(Input::Command(command))));
        task.tell_phase();
        task
    }

    pub(super) async fn run(mut self) {
        self.settle();
        while self.session.phase() != Phase::Closed {
            let woken = self.wait().await;
            self.take(woken).await;
            self.settle();
        }
        if let Some(recorder) = self.recorder.take() {
            recorder.finish().await;
        }
        let Self { journal, board, commands, clock, .. } = self;
        // A disk that stays full must not keep an agent's end from being told.
        timeout(FINISH_PATIENCE, journal.finish()).await.ok();
        board.phase(Phase::Closed, None, 0, clock.now());
        // Whoever wished the agent to end waits for this.
        drop(commands);
    }

    async fn wait(&mut self) -> Woken {
        let end_by = self.ending.as_ref().map(|ending| ending.by);
        let deadlines = [
            self.session.next_deadline(),
            self.journal.next_deadline(),
            self.following.next_deadline(),
            end_by,
        ];
        let deadline = deadlines.into_iter().flatten().min();
        let wake_at = deadline.map(|deadline| self.clock.instant(deadline));
        let Some(transport) = &mut self.transport else { return Woken::NobodyLeft };
        // Nothing is left to chance, and the agent, which may never fall silent, comes last: all others are few.
        tokio::select! {
            biased;
            command = self.commands.recv() => command.map_or(Woken::NobodyLeft, Woken::Command),
            written = self.journal.written(), if self.journal.is_writing() => Woken::Written(written),
            error = self.outgoing.write() => Woken::NotWritten(error),
            () = sleep_until(wake_at.unwrap_or_else(Instant::now)), if wake_at.is_some() => Woken::Deadline,
            received = transport.recv_ready(), if !self.journal.is_far_behind() => {
                received.map_or_else(Woken::AgentClosed, Woken::Frames)
            }
        }
    }

    async fn take(&mut self, woken: Woken) {
        match woken {
            Woken::Frames(frames) => {
                self.catch_up_outputs().await;
                for frame in &frames {
                    self.frame(frame);
                    // A short command may have ended, and the next frame may say so.
                    if self.following.is_grown() {
                        self.catch_up_outputs().await;
                    }
                }
            }
            Woken::AgentClosed(closed) => {
                self.catch_up_outputs().await;
                self.agent_closed(closed);
            }
            Woken::Command(command) => self.command(command),
            Woken::NotWritten(error) => self.not_written(error),
            Woken::Written(Ok(())) => {}
            Woken::Written(Err(error)) => {
                self.end_now(not_kept(&error));
            }
            Woken::Deadline => {
                let now = self.clock.now().mono;
                self.journal.timeout(now);
                if self.following.is_due(now) {
                    self.follow_outputs().await;
                }
                drop(self.pass(Input::Timeout));
            }
            Woken::NobodyLeft => self.end_agent().await,
        }
        let is_over = matches!(self.session.phase(), Phase::Idle | Phase::Starting);
        if self.is_end_due() || (is_over && self.is_unwanted) {
            self.end_agent().await;
        }
    }

    fn frame(&mut self, frame: &Frame) {
        self.record(&match frame {
            Frame::Line(line) => Said::Heard(line),
            Frame::TooLong { bytes } => Said::TooLong(*bytes),
        });
        drop(match frame {
            Frame::Line(line) => self.pass(Input::Frame(line)),
            Frame::TooLong { bytes } => self.pass(Input::FrameTooLong { bytes: *bytes }),
        });
    }

    /// Gives the session an input and does what it asks for.
    fn pass(&mut self, input: Input<'_>) -> Result<(), Refused> {
        self.step(|session, now, step| session.handle(input, now, step))
    }

    fn step<T>(&mut self, act: impl FnOnce(&mut Session, Now, &mut SessionStep<'_>) -> T) -> T {
        let now = self.clock.now();
        let mut step = SessionStep::new(&mut self.journal);
        let result = act(&mut self.session, now, &mut step);
        let SessionStep { frames, news, events, .. } = step;
        self.journal.note(events, now);
        for frame in frames {
            self.record(&Said::Sent(&frame));
            if let Err(error) = self.outgoing.push(frame) {
                self.end_now(not_reading(error));
            }
        }
        // Whoever is answered below may look at once.
        self.tell_phase();
        news.into_iter().for_each(|news| self.hear(news));
        result
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Bound { turn, .. } => self.reply(Ok(turn)),
            News::NotBound { error, .. } => self.reply(Err(SessionError::NotTaken(error))),
            News::EndAgent(reason) => self.end_now(reason),
            News::Stalled(is_stalled) => {
                self.diagnostics.stalled(is_stalled);
                self.board.stalled(is_stalled);
            }
            News::Notice(notice) => {
                self.note(&notice);
                self.board.notice(notice);
            }
        }
    }

    fn note(&mut self, notice: &Notice) {
        self.following.hear(notice);
        if let Notice::Unknown { kind, sample } = notice {
            self.diagnostics.unknown(kind, sample);
        }
        if let Notice::AnswerRefused { error, .. } = notice {
            self.refused_answer = Some(error.clone());
        }
        if let Notice::Steered { turn, into } = notice {
            self.reply_steered(turn, Ok(into.clone()));
        }
        if let Notice::NotSteered { turn, error } = notice {
            self.reply_steered(turn, Err(SessionError::NotTaken(error.clone())));
        }
    }

    fn reply(&mut self, result: Result<TurnId, SessionError>) {
        if let Some(reply) = self.binding.take() {
            drop(reply.send(result));
        }
    }

    fn record(&mut self, said: &Said<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note(self.clock.now().mono, said);
        }
    }

    /// What was said before takes the same way as what is said now.
    fn tell_history(&mut self, history: Vec<StreamEventEnvelope>, config: Config) {
        let mut turns = Turns::new(config);
        for event in &history {
            turns.handle_event(event, Now::at(event.timestamp.instant()), &mut self.journal);
        }
        self.journal.note(history, self.clock.now());
    }

    /// Hands on what has gathered, and tells what the session does now.
    fn settle(&mut self) {
        self.journal.settle();
        self.tell_phase();
        let phase = self.session.phase();
        // What a turn said stands in the log before anybody hears that it is over.
        let is_over = matches!(phase, Phase::Idle | Phase::Closed);
        if !(is_over && self.journal.is_writing()) {
            let background = self.session.background();
            self.board.phase(phase, self.session.turn(), background, self.clock.now());
        }
    }

    fn tell_phase(&self) {
        let phase = self.session.phase();
        self.phase.send_if_modified(|current| std::mem::replace(current, phase) != phase);
    }
}
