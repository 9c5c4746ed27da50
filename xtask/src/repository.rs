//! Where the repository is, which files belong to it and what git says of them. Knows no verb.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::Result;

use crate::command::CommandLine;

/// Folders that never hold sources.
const SKIPPED: [&str; 4] = [".git", "target", "node_modules", "dist"];

/// Read when called, not when compiled: a copied folder must not look at its original.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    manifest.as_deref().and_then(Path::parent).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// The files that are tracked or about to be, relative to the root; all files if this is no checkout.
#[cfg(test)]
pub(crate) fn files() -> Result<Vec<String>> {
    let root = root();
    if !is_checkout() {
        return Ok(files_under(&root, &root)?);
    }
    let listed = git("ls-files -z --cached --others --exclude-standard").output()?;
    let paths = listed.split_terminator('\0').filter(|path| root.join(path).is_file());
    Ok(paths.map(str::to_owned).collect())
}

/// `git status`, or nothing if this is no checkout.
pub(crate) fn status() -> Result<Option<String>> {
    if !is_checkout() {
        return Ok(None);
    }
    git("status --porcelain").output().map(Some)
}

/// All files below a folder, sorted, relative to `base`; none if there is no such folder.
pub(crate) fn files_under(folder: &Path, base: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if !path.is_dir() {
            files.push(path.strip_prefix(base).unwrap_or(&path).display().to_string());
        } else if !path.file_name().is_some_and(|name| SKIPPED.iter().any(|skipped| name == *skipped)) {
            files.extend(files_under(&path, base)?);
        }
    }
    Ok(files)
}

/// What a folder holds, sorted; nothing if there is no such folder.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let mut paths = found.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The names of the `.rs` files of a folder, without their ending.
pub(crate) fn rust_names(folder: &Path) -> io::Result<Vec<String>> {
    let mut paths = entries(folder)?;
    paths.retain(|path| path.extension() == Some(OsStr::new("rs")));
    Ok(paths.iter().filter_map(|path| path.file_stem()).map(|name| name.display().to_string()).collect())
}

fn is_checkout() -> bool {
    root().join(".git").exists()
}

/// What a git command says; nothing if this is no checkout, or if it fails.
#[cfg(test)]
pub(crate) fn ask_git(words: &[&str]) -> Option<String> {
    is_checkout().then(|| git("").words(words).output_quietly().ok()).flatten()
}

/// Git refuses a checkout that another user owns; whoever runs this trusts it already.
fn git(arguments: &str) -> CommandLine {
    CommandLine::new("git -c safe.directory=*").words(arguments.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_under_walks_folders_and_skips_build_output() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["b.rs", "a/c.rs", "node_modules/d.js", "a/target/e.rs"] {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), "").unwrap();
        }
        assert_eq!(files_under(folder.path(), folder.path()).unwrap(), ["a/c.rs", "b.rs"]);
        assert_eq!(rust_names(folder.path()).unwrap(), ["b"]);
    }

    #[test]
    fn a_missing_folder_is_an_empty_one() {
        assert!(files_under(Path::new("no-such-folder"), Path::new("")).unwrap().is_empty());
    }

    #[test]
    fn the_root_holds_this_file() {
        assert!(files().unwrap().contains(&"xtask/src/repository.rs".to_owned()));
    }
}
