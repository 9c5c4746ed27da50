//! Lists of sessions: those made here and those found on disk. Owns how both become one list, and its pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use liminal_core::error::ErrorCode;
use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::time::Timestamp;
use liminal_core::wire::rest::{SessionList, SessionSource, SessionState, SessionSummary};

use super::matching::Matcher;
use super::{Failure, Sessions, identity};
use crate::cluster::{Cluster, Record};
use crate::discovery;
use crate::session::Live;
use crate::store::{ProjectRow, SessionRow};

const LARGEST_PAGE: usize = 1000;

/// Which sessions to list.
#[derive(Debug, Clone, Default)]
pub struct ListQuery {
    /// Only those of this project.
    pub project: Option<ProjectId>,
    /// Only those that wait, run, or have something unread.
    pub attention: bool,
    /// With `attention`, these too.
    pub named: Vec<SessionId>,
    /// Only those that match this text.
    pub text: Option<String>,
    /// Only what was put away or ended, instead of what is active.
    pub archived: bool,
    /// Behind this place of the list.
    pub after: Option<String>,
    /// The most to return.
    pub limit: Option<usize>,
}

impl Sessions {
    /// Sessions of a project or of all projects, the newest first.
    pub async fn list(&self, query: &ListQuery) -> Result<SessionList, Failure> {
        let projects = self.listed_projects(query.project.as_ref()).await?;
        let (mut sessions, notes) = if query.attention {
            (self.needing_attention(&projects, query).await?, Vec::new())
        } else {
            self.of_projects(&projects, query).await?
        };
        if let Some(text) = &query.text {
            let wanted = Matcher::new(text);
            sessions.retain(|session| wanted.matches(session));
        }
        Ok(page(sessions, notes, query))
    }

    async fn listed_projects(&self, only: Option<&ProjectId>) -> Result<Vec<ProjectRow>, Failure> {
        let Some(only) = only else { return Ok(self.0.parts.store.projects().await?) };
        match self.project(only).await? {
            Some(project) => Ok(vec![project]),
            None => Err(Failure::new(ErrorCode::ProjectNotFound, "there is no such project; add it first")),
        }
    }

    async fn of_projects(
        &self,
        projects: &[ProjectRow],
        query: &ListQuery,
    ) -> Result<(Vec<SessionSummary>, Vec<String>), Failure> {
        let heads = self.0.parts.database.heads().await?;
        let (mut sessions, mut notes) = (Vec::new(), Vec::new());
        for project in projects {
            // A search by text is repeated with every letter; only a list of its own makes agents look again.
            if query.text.is_none() {
                self.recall(project);
            }
            let (found, missing) = self.everything(project, query.archived, &heads).await?;
            sessions.extend(found);
            notes.extend(missing);
        }
        Ok((sessions, notes))
    }

    /// All that is active, or all that is not: what was put away, and what somebody ended. And why some are missing.
    async fn everything(
        &self,
        project: &ProjectRow,
        archived: bool,
        heads: &BTreeMap<SessionId, u64>,
    ) -> Result<(Vec<SessionSummary>, Vec<String>), Failure> {
        let parts = &self.0.parts;
        let (kept, (found, notes)) = tokio::join!(parts.store.sessions_of(&project.id), self.found(project));
        let mut rows: BTreeMap<SessionId, SessionRow> =
            kept?.into_iter().map(|row| (row.session_id.clone(), row)).collect();
        for found in found {
            match rows.get_mut(&found.session_id) {
                Some(row) => row.updated_at = row.updated_at.max(found.updated_at),
                None => drop(rows.insert(found.session_id.clone(), found)),
            }
        }
        let others = self.records_of(&project.id);
        // What others have, they know better.
        others.iter().for_each(|record| drop(rows.remove(record.session())));
        let slots = self.slots().clone();
        for row in rows.values_mut() {
            row.was_killed |= slots.get(&row.session_id).is_some_and(|slot| slot.kill_mark.is_set());
        }
        rows.retain(|_, row| is_inactive(row) == archived);
        let summary = |(id, row): (SessionId, SessionRow)| {
            let live = slots.get(&id).map(|slot| slot.board.now());
            summary(row, project, live.as_ref(), heads.get(&id).copied())
        };
        let of_others = others.iter().filter(|record| is_inactive(&record.row) == archived);
        let of_others = of_others.map(|record| summary_of(record, project));
        Ok((rows.into_iter().map(summary).chain(of_others).collect(), notes))
    }

    fn records_of(&self, project: &ProjectId) -> Vec<Arc<Record>> {
        let mut records = self.cluster().map(Cluster::records).unwrap_or_default();
        records.retain(|record| record.row.project_id.as_ref() == Some(project));
        records
    }

    /// An agent whose files cannot be read takes nothing away from the others.
    async fn found(&self, project: &ProjectRow) -> (Vec<SessionRow>, Vec<String>) {
        let providers = self.0.parts.providers.all();
        let asked = providers.iter().map(|provider| async move {
            let (kind, found) = (provider.cli_type(), provider.found(project.path.clone()).await);
            let listing = match found {
                Ok(listing) => listing,
                Err(error) => return (Vec::new(), vec![format!("{kind}: {error}")]),
            };
            let rows = listing.sessions.iter().map(|summary| self.row_of(summary, kind, project));
            // What nobody could ask for by its id is not shown.
            let sound = rows.filter(|row| identity::parts(&row.session_id).is_some());
            (sound.collect::<Vec<_>>(), listing.notes(kind))
        });
        let (rows, notes): (Vec<_>, Vec<_>) = join_all(asked).await.into_iter().unzip();
        (rows.into_iter().flatten().collect(), notes.into_iter().flatten().collect())
    }

    /// What would be kept of a session that was found.
    pub(super) fn row_of(
        &self,
        summary: &discovery::SessionSummary,
        cli_type: &str,
        project: &ProjectRow,
    ) -> SessionRow {
        let id = format!("{cli_type}:{}", summary.id).into();
        SessionRow {
            project_id: Some(project.id.clone()),
            title: summary.title.clone().or_else(|| summary.first_prompt.clone()),
            is_archived: summary.is_archived,
            is_made: false,
            ..SessionRow::new(id, cli_type, project.path.clone(), summary.last_activity)
        }
    }
}

/// The part of a list that a query asks for.
fn page(mut sessions: Vec<SessionSummary>, notes: Vec<String>, query: &ListQuery) -> SessionList {
    sessions.sort_by_cached_key(|session| std::cmp::Reverse(place(session)));
    if let Some(after) = &query.after {
        sessions.retain(|session| place(session) < *after);
    }
    let limit = query.limit.unwrap_or(LARGEST_PAGE).clamp(1, LARGEST_PAGE);
    let next = (sessions.len() > limit).then(|| sessions.get(limit - 1).map(place)).flatten();
    sessions.truncate(limit);
    SessionList { sessions, next, notes }
}

/// Where a session stands in the list: texts of this form sort by time.
fn place(session: &SessionSummary) -> String {
    format!("{:020}-{}", session.updated_at.instant().as_millisecond(), session.session_id)
}

pub(super) const fn is_inactive(row: &SessionRow) -> bool {
    row.is_archived || row.was_killed
}

pub(super) fn summary_of(record: &Record, project: &ProjectRow) -> SessionSummary {
    let mut live = Live::default();
    record.show(&mut live);
    summary(record.row.clone(), project, Some(&live), Some(record.seq))
}

pub(super) fn summary(
    row: SessionRow,
    project: &ProjectRow,
    live: Option<&Live>,
    seq: Option<u64>,
) -> SessionSummary {
    let resting = if row.was_killed { SessionState::Closed } else { SessionState::Idle };
    SessionSummary {
        session_id: row.session_id,
        cli_type: row.cli_type,
        project_id: project.id.clone(),
        title: live.and_then(|live| live.view.title.clone()).or(row.title),
        directory: row.directory.display().to_string(),
        state: live.map_or(resting, |live| live.view.state),
        is_alive: live.is_some_and(|live| live.view.is_alive),
        source: if row.is_made { SessionSource::Made } else { SessionSource::Found },
        pending: live.map_or(0, |live| u32::try_from(live.asked.len()).unwrap_or(u32::MAX)),
        background: live.and_then(|live| live.view.background),
        timed_out: live.map_or(row.timed_out, |live| live.view.timed_out),
        has_failed: live.map_or(row.has_failed, |live| live.has_failed),
        is_archived: row.is_archived,
        seq: seq.unwrap_or_default(),
        updated_at: Timestamp::from(row.updated_at),
    }
}
