//! Where what a session says goes: its log, its board, and whoever counts or listens outside.

use std::sync::Arc;

use liminal_core::upsert::{TurnEvent, TurnStatus};

use super::board::Board;
use crate::log::{Durability, EventLog, StreamLog};
use crate::metrics::{Metrics, TurnEnd};
use crate::stream_b;

/// Where a session's outputs go.
#[derive(Debug, Clone)]
pub struct Outlet {
    /// The states.
    pub log: Arc<dyn StreamLog>,
    /// The canonical events, if they are kept.
    pub events: Option<Arc<dyn EventLog>>,
    /// What outputs inside a turn have survived when they are seen; the end of a turn survives everything.
    pub durability: Durability,
    /// The view of the session.
    pub board: Board,
    /// Where the messages for programs outside go, if they are wanted.
    pub stream_b: Option<stream_b::Feeds>,
    /// Who counts, if anybody does.
    pub counts: Option<Counts>,
}

/// Counts what happens in sessions of one kind of agent.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Where to.
    pub metrics: Metrics,
    /// The kind of agent.
    pub cli_type: String,
}

impl Outlet {
    /// One that keeps states only.
    #[must_use]
    pub fn new(log: Arc<dyn StreamLog>) -> Self {
        let (durability, board) = (Durability::Grouped, Board::default());
        Self { log, events: None, durability, board, stream_b: None, counts: None }
    }
}

impl Counts {
    pub(super) fn turn(&self, event: &TurnEvent) {
        let end = match event {
            TurnEvent::TurnStarted { .. } => return self.metrics.turn_started(&self.cli_type),
            TurnEvent::TurnComplete { status: TurnStatus::Completed, .. } => TurnEnd::Completed,
            TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. } => TurnEnd::Cancelled,
            TurnEvent::TurnError { .. } => TurnEnd::Error,
        };
        self.metrics.turn_ended(&self.cli_type, end);
    }
}
