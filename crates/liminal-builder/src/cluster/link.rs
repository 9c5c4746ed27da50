//! The connections to Redis. Owns how they are made and how patient they are; what is said on them is others' business.

use std::fmt;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection, PubSub};
use redis::{AsyncConnectionConfig, Client};
use tokio::time::timeout;

use super::ClusterError;
use crate::config::RedisUrl;

/// A Redis that answers at all does so in a fraction of this.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRIES: usize = 2;
/// Streams and scripts as they are used here.
const OLDEST: (u32, u32) = (6, 2);

pub(super) struct Link {
    client: Client,
    manager: ConnectionManager,
}

/// What Redis tells of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its version.
    pub version: String,
    /// Whether it keeps what it acknowledged when it is killed; nothing, if it does not tell.
    pub is_append_only: Option<bool>,
}

impl Report {
    /// What whoever runs it should know.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match self.is_append_only {
            Some(true) => None,
            Some(false) => Some(
                "Redis forgets what it was told last when it is killed; set `appendonly yes` in its configuration"
                    .to_owned(),
            ),
            None => Some("Redis does not tell whether it keeps what it is told; see that `appendonly` is on".to_owned()),
        }
    }
}

impl Link {
    /// Connects now; nobody waits longer than a few seconds.
    pub(super) async fn open(url: &RedisUrl, lease: Duration) -> Result<Self, ClusterError> {
        let unreachable = |problem: String| ClusterError::Unreachable { url: url.to_string(), problem };
        let client = Client::open(url.reveal()).map_err(|error| unreachable(error.to_string()))?;
        let patience = PATIENCE.min(lease);
        let settings = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(patience))
            .set_response_timeout(Some(patience))
            .set_number_of_retries(RETRIES)
            .set_min_delay(Duration::from_millis(50))
            .set_max_delay(Duration::from_millis(500));
        let connecting = ConnectionManager::new_with_config(client.clone(), settings);
        let manager = timeout(PATIENCE * 2, connecting).await;
        let manager = manager.map_err(|_| unreachable("no answer in time".to_owned()))?;
        let link = Self { client, manager: manager.map_err(|error| unreachable(error.to_string()))? };
        let report = link.report().await.map_err(|error| unreachable(error.to_string()))?;
        if !is_new_enough(&report.version) {
            let (major, minor) = OLDEST;
            return Err(unreachable(format!(
                "it is version {}, and {major}.{minor} is needed",
                report.version
            )));
        }
        Ok(link)
    }

    /// For commands that are answered at once.
    pub(super) fn commands(&self) -> ConnectionManager {
        self.manager.clone()
    }

    /// A connection of its own, for whoever waits on it.
    pub(super) async fn waiting(&self, longest: Duration) -> Result<MultiplexedConnection, ClusterError> {
        let settings = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(longest + PATIENCE));
        Ok(self.client.get_multiplexed_async_connection_with_config(&settings).await?)
    }

    /// A connection on which news come.
    pub(super) async fn listening(&self) -> Result<PubSub, ClusterError> {
        let connecting = timeout(PATIENCE, self.client.get_async_pubsub()).await;
        Ok(connecting.map_err(|_| ClusterError::Down("no answer in time".to_owned()))??)
    }

    pub(super) async fn report(&self) -> Result<Report, ClusterError> {
        let mut connection = self.commands();
        let server: String = redis::cmd("INFO").arg("server").query_async(&mut connection).await?;
        let persistence: Result<String, _> =
            redis::cmd("INFO").arg("persistence").query_async(&mut connection).await;
        let version = value(&server, "redis_version").unwrap_or_default().to_owned();
        let is_append_only =
            persistence.ok().and_then(|text| value(&text, "aof_enabled").map(|value| value == "1"));
        Ok(Report { version, is_append_only })
    }
}

fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'))
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= OLDEST
}

/// A client knows a password.
impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Link")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, is_enough) in
            [("7.2.4", true), ("10.0.1", true), ("6.2.0", true), ("6.0.16", false), ("5", false), ("", false)]
        {
            assert_eq!(is_new_enough(version), is_enough, "{version}");
        }
    }

    #[test]
    fn what_redis_tells_is_found_among_its_lines() {
        let told = "# Server\r\nredis_version:7.0.15\r\naof_enabled:1\r\n";
        assert_eq!(value(told, "redis_version"), Some("7.0.15"));
        assert_eq!(value(told, "aof_enabled"), Some("1"));
        assert_eq!(value(told, "absent"), None);
    }
}
