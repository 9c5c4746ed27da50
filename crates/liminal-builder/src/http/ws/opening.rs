//! Subscriptions that are being opened. Owns that opening one, which reads the disk, delays no other command, and that
//! only the latest command for a session takes effect.

use std::collections::BTreeMap;
use std::future::pending;

use liminal_core::ids::SessionId;
use liminal_core::wire::Encoding;
use tokio::task::{AbortHandle, JoinSet};

use super::super::app::App;
use super::super::feed::Feed;
use crate::sessions::Failure;

/// Far more than a page opens at once; the disk may hang, and a client may not stop asking.
const MOST: usize = 1024;

/// How a session is to be followed.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) session: SessionId,
    pub(super) after: Option<String>,
    pub(super) encoding: Option<Encoding>,
    pub(super) window: Option<u32>,
}

/// The id of a request that is to be answered, if it has one.
pub(super) type RequestId = Option<String>;

/// A subscription that was opened, or why it was not.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) session: SessionId,
    pub(super) request: RequestId,
    pub(super) feed: Result<Feed, Failure>,
}

pub(super) struct Opening {
    app: App,
    tasks: JoinSet<(u64, SessionId, Result<Feed, Failure>)>,
    /// The latest one of each session.
    current: BTreeMap<SessionId, Current>,
    begun: u64,
}

struct Current {
    number: u64,
    request: RequestId,
    task: AbortHandle,
}

impl Opening {
    pub(super) fn new(app: App) -> Self {
        Self { app, tasks: JoinSet::new(), current: BTreeMap::new(), begun: 0 }
    }

    pub(super) fn is_full(&self) -> bool {
        self.current.len() >= MOST
    }

    /// Begins to open a subscription; returns the request that it replaces.
    pub(super) fn begin(&mut self, wish: Wish, request: RequestId) -> Option<RequestId> {
        self.begun += 1;
        let (number, session, app) = (self.begun, wish.session.clone(), self.app.clone());
        let opened = session.clone();
        let task = self.tasks.spawn(async move { (number, opened, open(&app, wish).await) });
        let before = self.current.insert(session, Current { number, request, task });
        before.map(Current::replaced)
    }

    /// Gives up the one of a session; returns the request that began it.
    pub(super) fn cancel(&mut self, session: &SessionId) -> Option<RequestId> {
        self.current.remove(session).map(Current::replaced)
    }

    /// The next one that was opened and not replaced meanwhile. Cancel-safe; waits forever while there is none.
    pub(super) async fn next(&mut self) -> Opened {
        loop {
            match self.tasks.join_next().await {
                Some(Ok((number, session, feed))) => {
                    if let Some(request) = self.finish(number, &session) {
                        return Opened { session, request, feed };
                    }
                }
                // It was replaced.
                Some(Err(_)) => {}
                None => pending().await,
            }
        }
    }

    fn finish(&mut self, number: u64, session: &SessionId) -> Option<RequestId> {
        self.current.get(session).filter(|current| current.number == number)?;
        self.current.remove(session).map(|current| current.request)
    }
}

impl Current {
    fn replaced(self) -> RequestId {
        self.task.abort();
        self.request
    }
}

async fn open(app: &App, wish: Wish) -> Result<Feed, Failure> {
    let Wish { session, after, encoding, window } = wish;
    let mut followed = app.sessions().follow(&session, after.as_deref()).await?;
    if let Some(window) = window {
        followed.subscription = followed.subscription.with_window(window as usize);
    }
    let counted = app.sessions().metrics().subscriber();
    Ok(Feed::new(session, followed, encoding, counted))
}
