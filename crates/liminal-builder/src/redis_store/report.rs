//! What a Redis tells of itself. Owns what is asked and what is to be advised.

use super::{Link, LinkError};

/// Streams and scripts as they are used here.
const OLDEST: (u32, u32) = (6, 2);

/// What Redis tells of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its version; nothing, if it does not tell.
    pub version: Option<String>,
    /// Whether it keeps what it acknowledged when it is killed; nothing, if it does not tell.
    pub is_append_only: Option<bool>,
}

impl Report {
    /// Why it cannot be used.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let (major, minor) = OLDEST;
        let version = self.version.as_deref().filter(|version| !is_new_enough(version))?;
        Some(format!("it is version {version}, and {major}.{minor} is needed"))
    }

    /// What whoever runs it should know.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        match self.is_append_only {
            Some(true) => None,
            Some(false) => Some(
                "Redis forgets what it was told last when it is killed; set `appendonly yes` in its configuration",
            ),
            None => Some("Redis does not tell whether it keeps what it is told; see that `appendonly` is on"),
        }
    }
}

impl Link {
    /// Asks Redis what it is.
    pub async fn report(&self) -> Result<Report, LinkError> {
        let (server, persistence) = (self.told("server").await?, self.told("persistence").await?);
        let version = value(&server, "redis_version").map(str::to_owned);
        let is_append_only = value(&persistence, "aof_enabled").map(|value| value == "1");
        Ok(Report { version, is_append_only })
    }

    /// A part of what it tells; nothing, if we may not ask.
    async fn told(&self, part: &str) -> Result<String, LinkError> {
        match self.look(redis::cmd("INFO").arg(part)).await {
            Err(LinkError::Refused(_)) => Ok(String::new()),
            told => told,
        }
    }
}

fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'))
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= OLDEST
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
