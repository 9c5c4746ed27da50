//! Sessions that only their agents know. Owns that agents are asked for them behind a list's back, and never in a
//! project whose own things must not run: an agent looks at a project to tell what it remembers of it.

use std::sync::Arc;

use super::Sessions;
use crate::provider::Provider;
use crate::store::ProjectRow;

impl Sessions {
    /// Has every agent asked whose list of a project is old. Nobody waits: the list is told to have changed.
    pub(super) fn recall(&self, project: &ProjectRow) {
        let mut stale = self.0.parts.providers.all();
        stale.retain(|provider| provider.is_stale(&project.path));
        let is_kept_out = |cli_type: &str| {
            let restricted = self.is_restricted(project, &project.path, cli_type);
            restricted.unwrap_or(true)
        };
        stale.retain(|provider| !is_kept_out(provider.cli_type()));
        if *self.0.is_closing.borrow() {
            return;
        }
        for provider in stale {
            self.tasks().spawn(self.clone().ask(provider, project.clone()));
        }
    }

    async fn ask(self, provider: Arc<dyn Provider>, project: ProjectRow) {
        match provider.recall(project.path).await {
            Ok(true) => self.announce(Some(project.id)),
            Ok(false) => {}
            Err(error) => {
                let agent = provider.cli_type();
                tracing::warn!(agent, %error, "cannot ask an agent for its sessions");
            }
        }
    }
}
