//! Browsers that were let in. Owns how they are kept; who is let in is the credentials' business.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Store, bodies, text, timestamp};
use crate::log::LogError;
use crate::log::sqlite::records::{BROWSERS, PAGE_STATES};

/// Beside what the page keeps, because it is one small fact with a name, too.
const LIFE: &str = "logins";

/// A browser that was let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Browser {
    /// The digest of its cookie.
    pub cookie: String,
    /// The digest of its key.
    pub key: String,
    /// When it last did something.
    #[serde(with = "timestamp")]
    pub seen: Timestamp,
}

impl Store {
    /// All of them.
    pub async fn browsers(&self) -> Result<Vec<Browser>, LogError> {
        self.read(|connection| Ok(bodies(BROWSERS.select(connection, "ORDER BY cookie", [])?))).await
    }

    /// Keeps a browser in the place of another, if one has to make room.
    pub async fn add_browser(&self, browser: Browser, instead_of: Option<String>) -> Result<(), LogError> {
        self.synced(move |connection| {
            if let Some(cookie) = instead_of {
                BROWSERS.delete(connection, "cookie = ?1", [cookie])?;
            }
            BROWSERS.put(connection, vec![text(&browser.cookie)], &browser)
        })
        .await
    }

    /// Notes that a browser was seen. Nobody waits for it, and under load it may be lost: the next request notes it
    /// again.
    pub fn note_browser(&self, browser: Browser) {
        self.log.write_if_idle(move |connection| {
            let found = BROWSERS.select::<Browser>(connection, "WHERE cookie = ?1", [&browser.cookie])?;
            // One that was forgotten meanwhile must not come back.
            if found.is_empty() {
                return Ok(());
            }
            BROWSERS.put(connection, vec![text(&browser.cookie)], &browser)
        });
    }

    /// The life of the logins that are shared with other servers; none if they never were.
    pub async fn login_life(&self) -> Result<Option<u64>, LogError> {
        self.read(|connection| Ok(bodies(PAGE_STATES.select(connection, "WHERE name = ?1", [LIFE])?).pop()))
            .await
    }

    /// Those there are belong to this life.
    pub async fn set_login_life(&self, life: u64) -> Result<(), LogError> {
        self.synced(move |connection| PAGE_STATES.put(connection, vec![text(LIFE)], &life)).await
    }

    /// Forgets all of them. If they are shared, their next life begins in the same step.
    pub async fn remove_browsers(&self, next: Option<u64>) -> Result<(), LogError> {
        self.synced(move |connection| {
            BROWSERS.delete(connection, "1", [])?;
            next.map_or(Ok(()), |life| PAGE_STATES.put(connection, vec![text(LIFE)], &life))
        })
        .await
    }
}
