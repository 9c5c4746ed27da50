//! What SQLite says, in the words of a log. Owns which of its codes mean what.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;

use super::super::LogError;

impl From<rusqlite::Error> for LogError {
    fn from(error: rusqlite::Error) -> Self {
        let problem = error.to_string();
        match error.sqlite_error_code() {
            Some(_) if is_out_of_room(&error) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(problem),
            Some(_) => Self::Failed(problem),
            // Not SQLite, but its wrapper: a value is not of the kind that was stored.
            None => Self::Damaged(problem),
        }
    }
}

/// The same for what happens while a file is opened: its path helps, and whatever is neither the system's fault nor
/// another program's is the file's.
pub(super) fn opening(path: &Path, error: &rusqlite::Error) -> LogError {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    match error.sqlite_error_code() {
        Some(_) if is_out_of_room(error) => LogError::Full,
        // It ends where it says that more follows.
        Some(_) if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHORT_READ) => {
            LogError::Damaged(error.to_string())
        }
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::SystemIoFailure,
        ) => inaccessible(path, error),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            LogError::Failed(format!("another program uses {}; close it", path.display()))
        }
        Some(_) | None => LogError::Damaged(error.to_string()),
    }
}

/// Also if only the memory that is shared with readers, a file of its own, could not be made.
fn is_out_of_room(error: &rusqlite::Error) -> bool {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether the system refused to write for want of room.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

pub(super) fn inaccessible(path: &Path, problem: &impl ToString) -> LogError {
    LogError::Inaccessible { path: path.to_owned(), problem: problem.to_string() }
}
