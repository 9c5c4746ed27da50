//! The one writer of the audit log. Owns the file, when it reaches the disk and when the next one begins.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tokio::sync::{mpsc, oneshot};

use super::AuditError;
use super::syslog::Syslog;
use crate::private_file;

const NAME: &str = "audit.log";
const FILE_BYTES: u64 = 10 << 20;
/// What has gathered while the disk was busy goes to it together.
const TOGETHER: usize = 256;

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
}

impl Writer {
    pub(super) fn open(directory: &Path, syslog: Option<PathBuf>) -> io::Result<Self> {
        let writer = Self::with_limit(directory, FILE_BYTES)?;
        Ok(Self { syslog: syslog.map(Syslog::at), ..writer })
    }

    pub(super) fn with_limit(directory: &Path, limit: u64) -> io::Result<Self> {
        let mut file = private_file::open_to_append(&directory.join(NAME))?;
        let is_torn = ends_inside_a_line(&mut file)?;
        Ok(Self { directory: directory.to_owned(), file, limit, is_torn, syslog: None })
    }

    /// Writes until nobody can send any more.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut together = Vec::with_capacity(TOGETHER);
        while let Some(first) = jobs.blocking_recv() {
            together.push(first);
            while together.len() < TOGETHER {
                let Ok(next) = jobs.try_recv() else { break };
                together.push(next);
            }
            self.write(&mut together);
        }
        drop(self.file.sync_data());
    }

    fn write(&mut self, jobs: &mut Vec<Job>) {
        let is_awaited = jobs.iter().any(|job| job.reply.is_some());
        let result = self.append(jobs).and_then(|()| if is_awaited { self.file.sync_data() } else { Ok(()) });
        let result = result.map_err(|error| AuditError::Write(error.to_string()));
        if let Err(error) = &result {
            tracing::error!(lines = jobs.len(), "{error}");
        }
        if let Some(syslog) = &mut self.syslog {
            jobs.iter().for_each(|job| syslog.tell(&job.line));
        }
        for reply in jobs.drain(..).filter_map(|job| job.reply) {
            // Whoever waited may have gone away.
            drop(reply.send(result.clone()));
        }
    }

    fn append(&mut self, jobs: &[Job]) -> io::Result<()> {
        if self.file.metadata()?.len() >= self.limit {
            self.set_aside()?;
        }
        let start = if self.is_torn { "\n" } else { "" };
        let text: String = [start].into_iter().chain(jobs.iter().map(|job| job.line.as_str())).collect();
        self.is_torn = true;
        self.file.write_all(text.as_bytes())?;
        self.is_torn = false;
        Ok(())
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
