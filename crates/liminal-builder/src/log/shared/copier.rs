//! From the local log to Redis. Owns the one task that copies what Redis does not have, and the verdict whether Redis
//! answers.
//!
//! There is no queue of what is to be copied: the local log is it. However long Redis was away, and however often a text
//! has grown meanwhile, what is copied afterwards is each item's latest state.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use liminal_core::ids::SessionId;
use redis::Cmd;
use tokio::time::{MissedTickBehavior, interval};

use super::super::redis::{Backoff, Copied, CopiedEvents, Copy};
use super::super::{EventLog, Head, Limit, LogError, StreamLog};
use super::Inner;
use super::owned::{Done, Known, Task};

/// Sessions that are copied at once, on one connection.
const AT_ONCE: usize = 16;
/// Events in one step.
const EVENTS: usize = 256;
/// How soon it is noticed that Redis has lost everything, or does not answer, while there is nothing to copy.
const HEARTBEAT: Duration = Duration::from_secs(1);

type Copying<'a> = FuturesUnordered<BoxFuture<'a, (SessionId, Result<(), LogError>)>>;

pub(super) struct Copier {
    inner: Arc<Inner>,
    /// The life of the whole store as it was last seen, and over which connection.
    life: Option<(u64, Option<String>)>,
}

impl Copier {
    pub(super) const fn new(inner: Arc<Inner>) -> Self {
        Self { inner, life: None }
    }

    /// Copies for ever; its owner ends it.
    pub(super) async fn run(mut self) {
        let mut backoff = Backoff::default();
        loop {
            let problem = match self.check_life().await {
                Ok(()) => {
                    backoff.reset();
                    self.inner.set_up();
                    self.copy_all().await
                }
                Err(problem) => problem,
            };
            self.inner.set_down(&problem);
            self.inner.sessions.doubt_all(self.inner.now());
            backoff.pause().await;
        }
    }

    /// Copies until something fails; tells what.
    async fn copy_all(&mut self) -> LogError {
        let inner = Arc::clone(&self.inner);
        let mut copying = Copying::new();
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let problem = loop {
            while copying.len() < AT_ONCE
                && let Some(session) = inner.sessions.next()
            {
                copying.push(Box::pin(copy(&inner, session)));
            }
            tokio::select! {
                Some((session, result)) = copying.next() => {
                    match result {
                        Ok(()) => inner.finish(&session),
                        Err(problem @ LogError::Unreachable(_)) => break problem,
                        Err(problem) => inner.put_aside(&session, &problem),
                    }
                }
                () = inner.sessions.marked.notified() => {}
                _ = heartbeat.tick() => match self.check_life().await {
                    Ok(()) => inner.sessions.try_again(),
                    Err(problem) => break problem,
                },
            }
        };
        drop(copying);
        inner.sessions.release_all(inner.now());
        problem
    }

    /// Nothing else tells that everything was deleted: no connection breaks. And one that broke may have been made again
    /// by whoever asked first, to a server that lacks what the one before had.
    async fn check_life(&mut self) -> Result<(), LogError> {
        let (key, link) = (self.inner.redis.keys().life(), self.inner.redis.link());
        let made = link.made();
        let mut found: Option<String> = link.query(&Cmd::get(&key)).await?;
        if found.is_none() {
            // Another server may be faster.
            let _is_ours: bool = link.query(&Cmd::set_nx(&key, &*Head::begin().epoch)).await?;
            found = link.query(&Cmd::get(&key)).await?;
        }
        let life = Some((made, found));
        if self.life != life {
            self.inner.sessions.doubt_all(self.inner.now());
            self.life = life;
        }
        Ok(())
    }
}

/// Copies what Redis does not have of a session. One that is not ours any more is as good as copied.
async fn copy(inner: &Inner, session: SessionId) -> (SessionId, Result<(), LogError>) {
    let result = copy_session(inner, &session).await;
    let result = match result {
        Err((LogError::Fenced, token)) => inner.lose(&session, token).await,
        Err((problem, _)) => Err(problem),
        Ok(()) => Ok(()),
    };
    (session, result)
}

async fn copy_session(inner: &Inner, session: &SessionId) -> Result<(), (LogError, u64)> {
    loop {
        let Some(task) = inner.sessions.task(session) else { return Ok(()) };
        let token = task.token;
        let is_done = step(inner, session, task).await.map_err(|problem| (problem, token))?;
        if is_done {
            return Ok(());
        }
    }
}

/// One step; tells whether it found nothing to do.
async fn step(inner: &Inner, session: &SessionId, task: Task) -> Result<bool, LogError> {
    if task.is_removed {
        inner.redis.remove_as(session, task.token).await?;
        inner.sessions.note(session, task.token, Done::Removed);
        return Ok(false);
    }
    let known = match task.known {
        Known::Unknown => ask(inner, session, task.token).await?,
        known @ (Known::Nothing | Known::At(_)) => known,
    };
    if !copy_states(inner, session, task.token, &known).await? {
        return Ok(false);
    }
    if task.has_events {
        // First, because there may be more while these are copied.
        inner.sessions.note(session, task.token, Done::AllEvents);
        copy_events(inner, session, task.token, task.event).await?;
    }
    Ok(true)
}

async fn ask(inner: &Inner, session: &SessionId, token: u64) -> Result<Known, LogError> {
    let stored = inner.redis.stored(session).await?;
    let known = stored.map_or(Known::Nothing, |(head, _)| Known::At(head));
    inner.sessions.note(session, token, Done::Known(known.clone()));
    Ok(known)
}

/// Copies a page of states; tells whether there was nothing to copy.
async fn copy_states(
    inner: &Inner,
    session: &SessionId,
    token: u64,
    known: &Known,
) -> Result<bool, LogError> {
    let local = inner.local.head(session).await?.borrow().clone();
    let base = goes_on(known, &local);
    let page = inner.local.read(session, base.unwrap_or_default(), Limit::PAGE).await?;
    if page.head.epoch != local.epoch {
        return Ok(false);
    }
    let head = Head { seq: page.through, ..page.head };
    if *known == Known::At(head.clone()) || *known == Known::Nothing && head.seq == 0 {
        return Ok(true);
    }
    let starts_over = base.is_none();
    let base = base.unwrap_or_default();
    let copy = Copy { token, head: &head, base, starts_over, entries: &page.entries };
    let known = match inner.redis.copy(session, &copy).await? {
        Copied::Done => Known::At(head),
        Copied::Elsewhere(stored) => stored.map_or(Known::Nothing, Known::At),
    };
    inner.sessions.note(session, token, Done::Known(known));
    Ok(false)
}

/// The place after which the rest is to be copied; none if Redis' copy is of no use.
fn goes_on(known: &Known, local: &Head) -> Option<u64> {
    match known {
        Known::At(head)
            if head.epoch == local.epoch && head.seq <= local.seq && head.floor <= local.floor =>
        {
            Some(head.seq)
        }
        Known::At(_) | Known::Unknown | Known::Nothing => None,
    }
}

async fn copy_events(
    inner: &Inner,
    session: &SessionId,
    token: u64,
    mut base: Option<u64>,
) -> Result<(), LogError> {
    loop {
        let events = inner.local.events(session, base.unwrap_or_default(), EVENTS).await?;
        let Some(last) = events.last().map(|(number, _)| *number) else { return Ok(()) };
        base = match inner.redis.copy_events(session, token, base, &events).await? {
            CopiedEvents::Done => Some(last),
            // What Redis has more than it was given is of another life.
            CopiedEvents::Elsewhere(newest) => Some(newest).filter(|newest| Some(*newest) < base),
        };
        inner.sessions.note(session, token, Done::Events(base));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_goes_on_only_from_a_beginning_of_the_same_log() {
        let head = |epoch: &str, seq, floor| Head { epoch: epoch.into(), seq, floor };
        let local = head("a", 10, 4);
        for (known, expected) in [
            (Known::At(head("a", 10, 4)), Some(10)),
            (Known::At(head("a", 3, 0)), Some(3)),
            (Known::At(head("a", 11, 4)), None),
            (Known::At(head("a", 10, 5)), None),
            (Known::At(head("b", 3, 0)), None),
            (Known::Nothing, None),
            (Known::Unknown, None),
        ] {
            assert_eq!(goes_on(&known, &local), expected, "{known:?}");
        }
    }
}
