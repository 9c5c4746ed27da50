//! How a session's agent ends: by itself, because somebody wishes it, or because it is of no use any more. Owns when and
//! why; what the session makes of it is not its business.

use std::time::Duration;

use liminal_core::dialect::Input;
use liminal_core::error::{ErrorCode, ErrorInfo};

use super::SessionTask;
use crate::log::LogError;
use crate::process::ExitReport;
use crate::recording::Said;
use crate::session::SessionError;
use crate::transport::{self, SendError};

/// How long an agent that closed its input may take to end: how it does tells more than we can.
const DEAF_PATIENCE: Duration = Duration::from_secs(2);

/// The agent is to end.
pub(super) struct Ending {
    /// At the latest then; if it has not ended by itself, we do it.
    pub(super) by: Duration,
    /// Why we do it, unless somebody wished it.
    reason: Option<ErrorInfo>,
}

impl SessionTask {
    /// The agent may still end by itself; the first reason stays.
    pub(super) fn end_within(&mut self, patience: Duration, reason: Option<ErrorInfo>) {
        let by = self.clock.now().mono + patience;
        self.ending.get_or_insert(Ending { by, reason });
    }

    pub(super) fn end_now(&mut self, reason: ErrorInfo) {
        let earlier = self.ending.take().and_then(|ending| ending.reason);
        self.ending = Some(Ending { by: Duration::ZERO, reason: Some(earlier.unwrap_or(reason)) });
    }

    pub(super) fn is_end_due(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| ending.by <= self.clock.now().mono)
    }

    pub(super) fn agent_closed(&mut self, closed: transport::Closed) {
        match closed.exit {
            Some(report) => {
                self.transport = None;
                self.close(&report);
            }
            // It lives on, of no use to anybody.
            None => {
                self.end_now(ErrorInfo::new(ErrorCode::ProcessCrash, "the agent closed its output"));
            }
        }
    }

    pub(super) fn not_written(&mut self, error: SendError) {
        match error {
            SendError::Closed => {
                let reason = ErrorInfo::new(ErrorCode::ProcessCrash, "the agent closed its input");
                self.end_within(DEAF_PATIENCE, Some(reason));
            }
            SendError::AgentNotReading { .. } | SendError::NotOneLine => self.end_now(not_reading(error)),
        }
    }

    /// Down the ladder, until nothing of the agent is left.
    pub(super) async fn end_agent(&mut self) {
        let Some(transport) = self.transport.take() else { return };
        // Nothing more is heard of the agent, and the ladder is long: no prompt is taken from here on.
        let reason = self.ending.as_ref().and_then(|ending| ending.reason.clone());
        self.reply(Err(reason.map_or(SessionError::AgentGone, SessionError::NotTaken)));
        let report = transport.close(self.ladder).await;
        self.close(&report);
    }

    pub(super) fn close(&mut self, report: &ExitReport) {
        self.record(&Said::Ended { report });
        let now = self.clock.now().mono;
        let reason = self.ending.take_if(|ending| ending.by <= now).and_then(|ending| ending.reason);
        let closed = report.as_closed(reason);
        let failure = (!self.is_unwanted).then(|| closed.error());
        drop(self.pass(Input::Closed(closed)));
        self.board.ended(failure);
    }
}

pub(super) fn not_kept(error: &LogError) -> ErrorInfo {
    let code = if *error == LogError::Fenced { ErrorCode::SessionTakenOver } else { ErrorCode::Internal };
    ErrorInfo::new(code, error.to_string())
}

pub(super) fn not_reading(error: SendError) -> ErrorInfo {
    ErrorInfo::new(ErrorCode::AgentNotReading, error.to_string())
}
