//! Several servers on one Redis. Owns what they tell each other: who is there, who has which session, what a session is
//! and does, and commands for sessions of others. Knows Redis and what sessions are; not HTTP, and not how agents run.
//!
//! Redis holds nothing that cannot be written again: whoever has a session keeps it on its own disk.

mod catalogue;
mod directory;
mod error;
mod inbox;
mod kept;
mod logins;
mod presence;
mod projects;
mod records;
mod scripts;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_core::ids::SessionId;
use tokio::sync::watch;

use crate::clock::{self, Clock};
use crate::config::RedisUrl;
use crate::redis_store::{Keys, Link, Report};

pub use catalogue::News;
pub use directory::{Claim, Claimed};
pub use error::ClusterError;
pub use inbox::{Command, Envelope, Reply};
pub use kept::Kept;
pub use logins::{CodeUse, MOST_LOGINS, StoreLife};
pub use presence::Renewal;
pub use projects::SharedProject;
pub use records::Record;

use catalogue::Catalogue;
use inbox::Asked;
use presence::Presence;

/// A Redis that answers at all does so in a fraction of this.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server, for as long as it runs: a restarted one is another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ServerId(String);

impl ServerId {
    fn random() -> Self {
        Self(clock::new_session_uuid())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How to join the others.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where Redis is.
    pub url: RedisUrl,
    /// What keys begin with.
    pub prefix: String,
    /// How long a server counts as there that was not heard of.
    pub lease: Duration,
    /// What people call this server.
    pub name: String,
}

/// What a Redis tells of itself, for whoever wants to use it.
pub async fn examine(url: &RedisUrl) -> Result<Report, ClusterError> {
    Ok(connect(url, PATIENCE).await?.1)
}

/// Fails at once if Redis does not answer, or cannot be used.
async fn connect(url: &RedisUrl, patience: Duration) -> Result<(Link, Report), ClusterError> {
    let unreachable = |problem: String| ClusterError::Unreachable { url: url.to_string(), problem };
    let link = Link::new(url.reveal(), patience).map_err(|error| unreachable(error.to_string()))?;
    let report = link.report().await.map_err(|error| unreachable(error.to_string()))?;
    match report.fault() {
        Some(fault) => Err(unreachable(fault)),
        None => Ok((link, report)),
    }
}

/// This server among the others; clones are the same.
#[derive(Debug, Clone)]
pub struct Cluster(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    me: ServerId,
    name: String,
    lease: Duration,
    clock: Clock,
    keys: Keys,
    link: Link,
    presence: Presence,
    catalogue: Catalogue,
    asked: Asked,
    logins_ended: watch::Sender<()>,
    /// The sessions of this server, with their tokens.
    held: Mutex<BTreeMap<SessionId, u64>>,
}

impl Cluster {
    /// Connects, and makes this server known. Fails at once if Redis does not answer.
    pub async fn join(settings: Settings) -> Result<Self, ClusterError> {
        let Settings { url, prefix, lease, name } = settings;
        let (link, _) = connect(&url, PATIENCE.min(lease)).await?;
        let clock = Clock::start();
        let inner = Inner {
            me: ServerId::random(),
            name,
            lease,
            clock,
            keys: Keys::new(&prefix),
            link,
            presence: Presence::default(),
            catalogue: Catalogue::default(),
            asked: Asked::default(),
            logins_ended: watch::Sender::default(),
            held: Mutex::default(),
        };
        let cluster = Self(Arc::new(inner));
        cluster.renew().await?;
        cluster.reload(&mut Vec::new()).await?;
        Ok(cluster)
    }

    /// This server.
    #[must_use]
    pub fn me(&self) -> &ServerId {
        &self.0.me
    }

    /// Whether a session is this server's.
    #[must_use]
    pub fn holds(&self, session: &SessionId) -> bool {
        self.held().contains_key(session)
    }

    /// The token of a session that is this server's.
    #[must_use]
    pub fn token(&self, session: &SessionId) -> Option<u64> {
        self.held().get(session).copied()
    }

    /// Every session of this server.
    #[must_use]
    pub fn all_held(&self) -> Vec<SessionId> {
        self.held().keys().cloned().collect()
    }

    /// Tells whether Redis is believed to answer.
    #[must_use]
    pub fn answers(&self) -> watch::Receiver<bool> {
        self.0.presence.answers()
    }

    /// What Redis tells of itself.
    pub async fn report(&self) -> Result<Report, ClusterError> {
        Ok(self.0.link.report().await?)
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<SessionId, u64>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.0.clock.now().mono
    }
}
