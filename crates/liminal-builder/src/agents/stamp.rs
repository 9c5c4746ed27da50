//! What tells that a file has changed. Owns which of its properties count.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file at one moment; another file, or none, has another stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    path: PathBuf,
    /// Where links lead: updates often only move a link.
    real: Option<PathBuf>,
    found: Option<Found>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Package managers write new files with old times.
    inode: (u64, u64),
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Self {
        let found = fs::metadata(path).ok().map(|file| Found {
            bytes: file.len(),
            modified: file.modified().ok(),
            inode: (file.dev(), file.ino()),
        });
        Self { path: path.to_owned(), real: path.canonicalize().ok(), found }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_stamp_changes_with_the_file_its_target_and_its_absence() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let absent = Stamp::of(&at("a"));
        fs::write(at("a"), "one").unwrap();
        let first = Stamp::of(&at("a"));
        assert_ne!(first, absent);
        assert_eq!(first, Stamp::of(&at("a")));
        fs::write(at("a"), "longer").unwrap();
        assert_ne!(first, Stamp::of(&at("a")));
        fs::write(at("b"), "one").unwrap();
        symlink("a", at("link")).unwrap();
        let linked = Stamp::of(&at("link"));
        fs::remove_file(at("link")).unwrap();
        symlink("b", at("link")).unwrap();
        assert_ne!(linked, Stamp::of(&at("link")));
    }
}
