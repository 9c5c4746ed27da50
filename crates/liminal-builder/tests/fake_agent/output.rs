//! The agent's output. Owns how lines are cut, doubled and ended; knows nothing of what they say.

use std::io::Write;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::directive::Shape;

#[derive(Debug, Default)]
pub(crate) struct Output {
    chunk: Option<usize>,
    split: Option<Duration>,
    carriage_return: bool,
    duplicate: bool,
    /// What was written since the last time it was forgotten.
    written: Vec<Value>,
}

impl Output {
    pub(crate) const fn shape(&mut self, shape: Shape) {
        match shape {
            Shape::Chunk(bytes) => self.chunk = Some(bytes),
            Shape::Split(pause) => self.split = Some(pause),
            Shape::CarriageReturn => self.carriage_return = true,
            Shape::Duplicate => self.duplicate = true,
        }
    }

    pub(crate) fn line(&mut self, line: Value) -> Result<()> {
        let mut bytes = serde_json::to_vec(&line)?;
        bytes.extend_from_slice(if self.carriage_return { b"\r\n" } else { b"\n" });
        for _ in 0..if self.duplicate { 2 } else { 1 } {
            self.bytes(&bytes)?;
        }
        self.written.push(line);
        Ok(())
    }

    /// The lines since [`Self::forget`] once more.
    pub(crate) fn replay(&mut self) -> Result<()> {
        for line in self.written.clone() {
            self.line(line)?;
        }
        Ok(())
    }

    pub(crate) fn forget(&mut self) {
        self.written.clear();
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<()> {
        if let Some(pause) = self.split {
            let (first, second) = bytes.split_at(bytes.len() / 2);
            write(first)?;
            thread::sleep(pause);
            return write(second);
        }
        bytes.chunks(self.chunk.unwrap_or(usize::MAX)).try_for_each(write)
    }
}

/// One write of the system for one call, unless it is larger than the pipe.
fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}
