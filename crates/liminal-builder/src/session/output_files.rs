//! The files that an agent's background commands write their output to. Owns how far each was read, and that reading one
//! neither waits nor takes more than a bound.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::foreign_file;

/// More commands at once are not followed; their calls still show how they end.
const FILES: usize = 64;
/// How much of a file is read at once.
const PIECE: u64 = 256 * 1024;
/// How much of a file is shown at all: as much as an item may have.
const WHOLE: u64 = 16 << 20;

/// What a command has written since the last time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) task: String,
    pub(super) text: String,
}

#[derive(Debug, Default)]
pub(super) struct OutputFiles {
    followed: BTreeMap<String, Followed>,
}

#[derive(Debug)]
struct Followed {
    path: PathBuf,
    read: u64,
    /// The beginning of a character whose rest was not written yet.
    rest: Vec<u8>,
}

impl OutputFiles {
    /// Begins to follow a task's file, if the path is one that tasks have.
    pub(super) fn follow(&mut self, task: String, path: &str) {
        let path = PathBuf::from(path);
        if self.followed.len() < FILES && is_output_file(&path, &task) {
            self.followed.insert(task, Followed { path, read: 0, rest: Vec::new() });
        }
    }

    pub(super) fn unfollow(&mut self, task: &str) {
        self.followed.remove(task);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.followed.is_empty()
    }

    /// Reads what was added. A file that cannot be read shows nothing; the task's end is still reported by the agent.
    pub(super) fn read(&mut self) -> Vec<Written> {
        let mut written = Vec::new();
        for (task, followed) in &mut self.followed {
            if let Ok(text) = followed.read()
                && !text.is_empty()
            {
                written.push(Written { task: task.clone(), text });
            }
        }
        written
    }
}

impl Followed {
    fn read(&mut self) -> io::Result<String> {
        let mut file = foreign_file::open_own(&self.path)?;
        if file.metadata()?.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = std::mem::take(&mut self.rest);
        let room = WHOLE.saturating_sub(self.read).min(PIECE);
        let count = file.take(room).read_to_end(&mut bytes)?;
        self.read += count as u64;
        self.rest = bytes.split_off(whole_characters(&bytes));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// `…/tasks/ID.output`: an agent cannot have just any file shown.
fn is_output_file(path: &Path, task: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    path.is_absolute() && folder == Some("tasks") && name == Some(&format!("{task}.output"))
}

/// How many bytes are whole characters, or no characters at all.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // Without a length the error is an end that more bytes may complete.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(error) => {
            let after = error.valid_up_to() + error.error_len().unwrap_or_default();
            after + whole_characters(bytes.get(after..).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    struct World {
        folder: tempfile::TempDir,
        files: OutputFiles,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("tasks")).unwrap();
            Self { folder, files: OutputFiles::default() }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join("tasks").join(name)
        }

        fn append(&self, name: &str, bytes: &[u8]) {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(self.path(name)).unwrap();
            file.write_all(bytes).unwrap();
        }

        fn follow(&mut self, task: &str, path: &Path) {
            self.files.follow(task.to_owned(), path.to_str().unwrap());
        }

        fn text(&mut self) -> String {
            self.files.read().into_iter().map(|written| written.text).collect()
        }
    }

    #[test]
    fn what_is_added_is_read_once_and_in_whole_characters() {
        let mut world = World::new();
        let path = world.path("b1.output");
        world.follow("b1", &path);
        assert_eq!(world.text(), "", "the file may come later");
        world.append("b1.output", b"one\n");
        assert_eq!(world.text(), "one\n");
        assert_eq!(world.text(), "");
        world.append("b1.output", &"é".as_bytes()[..1]);
        assert_eq!(world.text(), "");
        world.append("b1.output", &"é".as_bytes()[1..]);
        assert_eq!(world.text(), "é");
        world.append("b1.output", b"\xff\xfe two");
        assert_eq!(world.text(), "\u{fffd}\u{fffd} two");
        world.files.unfollow("b1");
        assert!(world.files.is_empty());
    }

    #[test]
    fn only_regular_files_of_the_task_are_read() {
        let mut world = World::new();
        world.append("b1.output", b"x");
        for (task, path) in [("b2", world.path("b1.output")), ("passwd", PathBuf::from("/etc/passwd"))] {
            world.follow(task, &path);
            assert!(world.files.is_empty(), "{path:?}");
        }
        let link = world.path("b3.output");
        std::os::unix::fs::symlink(world.path("b1.output"), &link).unwrap();
        world.follow("b3", &link);
        let pipe = world.path("b4.output");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        world.follow("b4", &pipe);
        assert_eq!(world.text(), "");
    }

    #[test]
    fn no_more_is_read_at_once_than_a_piece() {
        let mut world = World::new();
        world.append("b1.output", &vec![b'x'; usize::try_from(PIECE).unwrap() + 3]);
        let path = world.path("b1.output");
        world.follow("b1", &path);
        assert_eq!(world.text().len() as u64, PIECE);
        assert_eq!(world.text(), "xxx");
    }
}
