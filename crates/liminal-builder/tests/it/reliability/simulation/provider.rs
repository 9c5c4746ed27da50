//! Where simulated agents come from, and the pipe to one. Owns starts that are slow or fail, agents that do not read,
//! and that a process counts as living until it has ended or was ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use liminal_builder::clock::Clock;
use liminal_builder::process::{Exit, ExitReport, StopLadder, StopStep};
use liminal_builder::provider::{Guards, OpenError, OpenRequest, OpenedAgent, Opening, Provider};
use liminal_builder::transport::{AgentPipe, CloseReason, Closed, Frame, Later, SendError, SendFrame};
use liminal_core::dialect::AgentCommand;
use liminal_core::dialect::claude::{ClaudeDialect, Options};
use liminal_core::ids::SessionId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::agent::Agent;
use super::speech::Told;
use super::world::{World, millis, pause, seconds};

pub(super) const CLI_TYPE: &str = "sim";

#[derive(Debug)]
pub(super) struct SimulatedAgents(pub(super) World);

impl Provider for SimulatedAgents {
    fn cli_type(&self) -> &str {
        CLI_TYPE
    }

    fn open(&self, request: OpenRequest) -> Opening<'_> {
        Box::pin(start(self.0.clone(), request))
    }
}

async fn start(world: World, request: OpenRequest) -> Result<OpenedAgent, OpenError> {
    let number = world.number();
    let mut chance = world.chance();
    if chance.one_in(6) {
        world.fault("slow start", format_args!("agent {number}"));
        pause(millis(chance.below(20_000))).await;
    }
    if chance.one_in(15) && !world.is_healed() {
        world.fault("failed start", format_args!("agent {number}"));
        return Err(OpenError::Unusable("the simulated program cannot be started".to_owned()));
    }
    let session_id = request.resume.unwrap_or_else(|| SessionId::from(format!("{CLI_TYPE}:s{number}")));
    world.note(format_args!("agent {number} starts for {session_id}"));
    let options = Options { permission_timeout: Some(super::server::PERMISSION), ..Options::default() };
    Ok(OpenedAgent {
        transport: Box::new(Pipe::start(number, world)),
        dialect: Box::new(ClaudeDialect::new(session_id.clone(), options)),
        session_id,
        clock: Clock::start(),
        history: Vec::new(),
        notices: Vec::new(),
        guards: Guards::default(),
        begin: vec![AgentCommand::Open { directory: "/".to_owned(), resume: None }],
    })
}

/// What comes out of an agent.
#[derive(Debug)]
pub(super) enum Said {
    Line {
        bytes: Vec<u8>,
        /// The message that the agent begins with here.
        begins: Option<String>,
    },
    End(Closed),
}

/// A living process; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Life(World);

impl Life {
    fn begin(world: &World) -> Self {
        world.lock().processes += 1;
        Self(world.clone())
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.0.lock().processes -= 1;
    }
}

#[derive(Debug)]
struct Pipe {
    number: u64,
    world: World,
    input: Arc<Input>,
    said: mpsc::UnboundedReceiver<Said>,
    ended: Option<Closed>,
    /// Dropping it ends the process.
    process: JoinSet<()>,
}

#[derive(Debug)]
struct Input {
    told: mpsc::UnboundedSender<Told>,
    does_not_read: Arc<AtomicBool>,
}

impl Pipe {
    fn start(number: u64, world: World) -> Self {
        let (told, heard) = mpsc::unbounded_channel();
        let (says, said) = mpsc::unbounded_channel();
        let does_not_read = Arc::new(AtomicBool::new(false));
        let agent = Agent::new(number, world.clone(), (heard, says), Arc::clone(&does_not_read));
        let life = Life::begin(&world);
        let mut process = JoinSet::new();
        process.spawn(agent.live(life));
        Self { number, world, input: Arc::new(Input { told, does_not_read }), said, ended: None, process }
    }

    /// Takes what was said; `false` if that is all there will ever be.
    fn take(&mut self, said: Option<Said>, frames: &mut Vec<Frame>) -> bool {
        match said {
            Some(Said::Line { bytes, begins }) => {
                if let Some(text) = begins {
                    self.world.begun(text);
                }
                frames.push(Frame::Line(Bytes::from(bytes)));
                true
            }
            Some(Said::End(closed)) => {
                self.ended = Some(closed);
                false
            }
            None => {
                self.ended = Some(exited(Exit::Code(0)));
                false
            }
        }
    }
}

impl AgentPipe for Pipe {
    fn pid(&self) -> Option<u32> {
        None
    }

    fn sender(&self) -> Arc<dyn SendFrame> {
        Arc::clone(&self.input) as _
    }

    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>> {
        Box::pin(async move {
            let mut frames = Vec::new();
            if self.ended.is_none() {
                let first = self.said.recv().await;
                let mut goes_on = self.take(first, &mut frames);
                while goes_on && frames.len() < 64 && !self.said.is_empty() {
                    let next = self.said.try_recv().ok();
                    goes_on = self.take(next, &mut frames);
                }
            }
            match &self.ended {
                Some(closed) if frames.is_empty() => Err(closed.clone()),
                Some(_) | None => Ok(frames),
            }
        })
    }

    fn close(self: Box<Self>, ladder: StopLadder) -> Later<'static, ExitReport> {
        Box::pin(async move {
            let mut chance = self.world.chance();
            let patience = ladder.close_stdin + ladder.terminate + ladder.kill;
            let time = if chance.one_in(5) { patience } else { millis(chance.below(500)) };
            pause(time).await;
            self.world.note(format_args!("agent {} is ended", self.number));
            let mut process = self.process;
            process.shutdown().await;
            report(Exit::Signal(15), StopStep::Terminated)
        })
    }
}

impl SendFrame for Input {
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>> {
        let (told, does_not_read) = (self.told.clone(), self.does_not_read.load(Ordering::Relaxed));
        Box::pin(async move {
            if does_not_read {
                pause(seconds(10)).await;
                return Err(SendError::AgentNotReading { begun: true });
            }
            let Some(line) = Told::read(&frame) else { return Ok(()) };
            told.send(line).map_err(|_| SendError::Closed)
        })
    }
}

fn report(exit: Exit, step: StopStep) -> ExitReport {
    ExitReport { exit, step, ..ExitReport::without_process() }
}

pub(super) fn exited(exit: Exit) -> Closed {
    Closed { reason: CloseReason::Exited, exit: Some(report(exit, StopStep::Itself)) }
}

/// It lives on, and nothing more is heard of it.
pub(super) const fn output_ended() -> Closed {
    Closed { reason: CloseReason::OutputEnded, exit: None }
}
