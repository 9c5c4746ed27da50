//! Which server a session is at. Owns that nothing is begun in a session before it is this server's, and that a server
//! which may have been taken for gone looks first.

use std::path::Path;

use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;

use super::slot::Slot;
use super::{Failure, Membership, Sessions};
use crate::cluster::{Claim, Claimed, Cluster, Renewal, ServerId};

/// Where a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seat {
    /// At this server.
    Here,
    /// At another, which has to be asked.
    There(ServerId),
}

impl Sessions {
    /// Where something is to be done with a session. One that nobody has is this server's from here on, if it could run
    /// it.
    pub async fn seat(&self, id: &SessionId) -> Result<Seat, Failure> {
        let Some(cluster) = self.cluster() else { return Ok(Seat::Here) };
        let slot = self.slot(id).await?;
        let _moving = slot.moving.lock().await;
        if cluster.holds(id) {
            self.dispel_doubt(cluster).await;
        }
        if cluster.holds(id) { Ok(Seat::Here) } else { self.take_seat(cluster, &slot).await }
    }

    async fn take_seat(&self, cluster: &Cluster, slot: &Slot) -> Result<Seat, Failure> {
        let row = self.0.parts.store.session(&slot.id).await?;
        let claim = Claim {
            mine: row.as_ref().and_then(|row| row.token).unwrap_or_default(),
            is_capable: self.can_run(&slot.directory).await,
            begins: row.is_some() && cluster.record(&slot.id).is_none(),
            ..Claim::default()
        };
        match cluster.claim(&slot.id, claim).await? {
            Claimed::Ours { token, was_abandoned, goes_on } => {
                self.adopt(cluster, slot, token, goes_on).await?;
                if was_abandoned {
                    self.0.metrics.taken_over();
                    self.end_abandoned(&slot.id).await?;
                }
                Ok(Seat::Here)
            }
            Claimed::Theirs(server) => Ok(Seat::There(server)),
            Claimed::Unsure => Err(Failure::new(
                ErrorCode::OwnerLost,
                "the server that has this session was not heard of lately; it is back or replaced in a moment",
            )),
            Claimed::Unable => Err(missing_project(&slot.directory)),
            Claimed::Absent => Err(Failure::new(
                ErrorCode::OwnerLost,
                "Redis knows nothing of this session; whoever has it tells it again in a moment",
            )),
        }
    }

    async fn can_run(&self, directory: &Path) -> bool {
        self.place(directory).await.is_ok()
    }

    /// A new session, which nobody else can have.
    pub(super) async fn claim_new(&self, id: &SessionId) -> Result<Option<u64>, Failure> {
        let Some(membership) = &self.0.parts.cluster else { return Ok(None) };
        let claim = Claim { is_capable: true, begins: true, ..Claim::default() };
        let token = match membership.cluster.claim(id, claim).await {
            Ok(Claimed::Ours { token, .. }) => token,
            // An agent's own id may be an old one's.
            Ok(_) => return Err(taken_over()),
            Err(_) => return Ok(Some(self.hold_untold(membership, id))),
        };
        membership.log.own(id, token).await?;
        Ok(Some(token))
    }

    /// What nobody else can have needs no leave of Redis; the others hear of it when that is back.
    fn hold_untold(&self, membership: &Membership, id: &SessionId) -> u64 {
        membership.cluster.suspect();
        let token = membership.cluster.hold_untold(id);
        membership.log.own_unseen(id, token);
        token
    }

    /// Whoever was silent for longer than its lease may have lost everything meanwhile.
    async fn dispel_doubt(&self, cluster: &Cluster) {
        // While Redis does not answer, nobody can have been given anything.
        if cluster.is_in_doubt() && *cluster.answers().borrow() {
            self.renew(cluster).await;
        }
    }

    /// Says that this server is there. If others may have missed it, everything it has is said again.
    pub(super) async fn renew(&self, cluster: &Cluster) {
        let was_unheard = cluster.is_in_doubt() || !*cluster.answers().borrow();
        match cluster.renew().await {
            Ok(Renewal::Kept) if !was_unheard => {}
            Ok(_) => self.restate(cluster).await,
            Err(error) => tracing::debug!(%error, "cannot tell others that this server is there"),
        }
    }

    /// Says again what this server has; what it lost meanwhile is given up.
    async fn restate(&self, cluster: &Cluster) {
        for id in cluster.all_held() {
            match cluster.reassert(&id).await {
                Ok(true) => self.share_again(&id).await,
                Ok(false) => self.lose(&id).await,
                // Whoever does not answer cannot have given it to anybody either.
                Err(_) => return,
            }
        }
        self.share_projects().await.ok();
    }
}

fn missing_project(directory: &Path) -> Failure {
    let problem = format!(
        "no server has this session, and {} is in no project of this one; add its project here, or start the server \
         that has it",
        directory.display()
    );
    Failure::new(ErrorCode::ProjectDirInvalid, problem)
}

pub(super) fn taken_over() -> Failure {
    Failure::new(ErrorCode::SessionTakenOver, "another server has taken this session over; reload it")
}
