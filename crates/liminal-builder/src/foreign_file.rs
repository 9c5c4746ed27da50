//! Files that somebody else wrote, read with care. Owns that reading one neither waits nor takes more than a bound;
//! what they mean is their readers' business.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ForeignFileError {
    #[error("is not a file")]
    NotAFile,
    #[error("is longer than {0} bytes")]
    TooLong(u64),
    #[error("is not text")]
    NotText,
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The text of a file, or nothing if there is none. Links are followed, as whoever uses the file does.
pub(crate) fn read_text(path: &Path, longest: u64) -> Result<Option<String>, ForeignFileError> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(ForeignFileError::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(ForeignFileError::TooLong(longest));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| ForeignFileError::NotText)
}

/// Opens a regular file that is no link.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    let file = open_with(path, OFlags::NONBLOCK | OFlags::NOFOLLOW)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(file)
}

/// Opening a pipe would otherwise wait for its other end.
fn open(path: &Path) -> io::Result<File> {
    open_with(path, OFlags::NONBLOCK)
}

fn open_with(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// A link that leads nowhere is nothing to anybody.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_texts_are_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(read_text(&path, 4).unwrap().is_none());
        std::fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path, 4).unwrap().as_deref(), Some("text"));
        assert!(matches!(read_text(&path, 3), Err(ForeignFileError::TooLong(3))));
        assert!(read_text(&path.join("below"), 4).unwrap().is_none());
        std::fs::write(&path, [0xff]).unwrap();
        assert!(matches!(read_text(&path, 4), Err(ForeignFileError::NotText)));
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for other in [&pipe, folder.path(), Path::new("/dev/zero")] {
            assert!(matches!(read_text(other, 4), Err(ForeignFileError::NotAFile)), "{other:?}");
        }
    }
}
