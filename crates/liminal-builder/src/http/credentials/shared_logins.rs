//! Sessions of browsers that several servers share. Owns that each of them knows what it needs when Redis is away, and
//! that whoever was logged out by one is logged out by all; how they are kept is asked of others.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use tokio::sync::{Mutex, watch};

use super::logins::{BrowserLogins, browser, session};
use super::secret::Digest;
use super::sessions::{BrowserSession, BrowserSessions, Pending, StoreFault};
use crate::cluster::{Cluster, ClusterError, StoreLife};
use crate::log::LogError;
use crate::store::Store;

/// How often it is looked for in vain which life the logins are in, before whoever asks is told to come again.
const ATTEMPTS: usize = 3;

/// Sessions at this server, and those of the others as soon as they are asked for.
#[derive(Debug)]
pub struct SharedLogins {
    local: BrowserLogins,
    cluster: Cluster,
    /// Held while anything changes.
    place: Mutex<Place>,
    /// Something is known here that Redis may not have.
    is_untold: AtomicBool,
    ended: watch::Sender<()>,
}

/// Where this server stands.
#[derive(Debug, Default)]
struct Place {
    /// The life of what is known here; none until it was shared for the first time.
    life: Option<u64>,
    /// What Redis was when it was last told everything.
    told: StoreLife,
}

impl SharedLogins {
    /// Reads what an earlier start kept, and tells the others.
    pub async fn load(store: Store, cluster: Cluster) -> Result<Self, LogError> {
        let place = Mutex::new(Place { life: store.login_life().await?, ..Place::default() });
        let local = BrowserLogins::load(store).await?;
        let (is_untold, ended) = (AtomicBool::new(true), watch::Sender::default());
        let logins = Self { local, cluster, place, is_untold, ended };
        logins.catch_up_now().await.map_err(|fault| LogError::Failed(fault.to_string()))?;
        Ok(logins)
    }

    async fn catch_up_now(&self) -> Result<(), StoreFault> {
        let (stored, now) = self.cluster.logins_life().await?;
        let mut place = self.place.lock().await;
        let is_untold = self.is_untold.swap(false, Ordering::AcqRel);
        if stored.is_some() && stored == place.life && now == place.told && !is_untold {
            return Ok(());
        }
        match self.share(&mut place, &self.local.all()).await {
            Ok(()) | Err(StoreFault::LoggedOut) => {
                place.told = now;
                Ok(())
            }
            Err(fault) => {
                self.is_untold.store(true, Ordering::Release);
                Err(fault)
            }
        }
    }

    /// Tells logins of this server's life. Fails if that is over.
    async fn share(&self, place: &mut Place, logins: &[BrowserSession]) -> Result<(), StoreFault> {
        let browsers: Vec<_> = logins.iter().map(browser).collect();
        let counts = self.cluster.share_logins(place.life, &browsers).await?;
        match place.life {
            Some(life) if life == counts => Ok(()),
            Some(_) => {
                self.local.forget_all(Some(counts)).await?;
                place.life = Some(counts);
                self.ended.send_replace(());
                Err(StoreFault::LoggedOut)
            }
            None => {
                self.local.begin(counts).await?;
                place.life = Some(counts);
                Ok(())
            }
        }
    }

    async fn keep(&self, session: BrowserSession) -> Result<(), StoreFault> {
        let mut place = self.place.lock().await;
        match self.share(&mut place, &[session]).await {
            // Whoever was let in here can go on here.
            Err(StoreFault::Unreachable) => self.is_untold.store(true, Ordering::Release),
            other => other?,
        }
        self.local.keep(session).await
    }

    async fn ask(&self, cookies: &[Digest]) -> Result<(), StoreFault> {
        let names: Vec<_> = cookies.iter().map(|cookie| cookie.to_text()).collect();
        for _ in 0..ATTEMPTS {
            if !*self.cluster.answers().borrow() {
                return Err(StoreFault::Unreachable);
            }
            let (stored, found) = self.cluster.find_logins(&names).await?;
            let place = self.place.lock().await;
            // What was found may be over by now, and what is known here too.
            if stored.is_some() && stored == place.life {
                for session in found.iter().filter_map(session) {
                    self.local.keep(session).await?;
                }
                return Ok(());
            }
            drop(place);
            self.catch_up_now().await?;
        }
        Err(StoreFault::Unreachable)
    }

    async fn end_all(&self) -> Result<(), StoreFault> {
        let mut place = self.place.lock().await;
        let before = place.life.unwrap_or_default();
        let told = self.cluster.end_logins(before).await;
        let next = told.as_ref().map_or_else(|_| self.cluster.next_life(before), |next| *next);
        self.local.forget_all(Some(next)).await?;
        place.life = Some(next);
        Ok(told.map(drop)?)
    }
}

impl BrowserSessions for SharedLogins {
    fn add(&self, session: BrowserSession) -> Pending<'_> {
        Box::pin(self.keep(session))
    }

    fn find(&self, cookie: &Digest) -> Option<BrowserSession> {
        self.local.find(cookie)
    }

    fn look<'a>(&'a self, cookies: &'a [Digest]) -> Pending<'a> {
        Box::pin(self.ask(cookies))
    }

    fn seen(&self, cookie: &Digest, at: Timestamp) {
        self.local.seen(cookie, at);
        self.is_untold.store(true, Ordering::Release);
    }

    fn remove_all(&self) -> Pending<'_> {
        self.local.clear();
        Box::pin(self.end_all())
    }

    fn unsaved(&self) -> Option<watch::Receiver<usize>> {
        Some(self.local.unsaved())
    }

    fn save(&self) -> Pending<'_> {
        Box::pin(self.local.save())
    }

    fn catch_up(&self) -> Pending<'_> {
        Box::pin(self.catch_up_now())
    }

    fn ended(&self) -> Option<watch::Receiver<()>> {
        Some(self.ended.subscribe())
    }
}

impl From<ClusterError> for StoreFault {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Down(_) | ClusterError::Unreachable { .. } => Self::Unreachable,
            ClusterError::Unreadable(_) | ClusterError::OwnerLost | ClusterError::Late => {
                Self::Failed(Box::new(error))
            }
        }
    }
}
