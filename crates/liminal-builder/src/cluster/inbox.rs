//! Commands for sessions of others. Owns how they travel: each is run at most once, by the server it was meant for, and
//! only while somebody waits for it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use redis::streams::{StreamId, StreamReadOptions, StreamReadReply};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::presence::millis;
use super::{Cluster, ClusterError, ServerId};
use crate::clock;

/// Whoever asks over HTTP waits no longer either.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to look whether the other one is still there.
const LOOK: Duration = Duration::from_secs(1);
/// How long one question for mail waits; a new connection hears of nothing that an old one missed.
const READ: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(200);
/// What waits beyond this was read long ago.
const MAIL_KEPT: usize = 1024;
const AT_ONCE: usize = 64;

/// A request as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The method.
    pub method: String,
    /// The path, with what stands behind its question mark.
    pub path: String,
    /// The headers that matter, by their names.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default)]
    pub body: String,
    /// Who asks, for the audit log.
    pub party: String,
    /// From where.
    pub address: std::net::IpAddr,
}

/// An answer as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers that matter.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default)]
    pub body: String,
}

/// A command that came from another server.
#[derive(Debug)]
pub struct Command {
    /// What is asked.
    pub envelope: Envelope,
    id: String,
    asker: ServerId,
}

/// Those who wait for an answer of another server.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<BTreeMap<String, oneshot::Sender<Reply>>>);

impl Asked {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, oneshot::Sender<Reply>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who waits; whoever stops waiting is forgotten.
struct Waiting<'a> {
    cluster: &'a Cluster,
    id: String,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.cluster.0.asked.all().remove(&self.id);
    }
}

/// How far the mail of this server was read.
struct Read {
    inbox: String,
    replies: String,
}

impl Cluster {
    /// Has another server do something, and waits for what it says.
    pub async fn ask(&self, server: &ServerId, envelope: &Envelope) -> Result<Reply, ClusterError> {
        let id = clock::new_turn_id().to_string();
        let (sender, mut reply) = oneshot::channel();
        self.0.asked.all().insert(id.clone(), sender);
        let _waiting = Waiting { cluster: self, id: id.clone() };
        let text = serde_json::to_string(envelope)?;
        let fields = [("id", id.as_str()), ("asker", self.0.me.as_str()), ("envelope", &text)];
        self.mail(&self.0.keys.inbox(server), &fields).await?;
        let mut waited = Duration::ZERO;
        while waited < PATIENCE {
            match timeout(LOOK, &mut reply).await {
                Ok(reply) => return reply.map_err(|_| ClusterError::OwnerLost),
                Err(_) if self.is_there(server).await.unwrap_or(true) => waited += LOOK,
                Err(_) => return Err(ClusterError::OwnerLost),
            }
        }
        Err(ClusterError::Late)
    }

    /// Answers another server.
    pub async fn answer(&self, command: &Command, reply: &Reply) -> Result<(), ClusterError> {
        let text = serde_json::to_string(reply)?;
        let fields = [("id", command.id.as_str()), ("reply", &text)];
        self.mail(&self.0.keys.replies(&command.asker), &fields).await
    }

    async fn mail(&self, key: &str, fields: &[(&str, &str)]) -> Result<(), ClusterError> {
        let mut adding = redis::cmd("XADD");
        adding.arg(key).arg("MAXLEN").arg("~").arg(MAIL_KEPT).arg("*").arg(fields);
        Ok(self.0.link.query(&adding).await?)
    }

    /// Reads this server's mail, for as long as somebody takes its commands.
    pub async fn read_mail(self, commands: mpsc::Sender<Command>) {
        let mut read = Read { inbox: "0".to_owned(), replies: "0".to_owned() };
        while !commands.is_closed() {
            if let Err(error) = self.read_on(&mut read, &commands).await {
                tracing::debug!(%error, "cannot read the mail of other servers");
            }
            timeout(PAUSE, std::future::pending::<()>()).await.ok();
        }
    }

    async fn read_on(&self, read: &mut Read, commands: &mpsc::Sender<Command>) -> Result<(), ClusterError> {
        let mut connection = self.0.link.wait(READ).await?;
        let mut answers = self.answers();
        answers.borrow_and_update();
        loop {
            let mail = tokio::select! {
                mail = self.next_mail(&mut connection, read) => mail?,
                _ = answers.changed() => return Ok(()),
                () = commands.closed() => return Ok(()),
            };
            for (is_command, entry) in mail {
                if is_command {
                    self.take_command(&entry, commands).await;
                } else {
                    self.take_reply(&entry);
                }
                self.discard(is_command, &entry.id).await;
            }
        }
    }

    /// Entries with whether they are commands.
    async fn next_mail(
        &self,
        connection: &mut MultiplexedConnection,
        read: &mut Read,
    ) -> Result<Vec<(bool, StreamId)>, ClusterError> {
        let (inbox, replies) = (self.0.keys.inbox(&self.0.me), self.0.keys.replies(&self.0.me));
        let wait = usize::try_from(millis(READ)).unwrap_or_default();
        let options = StreamReadOptions::default().block(wait).count(AT_ONCE);
        let places = [&read.inbox, &read.replies];
        let reply: Option<StreamReadReply> =
            connection.xread_options(&[&inbox, &replies], &places, &options).await?;
        let mut mail = Vec::new();
        for stream in reply.map(|reply| reply.keys).unwrap_or_default() {
            let is_command = stream.key == inbox;
            let place = if is_command { &mut read.inbox } else { &mut read.replies };
            for entry in stream.ids {
                place.clone_from(&entry.id);
                mail.push((is_command, entry));
            }
        }
        Ok(mail)
    }

    /// Mail may carry files; what was read is in nobody's way any more.
    async fn discard(&self, is_command: bool, id: &str) {
        let (keys, me) = (&self.0.keys, &self.0.me);
        let key = if is_command { keys.inbox(me) } else { keys.replies(me) };
        let removed: Result<u64, _> = self.0.link.query(redis::cmd("XDEL").arg(key).arg(id)).await;
        if let Err(error) = removed {
            tracing::debug!(%error, "mail that was read stays until it is pushed out");
        }
    }

    async fn take_command(&self, entry: &StreamId, commands: &mpsc::Sender<Command>) {
        let Some((id, asker)) = entry.get::<String>("id").zip(entry.get::<String>("asker")) else { return };
        let envelope = entry.get::<String>("envelope").and_then(|text| serde_json::from_str(&text).ok());
        let Some(envelope) = envelope else { return };
        if self.is_late(&entry.id).await {
            tracing::warn!(%asker, "a command of another server came too late and was not run");
            return;
        }
        commands.send(Command { envelope, id, asker: ServerId(asker) }).await.ok();
    }

    /// Whether nobody waits for an answer any more, by the clock of Redis, which is the same for all.
    async fn is_late(&self, id: &str) -> bool {
        let sent: Option<u64> = id.split('-').next().and_then(|millis| millis.parse().ok());
        let time: Result<(u64, u64), _> = self.0.link.look(&redis::cmd("TIME")).await;
        match (sent, time) {
            (Some(sent), Ok((seconds, micros))) => {
                (seconds * 1000 + micros / 1000).saturating_sub(sent) > millis(PATIENCE)
            }
            _ => true,
        }
    }

    fn take_reply(&self, entry: &StreamId) {
        let Some(id) = entry.get::<String>("id") else { return };
        let reply = entry.get::<String>("reply").and_then(|text| serde_json::from_str(&text).ok());
        if let (Some(waiting), Some(reply)) = (self.0.asked.all().remove(&id), reply) {
            waiting.send(reply).ok();
        }
    }
}
