//! Sessions that a person should know of, wherever they are in the lists. Owns what counts as such; reads no files of
//! agents, because it is asked with every change of a list.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::wire::rest::{SessionState, SessionSummary};

use super::listing::{is_inactive, summary, summary_of};
use super::{Failure, ListQuery, Sessions};
use crate::cluster::{Cluster, Record};
use crate::session::Live;
use crate::store::{ProjectRow, SessionRow};

/// The last entry that a person has seen, by session.
type Seen = BTreeMap<SessionId, u64>;

impl Sessions {
    /// Sessions of these projects that wait, run, also in the background, have something unread, or in which a request
    /// timed out.
    pub(super) async fn needing_attention(
        &self,
        projects: &[ProjectRow],
        query: &ListQuery,
    ) -> Result<Vec<SessionSummary>, Failure> {
        let projects: BTreeMap<&ProjectId, &ProjectRow> =
            projects.iter().map(|project| (&project.id, project)).collect();
        let (seen, heads) = tokio::try_join!(self.0.parts.store.seen(), self.0.parts.database.heads())?;
        let of_others = self.cluster().map(Cluster::records).unwrap_or_default();
        let mut wanted: BTreeSet<SessionId> = unread(&seen, &heads).collect();
        wanted.extend(self.busy().into_iter().chain(query.named.iter().cloned()));
        for record in &of_others {
            wanted.remove(record.session());
        }
        let rows = self.0.parts.store.sessions_named(wanted).await?;
        let project_of = |row: &SessionRow| {
            let project = row.project_id.as_ref().and_then(|id| projects.get(id));
            project.filter(|_| is_inactive(row) == query.archived)
        };
        let slots = self.slots().clone();
        let own = rows.into_iter().filter_map(|row| {
            let project = project_of(&row)?;
            let live = slots.get(&row.session_id).map(|slot| slot.board.now());
            let head = heads.get(&row.session_id).copied();
            Some(summary(row, project, live.as_ref(), head))
        });
        let of_others = of_others
            .iter()
            .filter(|record| needs_attention(record, &seen) || query.named.contains(record.session()));
        let of_others = of_others.filter_map(|record| Some(summary_of(record, project_of(&record.row)?)));
        Ok(own.chain(of_others).collect())
    }

    /// Sessions with a turn that runs or waits, with work in the background, or in which a request timed out.
    fn busy(&self) -> Vec<SessionId> {
        let slots = self.slots();
        let busy = slots.values().filter(|slot| is_busy(&slot.board.watch().borrow()));
        busy.map(|slot| slot.id.clone()).collect()
    }
}

fn unread<'a>(seen: &'a Seen, heads: &'a BTreeMap<SessionId, u64>) -> impl Iterator<Item = SessionId> + 'a {
    let is_unread = |id: &SessionId, seq: u64| heads.get(id).is_some_and(|head| *head > seq);
    seen.iter().filter(move |(id, seq)| is_unread(id, **seq)).map(|(id, _)| id.clone())
}

fn needs_attention(record: &Record, seen: &Seen) -> bool {
    let mut live = Live::default();
    record.show(&mut live);
    is_busy(&live) || seen.get(record.session()).is_some_and(|seq| record.seq > *seq)
}

fn is_busy(live: &Live) -> bool {
    match live.view.state {
        SessionState::Starting | SessionState::Running | SessionState::Cancelling | SessionState::Waiting => {
            true
        }
        SessionState::Idle | SessionState::Closed => {
            !live.asked.is_empty() || live.view.timed_out || live.view.background.is_some()
        }
    }
}
