//! What is known of the sessions of others. Owns the copy in memory, so that lists cost no question; it is told of
//! every change and reads everything again after a pause.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use liminal_core::ids::SessionId;
use redis::Cmd;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::logins::LOGINS;
use super::{Cluster, ClusterError, Record};

/// Records that are asked for at once.
const PAGE: usize = 256;
/// Records that are kept in memory. Lists beyond it are of no use to anybody; whoever asks for an older session by its name
/// gets it from Redis.
const MOST: usize = 20_000;
/// So many make room at once, so that the oldest are not looked for with every change.
const ROOM: usize = MOST / 16;
/// Between two attempts to listen.
const PAUSE: Duration = Duration::from_millis(200);
/// What stands for all projects among the names of changed sessions; no session is called so.
pub(super) const PROJECTS: &str = "projects";
/// What stands before the name of a session that is deleted. One that Redis lacks may as well have been forgotten by it, and
/// then whoever has the session writes it again.
pub(super) const GONE: &str = "gone ";

/// What changed among the others.
#[derive(Debug, Clone)]
pub enum News {
    /// A session, as it is now.
    Session(Arc<Record>),
    /// A session that is forgotten.
    Gone(SessionId),
    /// The list of projects.
    Projects,
}

#[derive(Debug, Default)]
pub(super) struct Catalogue(Mutex<BTreeMap<SessionId, Arc<Record>>>);

impl Catalogue {
    fn all(&self) -> MutexGuard<'_, BTreeMap<SessionId, Arc<Record>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets those that changed longest ago, if there are too many. One that somebody has is never forgotten: it is at work.
fn bound(all: &mut BTreeMap<SessionId, Arc<Record>>, most: usize, room: usize) {
    let Some(surplus) = all.len().checked_sub(most).filter(|surplus| *surplus > 0) else { return };
    let resting = all.values().filter(|record| record.owner.is_none());
    let mut resting: Vec<_> =
        resting.map(|record| (record.row.updated_at, record.session().clone())).collect();
    resting.sort();
    for (_, session) in resting.into_iter().take(surplus + room) {
        all.remove(&session);
    }
}

impl Cluster {
    /// What is known of a session of another server, or of nobody.
    #[must_use]
    pub fn record(&self, session: &SessionId) -> Option<Arc<Record>> {
        if self.holds(session) { None } else { self.0.catalogue.all().get(session).cloned() }
    }

    /// The same, and Redis is asked if nothing is known.
    pub async fn look(&self, session: &SessionId) -> Result<Option<Arc<Record>>, ClusterError> {
        match self.record(session) {
            Some(record) => Ok(Some(record)),
            None => self.refresh(session).await,
        }
    }

    /// Asks Redis in any case.
    pub async fn refresh(&self, session: &SessionId) -> Result<Option<Arc<Record>>, ClusterError> {
        let record = self.read_record(session).await?;
        let mut all = self.0.catalogue.all();
        match &record {
            Some(record) => drop(all.insert(session.clone(), Arc::clone(record))),
            None => drop(all.remove(session)),
        }
        bound(&mut all, MOST, ROOM);
        Ok(record)
    }

    /// Every session that is not this server's.
    #[must_use]
    pub fn records(&self) -> Vec<Arc<Record>> {
        let all: Vec<_> = self.0.catalogue.all().values().cloned().collect();
        all.into_iter().filter(|record| !self.holds(record.session())).collect()
    }

    /// Reads everything again, and tells what there is.
    pub(super) async fn reload(&self, told: &mut Vec<News>) -> Result<(), ClusterError> {
        let members = Cmd::smembers(self.0.keys.sessions());
        let names: Vec<String> = self.0.link.query(&members).await?;
        let mut all = BTreeMap::new();
        for page in names.chunks(PAGE) {
            let records = self.read_records(page).await?;
            all.extend(records.into_iter().map(|record| (record.session().clone(), Arc::new(record))));
        }
        bound(&mut all, MOST, 0);
        told.extend(all.values().cloned().map(News::Session));
        // What is missing now may be missing because Redis forgot; whoever has it writes it again.
        told.push(News::Projects);
        *self.0.catalogue.all() = all;
        Ok(())
    }

    /// Listens, and tells what changes, for as long as somebody wants to know.
    pub async fn listen(self, news: mpsc::Sender<News>) {
        while !news.is_closed() {
            if let Err(error) = self.listen_once(&news).await {
                tracing::debug!(%error, "does not hear of other servers");
            }
            timeout(PAUSE, std::future::pending::<()>()).await.ok();
        }
    }

    async fn listen_once(&self, news: &mpsc::Sender<News>) -> Result<(), ClusterError> {
        let mut listening = self.0.link.listen().await?;
        listening.subscribe(self.0.keys.changes()).await?;
        // Subscribed first and read afterwards, so that nothing falls in between.
        let mut told = Vec::new();
        self.reload(&mut told).await?;
        for one in told {
            news.send(one).await.ok();
        }
        let mut answers = self.answers();
        answers.borrow_and_update();
        let mut messages = listening.into_on_message();
        loop {
            let message = tokio::select! {
                message = messages.next() => message,
                // A connection that was lost without a word would be silent for ever.
                _ = answers.changed() => None,
            };
            let Some(message) = message else { return Ok(()) };
            let name: String = message.get_payload()?;
            if name == LOGINS {
                self.0.logins_ended.send_replace(());
                continue;
            }
            if let Some(heard) = self.hear(&name).await? {
                news.send(heard).await.ok();
            }
        }
    }

    async fn hear(&self, name: &str) -> Result<Option<News>, ClusterError> {
        if name == PROJECTS {
            return Ok(Some(News::Projects));
        }
        if let Some(gone) = name.strip_prefix(GONE).map(SessionId::from) {
            self.0.catalogue.all().remove(&gone);
            return Ok(Some(News::Gone(gone)));
        }
        Ok(self.refresh(&SessionId::from(name)).await?.map(News::Session))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ServerId;
    use super::*;
    use crate::session::Live;
    use crate::store::SessionRow;

    fn record(number: i64, owner: Option<ServerId>) -> (SessionId, Arc<Record>) {
        let at = jiff::Timestamp::from_second(number).unwrap();
        let id = format!("claude-code:{number}").into();
        let row = SessionRow::new(id, "claude-code", "/project".into(), at);
        let record = Record { owner, ..Record::new(row, Live::default(), None, 0) };
        (record.session().clone(), Arc::new(record))
    }

    #[test]
    fn sessions_that_rest_longest_are_not_kept_in_memory() {
        let mut all = BTreeMap::from([record(0, Some(ServerId::random()))]);
        all.extend((1..=20).map(|number| record(number, None)));
        bound(&mut all, 21, 5);
        assert_eq!(all.len(), 21, "there is room for all of them");
        bound(&mut all, 10, 2);
        let mut left: Vec<_> = all.values().map(|record| record.row.updated_at.as_second()).collect();
        left.sort_unstable();
        assert_eq!(left, [0, 14, 15, 16, 17, 18, 19, 20]);
    }
}
