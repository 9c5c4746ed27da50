//! Files of a project by parts of their names. Owns how much is looked at, and that nothing outside of the project is.
//! What `.gitignore` leaves out is left out; no program runs, because a repository can say what git is to run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::time::Duration;

use ignore::{DirEntry, WalkBuilder};

use super::directory::{ProjectError, inside};
use super::fuzzy::score;
use crate::clock::Clock;

/// More are not shown.
pub const MOST_FILES: usize = 50;
/// Deeper than people go.
const DEEPEST: usize = 32;
const LONGEST_QUERY: usize = 200;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSearch {
    /// Files and directories.
    pub entries: usize,
    /// Time.
    pub time: Duration,
}

impl Default for FileSearch {
    fn default() -> Self {
        Self { entries: 100_000, time: Duration::from_millis(500) }
    }
}

/// The files that fit best, from the project's directory, the best first. It blocks while it looks.
///
/// Fails if the project's path now leads elsewhere: the walk follows a link in its starting point.
pub fn files(
    project: &Path,
    query: &str,
    search: FileSearch,
    clock: &Clock,
) -> Result<Vec<String>, ProjectError> {
    inside(project, project)?;
    let query: String = query.chars().take(LONGEST_QUERY).flat_map(char::to_lowercase).collect();
    let query: String = query.split_whitespace().collect();
    let by = clock.now().mono + search.time;
    let mut best = BinaryHeap::new();
    for entry in walk(project).take(search.entries) {
        if clock.now().mono >= by {
            break;
        }
        let Some(path) = file_in(project, &entry) else { continue };
        let Some(points) = score(&path, &query) else { continue };
        best.push(Reverse((points, Reverse(path))));
        if best.len() > MOST_FILES {
            best.pop();
        }
    }
    // From the worst of the reversed order, which is the best.
    Ok(best.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(path)))| path).collect())
}

/// Links are not followed, so that none leads out.
fn walk(project: &Path) -> impl Iterator<Item = DirEntry> {
    let mut builder = WalkBuilder::new(project);
    builder.hidden(false).parents(false).git_global(false).require_git(false).follow_links(false);
    builder.max_depth(Some(DEEPEST)).filter_entry(|entry| entry.file_name() != ".git");
    builder.build().filter_map(Result::ok)
}

fn file_in(project: &Path, entry: &DirEntry) -> Option<String> {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    let path = entry.path().strip_prefix(project).ok()?.to_str()?;
    is_file.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".gitignore", "target/\n*.tmp\n");
        write("src/main.rs", "");
        write("src/deep/domain.rs", "");
        write("src/deep/.gitignore", "!keep.tmp\n");
        write("src/deep/keep.tmp", "");
        write("scratch.tmp", "");
        write("target/main.rs", "");
        write(".git/main.rs", "");
        write(".github/main.yml", "");
        folder
    }

    fn found(project: &Path, query: &str) -> Vec<String> {
        files(project, query, FileSearch::default(), &Clock::start()).unwrap()
    }

    #[test]
    fn files_are_found_by_parts_and_ignored_ones_are_not() {
        let project = project();
        assert_eq!(found(project.path(), "main"), ["src/main.rs", ".github/main.yml", "src/deep/domain.rs"]);
        assert_eq!(found(project.path(), "Deep Dom"), ["src/deep/domain.rs"]);
        assert_eq!(found(project.path(), "tmp"), ["src/deep/keep.tmp"]);
        assert_eq!(found(project.path(), "").len(), 6);
    }

    #[test]
    fn links_out_of_the_project_are_not_followed() {
        let (project, outside) = (project(), project());
        fs::write(outside.path().join("secret.rs"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), project.path().join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.rs"), project.path().join("secret")).unwrap();
        std::os::unix::fs::symlink(project.path(), project.path().join("again")).unwrap();
        assert_eq!(found(project.path(), "secret"), Vec::<String>::new());
        assert_eq!(found(project.path(), "main.rs"), ["src/main.rs", "src/deep/domain.rs"]);
    }

    #[test]
    fn a_project_replaced_by_a_link_is_not_searched() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), project());
        let path = folder.path().canonicalize().unwrap().join("project");
        std::os::unix::fs::symlink(elsewhere.path(), &path).unwrap();
        let found = files(&path, "main", FileSearch::default(), &Clock::start());
        assert!(matches!(found, Err(ProjectError::Moved(_))), "{found:?}");
    }

    #[test]
    fn only_so_much_is_looked_at_and_shown() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..200 {
            fs::write(folder.path().join(format!("f{number:03}")), "").unwrap();
        }
        let all = found(folder.path(), "f");
        assert_eq!((all.len(), all.first().unwrap().as_str()), (MOST_FILES, "f000"));
        let few = FileSearch { entries: 11, ..FileSearch::default() };
        assert_eq!(files(folder.path(), "f", few, &Clock::start()).unwrap().len(), 10);
        let hasty = FileSearch { time: Duration::ZERO, ..FileSearch::default() };
        assert_eq!(files(folder.path(), "f", hasty, &Clock::start()).unwrap(), Vec::<String>::new());
    }
}
