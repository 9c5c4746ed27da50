//! Files that nobody else may read and that only grow. Owns how they are opened; what is in them is their writers'
//! business.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file to write at its end. A link is not followed, and what is no file, such as a pipe, is refused.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let mut options = OpenOptions::new();
    let file = options.append(true).read(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other(format!("{} is not a file; move it away", path.display())));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Creates a file that only its owner may read; fails if there is one.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Copies a file into a new one that only its owner may read, whatever the mode of the original.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = create_new(to)?;
    io::copy(&mut File::open(from)?, &mut copy).map(drop)
}

/// Takes away the rights of others on a file and on all files beside it whose names begin with its name: its logs and
/// its copies. Links are left alone.
pub(crate) fn restrict_siblings(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    let (Some(directory), Some(name)) = (directory, path.file_name()) else { return Ok(()) };
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(name.as_encoded_bytes());
        if is_ours && entry.file_type()?.is_file() && entry.metadata()?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(entry.path(), Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

/// Makes a directory for this user alone, and those above it.
pub(crate) fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_for_its_owner_alone_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "first\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        open_to_append(&path).unwrap().write_all(b"second\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(open_to_append(&link).is_err());
        assert!(open_to_append(folder.path()).is_err());
    }
}
