//! The demo agent's own memory: one small file per session, a line per thing that was told. Owns these files and their
//! form; a line that cannot be read is left out, because the end of a file may have been cut.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const ENDING: &str = "ndjson";

/// The lines in which a title is looked for: the first prompt writes it right behind the beginning.
const TITLE_WITHIN: usize = 2;

#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
}

/// A line of a session's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line {
    Opened { cwd: String },
    Titled(String),
    Told(Value),
}

/// What is known of a session without reading all of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    id: String,
    cwd: String,
    title: String,
    updated_at: jiff::Timestamp,
}

impl Store {
    pub(super) fn open(directory: PathBuf) -> io::Result<Self> {
        // What people type is nobody else's business, whatever the umask is.
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        Ok(Self { directory })
    }

    pub(super) fn create(&self, id: &str, cwd: &str) -> io::Result<()> {
        self.append(id, [Line::Opened { cwd: cwd.to_owned() }])
    }

    pub(super) fn append(&self, id: &str, lines: impl IntoIterator<Item = Line>) -> io::Result<()> {
        let path = self.path(id).ok_or(ErrorKind::InvalidInput)?;
        let mut text = String::new();
        for line in lines {
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes())
    }

    /// Everything of a session, or nothing if there is no such session.
    pub(super) fn read(&self, id: &str) -> io::Result<Option<Vec<Line>>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The sessions in which something was said, the newest first.
    pub(super) fn list(&self, cwd: Option<&str>) -> io::Result<Vec<Listed>> {
        let files = fs::read_dir(&self.directory)?.filter_map(Result::ok).map(|entry| entry.path());
        let mut listed: Vec<Listed> = files.filter_map(Listed::read).collect();
        listed.retain(|session| cwd.is_none_or(|cwd| session.cwd == cwd));
        listed.sort_by(|one, other| (other.updated_at, &other.id).cmp(&(one.updated_at, &one.id)));
        Ok(listed)
    }

    /// The file of a session. Ids are ours; one that is none must not lead out of the directory.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let is_ours = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        let sound = !id.is_empty() && id.len() <= 64 && id.bytes().all(is_ours);
        sound.then(|| self.directory.join(id).with_extension(ENDING))
    }
}

impl Listed {
    #[expect(clippy::needless_pass_by_value, reason = "it is given by an iterator")]
    fn read(path: PathBuf) -> Option<Self> {
        let id = path.file_name()?.to_str()?.strip_suffix(ENDING)?.strip_suffix('.')?.to_owned();
        let file = File::open(&path).ok()?;
        let updated_at = jiff::Timestamp::try_from(file.metadata().ok()?.modified().ok()?).ok()?;
        let (mut cwd, mut title) = (None, None);
        for line in BufReader::new(file).lines().take(TITLE_WITHIN).filter_map(Result::ok) {
            match serde_json::from_str(&line).ok()? {
                Line::Opened { cwd: told } => cwd = Some(told),
                Line::Titled(told) => title = Some(told),
                Line::Told(_) => {}
            }
        }
        Some(Self { id, cwd: cwd?, title: title?, updated_at })
    }

    pub(super) fn as_json(&self) -> Value {
        let Self { id, cwd, title, updated_at } = self;
        json!({ "sessionId": id, "cwd": cwd, "title": title, "updatedAt": updated_at.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (Store, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        (Store::open(folder.path().join("state/demo")).unwrap(), folder)
    }

    #[test]
    fn a_session_is_read_as_it_was_written_and_a_cut_line_is_left_out() {
        let (store, folder) = store();
        let lines = [Line::Titled("x".to_owned()), Line::Told(json!({ "a": 1 }))];
        store.create("a1", "/p").unwrap();
        store.append("a1", lines.clone()).unwrap();
        let file = folder.path().join("state/demo/a1.ndjson");
        OpenOptions::new().append(true).open(file).unwrap().write_all(b"{\"told\":{\"b").unwrap();
        let read = store.read("a1").unwrap().unwrap();
        assert_eq!(read.first().unwrap(), &Line::Opened { cwd: "/p".to_owned() });
        assert_eq!(read.get(1..).unwrap(), lines);
    }

    #[test]
    fn an_id_that_is_not_ours_leads_nowhere() {
        let (store, _folder) = store();
        for id in ["", "../a", "a/b", "a.b", "/etc/passwd", &"a".repeat(65)] {
            assert_eq!(store.read(id).unwrap(), None, "{id}");
            assert!(store.create(id, "/p").is_err(), "{id}");
        }
        assert_eq!(store.read("a1").unwrap(), None, "one that is not there");
    }

    #[test]
    fn sessions_are_listed_by_directory_once_something_was_said() {
        let (store, _folder) = store();
        for (id, cwd) in [("a1", "/p"), ("a2", "/q"), ("a3", "/p")] {
            store.create(id, cwd).unwrap();
        }
        assert!(store.list(None).unwrap().is_empty());
        for id in ["a1", "a2"] {
            store.append(id, [Line::Titled(format!("title of {id}"))]).unwrap();
        }
        let of_p: Vec<Value> = store.list(Some("/p")).unwrap().iter().map(Listed::as_json).collect();
        assert_eq!(of_p.len(), 1);
        assert_eq!(of_p.first().unwrap().get("title").unwrap(), "title of a1");
        assert_eq!(store.list(None).unwrap().len(), 2);
    }
}
