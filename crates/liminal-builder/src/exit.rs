//! How the program ends. Owns the codes that scripts and service managers go by, and which error has which.

use std::process::ExitCode;

use crate::config::ConfigError;
use crate::data_dir::DataDirError;
use crate::http::ServerFileError;
use crate::http::client::AskError;
use crate::log::LogError;
use crate::process::WrapperMissing;
use crate::recording::RecordingsError;
use crate::serve::ReachError;

/// The codes, for people.
pub const HELP: &str = "\
Exit codes: 0 good, 1 something failed, 2 wrong use, 69 no server answers, 75 another server uses the data directory,
78 the configuration or the data directory cannot be used, 130 stopped by Ctrl-C.";

/// How the program ends. The higher numbers are those of sysexits.h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Good,
    /// Something failed.
    Failed,
    /// The command line is wrong.
    WrongUse,
    /// No server answers; `liminal serve` starts one.
    NoServer,
    /// Another server uses the data directory; trying again later may help.
    InUse,
    /// The configuration or the data directory cannot be used; trying again without a change will not help.
    Unusable,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Failed => 1,
            Self::WrongUse => 2,
            Self::NoServer => 69,
            Self::InUse => 75,
            Self::Unusable => 78,
            Self::Interrupted => 130,
        }
    }

    /// How an error ends the program; what it was wrapped in does not matter.
    #[must_use]
    pub fn of(error: &anyhow::Error) -> Self {
        let told = error.chain().find_map(|cause| {
            let data = cause.downcast_ref::<DataDirError>().map(of_data_dir);
            let is_unusable = cause.is::<ConfigError>()
                || cause.is::<ReachError>()
                || cause.is::<RecordingsError>()
                || cause.is::<WrapperMissing>();
            let config = is_unusable.then_some(Self::Unusable);
            let file = cause.downcast_ref::<ServerFileError>().map(|_| Self::NoServer);
            let asked = cause.downcast_ref::<AskError>().map(of_asking);
            let log = cause.downcast_ref::<LogError>().map(of_log);
            data.or(config).or(file).or(asked).or(log)
        });
        told.unwrap_or(Self::Failed)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.number().into()
    }
}

/// The code of an error.
#[must_use]
pub fn code_of(error: &anyhow::Error) -> ExitCode {
    Exit::of(error).into()
}

const fn of_data_dir(error: &DataDirError) -> Exit {
    match error {
        DataDirError::InUse { .. } => Exit::InUse,
        DataDirError::Unsafe { .. } | DataDirError::Unusable { .. } => Exit::Unusable,
    }
}

const fn of_asking(error: &AskError) -> Exit {
    match error {
        AskError::Silent { .. } | AskError::Foreign(_) => Exit::NoServer,
        AskError::Refused { .. } => Exit::Failed,
    }
}

/// A full disk or a damaged file may be right at the next start; a file that cannot be opened will not.
const fn of_log(error: &LogError) -> Exit {
    match error {
        LogError::Inaccessible { .. } | LogError::Newer { .. } => Exit::Unusable,
        LogError::Full
        | LogError::Damaged(_)
        | LogError::Fenced
        | LogError::Unreachable(_)
        | LogError::Closed
        | LogError::Failed(_) => Exit::Failed,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use liminal_core::error::ErrorCode;

    use super::*;
    use crate::data_dir::{DataDir, Holder};

    #[test]
    fn every_error_ends_with_its_code_however_it_is_wrapped() {
        let holder = Holder { pid: 1, start: 1, url: None };
        let in_use = DataDirError::InUse { path: "/data".into(), holder };
        let newer = LogError::Newer { path: "/data/db".into(), found: 2, known: 1 };
        let missing = ConfigError::Read { path: "/c".into(), source: std::io::ErrorKind::NotFound.into() };
        for (error, exit) in [
            (anyhow::Error::from(in_use), 75),
            (newer.into(), 78),
            (missing.into(), 78),
            (ServerFileError::Absent(std::io::ErrorKind::NotFound.into()).into(), 69),
            (AskError::Foreign("http://127.0.0.1:1".to_owned()).into(), 69),
            (AskError::Refused { code: ErrorCode::SessionNotFound, detail: String::new() }.into(), 1),
            (LogError::Full.into(), 1),
            (anyhow::anyhow!("anything"), 1),
        ] {
            assert_eq!(Exit::of(&error).number(), exit, "{error}");
            assert_eq!(Exit::of(&error.context("while starting")).number(), exit);
        }
    }

    #[test]
    fn c29_a_directory_that_cannot_be_made_is_unusable() {
        let error = DataDir::open("/proc/liminal".as_ref()).context("while starting").unwrap_err();
        assert_eq!(Exit::of(&error), Exit::Unusable);
    }

    #[test]
    fn the_help_names_every_code() {
        let sessions = [Exit::NoServer, Exit::InUse, Exit::Unusable, Exit::Interrupted];
        for exit in [Exit::Good, Exit::Failed, Exit::WrongUse].into_iter().chain(sessions) {
            assert!(HELP.contains(&format!("{} ", exit.number())), "{exit:?}");
        }
    }
}
