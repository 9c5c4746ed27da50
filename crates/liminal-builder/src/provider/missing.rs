//! An agent that is not there, though its sessions are. Owns that they are shown all the same, and that whoever opens
//! one is told what is missing.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::acp::{self, codex};
use super::{Asking, OpenError, OpenRequest, Opening, Provider, blocking};
use crate::discovery::Listing;
use crate::discovery::codex::Sessions;
use crate::process::Environment;

/// Codex without an adapter that could be used.
#[derive(Debug)]
pub(super) struct MissingCodex {
    problem: String,
    rollouts: Arc<Mutex<Sessions>>,
}

impl MissingCodex {
    pub(super) fn new(problem: &str, environment: &Environment) -> Self {
        let problem = format!("{problem}; then start liminal again");
        Self { problem, rollouts: codex::rollouts(environment) }
    }
}

impl Provider for MissingCodex {
    fn cli_type(&self) -> &str {
        acp::CODEX
    }

    fn open(&self, _: OpenRequest) -> Opening<'_> {
        Box::pin(async { Err(OpenError::Unusable(self.problem.clone())) })
    }

    fn found(&self, directory: PathBuf) -> Asking<'_, Listing> {
        let rollouts = Arc::clone(&self.rollouts);
        Box::pin(blocking(move || codex::found(&rollouts, &directory)))
    }
}
