//! What others must know of a session. Owns how it is written and read; who reads it is the catalogue's business.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use liminal_core::ids::{ItemId, SessionId};
use liminal_core::upsert::Upsert;
use liminal_core::wire::rest::SessionState;
use liminal_core::wire::view::SessionView;
use redis::{Cmd, Script, pipe};
use serde::{Deserialize, Serialize};

use super::catalogue::GONE;
use super::scripts::RECORD;
use super::{Cluster, ClusterError, ServerId, SharedProject};
use crate::session::Live;
use crate::store::SessionRow;

/// What others know of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// What is kept of it.
    pub row: SessionRow,
    /// What clients are told.
    pub view: SessionView,
    /// The questions that wait for an answer.
    #[serde(default)]
    pub asked: Vec<Upsert>,
    /// Questions that were answered or lapsed.
    #[serde(default)]
    pub settled: VecDeque<ItemId>,
    /// Whether the last turn failed.
    pub has_failed: bool,
    /// Where it is, for those who do not have its project.
    #[serde(default)]
    pub project: Option<SharedProject>,
    /// Who has it.
    #[serde(default)]
    pub owner: Option<ServerId>,
    /// The newest place of its log when this was written.
    pub seq: u64,
}

impl Record {
    /// Of a session that does something.
    #[must_use]
    pub fn new(row: SessionRow, live: Live, project: Option<SharedProject>, seq: u64) -> Self {
        let Live { view, asked, settled, has_failed, .. } = live;
        let asked = asked.into_values().collect();
        Self { row, view, asked, settled, has_failed, project, owner: None, seq }
    }

    /// The same when nobody has it: no agent runs, and nothing waits for an answer.
    #[must_use]
    pub fn at_rest(mut self) -> Self {
        self.owner = None;
        self.settled.extend(self.asked.drain(..).map(|question| question.item_id));
        let state = if self.row.was_killed { SessionState::Closed } else { SessionState::Idle };
        self.view = SessionView {
            state,
            is_alive: false,
            turn: None,
            turn_started_at: None,
            pending: Vec::new(),
            background: None,
            is_stalled: false,
            failure: None,
            ..self.view
        };
        self.view.agent.pid = None;
        self
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.row.session_id
    }

    /// Hangs what is known on a board. What the agent does by itself is its owner's business.
    pub fn show(&self, live: &mut Live) {
        live.view.clone_from(&self.view);
        // A process of another machine is of no use here.
        live.view.agent.pid = None;
        let asked = self.asked.iter().map(|question| (question.item_id.clone(), question.clone()));
        live.asked = asked.collect::<BTreeMap<_, _>>();
        live.settled.clone_from(&self.settled);
        live.has_failed = self.has_failed;
    }
}

impl Cluster {
    /// Tells the others what a session of this server is and does. `false` if it is somebody else's meanwhile.
    pub async fn publish(&self, record: Record) -> Result<bool, ClusterError> {
        let session = record.session().clone();
        let Some(token) = self.token(&session) else { return Ok(false) };
        let owner = Some(self.0.me.clone());
        self.write_record(&Record { owner, ..record }, token).await
    }

    /// The same for one that is about to be given back.
    pub async fn publish_at_rest(&self, record: Record) -> Result<bool, ClusterError> {
        let Some(token) = self.token(record.session()) else { return Ok(false) };
        self.write_record(&record.at_rest(), token).await
    }

    async fn write_record(&self, record: &Record, token: u64) -> Result<bool, ClusterError> {
        let (keys, session, script) = (&self.0.keys, record.session(), Script::new(RECORD));
        let mut call = script.key(keys.meta(session));
        call.key(keys.record(session)).key(keys.sessions());
        call.arg(token).arg(serde_json::to_string(record)?).arg(session.as_str()).arg(keys.changes());
        let written: i64 = self.0.link.query(&call).await?;
        Ok(written == 1)
    }

    /// Forgets a session everywhere.
    pub async fn unpublish(&self, session: &SessionId) -> Result<(), ClusterError> {
        let keys = &self.0.keys;
        let mut forgetting = pipe();
        forgetting.srem(keys.sessions(), session.as_str()).ignore();
        forgetting.srem(keys.owned(&self.0.me), session.as_str()).ignore();
        forgetting.del(&[keys.record(session), keys.deliveries(session)]).ignore();
        forgetting.publish(keys.changes(), format!("{GONE}{session}")).ignore();
        Ok(self.0.link.query(&forgetting).await?)
    }

    /// What Redis has of a session.
    pub(super) async fn read_record(&self, session: &SessionId) -> Result<Option<Arc<Record>>, ClusterError> {
        let text: Option<String> = self.0.link.look(&Cmd::get(self.0.keys.record(session))).await?;
        Ok(text.map(|text| serde_json::from_str(&text)).transpose()?.map(Arc::new))
    }

    /// What Redis has of several.
    pub(super) async fn read_records(&self, sessions: &[String]) -> Result<Vec<Record>, ClusterError> {
        let of = |name: &String| self.0.keys.record(&SessionId::from(name.as_str()));
        let keys: Vec<String> = sessions.iter().map(of).collect();
        let texts: Vec<Option<String>> = self.0.link.look(&Cmd::mget(&keys)).await?;
        let read = |text: String| {
            serde_json::from_str(&text)
                .map_err(|error| tracing::warn!(%error, "a session of another server cannot be read"))
                .ok()
        };
        Ok(texts.into_iter().flatten().filter_map(read).collect())
    }
}
