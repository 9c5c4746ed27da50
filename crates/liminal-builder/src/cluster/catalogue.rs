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
/// Between two attempts to listen.
const PAUSE: Duration = Duration::from_millis(200);
/// What stands for all projects among the names of changed sessions; no session is called so.
pub(super) const PROJECTS: &str = "projects";

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
            news.send(self.hear(&name).await?).await.ok();
        }
    }

    async fn hear(&self, name: &str) -> Result<News, ClusterError> {
        if name == PROJECTS {
            return Ok(News::Projects);
        }
        let session = SessionId::from(name);
        Ok(self.refresh(&session).await?.map_or(News::Gone(session), News::Session))
    }
}
