//! The last step of every line. Owns its cleaning, so that no caller has to think of it.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

use super::rotation::RotatingFile;
use crate::redaction::{escape_controls, redact};

/// Where lines go. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Sink(Arc<Mutex<Output>>);

#[derive(Debug)]
enum Output {
    StandardError,
    File(RotatingFile),
}

impl Sink {
    pub(super) fn standard_error() -> Self {
        Self(Arc::new(Mutex::new(Output::StandardError)))
    }

    pub(super) fn file(path: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Output::File(RotatingFile::open(path)?)))))
    }

    fn line(&self, line: &str) -> io::Result<()> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *output {
            Output::StandardError => io::stderr().write_all(line.as_bytes()),
            Output::File(file) => file.line(line.as_bytes()),
        }
    }
}

impl<'a> MakeWriter<'a> for Sink {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter(self)
    }
}

/// Takes a whole line at a time, as the formatter writes it.
pub(super) struct LineWriter<'a>(&'a Sink);

impl Write for LineWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let clean = redact(text.trim_end_matches('\n'));
        self.0.line(&format!("{}\n", escape_controls(&clean)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
