//! The labels of metrics. Owns their words.

use prometheus_client::encoding::EncodeLabelSet;

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// By itself.
    Completed,
    /// Because somebody stopped it.
    Cancelled,
    /// With an error.
    Error,
}

/// How a reader with a cursor was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on after its cursor.
    Ok,
    /// It gets the whole state.
    Reset,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByCli {
    cli_type: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByTurnEnd {
    cli_type: String,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByVerdict {
    verdict: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByCode {
    code: &'static str,
}

impl ByCli {
    pub(super) fn new(cli_type: &str) -> Self {
        Self { cli_type: cli_type.to_owned() }
    }
}

impl ByTurnEnd {
    pub(super) fn new(cli_type: &str, end: TurnEnd) -> Self {
        let status = match end {
            TurnEnd::Completed => "completed",
            TurnEnd::Cancelled => "cancelled",
            TurnEnd::Error => "error",
        };
        Self { cli_type: cli_type.to_owned(), status }
    }
}

impl ByVerdict {
    pub(super) const fn new(verdict: Verdict) -> Self {
        let verdict = match verdict {
            Verdict::Ok => "ok",
            Verdict::Reset => "reset",
        };
        Self { verdict }
    }
}

impl ByCode {
    pub(super) const fn new(code: &'static str) -> Self {
        Self { code }
    }
}
