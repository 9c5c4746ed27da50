//! `liminal process`: canonical or Stream A events in, outputs out, as lines. Owns the loop between a stream and
//! the processors; knows nothing of agents, sessions or the network.

mod input;
mod output;

use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use liminal_core::envelope::{EventReader, Reading, StreamEventEnvelope};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::processor::{Config, Profile};
use liminal_core::read::ReadError;
use liminal_core::stream_a;
use liminal_core::time::Now;
use liminal_core::turns::Turns;

use crate::clock::Clock;
use crate::emitter::{Emitter, Publisher};
use crate::transport::{Frame, LineFramer};
use input::{Input, Received};
use output::{Output, Published, Written};

/// A line longer than this is no event.
const LINE_LIMIT: usize = 64 * 1024 * 1024;

/// What to do with a stream.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which consumers the outputs are for.
    pub profile: Profile,
    /// How the events are written.
    pub format: Format,
    /// How outputs are batched.
    pub config: Config,
    /// What time it is.
    pub time: Time,
    /// Stop at the first bad line.
    pub strict: bool,
}

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Canonical events.
    Canonical,
    /// The snake_case events of the older adapters.
    StreamA,
}

/// What time it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// The machine's.
    Wall,
    /// The events' own, so that a run can be repeated exactly.
    Events,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every line was good, or nobody wanted the rest.
    Good,
    /// Some lines were bad.
    BadLines,
    /// A line was bad, and none may be.
    Stopped,
}

/// Runs a stream through the processors, to its end.
pub fn run(
    options: Options,
    input: impl Read + Send + 'static,
    output: impl Write,
    complaints: impl Write,
) -> io::Result<Verdict> {
    let output = Written::new(options.profile, output);
    run_into(output, options, input, complaints)
}

/// The same, with the messages of Stream B to an emitter. One that is given up ends the run.
pub fn publish(
    options: Options,
    input: impl Read + Send + 'static,
    emitter: Emitter<impl Publisher>,
    complaints: impl Write,
) -> io::Result<Verdict> {
    run_into(Published::new(emitter)?, options, input, complaints)
}

fn run_into(
    output: impl Output,
    options: Options,
    input: impl Read + Send + 'static,
    complaints: impl Write,
) -> io::Result<Verdict> {
    let mut filter = Filter {
        reader: Reader::new(options.format),
        turns: Turns::new(options.config),
        clock: (options.time == Time::Wall).then(Clock::start),
        strict: options.strict,
        line_number: 0,
        verdict: Verdict::Good,
        output,
        complaints,
    };
    match filter.run(&Input::start(input)?) {
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Verdict::Good),
        Err(error) => Err(error),
        Ok(()) => Ok(filter.verdict),
    }
}

struct Filter<O, E> {
    reader: Reader,
    turns: Turns,
    /// Absent when the events' own time counts.
    clock: Option<Clock>,
    strict: bool,
    line_number: u64,
    verdict: Verdict,
    output: O,
    complaints: E,
}

impl<O: Output, E: Write> Filter<O, E> {
    fn run(&mut self, input: &Input) -> io::Result<()> {
        let mut framer = LineFramer::new(LINE_LIMIT);
        loop {
            match input.receive(self.wait())? {
                Received::Bytes(bytes) => self.take(framer.feed(&bytes))?,
                Received::Nothing => self.fire_deadlines(),
                Received::End => break,
            }
            if self.verdict == Verdict::Stopped {
                return self.write();
            }
            self.write()?;
        }
        self.take(framer.finish().into_iter().collect())?;
        if self.verdict != Verdict::Stopped {
            self.finish_turns();
        }
        self.write()
    }

    /// How long input may be waited for.
    fn wait(&self) -> Option<Duration> {
        let deadline = self.turns.next_deadline()?;
        self.clock.map(|clock| deadline.saturating_sub(clock.now().mono))
    }

    fn take(&mut self, frames: Vec<Frame>) -> io::Result<()> {
        for frame in frames {
            self.line_number += 1;
            match self.read(&frame) {
                Ok(Some(event)) => self.handle(&event),
                Ok(None) => {}
                Err(error) => self.complain(&error)?,
            }
            if self.verdict == Verdict::Stopped {
                return Ok(());
            }
            if self.output.is_full() {
                self.write()?;
            }
        }
        Ok(())
    }

    /// `None` is a line that says nothing to us.
    fn read(&mut self, frame: &Frame) -> Result<Option<StreamEventEnvelope>, ReadError> {
        match frame {
            Frame::Line(line) if line.iter().all(u8::is_ascii_whitespace) => Ok(None),
            Frame::Line(line) => self.reader.read(line),
            Frame::TooLong { bytes } => {
                let expected = format!("a line of at most {LINE_LIMIT} bytes");
                Err(ReadError::new("", expected, format!("one of {bytes}")))
            }
        }
    }

    fn handle(&mut self, event: &StreamEventEnvelope) {
        let now = self.clock.map_or_else(|| Now::at(event.timestamp.instant()), |clock| clock.now());
        self.turns.handle_timeout(now.mono, &mut self.output);
        self.turns.handle_event(event, now, &mut self.output);
    }

    fn fire_deadlines(&mut self) {
        if let Some(clock) = self.clock {
            self.turns.handle_timeout(clock.now().mono, &mut self.output);
        }
    }

    fn finish_turns(&mut self) {
        let reason = ErrorInfo::new(ErrorCode::StreamEnded, "the input ended before the turn did");
        let now = self.clock.map(|clock| clock.now());
        self.turns.finish(&reason, now, &mut self.output);
    }

    fn complain(&mut self, error: &ReadError) -> io::Result<()> {
        self.verdict = if self.strict { Verdict::Stopped } else { Verdict::BadLines };
        self.write()?;
        writeln!(self.complaints, "liminal: line {}: {error}", self.line_number)
    }

    fn write(&mut self) -> io::Result<()> {
        self.output.write()
    }
}

enum Reader {
    Canonical(EventReader),
    StreamA(stream_a::Reader),
}

impl Reader {
    fn new(format: Format) -> Self {
        match format {
            Format::Canonical => Self::Canonical(EventReader::default()),
            Format::StreamA => Self::StreamA(stream_a::Reader::default()),
        }
    }

    fn read(&mut self, line: &[u8]) -> Result<Option<StreamEventEnvelope>, ReadError> {
        match self {
            Self::Canonical(reader) => reader.read_bytes(line).map(Reading::event),
            Self::StreamA(reader) => reader.read_bytes(line),
        }
    }
}
