//! The log in Redis, which several servers share. Owns the order of its scripts, of news and of what is read; who may
//! write a session is told by tokens, whose giving is not known here.
//!
//! What is stored is what [`Keys`] says. Every change is one script, so that nobody ever reads half of one.

mod backoff;
mod copy;
mod listener;
mod packed;
mod scripts;
mod watches;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use redis::streams::StreamRangeReply;
use redis::{Cmd, Script, ScriptInvocation, Value};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{
    Batch, Cursor, Durability, Entry, EventLog, Events, Head, Key, Limit, LogError, Page, Pending, StreamLog,
};
pub(super) use backoff::Backoff;
pub use copy::{Copied, CopiedEvents, Copy};
use listener::{Join, Listener};
use scripts::{Found, Scripts, Verdict, field, unexpected};
use watches::Watches;

use crate::redis_store::{Keys, Link};

/// How much is kept, and how long is waited.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What every key begins with.
    pub prefix: String,
    /// How long an answer is waited for.
    pub patience: Duration,
    /// States in a session's stream for other programs. What servers read is not in it.
    pub out_length: usize,
    /// Their size, roughly.
    pub out_bytes: usize,
    /// Canonical events of a session.
    pub event_length: usize,
    /// Their size, roughly.
    pub event_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            prefix: "liminal".to_owned(),
            patience: Duration::from_secs(2),
            out_length: 1000,
            out_bytes: 8 << 20,
            event_length: 10_000,
            event_bytes: 16 << 20,
        }
    }
}

/// A log in Redis.
#[derive(Debug)]
pub struct RedisLog {
    shared: Arc<Shared>,
    joins: mpsc::UnboundedSender<Join>,
    _listener: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    link: Link,
    keys: Keys,
    settings: Settings,
    scripts: Scripts,
    watches: Watches,
}

/// So much is read at once, because nobody else is served meanwhile.
const AT_ONCE: Limit = Limit { entries: 512, bytes: 1 << 20 };

impl RedisLog {
    /// A log at an address; fails if nobody answers there.
    pub async fn open(url: &str, settings: Settings) -> Result<Self, LogError> {
        let link = Link::new(url, settings.patience)?;
        let _answer: Value = link.query(&redis::cmd("PING")).await?;
        let (keys, scripts, watches) = (Keys::new(&settings.prefix), Scripts::default(), Watches::default());
        let shared = Arc::new(Shared { link, keys, settings, scripts, watches });
        let (joins, received) = mpsc::unbounded_channel();
        let mut listener = JoinSet::new();
        listener.spawn(Listener::new(Arc::clone(&shared), received).run());
        Ok(Self { shared, joins, _listener: listener })
    }

    /// The connection, for what is kept beside the logs.
    #[must_use]
    pub fn link(&self) -> &Link {
        &self.shared.link
    }

    /// What is called how.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.shared.keys
    }

    /// Appends with the right to write; refused if somebody has a greater token.
    pub async fn append_as(&self, session: &SessionId, token: u64, batch: Batch) -> Result<Cursor, LogError> {
        let shared = &self.shared;
        let mut call = shared.call(&shared.scripts.append, session);
        call.arg(token).arg(shared.keys.news(session));
        call.arg(shared.settings.out_length).arg(shared.settings.out_bytes);
        call.arg(&*shared.watches.epoch_to_begin(session).epoch);
        for record in batch.records() {
            call.arg(record.key.to_string()).arg(packed::open(record.is_open));
            call.arg(packed::text_of(record)).arg(&*record.bytes);
        }
        let ticket = shared.watches.ticket(session);
        let answer = Verdict::of(shared.link.query(&call).await?)?.done()?;
        let head = scripts::head(&mut answer.into_iter())?;
        if shared.watches.learn(session, Some(head.clone()), ticket).is_none() {
            shared.refresh(session).await?;
        }
        Ok(head.cursor())
    }

    async fn trim_now(&self, session: &SessionId, through: u64) -> Result<(), LogError> {
        let mut call = self.shared.call(&self.shared.scripts.trim, session);
        call.arg(0).arg(self.shared.keys.news(session)).arg(through);
        Verdict::of(self.shared.link.query(&call).await?)?.done()?;
        self.shared.refresh(session).await.map(drop)
    }

    async fn watch(&self, session: &SessionId) -> Result<watch::Receiver<Head>, LogError> {
        let (receiver, is_new) = self.shared.watches.watch(session);
        if is_new {
            let (joined, wait) = oneshot::channel();
            self.join(session, Some(joined))?;
            let patience = self.shared.settings.patience;
            let waited = timeout(patience, wait).await.ok().and_then(Result::ok);
            waited.ok_or_else(|| LogError::Unreachable("no news can be had of it".to_owned()))??;
        } else {
            self.shared.refresh(session).await?;
        }
        Ok(receiver)
    }

    /// Watches a session whether Redis answers or not; what is told of it is right once it does.
    pub(super) fn watch_later(&self, session: &SessionId) -> watch::Receiver<Head> {
        let (receiver, is_new) = self.shared.watches.watch(session);
        if is_new {
            // It fails only if the server is stopping.
            self.join(session, None).ok();
        }
        receiver
    }

    /// Tells those who follow events of a session here, which Redis does not have yet.
    pub(super) fn tell_events(&self, session: &SessionId) {
        self.shared.watches.hear_events(session);
    }

    fn join(
        &self,
        session: &SessionId,
        joined: Option<oneshot::Sender<Result<(), LogError>>>,
    ) -> Result<(), LogError> {
        let join = Join { session: session.clone(), joined };
        self.joins.send(join).map_err(|_| LogError::Closed)
    }
}

impl Shared {
    fn call<'a>(&self, script: &'a Script, session: &SessionId) -> ScriptInvocation<'a> {
        scripts::call(script, &self.keys, session)
    }

    async fn stored(&self, session: &SessionId) -> Result<Option<(Head, u64)>, LogError> {
        let answer: Vec<Value> = self.link.look(&self.call(&self.scripts.head, session)).await?;
        if answer.is_empty() {
            return Ok(None);
        }
        let mut answer = answer.into_iter();
        Ok(Some((scripts::head(&mut answer)?, field(answer.next())?)))
    }

    /// Asks where a session stands and tells those who watch it.
    async fn refresh(&self, session: &SessionId) -> Result<Head, LogError> {
        loop {
            let ticket = self.watches.ticket(session);
            let found = self.stored(session).await?.map(|(head, _)| head);
            if let Some(head) = self.watches.learn(session, found, ticket) {
                return Ok(head);
            }
        }
    }

    /// Asks for a page, again for as long as it contradicts newer news.
    async fn page(
        &self,
        session: &SessionId,
        script: &Script,
        from: &str,
        limit: Limit,
    ) -> Result<Found, LogError> {
        loop {
            let ticket = self.watches.ticket(session);
            let mut call = self.call(script, session);
            call.arg(from).arg(limit.entries.min(AT_ONCE.entries)).arg(limit.bytes.min(AT_ONCE.bytes));
            let found = Found::of(self.link.look(&call).await?)?;
            let (head, rest) =
                found.map_or((None, None), |found| (Some(found.head), Some((found.is_cut, found.entries))));
            if let Some(head) = self.watches.learn(session, head, ticket) {
                let (is_cut, entries) = rest.unwrap_or_default();
                return Ok(Found { head, is_cut, entries });
            }
        }
    }

    async fn changes(&self, session: &SessionId, after: u64, limit: Limit) -> Result<Page, LogError> {
        let (mut entries, mut bytes, mut after) = (Vec::new(), 0, after);
        loop {
            let found = self
                .page(session, &self.scripts.read, &after.to_string(), rest(limit, &entries, bytes))
                .await?;
            bytes += found.entries.iter().map(|entry| entry.bytes.len()).sum::<usize>();
            entries.extend(found.entries);
            after = entries.last().map_or(after, |entry: &Entry| entry.seq);
            let is_full = limit.is_reached(entries.len(), bytes);
            if !found.is_cut || is_full {
                let through = if found.is_cut { after } else { found.head.seq };
                return Ok(Page { entries, through, head: found.head });
            }
        }
    }

    async fn before(&self, session: &SessionId, before: Option<u64>, limit: Limit) -> Result<Page, LogError> {
        let from = before.map_or_else(|| "+inf".to_owned(), |before| format!("({before}"));
        let Found { head, mut entries, .. } =
            self.in_order(session, &self.scripts.history, &from, limit).await?;
        entries.reverse();
        Ok(Page { entries, through: head.seq, head })
    }

    async fn later(&self, session: &SessionId, after: u64, limit: Limit) -> Result<Page, LogError> {
        let Found { head, is_cut, entries } =
            self.in_order(session, &self.scripts.later, &format!("({after}"), limit).await?;
        Ok(Page::later(entries, is_cut, head))
    }

    /// In the script's order of `first_seq`. What has changed while the pages were read is newer than the head of the
    /// first, and is read again by whoever goes on from there.
    async fn in_order(
        &self,
        session: &SessionId,
        script: &Script,
        from: &str,
        limit: Limit,
    ) -> Result<Found, LogError> {
        let mut found = self.page(session, script, from, limit).await?;
        let (head, mut entries, mut bytes) = (found.head.clone(), Vec::<Entry>::new(), 0);
        loop {
            if (&found.head.epoch, found.head.floor) != (&head.epoch, head.floor) {
                // The log was rebuilt or trimmed meanwhile.
                return Box::pin(self.in_order(session, script, from, limit)).await;
            }
            bytes += found.entries.iter().map(|entry| entry.bytes.len()).sum::<usize>();
            entries.extend(found.entries);
            if !found.is_cut || limit.is_reached(entries.len(), bytes) {
                return Ok(Found { head, is_cut: found.is_cut, entries });
            }
            let next =
                entries.last().map_or_else(|| from.to_owned(), |entry| format!("({}", entry.first_seq));
            found = self.page(session, script, &next, rest(limit, &entries, bytes)).await?;
        }
    }
}

/// What is left of a limit.
fn rest(limit: Limit, entries: &[Entry], bytes: usize) -> Limit {
    Limit { entries: limit.entries - entries.len(), bytes: limit.bytes - bytes.min(limit.bytes) }
}

impl StreamLog for RedisLog {
    fn append<'a>(&'a self, session: &'a SessionId, batch: Batch, _: Durability) -> Pending<'a, Cursor> {
        Box::pin(self.append_as(session, 0, batch))
    }

    fn read<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(self.shared.changes(session, after, limit))
    }

    fn history<'a>(&'a self, session: &'a SessionId, before: Option<u64>, limit: Limit) -> Pending<'a, Page> {
        Box::pin(self.shared.before(session, before, limit))
    }

    fn later<'a>(&'a self, session: &'a SessionId, after: u64, limit: Limit) -> Pending<'a, Page> {
        Box::pin(self.shared.later(session, after, limit))
    }

    fn entry<'a>(&'a self, session: &'a SessionId, key: &'a Key) -> Pending<'a, Option<Entry>> {
        Box::pin(async move {
            let key = key.to_string();
            let command = Cmd::hget(self.shared.keys.items(session), &key);
            let state: Option<Vec<u8>> = self.shared.link.look(&command).await?;
            state.map(|state| packed::read(&key, &state.into())).transpose()
        })
    }

    fn head<'a>(&'a self, session: &'a SessionId) -> Pending<'a, watch::Receiver<Head>> {
        Box::pin(self.watch(session))
    }

    fn trim<'a>(&'a self, session: &'a SessionId, through: u64) -> Pending<'a, ()> {
        Box::pin(self.trim_now(session, through))
    }

    fn remove<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        Box::pin(self.remove_as(session, 0))
    }
}

impl EventLog for RedisLog {
    fn record<'a>(&'a self, session: &'a SessionId, events: Vec<Bytes>) -> Pending<'a, ()> {
        Box::pin(async move {
            let shared = &self.shared;
            let mut call = shared.call(&shared.scripts.record, session);
            call.arg(0).arg(shared.keys.news(session));
            call.arg(shared.settings.event_length).arg(shared.settings.event_bytes).arg("-").arg(0);
            for event in &events {
                call.arg("-").arg(&**event);
            }
            Verdict::of(shared.link.query(&call).await?)?.done().map(drop)
        })
    }

    fn events<'a>(&'a self, session: &'a SessionId, after: u64, limit: usize) -> Events<'a> {
        Box::pin(async move {
            let (stream, start) = (self.shared.keys.events(session), format!("({after}-0"));
            let command = Cmd::xrange_count(stream, start, "+", limit.min(AT_ONCE.entries));
            let reply: StreamRangeReply = self.shared.link.look(&command).await?;
            reply
                .ids
                .into_iter()
                .map(|mut found| {
                    let number = found.id.split('-').next().and_then(|number| number.parse().ok());
                    let Some(Value::BulkString(event)) = found.map.remove("event") else {
                        return Err(unexpected());
                    };
                    Ok((number.ok_or_else(unexpected)?, event.into()))
                })
                .collect()
        })
    }

    fn follow(&self, session: &SessionId) -> watch::Receiver<()> {
        let (receiver, is_new) = self.shared.watches.follow(session);
        if is_new {
            // It fails only if the server is stopping.
            self.join(session, None).ok();
        }
        receiver
    }
}
