//! Files of a project, read with care. Owns the bounds; what is beyond them is itself a finding, because an agent may
//! read it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::places::Only;
use crate::foreign_file;

/// Settings are short; a longer file hides something or is something else.
const LONGEST: u64 = 1 << 20;
const MOST_FILES: usize = 500;
const DEEPEST: usize = 8;

/// A file that could not be read.
pub(super) struct Unreadable {
    pub(super) problem: String,
    /// What is known of the file, so that a change of it is noticed.
    pub(super) state: String,
}

/// The text of a file, if there is one.
pub(super) fn text(path: &Path) -> Result<Option<String>, Unreadable> {
    foreign_file::read_text(path, LONGEST).map_err(|error| {
        let problem = error.to_string();
        let state = fs::metadata(path).map_or_else(
            |_| problem.clone(),
            |file| format!("{problem} {} {}.{}", file.len(), file.mtime(), file.mtime_nsec()),
        );
        Unreadable { problem, state }
    })
}

/// Files that count, in order, and what could not be looked into.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<PathBuf>,
    pub(super) problems: Vec<(PathBuf, &'static str)>,
}

/// The files below a directory that count, or the path itself if it is a file. Links to files count; a link to a
/// directory below is a problem, because it may lead anywhere.
pub(super) fn files(path: &Path, only: Only) -> Found {
    let mut found = Found::default();
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => found.gather(path, only, DEEPEST),
        Ok(_) if counts(path, only) => found.files.push(path.to_owned()),
        Ok(_) | Err(_) => {}
    }
    found.files.sort();
    found.problems.sort();
    found
}

impl Found {
    fn gather(&mut self, directory: &Path, only: Only, depth: usize) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(_) => return self.problem(directory, "cannot be looked into"),
        };
        for entry in entries.filter_map(Result::ok) {
            let (path, kind) = (entry.path(), entry.file_type().ok());
            let is_link = kind.is_some_and(|kind| kind.is_symlink());
            if is_left_out(&path, only) {
                continue;
            }
            match (path.is_dir(), is_link, depth) {
                (true, true, _) => self.problem(&path, "is a link to a directory; it is not looked into"),
                (true, false, 0) => self.problem(&path, "lies too deep; it is not looked into"),
                (true, false, _) => self.gather(&path, only, depth - 1),
                (false, _, _) if counts(&path, only) => self.file(directory, path),
                (false, _, _) => {}
            }
        }
    }

    fn file(&mut self, directory: &Path, path: PathBuf) {
        if self.files.len() < MOST_FILES {
            return self.files.push(path);
        }
        let problem = "has more files than are looked at";
        if self.problems.last().is_none_or(|(_, last)| *last != problem) {
            self.problem(directory, problem);
        }
    }

    fn problem(&mut self, path: &Path, problem: &'static str) {
        self.problems.push((path.to_owned(), problem));
    }
}

pub(super) fn counts(path: &Path, only: Only) -> bool {
    let has_one_of = |endings: &[&str]| {
        path.extension()
            .is_some_and(|ending| endings.iter().any(|wanted| ending.eq_ignore_ascii_case(wanted)))
    };
    match only {
        Only::Endings(endings) => has_one_of(endings),
        Only::Not { endings, .. } => !has_one_of(endings) && !is_left_out(path, only),
    }
}

fn is_left_out(path: &Path, only: Only) -> bool {
    let Only::Not { names, .. } = only else { return false };
    path.file_name().is_some_and(|found| names.iter().any(|name| found == *name))
}
