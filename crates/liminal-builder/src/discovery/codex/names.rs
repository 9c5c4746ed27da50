//! The names that the user gave sessions of Codex. Owns how much of their file is read, and that it is read again only
//! when it has changed.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use liminal_core::dialect::codex_rollout::Rename;

use crate::discovery::files::{self, Stamp};

/// A line is added with every new name, so the end of the file is what counts; this holds tens of thousands.
const READ: u64 = 4 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Names {
    path: PathBuf,
    stamp: Option<Stamp>,
    by_id: BTreeMap<String, String>,
}

impl Names {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path, stamp: None, by_id: BTreeMap::new() }
    }

    /// Reads the file if it has changed. Gives its path if it is there and cannot be read.
    pub(super) fn refresh(&mut self) -> Option<PathBuf> {
        let stamp = Stamp::of(&self.path).ok();
        if stamp == self.stamp {
            return None;
        }
        self.by_id.clear();
        self.stamp = None;
        let bytes = stamp.as_ref().map_or(0, Stamp::bytes);
        match self.read(bytes) {
            Ok(()) => self.stamp = stamp,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return Some(self.path.clone()),
        }
        None
    }

    pub(super) fn of(&self, id: &str) -> Option<&String> {
        self.by_id.get(id)
    }

    fn read(&mut self, bytes: u64) -> io::Result<()> {
        let mut file = files::open(&self.path)?;
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(bytes.saturating_sub(READ)))?;
        file.take(READ).read_to_end(&mut end)?;
        for rename in end.split(|byte| *byte == b'\n').filter_map(Rename::read) {
            match rename.title {
                Some(title) => self.by_id.insert(rename.id, title),
                None => self.by_id.remove(&rename.id),
            };
        }
        Ok(())
    }
}
