//! Joining the other servers and leaving them. Owns what is said at a start and at a stop, and what travels with a
//! session so that no message is sent twice.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use liminal_core::ids::{ProjectId, SessionId, TurnId};
use liminal_core::wire::projects::Trust;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::slot::Slot;
use super::{Failure, Membership, Sessions, caretaker, hearing};
use crate::cluster::{Claim, Claimed, Cluster, Command, SharedProject};
use crate::session::Live;
use crate::store::{Delivery, ProjectRow, Receipt, SessionChange, SessionRow};

/// What changed elsewhere and was not looked at yet; whoever tells waits then.
const NEWS_WAITING: usize = 256;
const COMMANDS_WAITING: usize = 64;
/// How long Redis may take for what it lacks before a session leaves this server.
const COPY_PATIENCE: Duration = Duration::from_secs(2);

/// Nobody here has decided on it.
fn foreign(SharedProject { id, path, name }: SharedProject) -> ProjectRow {
    ProjectRow { id, path, name, trust: Trust::Unknown, trust_hash: None }
}

impl Sessions {
    /// Says which sessions are this server's, and gives up those that others took meanwhile. To be called before
    /// anything is put right: what others have is theirs to end.
    pub async fn take_up(&self) -> Result<(), Failure> {
        let Some(cluster) = self.cluster() else { return Ok(()) };
        self.share_projects().await?;
        for row in self.0.parts.store.all_sessions().await? {
            self.take_up_one(cluster, row).await?;
        }
        Ok(())
    }

    async fn take_up_one(&self, cluster: &Cluster, row: SessionRow) -> Result<(), Failure> {
        if cluster.is_in_doubt() {
            cluster.renew().await?;
        }
        let mine = row.token.unwrap_or_default();
        let claim = Claim { mine, is_capable: true, begins: true, is_newest: true, from: None };
        match cluster.claim(&row.session_id, claim).await? {
            Claimed::Ours { token, .. } => {
                self.own(&row.session_id, token).await?;
                self.0.parts.store.change_session(&row.session_id, SessionChange::Token(token)).await?;
            }
            Claimed::Theirs(_) | Claimed::Unsure | Claimed::Unable | Claimed::Absent => {
                self.forget_copy(&row.session_id).await;
            }
        }
        Ok(())
    }

    /// Tells others of this server's projects, which are called as they are there.
    pub(super) async fn share_projects(&self) -> Result<(), Failure> {
        let Some(cluster) = self.cluster() else { return Ok(()) };
        for row in self.0.parts.store.projects().await? {
            let shared = SharedProject { id: row.id.clone(), path: row.path, name: row.name };
            let id = cluster.share_project(&shared).await?;
            if id != row.id {
                self.0.parts.store.rename_project(&row.id, &id).await?;
            }
        }
        Ok(())
    }

    /// A project of this server, called as others call it.
    pub async fn name_project(&self, row: ProjectRow) -> Result<ProjectRow, Failure> {
        let Some(cluster) = self.cluster() else { return Ok(row) };
        let shared = SharedProject { id: row.id.clone(), path: row.path.clone(), name: row.name.clone() };
        Ok(ProjectRow { id: cluster.share_project(&shared).await?, ..row })
    }

    /// Projects that only others have.
    pub async fn projects_of_others(&self) -> Result<Vec<ProjectRow>, Failure> {
        let Some(cluster) = self.answering_cluster() else { return Ok(Vec::new()) };
        let ours = self.0.parts.store.projects().await?;
        let mut others = cluster.shared_projects().await?;
        others.retain(|shared| ours.iter().all(|row| row.id != shared.id));
        Ok(others.into_iter().map(foreign).collect())
    }

    pub(super) async fn project(&self, id: &ProjectId) -> Result<Option<ProjectRow>, Failure> {
        match self.0.parts.store.project(id).await? {
            Some(row) => Ok(Some(row)),
            None => Ok(self.projects_of_others().await?.into_iter().find(|row| row.id == *id)),
        }
    }

    /// What other servers ask, for whoever runs it.
    #[must_use]
    pub fn take_commands(&self) -> Option<mpsc::Receiver<Command>> {
        self.0.commands.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Begins to hear of others and to be heard of.
    pub async fn meet_others(&self) {
        let Some(Membership { cluster, log }) = self.0.parts.cluster.clone() else { return };
        let (news, heard) = mpsc::channel(NEWS_WAITING);
        let (commands, received) = mpsc::channel(COMMANDS_WAITING);
        let shared = Arc::downgrade(&self.0);
        for id in cluster.all_held() {
            self.share_again(&id).await;
        }
        *self.0.commands.lock().unwrap_or_else(PoisonError::into_inner) = Some(received);
        let mut tasks = self.tasks();
        tasks.spawn(cluster.clone().listen(news));
        tasks.spawn(cluster.read_mail(commands));
        tasks.spawn(hearing::listen(shared.clone(), heard));
        tasks.spawn(caretaker::hear_losses(shared.clone(), log.lost()));
        tasks.spawn(caretaker::keep_watch(shared));
    }

    /// Tells others all of a session again: they may know nothing of it.
    pub(super) async fn share_again(&self, id: &SessionId) {
        let Some(cluster) = self.cluster() else { return };
        let slot = self.slots().get(id).cloned();
        match slot {
            Some(slot) => self.publish(&slot).await,
            None => self.publish_resting(cluster, id).await,
        }
        self.keep_all(cluster, id).await.ok();
    }

    async fn publish_resting(&self, cluster: &Cluster, id: &SessionId) {
        let Ok(Some(live)) = self.resting(id).await else { return };
        if let Ok(Some(record)) = self.record_of(id, live).await {
            cluster.publish(record).await.ok();
        }
    }

    /// A session that is stored and that nobody has used yet.
    pub(super) async fn resting(&self, id: &SessionId) -> Result<Option<Live>, Failure> {
        let store = &self.0.parts.store;
        let Some(row) = store.session(id).await? else { return Ok(None) };
        let guards = self.guards(&row.cli_type, &row.options);
        Ok(Some(Slot::new(&row, store.queue(id).await?, None, guards).board.now()))
    }

    async fn keep_all(&self, cluster: &Cluster, id: &SessionId) -> Result<(), Failure> {
        for receipt in self.0.parts.store.receipts_of(id.as_str()).await? {
            cluster.keep(id, Some(&receipt), None).await?;
        }
        for delivery in self.0.parts.store.deliveries_of(id).await? {
            cluster.keep(id, None, Some(&delivery)).await?;
        }
        Ok(())
    }

    /// Gives every session back and takes leave.
    pub(super) async fn give_back(&self) {
        let Some(Membership { cluster, log }) = &self.0.parts.cluster else { return };
        timeout(COPY_PATIENCE, log.settled()).await.ok();
        for id in cluster.all_held() {
            self.hand_back(cluster, &id).await;
        }
        cluster.leave().await.ok();
    }

    /// A message is about to be sent: others must know of it before the agent does.
    pub(super) async fn keep_for_others(&self, delivery: &Delivery) -> Result<(), Failure> {
        let Some(cluster) = self.answering_cluster() else { return Ok(()) };
        let id = &delivery.session_id;
        let receipt = match &delivery.client_message_id {
            Some(key) => self.0.parts.store.receipt(id.as_str(), key).await?,
            None => None,
        };
        // What Redis does not take now, it gets when it is back.
        cluster.keep(id, receipt.as_ref(), Some(delivery)).await.ok();
        Ok(())
    }

    /// The agent certainly did not get a message.
    pub(super) async fn recall_for_others(&self, id: &SessionId, turn: &TurnId) {
        if let Some(cluster) = self.answering_cluster() {
            cluster.recall(id, turn).await.ok();
        }
    }

    /// A message was answered: others must be able to say the same, or to try it if it was refused.
    pub(super) async fn keep_answer(&self, slot: &Slot, key: &str) -> Result<(), Failure> {
        let Some(cluster) = self.answering_cluster() else { return Ok(()) };
        match self.0.parts.store.receipt(slot.id.as_str(), key).await? {
            Some(receipt) => cluster.keep(&slot.id, Some(&receipt), None).await.ok(),
            None => cluster.let_go(&slot.id, key, self.now()).await.ok(),
        };
        Ok(())
    }

    /// Others forget a session that was removed.
    pub(super) async fn forget_everywhere(&self, id: &SessionId) -> Result<(), Failure> {
        let Some(Membership { cluster, log }) = &self.0.parts.cluster else { return Ok(()) };
        // Redis forgets what was said only as long as it is this server's.
        timeout(COPY_PATIENCE, log.settled()).await.ok();
        log.disown(id);
        cluster.drop_claim(id);
        Ok(cluster.unpublish(id).await?)
    }

    /// Looks for a request that belongs to no session, at this server and at all others, and notes it if it is new.
    pub async fn begin_once(&self, scope: &str, key: &str, digest: &str) -> Result<Receipt, Failure> {
        let store = &self.0.parts.store;
        let known = store.begin_receipt(scope, key, digest, self.now()).await?;
        let (Receipt::New, Some(cluster)) = (&known, self.answering_cluster()) else { return Ok(known) };
        let Some(receipt) = store.receipt(scope, key).await? else { return Ok(known) };
        // A Redis that just went away cannot tell of anything either.
        let elsewhere = cluster.begin_once(scope, &receipt).await.unwrap_or(Receipt::New);
        if elsewhere != Receipt::New {
            store.finish_receipt(scope, key, None).await?;
        }
        Ok(elsewhere)
    }

    /// Keeps the answer to repeat, or forgets a request that failed.
    pub async fn finish_once(&self, scope: &str, key: &str, answer: Option<Value>) -> Result<(), Failure> {
        let store = &self.0.parts.store;
        let receipt = store.receipt(scope, key).await?;
        store.finish_receipt(scope, key, answer.clone()).await?;
        if let (Some(cluster), Some(receipt)) = (self.answering_cluster(), receipt) {
            cluster.finish_once(scope, receipt, answer).await.ok();
        }
        Ok(())
    }

    pub(super) fn answering_cluster(&self) -> Option<&Cluster> {
        self.cluster().filter(|cluster| *cluster.answers().borrow())
    }

    /// The others, for whoever hands requests on to them.
    #[must_use]
    pub fn others(&self) -> Option<&Cluster> {
        self.cluster()
    }
}
