//! Readers that follow canonical events. Owns who is told of which session; forgets sessions that nobody follows.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use liminal_core::ids::SessionId;
use tokio::sync::watch;

#[derive(Debug, Default)]
pub(super) struct Followers(Mutex<BTreeMap<SessionId, watch::Sender<()>>>);

impl Followers {
    pub(super) fn add(&self, session: &SessionId) -> watch::Receiver<()> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, sender| sender.receiver_count() > 0);
        sessions.entry(session.clone()).or_insert_with(|| watch::channel(()).0).subscribe()
    }

    pub(super) fn tell(&self, session: &SessionId) {
        let sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = sessions.get(session) {
            sender.send_replace(());
        }
    }
}
