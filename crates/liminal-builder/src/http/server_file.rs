//! The file by which programs find a running server and its token. Owns its form and its permissions; where the data
//! directory is, others decide.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const NAME: &str = "server.json";

/// What is in `server.json`.
#[derive(Clone, Serialize, Deserialize)]
pub struct ServerFile {
    /// The server's address, without a slash at the end; `unix:` and a path, if it is a socket.
    pub url: String,
    /// Its port.
    pub port: u16,
    /// Its process.
    pub pid: u32,
    /// What to send as `Authorization: Bearer`.
    pub token: String,
    /// SHA-256 of its certificate, if it speaks TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// Why the file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ServerFileError {
    /// There is none, or it cannot be read.
    #[error("no server runs with this data directory; start one with `liminal serve`")]
    Absent(#[source] io::Error),
    /// It is not what a server writes.
    #[error("{} is damaged; start the server again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl ServerFile {
    /// Writes it so that readers see all of it or nothing, and nobody else sees the token.
    pub fn write(&self, data: &Path) -> io::Result<()> {
        let draft = data.join(format!(".{NAME}.{}", self.pid));
        drop(fs::remove_file(&draft));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        serde_json::to_writer(&mut file, self)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&draft, data.join(NAME))
    }

    /// Reads it.
    pub fn read(data: &Path) -> Result<Self, ServerFileError> {
        let path = data.join(NAME);
        let text = fs::read(&path).map_err(ServerFileError::Absent)?;
        serde_json::from_slice(&text).map_err(|source| ServerFileError::Damaged { path, source })
    }

    /// Writes it again, if this server has told of itself at all.
    pub(super) fn renew(&self, data: &Path) -> io::Result<()> {
        if self.is_in(data) { self.write(data) } else { Ok(()) }
    }

    /// Removes it, unless another server has written its own since.
    pub fn remove(&self, data: &Path) {
        if self.is_in(data) {
            drop(fs::remove_file(data.join(NAME)));
        }
    }

    /// Tokens outlive servers; a process has one server.
    fn is_in(&self, data: &Path) -> bool {
        Self::read(data).is_ok_and(|found| (found.pid, found.port) == (self.pid, self.port))
    }
}

/// Shows no token.
impl std::fmt::Debug for ServerFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { url, port, pid, token: _, certificate: _ } = self;
        let mut shown = formatter.debug_struct("ServerFile");
        shown.field("url", url).field("port", port).field("pid", pid).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn server_file(token: &str) -> ServerFile {
        let (url, token) = ("http://127.0.0.1:1".to_owned(), token.to_owned());
        ServerFile { url, port: 1, pid: 7, token, certificate: None }
    }

    fn of_process(pid: u32) -> ServerFile {
        ServerFile { pid, ..server_file("the same") }
    }

    #[test]
    fn the_file_is_ours_alone_and_replaced_whole() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join(NAME);
        fs::write(&path, "something old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        fs::write(data.path().join(".server.json.7"), "left by a crash").unwrap();
        server_file("t").write(data.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let expected = "{\"url\":\"http://127.0.0.1:1\",\"port\":1,\"pid\":7,\"token\":\"t\"}\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
        assert!(!format!("{:?}", server_file("secret")).contains("secret"));
    }

    #[test]
    fn a_server_removes_only_its_own_file() {
        let data = tempfile::tempdir().unwrap();
        assert!(matches!(ServerFile::read(data.path()), Err(ServerFileError::Absent(_))));
        of_process(2).write(data.path()).unwrap();
        of_process(1).remove(data.path());
        of_process(1).renew(data.path()).unwrap();
        assert_eq!(ServerFile::read(data.path()).unwrap().pid, 2);
        ServerFile { token: "another".to_owned(), ..of_process(2) }.renew(data.path()).unwrap();
        assert_eq!(ServerFile::read(data.path()).unwrap().token, "another");
        of_process(2).remove(data.path());
        assert!(ServerFile::read(data.path()).is_err());
    }
}
