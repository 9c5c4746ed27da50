//! What handlers share. Owns nothing that changes by itself.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use liminal_core::time::Now;

use super::credentials::Credentials;
use super::host::OwnNames;
use super::limits::Limits;
use crate::agents::AgentReport;
use crate::clock::Clock;

/// Looks for the agents of this machine.
pub type FindAgents = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Vec<AgentReport>> + Send>> + Send + Sync>;

/// What handlers share; clones are the same.
#[derive(Debug, Clone)]
pub(super) struct App(Arc<Shared>);

pub(super) struct Shared {
    pub(super) url: String,
    pub(super) names: OwnNames,
    pub(super) credentials: Credentials,
    pub(super) limits: Limits,
    pub(super) clock: Clock,
    pub(super) find_agents: FindAgents,
}

impl App {
    pub(super) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// The server's address without a slash at the end.
    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    /// The page's address with a new one-time code. Browsers do not send what stands behind `#`.
    pub(super) fn fresh_url(&self) -> String {
        format!("{}/#c={}", self.0.url, self.0.credentials.new_code(self.now()).text())
    }

    pub(super) fn names(&self) -> &OwnNames {
        &self.0.names
    }

    pub(super) fn credentials(&self) -> &Credentials {
        &self.0.credentials
    }

    pub(super) fn limits(&self) -> Limits {
        self.0.limits
    }

    pub(super) fn now(&self) -> Now {
        self.0.clock.now()
    }

    pub(super) async fn find_agents(&self) -> Vec<AgentReport> {
        (self.0.find_agents)().await
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("url", &self.url).finish_non_exhaustive()
    }
}
