//! The sessions that a socket follows. Owns one task per session; all feed the same socket, and each waits until it
//! has taken what came before.

use std::collections::BTreeMap;
use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use liminal_core::wire::Encoding;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::super::app::App;
use super::super::feed::{Feed, Frame};
use super::super::frames;
use crate::log::LogError;
use crate::sessions::Failure;

/// Between two attempts to read what does not answer.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Feeders {
    app: App,
    outgoing: mpsc::Sender<Vec<Bytes>>,
    /// One task each.
    tasks: BTreeMap<SessionId, JoinSet<()>>,
}

/// How a session is to be followed.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) session: SessionId,
    pub(super) after: Option<String>,
    pub(super) encoding: Option<Encoding>,
    pub(super) window: Option<u32>,
}

impl Feeders {
    pub(super) fn new(app: App, outgoing: mpsc::Sender<Vec<Bytes>>) -> Self {
        Self { app, outgoing, tasks: BTreeMap::new() }
    }

    /// Begins to follow a session, from the beginning if it was followed before.
    pub(super) async fn add(&mut self, wish: Wish) -> Result<(), Failure> {
        let Wish { session, after, encoding, window } = wish;
        let (mut subscription, live) = self.app.sessions().follow(&session, after.as_deref()).await?;
        if let Some(window) = window {
            subscription = subscription.with_window(window as usize);
        }
        self.remove(&session).await;
        let counted = self.app.sessions().metrics().subscriber();
        let feed = Feed::new(session.clone(), subscription, live, encoding, counted);
        self.tasks.entry(session).or_default().spawn(feed_socket(feed, self.outgoing.clone()));
        Ok(())
    }

    /// Nothing of it is sent when this comes back. To abort a task is not enough: one that is just about to send still
    /// does, and what it sends would be taken for a part of the next subscription.
    pub(super) async fn remove(&mut self, session: &SessionId) {
        if let Some(mut task) = self.tasks.remove(session) {
            task.shutdown().await;
        }
    }
}

async fn feed_socket(mut feed: Feed, outgoing: mpsc::Sender<Vec<Bytes>>) {
    let first = frames::message(&feed.subscribed());
    if outgoing.send(vec![first]).await.is_err() {
        return;
    }
    // Takes its place only when there is something to send, because all sessions of the socket share it; and reads only
    // when it has its place, so that whatever was overtaken meanwhile is never read.
    while feed.ready().await.is_ok() {
        let Ok(room) = outgoing.reserve().await else { return };
        match feed.take().await {
            Ok(Some(frames)) => room.send(frames.into_iter().map(|Frame { bytes, .. }| bytes).collect()),
            Ok(None) => {}
            // It stays behind until what it is read from answers again.
            Err(LogError::Unreachable(_)) => {
                drop(room);
                timeout(PAUSE, pending::<()>()).await.ok();
            }
            Err(_) => return,
        }
    }
}
