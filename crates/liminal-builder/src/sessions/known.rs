//! Directories that agents have worked in. Owns how what several agents know of one becomes one entry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures_util::future::join_all;

use super::Sessions;
use crate::discovery::KnownDirectories;

/// A directory that agents have worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkedIn {
    /// How many sessions were begun there.
    pub sessions: u32,
    /// The CLI types of the agents.
    pub agents: Vec<String>,
    /// When one of them last worked there.
    pub last_activity: jiff::Timestamp,
}

impl Sessions {
    /// The directories that agents have worked in, and whether some may be missing. An agent whose files cannot be read
    /// takes nothing away from the others.
    pub async fn worked_in(&self) -> (BTreeMap<PathBuf, WorkedIn>, bool) {
        let providers = self.0.parts.providers.all();
        let asked = providers.iter().map(|provider| async move {
            (provider.cli_type(), provider.known_directories().await.unwrap_or_default())
        });
        let (mut all, mut is_cut) = (BTreeMap::new(), false);
        for (cli_type, KnownDirectories { directories, is_cut: cut }) in join_all(asked).await {
            is_cut |= cut;
            for known in directories {
                let entry = all.entry(known.path).or_insert_with(|| WorkedIn::new(known.last_activity));
                entry.add(cli_type, known.sessions, known.last_activity);
            }
        }
        (all, is_cut)
    }
}

impl WorkedIn {
    const fn new(last_activity: jiff::Timestamp) -> Self {
        Self { sessions: 0, agents: Vec::new(), last_activity }
    }

    fn add(&mut self, cli_type: &str, sessions: u32, last_activity: jiff::Timestamp) {
        self.sessions = self.sessions.saturating_add(sessions);
        self.last_activity = self.last_activity.max(last_activity);
        self.agents.push(cli_type.to_owned());
    }

    /// Adds what is known of the same directory under another name.
    pub fn join(&mut self, other: Self) {
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.last_activity = self.last_activity.max(other.last_activity);
        self.agents.extend(other.agents);
        self.agents.sort();
        self.agents.dedup();
    }
}
