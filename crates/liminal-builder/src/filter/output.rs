//! Where a filter's outputs go: as lines to a stream, or as messages to whoever takes them. Owns when they leave.

use std::io::{self, Write};

use liminal_core::ndjson::Lines;
use liminal_core::processor::{Emission, Profile, Sink, TurnChange, TurnRef};
use liminal_core::stream_b::Messages;
use tokio::runtime::{Builder, Runtime};

use crate::emitter::{Emitter, Publisher};

/// How much output gathers before it is written, when input comes faster than that.
const WRITE_AT: usize = 256 * 1024;

/// Gathers outputs until they are written.
pub(super) trait Output: Sink {
    /// Whether no more should gather.
    fn is_full(&self) -> bool;

    /// Writes what has gathered.
    fn write(&mut self) -> io::Result<()>;
}

/// Lines to a stream.
pub(super) struct Written<W> {
    lines: Lines,
    stream: W,
}

impl<W> Written<W> {
    pub(super) fn new(profile: Profile, stream: W) -> Self {
        Self { lines: Lines::new(profile), stream }
    }
}

impl<W> Sink for Written<W> {
    fn item(&mut self, emission: Emission<'_>) {
        self.lines.item(emission);
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.lines.turn(turn, change);
    }
}

impl<W: Write> Output for Written<W> {
    fn is_full(&self) -> bool {
        self.lines.bytes().len() >= WRITE_AT
    }

    fn write(&mut self) -> io::Result<()> {
        if self.lines.bytes().is_empty() {
            return Ok(());
        }
        self.stream.write_all(self.lines.bytes())?;
        self.stream.flush()?;
        self.lines.clear();
        Ok(())
    }
}

/// Messages to a publisher. Input waits for them: a filter has nothing else to do.
pub(super) struct Published<P> {
    messages: Messages,
    emitter: Emitter<P>,
    runtime: Runtime,
}

impl<P: Publisher> Published<P> {
    pub(super) fn new(emitter: Emitter<P>) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { messages: Messages::default(), emitter, runtime })
    }
}

impl<P> Sink for Published<P> {
    fn item(&mut self, emission: Emission<'_>) {
        self.messages.item(emission);
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.messages.turn(turn, change);
    }
}

impl<P: Publisher> Output for Published<P> {
    fn is_full(&self) -> bool {
        !self.messages.is_empty()
    }

    fn write(&mut self) -> io::Result<()> {
        for message in self.messages.take() {
            self.runtime.block_on(self.emitter.emit(&message)).map_err(io::Error::other)?;
        }
        Ok(())
    }
}
