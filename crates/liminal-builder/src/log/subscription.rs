//! A reader that replays, then follows. Owns the reader's place; written once for all logs.
//!
//! It watches the head first and reads afterwards, so nothing falls between the two. What it holds is a cursor and not
//! a queue: a slow reader skips states that were overtaken.

use std::sync::Arc;
use std::time::Duration;

use liminal_core::ids::SessionId;
use liminal_core::wire::Resume;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Cursor, Entry, Head, Limit, LogError, StreamLog};

/// How long a reader waits for a place that another server showed it already and that is still on its way here.
const CATCH_UP: Duration = Duration::from_secs(1);

/// A reader of one session.
#[derive(Debug)]
pub struct Subscription {
    log: Arc<dyn StreamLog>,
    session: SessionId,
    head: watch::Receiver<Head>,
    /// The last place given out; none where everything has to be given first.
    cursor: Option<Cursor>,
    limit: Limit,
    window: Limit,
}

/// What a subscription gives out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The whole state, in order of `first_seq`. Replaces whatever the reader holds.
    Reset {
        /// Every entry.
        entries: Vec<Entry>,
        /// Entries that first appeared before this place were left out.
        before: Option<u64>,
        /// Where the reader stands now.
        cursor: Cursor,
    },
    /// What changed, in order of `seq`.
    Changes {
        /// The latest states.
        entries: Vec<Entry>,
        /// Where the reader stands now.
        cursor: Cursor,
    },
}

impl Subscription {
    /// Begins to read after a cursor in text form, as a client brings it back. One that is of no use is answered by
    /// a [`Delivery::Reset`], and so is none.
    pub async fn open(
        log: Arc<dyn StreamLog>,
        session: SessionId,
        after: Option<&str>,
    ) -> Result<Self, LogError> {
        let mut head = log.head(&session).await?;
        let mut cursor = after.and_then(|text| text.parse().ok());
        if let Some(place) = &cursor {
            let reaching = head.wait_for(|head| !head.is_behind(place));
            drop(timeout(CATCH_UP, reaching).await);
        }
        cursor = cursor.filter(|cursor| head.borrow().verdict(cursor) == Resume::Ok);
        head.mark_changed();
        Ok(Self { log, session, head, cursor, limit: Limit::MOUTHFUL, window: Limit::NONE })
    }

    /// How much is given out at once.
    #[must_use]
    pub fn with_limit(mut self, limit: Limit) -> Self {
        self.limit = limit;
        self
    }

    /// Of a whole state, only so many of the newest entries are given out; the rest can be read as history.
    #[must_use]
    pub fn with_window(mut self, entries: usize) -> Self {
        self.window = Limit { entries: entries.max(1), bytes: usize::MAX };
        self
    }

    /// Whether what comes next goes on from the cursor.
    #[must_use]
    pub const fn resume(&self) -> Resume {
        if self.cursor.is_some() { Resume::Ok } else { Resume::Reset }
    }

    /// The newest place of the log.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head.borrow().clone()
    }

    /// The place up to which everything was given out.
    #[must_use]
    pub fn place(&self) -> u64 {
        self.cursor.as_ref().map_or(0, |cursor| cursor.seq)
    }

    /// Whether there is something to give out now.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        let head = self.head.borrow();
        self.cursor.as_ref().is_none_or(|cursor| head.verdict(cursor) != Resume::Ok || cursor.seq != head.seq)
    }

    /// Waits until there is something to give out, and reads nothing of it. Cancel-safe.
    pub async fn ready(&mut self) -> Result<(), LogError> {
        while !self.is_behind() {
            self.head.changed().await.map_err(|_| LogError::Closed)?;
        }
        Ok(())
    }

    /// Waits until there is something to give out. Cancel-safe: what was not given out comes with the next call.
    pub async fn next(&mut self) -> Result<Delivery, LogError> {
        loop {
            let head = self.head.borrow_and_update().clone();
            let cursor = self.cursor.clone().filter(|cursor| head.verdict(cursor) == Resume::Ok);
            let Some(cursor) = cursor else { return self.reset().await };
            if cursor.seq == head.seq {
                self.head.changed().await.map_err(|_| LogError::Closed)?;
                continue;
            }
            return self.changes(cursor).await;
        }
    }

    async fn reset(&mut self) -> Result<Delivery, LogError> {
        let page = self.log.history(&self.session, None, self.window).await?;
        let cursor = page.head.cursor();
        self.cursor = Some(cursor.clone());
        let is_cut = page.entries.len() >= self.window.entries;
        let before = page.entries.first().map(|first| first.first_seq).filter(|_| is_cut);
        Ok(Delivery::Reset { entries: page.entries, before, cursor })
    }

    async fn changes(&mut self, after: Cursor) -> Result<Delivery, LogError> {
        let page = self.log.read(&self.session, after.seq, self.limit).await?;
        if page.head.verdict(&after) == Resume::Reset {
            // The log was rebuilt or trimmed meanwhile.
            return self.reset().await;
        }
        let cursor = Cursor { epoch: after.epoch, seq: page.through };
        self.cursor = Some(cursor.clone());
        Ok(Delivery::Changes { entries: page.entries, cursor })
    }
}
