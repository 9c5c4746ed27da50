//! A log file that does not grow for ever. Owns its size and its older parts: `liminal.log`, then `liminal.1.log` and so
//! on, the oldest last.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::private_file;

const FILES: usize = 10;
const FILE_BYTES: u64 = 10 << 20;

#[derive(Debug)]
pub(super) struct RotatingFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    limit: u64,
}

impl RotatingFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::with_limit(path, FILE_BYTES)
    }

    fn with_limit(path: &Path, limit: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            private_file::make_directory(folder)?;
        }
        let file = private_file::open_to_append(path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, bytes, limit })
    }

    /// Writes a line; a line is never cut between two files.
    pub(super) fn line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.bytes > 0 && self.bytes + line.len() as u64 > self.limit {
            self.rotate()?;
        }
        self.file.write_all(line)?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (0..FILES - 1).rev() {
            let from = self.part(number);
            match fs::rename(&from, self.part(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = private_file::open_to_append(&self.path)?;
        self.bytes = 0;
        Ok(())
    }

    fn part(&self, number: usize) -> PathBuf {
        if number == 0 {
            return self.path.clone();
        }
        let ending = self.path.extension().map(|ending| format!(".{}", ending.display())).unwrap_or_default();
        let name = self.path.file_stem().unwrap_or_default().display().to_string();
        self.path.with_file_name(format!("{name}.{number}{ending}"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn ten_files_are_kept_and_no_line_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/liminal.log");
        let mut log = RotatingFile::with_limit(&path, 20).unwrap();
        for number in 0..100 {
            log.line(format!("line {number:03}\n").as_bytes()).unwrap();
        }
        let names = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = names.collect();
        assert_eq!(files.len(), FILES);
        for file in &files {
            let metadata = fs::metadata(file).unwrap();
            assert!(metadata.len() <= 20 && metadata.permissions().mode() & 0o777 == 0o600);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "line 098\nline 099\n");
        let oldest = fs::read_to_string(path.with_file_name("liminal.9.log")).unwrap();
        assert_eq!(oldest, "line 080\nline 081\n");
    }

    #[test]
    fn a_file_that_was_there_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("liminal.log");
        for _ in 0..2 {
            RotatingFile::with_limit(&path, 12).unwrap().line(b"one line\n").unwrap();
        }
        assert_eq!(fs::read_to_string(folder.path().join("liminal.1.log")).unwrap(), "one line\n");
    }
}
