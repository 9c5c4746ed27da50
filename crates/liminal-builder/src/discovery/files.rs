//! Reading session files. Owns how much of a file is read for a list, and that no link leads out of a directory.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use super::lines::{Lines, Piece};

/// How much is read at once from the start of a file; mostly all that is read of it.
const HEAD_STEP: usize = 16 * 1024;
/// How much is read at most from the start: a first prompt, or what an agent writes before it, may be long.
const HEAD_LIMIT: u64 = 512 * 1024;
/// Claude Code keeps a session's names within this many bytes of the end.
const TAIL: u64 = 64 * 1024;

/// What a list needs of a session, from the two ends of its file.
pub(super) trait Outline: Default {
    /// Takes one of the first lines, in order.
    fn push_head_line(&mut self, bytes: &[u8]);
    /// Whether more of the first lines would tell nothing new.
    fn has_head(&self) -> bool;
    /// Takes the last lines, in order.
    fn push_tail(&mut self, lines: &[&[u8]]);
}

/// What tells that a file has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    modified: SystemTime,
    identity: (u64, u64),
}

impl Stamp {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Self::from_metadata(&fs::symlink_metadata(path)?)
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn modified(&self) -> jiff::Timestamp {
        jiff::Timestamp::try_from(self.modified).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    /// Whether a file is so short that its two ends are all of it.
    pub(super) const fn is_read_whole(&self) -> bool {
        self.bytes <= TAIL
    }

    fn from_metadata(metadata: &Metadata) -> io::Result<Self> {
        let modified = metadata.modified()?;
        Ok(Self { bytes: metadata.len(), modified, identity: identity(metadata) })
    }
}

/// Reads the two ends of a file, and no more.
pub(super) fn outline<O: Outline>(path: &Path) -> io::Result<(Stamp, O)> {
    let mut file = open(path)?;
    let stamp = Stamp::from_metadata(&file.metadata()?)?;
    let mut outline = O::default();
    read_head(&file, &mut outline, O::has_head)?;
    read_tail(&mut file, stamp.bytes, &mut outline)?;
    Ok((stamp, outline))
}

/// Reads the first lines of a file until they are enough.
pub(super) fn head<O: Outline>(path: &Path, is_enough: impl Fn(&O) -> bool) -> io::Result<O> {
    let mut outline = O::default();
    read_head(&open(path)?, &mut outline, |outline| is_enough(outline) || outline.has_head())?;
    Ok(outline)
}

/// Whether a path is a directory, and no link to one.
pub(super) fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether a path is a file, and no link to one.
pub(super) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// A small file as a whole, if it is there.
pub(super) fn small(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path).ok()?.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Opens a file that is no link, pipe or device, even if it is replaced meanwhile.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let not_a_file = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    let expected = fs::symlink_metadata(path)?;
    if !expected.is_file() {
        return Err(not_a_file());
    }
    let file = File::open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || identity(&found) != identity(&expected) {
        return Err(not_a_file());
    }
    Ok(file)
}

fn read_head<O: Outline>(file: &File, outline: &mut O, is_enough: impl Fn(&O) -> bool) -> io::Result<()> {
    let head = BufReader::with_capacity(HEAD_STEP, file.take(HEAD_LIMIT));
    let mut lines = Lines::new(head, HEAD_LIMIT);
    while let Some(piece) = lines.next()? {
        if let Piece::Line(line) = piece {
            outline.push_head_line(line);
        }
        if is_enough(outline) {
            break;
        }
    }
    Ok(())
}

fn read_tail(file: &mut File, bytes: u64, outline: &mut impl Outline) -> io::Result<()> {
    let start = bytes.saturating_sub(TAIL);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(TAIL).read_to_end(&mut tail)?;
    // The first line begins before the block, unless the block is the file.
    let cut = usize::from(start > 0);
    let lines: Vec<&[u8]> =
        tail.split(|byte| *byte == b'\n').skip(cut).filter(|line| !line.is_empty()).collect();
    outline.push_tail(&lines);
    Ok(())
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// Elsewhere size and time must do.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}
