//! The token of programs. Owns where it outlives the server, so that a program which follows a session finds its way
//! back after a restart; who sent it is not known here.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::OFlags;

use super::lock;
use super::secret::{Digest, Secret};

const NAME: &str = "token";
/// What we write, and a newline.
const LENGTH: u64 = 65;

/// What programs send.
#[derive(Debug)]
pub struct ProgramToken {
    /// Where it is kept, if it outlives the server.
    path: Option<PathBuf>,
    current: Mutex<(Secret, Digest)>,
}

impl ProgramToken {
    /// One that ends with the server.
    #[must_use]
    pub fn fleeting() -> Self {
        Self::new(None, Secret::of_256_bits())
    }

    /// The one that is kept in a data directory, or a new one. What others could read is no secret and is replaced.
    pub fn kept_in(data: &Path) -> io::Result<Self> {
        let path = data.join(NAME);
        if let Some(secret) = read(&path)? {
            return Ok(Self::new(Some(path), secret));
        }
        let secret = Secret::of_256_bits();
        write(&path, &secret)?;
        Ok(Self::new(Some(path), secret))
    }

    fn new(path: Option<PathBuf>, secret: Secret) -> Self {
        let digest = secret.digest();
        Self { path, current: Mutex::new((secret, digest)) }
    }

    /// The text to send.
    #[must_use]
    pub fn text(&self) -> String {
        lock(&self.current).0.text().to_owned()
    }

    /// Whether a text is the token.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        lock(&self.current).1.matches(Digest::of(text))
    }

    /// Makes another one. It is kept before it counts, so that no restart brings the old one back.
    pub fn rotate(&self) -> io::Result<()> {
        let secret = Secret::of_256_bits();
        if let Some(path) = &self.path {
            write(path, &secret)?;
        }
        let digest = secret.digest();
        *lock(&self.current) = (secret, digest);
        Ok(())
    }
}

/// A link is not followed: it could lead to a file of somebody else's choice.
fn read(path: &Path) -> io::Result<Option<Secret>> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).map_err(io::Error::other)?;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !is_private(&file)? {
        return Ok(None);
    }
    let mut text = String::new();
    file.take(LENGTH).read_to_string(&mut text)?;
    Ok(Secret::from_text(text.trim_end()))
}

fn is_private(file: &File) -> io::Result<bool> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file() && metadata.mode() & 0o077 == 0)
}

/// Whoever reads sees the old one or the new one, and nothing between.
fn write(path: &Path, secret: &Secret) -> io::Result<()> {
    let draft = path.with_extension("new");
    drop(std::fs::remove_file(&draft));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(file, "{}", secret.text())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_the_same_until_it_is_rotated() {
        let data = tempfile::tempdir().unwrap();
        let first = ProgramToken::kept_in(data.path()).unwrap();
        let path = data.path().join(NAME);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let second = ProgramToken::kept_in(data.path()).unwrap();
        assert!(second.is(&first.text()));
        second.rotate().unwrap();
        assert!(!second.is(&first.text()));
        assert!(ProgramToken::kept_in(data.path()).unwrap().is(&second.text()));
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
        assert!(!format!("{second:?}").contains(&second.text()));
    }

    #[test]
    fn what_is_no_secret_any_more_is_replaced() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join(NAME);
        let known = ProgramToken::kept_in(data.path()).unwrap().text();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(!ProgramToken::kept_in(data.path()).unwrap().is(&known));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        for damaged in ["", "short", &"g".repeat(64), "\u{fffd}\u{fffd}"] {
            fs::write(&path, damaged).unwrap();
            let token = ProgramToken::kept_in(data.path()).unwrap();
            assert_eq!(token.text().len(), 64, "{damaged}");
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let data = tempfile::tempdir().unwrap();
        let elsewhere = data.path().join("elsewhere");
        fs::write(&elsewhere, "a".repeat(64)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, data.path().join(NAME)).unwrap();
        assert!(ProgramToken::kept_in(data.path()).is_err());
    }
}
