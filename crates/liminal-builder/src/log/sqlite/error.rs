//! What SQLite says, in the words of a log. Owns which of its codes mean what.

use std::path::Path;

use rusqlite::ErrorCode;

use super::super::LogError;

impl From<rusqlite::Error> for LogError {
    fn from(error: rusqlite::Error) -> Self {
        let problem = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
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
        Some(ErrorCode::DiskFull) => LogError::Full,
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

pub(super) fn inaccessible(path: &Path, problem: &impl ToString) -> LogError {
    LogError::Inaccessible { path: path.to_owned(), problem: problem.to_string() }
}
