//! Recordings of sessions, in the format that the core replays. Owns the file and the thread that writes it. A slow
//! disk never holds a session up: what does not fit into the queue is left out, and the recording says so.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::clock;
use crate::private_file;
use crate::process::{Exit, ExitReport};

/// Twice the longest line, so that one line is never too much.
const QUEUE_BYTES: usize = 32 * 1024 * 1024;
const FINISH_PATIENCE: Duration = Duration::from_secs(2);

/// Why recordings cannot be kept in a directory.
#[derive(Debug, thiserror::Error)]
#[error("cannot record to {}: {source}; choose a directory that this user may write to with --record", path.display())]
pub struct RecordingsError {
    path: PathBuf,
    source: io::Error,
}

/// Creates the directory for recordings if there is none, private to this user, and checks that files can be made in it:
/// otherwise every session would fail to start.
pub fn prepare(directory: &Path) -> Result<(), RecordingsError> {
    let failed = |source| RecordingsError { path: directory.to_owned(), source };
    private_file::make_directory(directory).map_err(failed)?;
    let probe = directory.join(format!(".{}", clock::new_turn_id()));
    private_file::create_new(&probe).map_err(failed)?;
    fs::remove_file(probe).map_err(failed)
}

/// Something to be recorded.
#[derive(Debug, Clone, Copy)]
pub enum Said<'a> {
    /// A line of the agent.
    Heard(&'a [u8]),
    /// A line of the agent that was too long to be read.
    TooLong(u64),
    /// A line to the agent.
    Sent(&'a [u8]),
    /// What a background command of the agent added to its file.
    Written {
        /// The agent's own id of the task.
        task: &'a str,
        /// What was added.
        text: &'a str,
    },
    /// The agent ended.
    Ended {
        /// How, and what it left on its standard error.
        report: &'a ExitReport,
    },
}

/// Writes one recording. When it is dropped, what was noted is still written.
#[derive(Debug)]
pub struct Recorder {
    queue: Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    left_out: u64,
    written: oneshot::Receiver<()>,
}

impl Recorder {
    /// Begins a recording in a new file that only its owner may read.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = private_file::create_new(path)?;
        let (queue, lines) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let (done, written) = oneshot::channel();
        let counter = Arc::clone(&waiting);
        thread::Builder::new().name("recorder".to_owned()).spawn(move || {
            write_all(file, &lines, &counter);
            // Nobody may be waiting.
            done.send(()).ok();
        })?;
        Ok(Self { queue, waiting, left_out: 0, written })
    }

    /// Notes what was said, so long after the beginning.
    pub fn note(&mut self, at: Duration, said: &Said<'_>) {
        match said {
            Said::Heard(line) => self.line(at, "out", &lossy(line)),
            Said::Sent(line) => self.line(at, "in", &lossy(line)),
            Said::Written { task, text } => {
                self.push(at, entry(at, "file", &json!({ "task": task, "text": text })));
            }
            Said::TooLong(bytes) => self.meta(at, &json!({ "lineTooLong": bytes })),
            Said::Ended { report } => {
                for line in lossy(&report.stderr_tail).lines() {
                    self.line(at, "err", line);
                }
                self.meta(at, &json!({ "exit": exit_number(report.exit) }));
            }
        }
    }

    /// Waits until all is written, but not for long.
    pub async fn finish(self) {
        let Self { queue, written, .. } = self;
        drop(queue);
        // A disk that is too slow is left alone with the rest.
        drop(timeout(FINISH_PATIENCE, written).await);
    }

    fn meta(&mut self, at: Duration, what: &Value) {
        self.push(at, entry(at, "meta", what));
    }

    fn line(&mut self, at: Duration, direction: &str, line: &str) {
        let is_json = line.trim_start().starts_with('{');
        match serde_json::from_str::<&RawValue>(line).ok().filter(|_| is_json) {
            Some(json) => self.push(at, entry(at, direction, json)),
            None => self.push(at, entry(at, direction, line)),
        }
    }

    fn push(&mut self, at: Duration, said: Vec<u8>) {
        let waiting = self.waiting.load(Ordering::Relaxed);
        if waiting > 0 && waiting.saturating_add(said.len()) > QUEUE_BYTES {
            self.left_out += 1;
            return;
        }
        if let left_out @ 1.. = std::mem::take(&mut self.left_out) {
            self.enqueue(entry(at, "meta", &json!({ "linesLeftOut": left_out })));
        }
        self.enqueue(said);
    }

    fn enqueue(&self, entry: Vec<u8>) {
        self.waiting.fetch_add(entry.len(), Ordering::Relaxed);
        // The thread ends early only if it cannot write; then there is nothing to be done.
        self.queue.send(entry).ok();
    }
}

fn write_all(file: File, lines: &Receiver<Vec<u8>>, waiting: &AtomicUsize) {
    let mut file = BufWriter::new(file);
    while let Ok(line) = lines.recv() {
        if file.write_all(&line).is_err() {
            return;
        }
        waiting.fetch_sub(line.len(), Ordering::Relaxed);
        let is_last = waiting.load(Ordering::Relaxed) == 0;
        if is_last && file.flush().is_err() {
            return;
        }
    }
}

#[derive(serde::Serialize)]
struct Entry<'a, T: ?Sized> {
    t: f64,
    dir: &'a str,
    line: &'a T,
}

fn entry<T: serde::Serialize + ?Sized>(at: Duration, dir: &str, line: &T) -> Vec<u8> {
    let t = Duration::from_micros(u64::try_from(at.as_micros()).unwrap_or(u64::MAX)).as_secs_f64() * 1000.0;
    let entry = Entry { t: (t * 1000.0).round() / 1000.0, dir, line };
    let mut bytes = serde_json::to_vec(&entry).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// As the core reads it: a signal is a negative number.
const fn exit_number(exit: Exit) -> Option<i32> {
    match exit {
        Exit::Code(code) => Some(code),
        Exit::Signal(signal) => Some(-signal),
        Exit::Unknown => None,
    }
}

#[cfg(test)]
mod tests;
