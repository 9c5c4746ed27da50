//! That this server is there, and which others are. Owns the key by which servers see each other, and the doubt of one
//! that could not renew its own: it may have been taken for gone.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{Cmd, pipe};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Cluster, ClusterError, ServerId};

/// A server renews its key so often within its lease.
const RENEWALS: u32 = 3;
/// What waits for a server that is gone need not be kept for longer than so many leases.
const MAIL_LEASES: u32 = 12;

#[derive(Debug)]
pub(super) struct Presence {
    state: Mutex<State>,
    answers: watch::Sender<bool>,
}

#[derive(Debug, Default, Clone, Copy)]
struct State {
    /// When the key was last renewed.
    renewed: Option<Duration>,
    /// Since when Redis answers without a pause.
    up_since: Option<Duration>,
}

/// What became of a renewal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// The others never missed this server.
    Kept,
    /// The key was gone: its time was over, or Redis forgot.
    Lapsed,
}

impl Default for Presence {
    fn default() -> Self {
        Self { state: Mutex::default(), answers: watch::Sender::new(true) }
    }
}

impl Presence {
    pub(super) fn answers(&self) -> watch::Receiver<bool> {
        self.answers.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn renewed(&self, now: Duration) {
        let mut state = self.state();
        state.renewed = Some(now);
        state.up_since.get_or_insert(now);
        drop(state);
        self.answers.send_if_modified(|answers| !std::mem::replace(answers, true));
    }

    fn failed(&self) {
        self.state().up_since = None;
        self.answers.send_if_modified(|answers| std::mem::replace(answers, false));
    }
}

impl Cluster {
    /// Comes back when the key is to be renewed again.
    pub async fn until_renewal(&self) {
        timeout(self.0.lease / RENEWALS, std::future::pending::<()>()).await.ok();
    }

    /// Renews this server's key.
    pub async fn renew(&self) -> Result<Renewal, ClusterError> {
        let began = self.now();
        let was_there = self.0.presence.state().renewed.is_some();
        match self.write_presence().await {
            Ok(before) => {
                self.0.presence.renewed(began);
                let is_kept = before.is_some() || !was_there;
                Ok(if is_kept { Renewal::Kept } else { Renewal::Lapsed })
            }
            Err(error) => {
                self.0.presence.failed();
                Err(error)
            }
        }
    }

    async fn write_presence(&self) -> Result<Option<String>, ClusterError> {
        let (keys, me) = (&self.0.keys, &self.0.me);
        let mail = millis(self.0.lease * MAIL_LEASES);
        let mut writing = pipe();
        writing.add_command(set_while_there(&keys.server(me), &self.0.name, self.0.lease));
        writing.sadd(keys.servers(), me.as_str()).ignore();
        writing.cmd("PEXPIRE").arg(keys.inbox(me)).arg(mail).ignore();
        writing.cmd("PEXPIRE").arg(keys.replies(me)).arg(mail).ignore();
        let (before,): (Option<String>,) = self.0.link.query(&writing).await?;
        Ok(before)
    }

    /// Whether this server may have been taken for gone, because its key was not renewed in time.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        let renewed = self.0.presence.state().renewed;
        renewed.is_none_or(|renewed| self.now().saturating_sub(renewed) >= self.0.lease)
    }

    /// Redis did not do what it was asked.
    pub fn suspect(&self) {
        self.0.presence.failed();
    }

    /// Whether a server whose key is missing is gone, and not only late after a pause of Redis.
    pub(super) fn can_judge(&self) -> bool {
        let up_since = self.0.presence.state().up_since;
        up_since.is_some_and(|since| self.now().saturating_sub(since) >= self.0.lease)
    }

    /// Whether a server is there.
    pub(super) async fn is_there(&self, server: &ServerId) -> Result<bool, ClusterError> {
        let exists = Cmd::exists(self.0.keys.server(server));
        Ok(self.0.link.look(&exists).await?)
    }

    /// Servers that are gone without a word; none, as long as that cannot be told.
    pub async fn gone(&self) -> Result<Vec<ServerId>, ClusterError> {
        let all: Vec<String> = self.0.link.look(&Cmd::smembers(self.0.keys.servers())).await?;
        let mut gone = Vec::new();
        for server in all.into_iter().map(ServerId) {
            if server != self.0.me && !self.is_there(&server).await? {
                gone.push(server);
            }
        }
        if !self.can_judge() {
            gone.clear();
        }
        Ok(gone)
    }

    /// Forgets a server whose sessions are all looked after.
    pub async fn forget(&self, server: &ServerId) -> Result<(), ClusterError> {
        let keys = &self.0.keys;
        let mut forgetting = pipe();
        forgetting.srem(keys.servers(), server.as_str()).ignore();
        forgetting.del(&[keys.owned(server), keys.inbox(server), keys.replies(server)]).ignore();
        Ok(self.0.link.query(&forgetting).await?)
    }

    /// Takes leave of the others.
    pub async fn leave(&self) -> Result<(), ClusterError> {
        let gone = Cmd::del(self.0.keys.server(&self.0.me));
        let () = self.0.link.query(&gone).await?;
        self.forget(&self.0.me).await
    }
}

/// Tells what was there before.
fn set_while_there(key: &str, value: &str, time: Duration) -> Cmd {
    let mut set = redis::cmd("SET");
    set.arg(key).arg(value).arg("PX").arg(millis(time)).arg("GET");
    set
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
