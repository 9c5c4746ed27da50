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
            _ => Self::Failed(problem),
        }
    }
}

/// The same for what happens while a file is opened, when its path helps.
pub(super) fn opening(path: &Path, error: rusqlite::Error) -> LogError {
    let is_access = matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
        )
    );
    if is_access { inaccessible(path, &error) } else { error.into() }
}

pub(super) fn inaccessible(path: &Path, problem: &impl ToString) -> LogError {
    LogError::Inaccessible { path: path.to_owned(), problem: problem.to_string() }
}
