//! The agent's input, read on a thread of its own so that nothing the agent does keeps it from hearing, or so that
//! it hears nothing at all.

use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

pub(crate) struct Input {
    lines: Receiver<Value>,
    stopped: Arc<AtomicBool>,
}

/// What was heard.
pub(crate) enum Heard {
    Line(Value),
    Nothing,
    End,
}

impl Input {
    pub(crate) fn start() -> Result<Self> {
        let (sender, lines) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let gate = Arc::clone(&stopped);
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            let mut stdin = BufReader::new(std::io::stdin());
            let mut line = Vec::new();
            while read_some(&mut stdin, &mut line, &gate) {
                if line.last() != Some(&b'\n') {
                    continue;
                }
                let Ok(said) = serde_json::from_slice(&line) else { break };
                line.clear();
                if sender.send(said).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { lines, stopped })
    }

    /// Reads no more than what is being waited for.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    pub(crate) fn wait(&self) -> Heard {
        self.lines.recv().map_or(Heard::End, Heard::Line)
    }

    pub(crate) fn wait_for(&self, patience: Duration) -> Heard {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Heard::Line(line),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    pub(crate) fn look(&self) -> Heard {
        match self.lines.try_recv() {
            Ok(line) => Heard::Line(line),
            Err(TryRecvError::Empty) => Heard::Nothing,
            Err(TryRecvError::Disconnected) => Heard::End,
        }
    }
}

/// Reads up to the end of the line or of what is there, unless it is to read nothing.
fn read_some(stdin: &mut impl BufRead, line: &mut Vec<u8>, gate: &AtomicBool) -> bool {
    let Ok(bytes) = stdin.fill_buf() else { return false };
    while gate.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_secs(1));
    }
    let length = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    line.extend(bytes.iter().take(length));
    stdin.consume(length);
    length > 0
}
