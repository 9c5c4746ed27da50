//! What the disks of all agents have in common: a project, files, and times that do not pass.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// A directory, and a project in it.
pub(crate) fn with_project() -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let project = fs::canonicalize(root.path()).unwrap().join("my project");
    fs::create_dir(&project).unwrap();
    (root, project)
}

pub(crate) fn write(path: PathBuf, text: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// Gives a file a time that does not pass.
pub(crate) fn stop_time(path: &Path) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// An agent keeps its files in a directory of this name at home, or where it is told to.
pub(crate) fn assert_at_home_unless_told(name: &str, directory: fn(Option<&OsStr>, &Path) -> PathBuf) {
    let home = Path::new("/home/dev");
    assert_eq!(directory(None, home), home.join(name));
    assert_eq!(directory(Some("".as_ref()), home), home.join(name));
    assert_eq!(directory(Some("/srv/agent".as_ref()), home), Path::new("/srv/agent"));
}
