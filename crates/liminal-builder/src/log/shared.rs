//! A log of which several servers have a part. Owns which sessions are written here, and that everybody reads them where
//! they are right: those that are ours in our own file, all others in Redis.
//!
//! A session of ours is written to the file first, as if there were no Redis; a task copies it. So nobody here ever
//! waits for Redis but those who ask for more than the file can promise.

mod copier;
mod owned;
mod routes;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::redis::RedisLog;
use super::sqlite::{Import, SqliteLog};
use super::{
    Batch, Cursor, Durability, Entry, EventLog, Events, Head, Key, Limit, LogError, Page, Pending, StreamLog,
};
use crate::clock::Clock;
use copier::Copier;
use owned::{Change, Known, Sessions};
use routes::Routes;

/// Events taken over in one step.
const EVENTS: usize = 256;

/// Whether what is shared is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Whether Redis answers.
    pub is_up: bool,
    /// What it said last, if it does not.
    pub problem: Option<String>,
}

/// A log shared through Redis.
#[derive(Debug)]
pub struct SharedLog {
    inner: Arc<Inner>,
    _copier: JoinSet<()>,
}

#[derive(Debug)]
struct Inner {
    local: Arc<SqliteLog>,
    redis: RedisLog,
    clock: Clock,
    sessions: Sessions,
    routes: Routes,
    lost: Mutex<Vec<mpsc::UnboundedSender<SessionId>>>,
    status: watch::Sender<Status>,
}

impl SharedLog {
    /// Shares a local log. Nothing of it is shared before it is owned.
    #[must_use]
    pub fn open(local: Arc<SqliteLog>, redis: RedisLog, clock: Clock) -> Self {
        let inner = Arc::new(Inner {
            local,
            redis,
            clock,
            sessions: Sessions::default(),
            routes: Routes::default(),
            lost: Mutex::default(),
            status: watch::Sender::new(Status { is_up: true, problem: None }),
        });
        let mut copier = JoinSet::new();
        copier.spawn(Copier::new(Arc::clone(&inner)).run());
        Self { inner, _copier: copier }
    }

    /// Redis' part.
    #[must_use]
    pub fn redis(&self) -> &RedisLog {
        &self.inner.redis
    }

    /// From now on the session is written here, and by nobody with a smaller token. If Redis has another life of it or
    /// more of it than there is here, that replaces what is here. Refused if somebody has a greater token.
    pub async fn own(&self, session: &SessionId, token: u64) -> Result<Head, LogError> {
        self.inner.own(session, token).await
    }

    /// The same for a session that nobody else can have, whatever Redis has to say to it.
    pub fn own_unseen(&self, session: &SessionId, token: u64) {
        self.inner.sessions.own(session, token, Known::Unknown, None);
        self.inner.sessions.mark(session, self.inner.now(), Change::Events);
    }

    /// From now on the session is not written here. What Redis does not have by now nobody else gets: see
    /// [`settled`](Self::settled).
    pub fn disown(&self, session: &SessionId) {
        if self.inner.sessions.disown(session, None) {
            self.inner.leave(session);
        }
    }

    /// Whether the session is written here.
    #[must_use]
    pub fn is_ours(&self, session: &SessionId) -> bool {
        self.inner.sessions.is_ours(session)
    }

    /// Tells every session that another server has taken over from now on. Its agent must be ended.
    #[must_use]
    pub fn lost(&self) -> mpsc::UnboundedReceiver<SessionId> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.inner.lost.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Waits until Redis has everything, or does not answer. Tells whether it has.
    pub async fn settled(&self) -> bool {
        let (mut waiting, mut status) = (self.inner.sessions.waiting(), self.inner.status.subscribe());
        tokio::select! {
            biased;
            copied = waiting.wait_for(|waiting| *waiting == 0) => copied.is_ok(),
            _ = status.wait_for(|status| !status.is_up) => false,
        }
    }

    /// Whether Redis answers.
    #[must_use]
    pub fn status(&self) -> watch::Receiver<Status> {
        self.inner.status.subscribe()
    }

    /// How many sessions have something that Redis does not have.
    #[must_use]
    pub fn waiting(&self) -> usize {
        *self.inner.sessions.waiting().borrow()
    }

    /// For how long Redis has lacked something.
    #[must_use]
    pub fn lag(&self) -> Duration {
        let since = self.inner.sessions.oldest();
        since.map_or(Duration::ZERO, |since| self.inner.now().saturating_sub(since))
    }
}

impl Inner {
    fn now(&self) -> Duration {
        self.clock.now().mono
    }

    fn set_up(&self) {
        self.set(Status { is_up: true, problem: None });
    }

    fn set_down(&self, problem: &LogError) {
        self.set(Status { is_up: false, problem: Some(problem.to_string()) });
    }

    fn finish(&self, session: &SessionId) {
        self.sessions.release(session, true, self.now());
        self.set_up();
    }

    /// One session that cannot be copied does not keep the others from it.
    fn put_aside(&self, session: &SessionId, problem: &LogError) {
        tracing::warn!(%session, %problem, "a session could not be copied to Redis; it is tried again");
        self.sessions.put_aside(session);
        self.set_down(problem);
    }

    fn set(&self, status: Status) {
        self.status.send_if_modified(|known| {
            let is_other = *known != status;
            *known = status;
            is_other
        });
    }

    async fn own(&self, session: &SessionId, token: u64) -> Result<Head, LogError> {
        // First, so that whoever had it adds nothing to what is taken over.
        let stored = self.redis.own(session, token).await?;
        let local = self.local.head(session).await?;
        let here = local.borrow().clone();
        let has_more = |there: &Head| there.epoch != here.epoch || there.seq > here.seq;
        if stored.as_ref().is_some_and(|(there, _)| has_more(there)) {
            self.import(session).await?;
        }
        let event = stored.as_ref().map_or(0, |(_, event)| *event);
        let known = stored.map_or(Known::Nothing, |(there, _)| Known::At(there));
        self.sessions.own(session, token, known, Some(event));
        let head = local.borrow().clone();
        self.routes.switch(session, local);
        self.sessions.mark(session, self.now(), Change::Events);
        Ok(head)
    }

    /// Takes over what Redis has.
    async fn import(&self, session: &SessionId) -> Result<(), LogError> {
        let (mut after, mut starts_over) = (0, true);
        loop {
            let Page { entries, through, head } = self.redis.read(session, after, Limit::PAGE).await?;
            let is_last = through == head.seq;
            let head = Head { seq: through, ..head };
            let import = Import {
                session: session.clone(),
                head: head.clone(),
                starts_over,
                entries,
                events: Vec::new(),
            };
            self.local.import(import).await?;
            (after, starts_over) = (through, false);
            if is_last {
                return self.import_events(session, head).await;
            }
        }
    }

    async fn import_events(&self, session: &SessionId, head: Head) -> Result<(), LogError> {
        let mut after = 0;
        loop {
            let events = self.redis.events(session, after, EVENTS).await?;
            let Some(last) = events.last().map(|(number, _)| *number) else { return Ok(()) };
            let (session, head) = (session.clone(), head.clone());
            let import = Import { session, head, starts_over: false, entries: Vec::new(), events };
            self.local.import(import).await?;
            after = last;
        }
    }

    fn leave(&self, session: &SessionId) {
        if self.routes.is_watched(session) {
            self.routes.switch(session, self.redis.watch_later(session));
        }
    }

    /// Somebody else writes the session. What is here may have an end that nobody else has.
    async fn lose(&self, session: &SessionId, token: u64) -> Result<(), LogError> {
        if !self.sessions.disown(session, Some(token)) {
            return Ok(());
        }
        self.leave(session);
        self.local.remove(session).await?;
        let mut listeners = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.send(session.clone()).is_ok());
        Ok(())
    }

    async fn append(
        &self,
        session: &SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Result<Cursor, LogError> {
        let copied = self.sessions.watch(session).ok_or(LogError::Fenced)?;
        let cursor = self.local.append(session, batch, durability).await?;
        self.routes.sync(session);
        self.sessions.mark(session, self.now(), Change::States);
        if durability == Durability::Synced {
            self.wait(copied, &cursor).await?;
        }
        Ok(cursor)
    }

    /// Waits until Redis has it, as long as Redis is believed to answer.
    async fn wait(&self, mut copied: watch::Receiver<Known>, cursor: &Cursor) -> Result<(), LogError> {
        let mut status = self.status.subscribe();
        let patience = self.redis.link().patience();
        tokio::select! {
            biased;
            // Nobody tells any more if the session was taken over.
            told = copied.wait_for(|known| known.has(cursor)) => told.map(drop).map_err(|_| LogError::Fenced),
            _ = status.wait_for(|status| !status.is_up) => Ok(()),
            _ = timeout(patience, std::future::pending::<()>()) => {
                self.set_down(&LogError::Unreachable("no answer in time".to_owned()));
                Ok(())
            }
        }
    }

    async fn change(
        &self,
        session: &SessionId,
        change: Change,
        done: Pending<'_, ()>,
    ) -> Result<(), LogError> {
        if !self.sessions.is_ours(session) {
            return Err(LogError::Fenced);
        }
        done.await?;
        self.routes.sync(session);
        self.sessions.mark(session, self.now(), change);
        Ok(())
    }

    /// Where the session is read.
    fn side(&self, session: &SessionId) -> &dyn StreamLog {
        if self.sessions.is_ours(session) { &*self.local } else { &self.redis }
    }
}

impl StreamLog for SharedLog {
    fn append<'a>(
        &'a self,
        session: &'a SessionId,
        batch: Batch,
        durability: Durability,
    ) -> Pending<'a, Cursor> {
        Box::pin(self.inner.append(session, batch, durability))
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            let page = self.inner.side(session).read(session, after, limit).await?;
            self.inner.routes.sync(session);
            Ok(page)
        })
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            let page = self.inner.side(session).history(session, before, limit).await?;
            self.inner.routes.sync(session);
            Ok(page)
        })
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            let page = self.inner.side(session).later(session, after, limit).await?;
            self.inner.routes.sync(session);
            Ok(page)
        })
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        self.inner.side(session).entry(session, key)
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        Box::pin(async move {
            loop {
                let is_ours = self.is_ours(session);
                let source = self.inner.side(session).head(session).await?;
                let watched = self.inner.routes.watch(session, source);
                // Taken over or given away meanwhile: it would follow the wrong log.
                if self.is_ours(session) == is_ours {
                    return Ok(watched);
                }
            }
        })
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        Box::pin(self.inner.change(session, Change::States, self.inner.local.trim(session, through)))
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        Box::pin(self.inner.change(session, Change::Removed, self.inner.local.remove(session)))
    }
}

impl EventLog for SharedLog {
    fn record<'a>(&'a self, session: &'a SessionId, events: Vec<Bytes>) -> Pending<'a, ()> {
        Box::pin(async move {
            let recorded = self.inner.local.record(session, events);
            self.inner.change(session, Change::Events, recorded).await?;
            self.inner.redis.tell_events(session);
            Ok(())
        })
    }

    fn events<'a>(&'a self, session: &'a SessionId, after: u64, limit: usize) -> Events<'a> {
        if self.is_ours(session) {
            return self.inner.local.events(session, after, limit);
        }
        self.inner.redis.events(session, after, limit)
    }

    fn follow(&self, session: &SessionId) -> watch::Receiver<()> {
        self.inner.redis.follow(session)
    }
}
