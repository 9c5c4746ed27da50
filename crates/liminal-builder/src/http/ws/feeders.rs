//! The sessions that a socket follows. Owns one task per session; all feed the same socket, and each waits until it
//! has taken what came before.

use std::collections::BTreeMap;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Permit, Sender};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::super::app::App;
use super::super::feed::{Feed, Frame};
use super::super::frames;
use super::opening::{Opened, Opening, RequestId, Wish};
use crate::log::LogError;
use crate::sessions::Failure;

/// Between two attempts to read what does not answer.
const PAUSE: Duration = Duration::from_millis(200);
/// A read that takes longer than this does not keep the other sessions of the socket waiting.
const QUICK: Duration = Duration::from_millis(20);
/// Slow reads of a socket that run beside the others. What they have read is held in memory until the socket takes it.
const SLOW_READS: usize = 4;

/// What waits for the socket.
type Outgoing = Sender<Vec<Bytes>>;

pub(super) struct Feeders {
    outgoing: Outgoing,
    opening: Opening,
    /// One task each.
    tasks: BTreeMap<SessionId, JoinSet<()>>,
    slow_reads: Arc<Semaphore>,
}

impl Feeders {
    pub(super) fn new(app: App, outgoing: Outgoing) -> Self {
        let (opening, slow_reads) = (Opening::new(app), Arc::new(Semaphore::new(SLOW_READS)));
        Self { outgoing, opening, tasks: BTreeMap::new(), slow_reads }
    }

    /// Whether too many subscriptions are being opened to open another one.
    pub(super) fn is_full(&self) -> bool {
        self.opening.is_full()
    }

    /// Begins to open a subscription, which [`opened`](Self::opened) reports. Returns the request of the one that it
    /// replaces, if that is still being opened.
    pub(super) fn open(&mut self, wish: Wish, request: RequestId) -> Option<RequestId> {
        self.opening.begin(wish, request)
    }

    /// The next subscription that was opened. Cancel-safe.
    pub(super) async fn opened(&mut self) -> Opened {
        self.opening.next().await
    }

    /// Follows a session from the start of its new subscription; one that could not be opened leaves the old one as it
    /// is.
    pub(super) async fn start(
        &mut self,
        session: SessionId,
        feed: Result<Feed, Failure>,
    ) -> Result<(), Failure> {
        let feed = feed?;
        self.end(&session).await;
        let feeding = feed_socket(feed, self.outgoing.clone(), Arc::clone(&self.slow_reads));
        self.tasks.entry(session).or_default().spawn(feeding);
        Ok(())
    }

    /// Stops following a session. Returns the request of a subscription that is still being opened.
    pub(super) async fn remove(&mut self, session: &SessionId) -> Option<RequestId> {
        let replaced = self.opening.cancel(session);
        self.end(session).await;
        replaced
    }

    /// Ends the task of a session. To abort it is not enough: one that is just about to send still does, and what it
    /// sends would be taken for a part of the next subscription.
    async fn end(&mut self, session: &SessionId) {
        if let Some(mut task) = self.tasks.remove(session) {
            task.shutdown().await;
        }
    }
}

async fn feed_socket(mut feed: Feed, outgoing: Outgoing, slow_reads: Arc<Semaphore>) {
    let first = frames::message(&feed.subscribed());
    if outgoing.send(vec![first]).await.is_err() {
        return;
    }
    // Takes its place only when there is something to send, because all sessions of the socket share it; and reads only
    // when it has its place, so that whatever was overtaken meanwhile is never read.
    while feed.ready().await.is_ok() {
        let Ok(room) = outgoing.reserve().await else { return };
        let (taken, room) = read(&mut feed, room, &outgoing, &slow_reads).await;
        match (taken, room) {
            (_, None) => return,
            (Ok(Some(frames)), Some(room)) => {
                room.send(frames.into_iter().map(|Frame { bytes, .. }| bytes).collect());
            }
            (Ok(None), Some(_)) => {}
            // It stays behind until what it is read from answers again.
            (Err(LogError::Unreachable(_)), Some(room)) => {
                drop(room);
                pause(PAUSE).await;
            }
            (Err(_), Some(_)) => return,
        }
    }
}

type Taken = Result<Option<Vec<Frame>>, LogError>;

/// Reads what is to be sent next. A slow read gives its place up meanwhile, so that other sessions are not held up by it.
async fn read<'a>(
    feed: &mut Feed,
    room: Permit<'a, Vec<Bytes>>,
    outgoing: &'a Outgoing,
    slow_reads: &Semaphore,
) -> (Taken, Option<Permit<'a, Vec<Bytes>>>) {
    let mut reading = pin!(feed.take());
    let is_slow = async {
        pause(QUICK).await;
        slow_reads.acquire().await
    };
    let _slow = tokio::select! {
        biased;
        taken = reading.as_mut() => return (taken, Some(room)),
        slow = is_slow => slow,
    };
    drop(room);
    let taken = reading.await;
    (taken, outgoing.reserve().await.ok())
}

async fn pause(time: Duration) {
    timeout(time, pending::<()>()).await.ok();
}
