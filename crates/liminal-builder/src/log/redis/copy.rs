//! Taking over a log with the places it has elsewhere. Owns what a copier may ask of Redis; what is to be copied when is
//! the copier's business.

use bytes::Bytes;
use liminal_core::ids::SessionId;

use super::super::{Entry, Head, LogError};
use super::scripts::{self, Verdict, field};
use super::{RedisLog, packed};

/// States to be taken over.
#[derive(Debug, Clone)]
pub struct Copy<'a> {
    /// The right to write.
    pub token: u64,
    /// Where the log that is copied stands after these states: its life, its floor, and their last place.
    pub head: &'a Head,
    /// Where Redis' log is taken to stand.
    pub base: u64,
    /// Whether whatever Redis has is forgotten first.
    pub starts_over: bool,
    /// The states.
    pub entries: &'a [Entry],
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Copied {
    /// Redis has it.
    Done,
    /// Nothing was changed, because Redis' log stands here, or there is none.
    Elsewhere(Option<Head>),
}

/// What became of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopiedEvents {
    /// Redis has them.
    Done,
    /// Nothing was changed, because this is the newest one.
    Elsewhere(u64),
}

impl RedisLog {
    /// Takes over states. Refused if somebody has a greater token.
    pub async fn copy(&self, session: &SessionId, copy: &Copy<'_>) -> Result<Copied, LogError> {
        let Copy { token, head, base, starts_over, entries } = copy;
        let mut call = self.shared.call(&self.shared.scripts.copy, session);
        call.arg(token).arg(self.shared.keys.news(session));
        call.arg(self.shared.settings.out_length).arg(self.shared.settings.out_bytes);
        call.arg(&*head.epoch).arg(base).arg(head.seq).arg(head.floor).arg(u8::from(*starts_over));
        for entry in *entries {
            call.arg(entry.key.to_string()).arg(entry.seq).arg(entry.first_seq);
            call.arg(packed::open(entry.is_open)).arg(packed::header(entry)).arg(&*entry.bytes);
        }
        match Verdict::of(self.shared.link.query(&call).await?)? {
            Verdict::Done(_) => Ok(Copied::Done),
            Verdict::Elsewhere(place) => {
                let head = scripts::head(&mut place.into_iter())?;
                Ok(Copied::Elsewhere(Some(head).filter(|head| !head.epoch.is_empty())))
            }
        }
    }

    /// Takes over events with their numbers, behind the one that is taken for the newest, or instead of all.
    pub async fn copy_events(
        &self,
        session: &SessionId,
        token: u64,
        base: Option<u64>,
        events: &[(u64, Bytes)],
    ) -> Result<CopiedEvents, LogError> {
        let mut call = self.shared.call(&self.shared.scripts.record, session);
        call.arg(token).arg(self.shared.keys.news(session));
        call.arg(self.shared.settings.event_length).arg(self.shared.settings.event_bytes);
        call.arg(base.unwrap_or_default()).arg(u8::from(base.is_none()));
        for (number, event) in events {
            call.arg(number).arg(&**event);
        }
        match Verdict::of(self.shared.link.query(&call).await?)? {
            Verdict::Done(_) => Ok(CopiedEvents::Done),
            Verdict::Elsewhere(newest) => Ok(CopiedEvents::Elsewhere(field(newest.into_iter().next())?)),
        }
    }

    /// Where Redis' log stands and the number of its newest event; none if it has none.
    pub async fn stored(&self, session: &SessionId) -> Result<Option<(Head, u64)>, LogError> {
        self.shared.stored(session).await
    }

    /// Takes the right to write a session from whoever has a smaller token, before anything of it is read. Tells where
    /// Redis' log stands and the number of its newest event; none if it has none.
    pub async fn own(&self, session: &SessionId, token: u64) -> Result<Option<(Head, u64)>, LogError> {
        let mut call = self.shared.call(&self.shared.scripts.own, session);
        call.arg(token);
        let found = Verdict::of(self.shared.link.query(&call).await?)?.done()?;
        if found.is_empty() {
            return Ok(None);
        }
        let mut found = found.into_iter();
        Ok(Some((scripts::head(&mut found)?, field(found.next())?)))
    }

    /// Forgets a session, unless somebody has a greater token.
    pub async fn remove_as(&self, session: &SessionId, token: u64) -> Result<(), LogError> {
        /// Longer than anybody stops and comes back.
        const REMEMBERED_MS: u64 = 48 * 60 * 60 * 1000;
        let mut call = self.shared.call(&self.shared.scripts.remove, session);
        call.arg(token).arg(self.shared.keys.news(session)).arg(REMEMBERED_MS);
        Verdict::of(self.shared.link.query(&call).await?)?.done()?;
        self.shared.refresh(session).await.map(drop)
    }
}
