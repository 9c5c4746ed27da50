//! What is known of session files. Owns that a file which has not changed is not read again, and that one which is
//! gone is forgotten.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{self, Outline, Stamp};

#[derive(Debug)]
pub(super) struct Index<O> {
    files: BTreeMap<PathBuf, Indexed<O>>,
}

#[derive(Debug)]
struct Indexed<O> {
    stamp: Stamp,
    outline: O,
}

impl<O: Outline> Index<O> {
    pub(super) const fn new() -> Self {
        Self { files: BTreeMap::new() }
    }

    /// Brings up to date what is known below a directory, where these files were found, and shows each of them.
    /// Gives back those that could not be read.
    pub(super) fn update(
        &mut self,
        directory: &Path,
        found: Vec<PathBuf>,
        mut show: impl FnMut(&Path, &Stamp, &O),
    ) -> Vec<PathBuf> {
        let mut known = self.take_below(directory);
        let mut unreadable = Vec::new();
        for path in found {
            match refresh(&path, known.remove(&path)) {
                Ok(indexed) => {
                    show(&path, &indexed.stamp, &indexed.outline);
                    self.files.insert(path, indexed);
                }
                // Deleted since the directory was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => unreadable.push(path),
            }
        }
        unreadable
    }

    fn take_below(&mut self, directory: &Path) -> BTreeMap<PathBuf, Indexed<O>> {
        let (inside, others) =
            std::mem::take(&mut self.files).into_iter().partition(|(path, _)| path.starts_with(directory));
        self.files = others;
        inside
    }
}

fn refresh<O: Outline>(path: &Path, known: Option<Indexed<O>>) -> io::Result<Indexed<O>> {
    let stamp = Stamp::of(path)?;
    match known.filter(|known| known.stamp == stamp) {
        Some(known) => Ok(known),
        None => files::outline(path).map(|(stamp, outline)| Indexed { stamp, outline }),
    }
}
