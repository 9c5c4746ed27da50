//! The built-in demo agent: a program that speaks the Agent Client Protocol like a real agent and plays scenes instead
//! of asking a model. Owns the loop between its two pipes; what is said is data in `scenes`, what is answered to whom
//! is decided in `agent`. Knows nothing of sessions, providers or clients: to them it is an agent like any other.

mod agent;
mod files;
mod performance;
mod rpc;
mod scene;
mod scenes;
mod settings;
mod store;
#[cfg(test)]
mod tests;
mod transcript;
mod updates;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

use crate::clock::Clock;
use crate::transport::{Frame, LineFramer};
use agent::{Agent, Outbox};
use store::Store;

/// The CLI type it is chosen by.
pub const NAME: &str = "demo";

/// What it calls itself wherever it is seen.
pub const TITLE: &str = "Demo (scripted)";

/// A prompt with a few pictures is smaller; nobody needs more to choose a scene.
const LONGEST_LINE: usize = 16 << 20;

/// How the demo agent is to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it keeps its sessions.
    pub state: PathBuf,
    /// The time between two pieces of a text; everything else takes a multiple of it.
    pub pace: Duration,
}

/// How the demo agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its input ended.
    ByClient,
    /// A scene asked for it.
    Crashed,
}

/// The arguments by which this program becomes the agent, with more of the user's.
#[must_use]
pub fn arguments(state: &Path, more: &[String]) -> Vec<String> {
    let own = ["demo-agent".to_owned(), "--state".to_owned(), state.display().to_string()];
    own.into_iter().chain(more.iter().cloned()).collect()
}

/// Serves until the input ends, or a scene ends the program.
pub async fn run(
    options: Options,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> io::Result<Ended> {
    let agent = Agent::new(Store::open(options.state)?, options.pace);
    let framer = LineFramer::new(LONGEST_LINE);
    Stage { agent, framer, clock: Clock::start(), input, output }.run().await
}

struct Stage<I, O> {
    agent: Agent,
    framer: LineFramer,
    clock: Clock,
    input: I,
    output: O,
}

impl<I: AsyncRead + Unpin, O: AsyncWrite + Unpin> Stage<I, O> {
    async fn run(mut self) -> io::Result<Ended> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let due = self.agent.next_due().map(|due| self.clock.instant(due));
            let mut out = Outbox::default();
            tokio::select! {
                // What the client says comes first, so that a cancel is heard in the middle of the fastest scene.
                biased;
                read = self.input.read(&mut buffer) => match read? {
                    0 => return Ok(Ended::ByClient),
                    count => self.hear(buffer.get(..count).unwrap_or_default(), &mut out),
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    self.agent.play(self.clock.now().mono, &mut out);
                }
            }
            self.write(&out.messages).await?;
            if out.crashes {
                return Ok(Ended::Crashed);
            }
        }
    }

    fn hear(&mut self, bytes: &[u8], out: &mut Outbox) {
        let now = self.clock.now().mono;
        for frame in self.framer.feed(bytes) {
            match frame {
                Frame::Line(line) => self.agent.hear(&line, now, out),
                Frame::TooLong { bytes } => out.messages.push(rpc::too_long(bytes)),
            }
        }
    }

    async fn write(&mut self, messages: &[Value]) -> io::Result<()> {
        for message in messages {
            let mut line = message.to_string().into_bytes();
            line.push(b'\n');
            self.output.write_all(&line).await?;
        }
        self.output.flush().await
    }
}
