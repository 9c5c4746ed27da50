//! The branch a directory is on. Owns reading git's own files: no program runs, because a repository can say what git is
//! to run.

use std::path::{Path, PathBuf};

use crate::foreign_file;

/// Git writes less than this into the files that are read here.
const LONGEST: u64 = 4096;
/// As git shortens commits.
const SHORT_COMMIT: usize = 8;

/// The branch, or the beginning of the commit if there is none; nothing outside of a repository.
#[must_use]
pub fn branch(directory: &Path) -> Option<String> {
    let git = directory.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let head = short_text(&repository(git)?.join("HEAD"))?;
    match head.strip_prefix("ref:") {
        Some(reference) => name_of(reference.trim()),
        None => commit(&head),
    }
}

/// In a worktree or submodule `.git` is a file that tells where the repository is.
fn repository(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = short_text(&git)?;
    let place = text.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(place))
}

fn short_text(path: &Path) -> Option<String> {
    let text = foreign_file::read_text(path, LONGEST).ok()??;
    Some(text.trim().to_owned())
}

fn name_of(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("refs/"))?;
    let is_sound = !name.is_empty() && !name.chars().any(char::is_control);
    is_sound.then(|| name.to_owned())
}

fn commit(head: &str) -> Option<String> {
    let is_commit = head.len() >= SHORT_COMMIT && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| head.chars().take(SHORT_COMMIT).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_branch_is_read_from_git_s_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(project.join("sub")).unwrap();
        fs::create_dir_all(project.join(".git/worktrees/w")).unwrap();
        for (head, expected) in [
            ("ref: refs/heads/main\n", Some("main")),
            ("ref: refs/heads/feature/a-b\n", Some("feature/a-b")),
            ("0123456789abcdef0123456789abcdef01234567\n", Some("01234567")),
            ("ref: refs/heads/\u{1b}[2J\n", None),
            ("anything\n", None),
            ("", None),
        ] {
            fs::write(project.join(".git/HEAD"), head).unwrap();
            assert_eq!(branch(&project.join("sub")).as_deref(), expected, "{head}");
        }
        let worktree = folder.path().join("worktree");
        fs::create_dir(&worktree).unwrap();
        fs::write(project.join(".git/worktrees/w/HEAD"), "ref: refs/heads/side\n").unwrap();
        for place in ["../project/.git/worktrees/w", project.join(".git/worktrees/w").to_str().unwrap()] {
            fs::write(worktree.join(".git"), format!("gitdir: {place}\n")).unwrap();
            assert_eq!(branch(&worktree).as_deref(), Some("side"));
        }
        fs::write(worktree.join(".git"), "nonsense").unwrap();
        assert_eq!(branch(&worktree), None);
    }
}
