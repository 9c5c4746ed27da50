//! Input that can be waited for. Owns the thread that reads, since a blocking read cannot be given a time limit.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

const CHUNK: usize = 64 * 1024;
/// One chunk being worked on, a few waiting: enough to read while writing, and no more memory than that.
const CHUNKS_WAITING: usize = 4;

/// What came.
#[derive(Debug)]
pub(super) enum Received {
    Bytes(Vec<u8>),
    /// Nothing, for as long as was asked.
    Nothing,
    End,
}

#[derive(Debug)]
pub(super) struct Input(Receiver<io::Result<Vec<u8>>>);

impl Input {
    pub(super) fn start(source: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(CHUNKS_WAITING);
        thread::Builder::new().name("input".to_owned()).spawn(move || read_all(source, &sender))?;
        Ok(Self(receiver))
    }

    pub(super) fn receive(&self, wait: Option<Duration>) -> io::Result<Received> {
        let received = match wait {
            Some(wait) => self.0.recv_timeout(wait),
            None => self.0.recv().map_err(RecvTimeoutError::from),
        };
        match received {
            Ok(bytes) => bytes.map(Received::Bytes),
            Err(RecvTimeoutError::Timeout) => Ok(Received::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(Received::End),
        }
    }
}

fn read_all(mut source: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = vec![0; CHUNK];
        let result = match source.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                chunk.truncate(length);
                Ok(chunk)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let ends = result.is_err();
        if sender.send(result).is_err() || ends {
            return;
        }
    }
}
