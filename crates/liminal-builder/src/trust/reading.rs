//! Files of a project, read with care. Owns the bounds; a file that cannot be read is itself a finding, because an agent
//! may be able to.

use std::fs;
use std::path::{Path, PathBuf};

use liminal_core::wire::projects::FindingKind;

use super::Gathered;
use crate::foreign_file;

/// Settings are short; a longer file hides something or is something else.
const LONGEST: u64 = 1 << 20;
const MOST_FILES: usize = 500;
const DEEPEST: usize = 4;

/// The text of a file, if there is one.
pub(super) fn text(path: &Path, shown: &str, gathered: &mut Gathered) -> Option<String> {
    foreign_file::read_text(path, LONGEST).unwrap_or_else(|error| {
        let problem = error.to_string();
        gathered.add(shown, FindingKind::Unreadable, &problem, problem.as_bytes());
        None
    })
}

/// The files below a directory that have one of these endings, in order. Links to files count, links to directories are
/// not followed.
pub(super) fn files(directory: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    gather(directory, endings, DEEPEST, &mut found);
    found.sort();
    found
}

fn gather(directory: &Path, endings: &[&str], depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.take(MOST_FILES).filter_map(Result::ok) {
        let path = entry.path();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let has_ending = path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending));
        if is_directory && depth > 0 {
            gather(&path, endings, depth - 1, found);
        } else if has_ending && found.len() < MOST_FILES {
            found.push(path);
        }
    }
}
