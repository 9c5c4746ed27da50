//! The one writer of the audit log. Owns the file, when it reaches the disk and when the next one begins.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::AuditError;
use super::syslog::Syslog;
use crate::private_file;

const NAME: &str = "audit.log";
const FILE_BYTES: u64 = 10 << 20;
/// What has gathered while the disk was busy goes to it together.
const TOGETHER: usize = 256;

/// Lines that are kept while the disk does not accept them; about a mebibyte.
const MOST_UNWRITTEN: usize = 1024;
/// Between two attempts to write them.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A line to write, and whoever waits until it has reached the disk.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) line: String,
    pub(super) reply: Option<oneshot::Sender<Result<(), AuditError>>>,
}

#[derive(Debug)]
pub(super) struct Writer {
    directory: PathBuf,
    file: File,
    limit: u64,
    /// The last write may have stopped inside a line.
    is_torn: bool,
    syslog: Option<Syslog>,
    /// The oldest lines that are not in the file, because it could not be written; nobody waits for them.
    unwritten: Vec<String>,
}

impl Writer {
    pub(super) fn open(directory: &Path, syslog: Option<PathBuf>) -> io::Result<Self> {
        let writer = Self::with_limit(directory, FILE_BYTES)?;
        Ok(Self { syslog: syslog.map(Syslog::at), ..writer })
    }

    pub(super) fn with_limit(directory: &Path, limit: u64) -> io::Result<Self> {
        let mut file = private_file::open_to_append(&directory.join(NAME))?;
        let is_torn = ends_inside_a_line(&mut file)?;
        Ok(Self {
            directory: directory.to_owned(),
            file,
            limit,
            is_torn,
            syslog: None,
            unwritten: Vec::new(),
        })
    }

    /// Writes until nobody can send any more.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>, timer: &Runtime) {
        let mut together = Vec::with_capacity(TOGETHER);
        while self.wait(&mut jobs, timer, &mut together) {
            while together.len() < TOGETHER {
                let Ok(next) = jobs.try_recv() else { break };
                together.push(next);
            }
            self.write(&mut together);
        }
        self.write(&mut together);
        drop(self.file.sync_data());
    }

    /// Waits for something to write, but not for long while there are lines that were not written; returns whether
    /// there can be more.
    fn wait(&self, jobs: &mut mpsc::Receiver<Job>, timer: &Runtime, together: &mut Vec<Job>) -> bool {
        let next = if self.unwritten.is_empty() {
            jobs.blocking_recv()
        } else {
            match timer.block_on(async { timeout(TRY_AGAIN, jobs.recv()).await }) {
                Ok(next) => next,
                Err(_) => return true,
            }
        };
        let is_open = next.is_some();
        together.extend(next);
        is_open
    }

    fn write(&mut self, jobs: &mut Vec<Job>) {
        if let Some(syslog) = &mut self.syslog {
            jobs.iter().for_each(|job| syslog.tell(&job.line));
        }
        let is_awaited = jobs.iter().any(|job| job.reply.is_some());
        let (written, result) = self.append(jobs);
        let result = result.and_then(|()| if is_awaited { self.file.sync_data() } else { Ok(()) });
        let result = result.map_err(|error| AuditError::Write(error.to_string()));
        if let Err(error) = &result {
            self.keep(written, jobs, error);
        } else {
            self.unwritten.clear();
        }
        for reply in jobs.drain(..).filter_map(|job| job.reply) {
            // Whoever waited may have gone away.
            drop(reply.send(result.clone()));
        }
    }

    /// Writes what was not written before and what is new; returns how many lines are in the file as a whole.
    fn append(&mut self, jobs: &[Job]) -> (usize, io::Result<()>) {
        let lines: Vec<&str> = self
            .unwritten
            .iter()
            .map(String::as_str)
            .chain(jobs.iter().map(|job| job.line.as_str()))
            .collect();
        if lines.is_empty() {
            return (0, Ok(()));
        }
        let start = if self.is_torn { "\n" } else { "" };
        let text: String = std::iter::once(start).chain(lines.iter().copied()).collect();
        let ends = ends(start.len(), &lines);
        if let Err(error) = self.make_room() {
            return (0, Err(error));
        }
        let (bytes, result) = write_all(&mut self.file, text.as_bytes());
        self.is_torn =
            bytes > 0 && !text.as_bytes().get(..bytes).is_some_and(|written| written.ends_with(b"\n"));
        (ends.iter().filter(|end| **end <= bytes).count(), result)
    }

    /// Keeps the lines that are not in the file. Lines with a waiting caller are dropped, because the caller gets an error.
    fn keep(&mut self, written: usize, jobs: &[Job], error: &AuditError) {
        let before = self.unwritten.len();
        self.unwritten.drain(..written.min(before));
        let new = jobs.iter().skip(written.saturating_sub(before)).filter(|job| job.reply.is_none());
        let new: Vec<String> = new.map(|job| job.line.clone()).collect();
        let room = MOST_UNWRITTEN.saturating_sub(self.unwritten.len());
        let lost = new.len().saturating_sub(room);
        let is_news = !jobs.is_empty();
        self.unwritten.extend(new.into_iter().take(room));
        if is_news {
            tracing::error!(
                waiting = self.unwritten.len(),
                lost,
                "{error}; what waits is written when it is"
            );
        }
    }

    fn make_room(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() >= self.limit { self.set_aside() } else { Ok(()) }
    }

    /// Under the next free number; an earlier file is never replaced.
    fn set_aside(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        let number = last_number(&self.directory)? + 1;
        fs::rename(self.directory.join(NAME), self.directory.join(format!("audit-{number}.log")))?;
        self.file = private_file::open_to_append(&self.directory.join(NAME))?;
        File::open(&self.directory)?.sync_all()
    }
}

/// Where each line ends in a text that begins at this offset.
fn ends(start: usize, lines: &[&str]) -> Vec<usize> {
    lines
        .iter()
        .scan(start, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect()
}

/// Writes everything; returns how many bytes were written, also when it fails.
fn write_all(file: &mut File, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

/// What waits for the next attempt to write.
pub(super) fn timer() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_time().build()
}

fn last_number(directory: &Path) -> io::Result<u64> {
    let names = fs::read_dir(directory)?.filter_map(Result::ok).map(|entry| entry.file_name());
    let numbers = names
        .filter_map(|name| name.to_str()?.strip_prefix("audit-")?.strip_suffix(".log")?.parse::<u64>().ok());
    Ok(numbers.max().unwrap_or(0))
}

fn ends_inside_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
