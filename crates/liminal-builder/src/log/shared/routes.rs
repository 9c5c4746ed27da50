//! One head per session for those who watch it, whichever log it is read from now. Owns the way from that log's head to
//! theirs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use liminal_core::ids::SessionId;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::super::Head;

/// Every session that is watched.
#[derive(Debug, Default)]
pub(super) struct Routes {
    sessions: Arc<Mutex<BTreeMap<SessionId, Arc<Route>>>>,
    forwarders: Mutex<JoinSet<()>>,
}

#[derive(Debug)]
struct Route {
    head: watch::Sender<Head>,
    source: Mutex<watch::Receiver<Head>>,
    switched: Notify,
}

impl Routes {
    /// Watches a session, which is read from where this head comes from.
    pub(super) fn watch(&self, session: &SessionId, source: watch::Receiver<Head>) -> watch::Receiver<Head> {
        let mut sessions = lock(&self.sessions);
        if let Some(route) = sessions.get(session) {
            route.switch(source);
            return route.head.subscribe();
        }
        let head = watch::Sender::new(source.borrow().clone());
        let receiver = head.subscribe();
        let route = Arc::new(Route { head, source: Mutex::new(source), switched: Notify::new() });
        sessions.insert(session.clone(), Arc::clone(&route));
        drop(sessions);
        let mut forwarders = lock(&self.forwarders);
        while forwarders.try_join_next().is_some() {}
        forwarders.spawn(forward(session.clone(), route, Arc::clone(&self.sessions)));
        receiver
    }

    /// From now on the session is read from elsewhere.
    pub(super) fn switch(&self, session: &SessionId, source: watch::Receiver<Head>) {
        if let Some(route) = lock(&self.sessions).get(session) {
            route.switch(source);
        }
    }

    /// Tells at once what the log has told. To be called before an answer that knows it is given: whoever has it must
    /// not find an older head.
    pub(super) fn sync(&self, session: &SessionId) {
        if let Some(route) = lock(&self.sessions).get(session) {
            route.sync();
        }
    }

    pub(super) fn is_watched(&self, session: &SessionId) -> bool {
        lock(&self.sessions).contains_key(session)
    }
}

impl Route {
    fn switch(&self, source: watch::Receiver<Head>) {
        *lock(&self.source) = source;
        self.sync();
        self.switched.notify_one();
    }

    /// Under the lock, so that an older head never replaces a newer one.
    fn sync(&self) {
        let source = lock(&self.source);
        let newest = source.borrow().clone();
        self.head.send_if_modified(|head| {
            let is_other = *head != newest;
            *head = newest;
            is_other
        });
    }
}

/// Ends when nobody watches any more.
async fn forward(
    session: SessionId,
    route: Arc<Route>,
    sessions: Arc<Mutex<BTreeMap<SessionId, Arc<Route>>>>,
) {
    loop {
        let mut source = lock(&route.source).clone();
        source.mark_changed();
        tokio::select! {
            () = follow(&route, &mut source) => {}
            () = route.switched.notified() => {}
            () = route.head.closed() => {
                let mut sessions = lock(&sessions);
                if route.head.receiver_count() == 0 {
                    sessions.remove(&session);
                    return;
                }
            }
        }
    }
}

async fn follow(route: &Route, source: &mut watch::Receiver<Head>) {
    while source.changed().await.is_ok() {
        source.mark_unchanged();
        route.sync();
    }
    // Its log is closed; another one may follow.
    std::future::pending::<()>().await;
}

/// A panic while the lock was held cannot leave half a change: every change is whole before the next call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
