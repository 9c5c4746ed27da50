//! What is known of sessions beside their outputs. Owns whose title counts.

use std::path::PathBuf;

use jiff::Timestamp;
use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::wire::view::QueuePause;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde::{Deserialize, Serialize};

use super::{Store, bodies, text, timestamp};
use crate::log::LogError;
use crate::log::sqlite::records::{DELIVERIES, QUEUED, RECEIPTS, SESSIONS};

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all combinations occur")]
pub struct SessionRow {
    /// The session.
    pub session_id: SessionId,
    /// Its kind of agent.
    pub cli_type: String,
    /// Its project.
    #[serde(default)]
    pub project_id: Option<ProjectId>,
    /// Where its agent works.
    pub directory: PathBuf,
    /// What it is about.
    #[serde(default)]
    pub title: Option<String>,
    /// Who said so.
    pub title_source: TitleSource,
    /// It was put away.
    pub is_archived: bool,
    /// This program made it, and not the agent's own.
    pub is_made: bool,
    /// Somebody ended its agent by force.
    pub was_killed: bool,
    /// Its last turn failed.
    pub has_failed: bool,
    /// Why its queue was paused when that last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_paused: Option<QueuePause>,
    /// A request timed out, and no person has acted since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// What was chosen for it.
    pub options: StoredOptions,
    /// What its agent last reported to be in force.
    #[serde(default, skip_serializing_if = "InForce::is_empty")]
    pub in_force: InForce,
    /// What it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ForkSource>,
    /// How the agent's own file was when it was last read.
    #[serde(default)]
    pub stamp: Option<String>,
    /// What tells this server's claim to it from those of others; none, if it was never shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<u64>,
    /// When it was made.
    #[serde(with = "timestamp")]
    pub created_at: Timestamp,
    /// When something last happened in it.
    #[serde(with = "timestamp")]
    pub updated_at: Timestamp,
}

/// A session that another one was forked from, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkSource {
    /// The session.
    pub session_id: SessionId,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Who gave a session its title. A later one counts more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleSource {
    /// The first prompt, for want of anything better.
    #[default]
    Prompt,
    /// The agent.
    Agent,
    /// A person.
    User,
}

/// What was chosen for a session and holds when it is opened again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredOptions {
    /// The model to think with, in the agent's own word.
    pub model: Option<String>,
    /// How often to ask, in the agent's own word.
    pub permission_mode: Option<String>,
    /// Directories the agent may use besides its own.
    pub extra_directories: Vec<PathBuf>,
    /// A person confirmed that the agent may act without asking.
    pub is_unguarded: bool,
    /// The mode in which the agent started the session by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_mode: Option<String>,
    /// The session that it was forked from, if its agent may have kept nothing of it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
    /// The agent's own id of the last answer that it has from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_through: Option<String>,
}

/// What an agent works with, by its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InForce {
    /// Its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its permission mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
}

impl InForce {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What changes in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    /// Its title, unless somebody gave it one who counts more.
    Title(String, TitleSource),
    /// Whether it is put away.
    Archived(bool),
    /// Whether its agent was ended by force.
    Killed(bool),
    /// Something happened in it.
    Touched {
        /// When; an earlier moment than the last one changes nothing.
        at: Timestamp,
        /// How its last turn ended, if one did.
        has_failed: Option<bool>,
    },
    /// What was chosen for it.
    Options(StoredOptions),
    /// What its agent reports to be in force.
    InForce(InForce),
    /// How the agent's own file is.
    Stamp(Option<String>),
    /// This server's claim to it.
    Token(u64),
    /// What waits for a person.
    Attention {
        /// Why its queue is paused, if it is.
        queue_paused: Option<QueuePause>,
        /// Whether a request timed out, and no person has acted since.
        timed_out: bool,
    },
}

impl Store {
    /// The session with this id.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, LogError> {
        let id = id.clone();
        self.read(move |connection| find(connection, &id)).await
    }

    /// The sessions of a project, the newest first.
    pub async fn sessions_of(&self, project: &ProjectId) -> Result<Vec<SessionRow>, LogError> {
        const END: &str = "WHERE project = ?1 ORDER BY updated_at DESC, session";
        let project = project.clone();
        self.read(move |connection| Ok(bodies(SESSIONS.select(connection, END, [project.as_str()])?))).await
    }

    /// The sessions with these ids, as far as they are kept.
    pub async fn sessions_named(
        &self,
        ids: impl IntoIterator<Item = SessionId> + Send + 'static,
    ) -> Result<Vec<SessionRow>, LogError> {
        self.read(move |connection| {
            let found = ids.into_iter().map(|id| find(connection, &id));
            Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        })
        .await
    }

    /// Adds a session, or writes over the one with its id.
    pub async fn save_session(&self, session: SessionRow) -> Result<(), LogError> {
        self.synced(move |connection| put(connection, &session)).await
    }

    /// Changes a session; `false` if there is none.
    pub async fn change_session(&self, id: &SessionId, change: SessionChange) -> Result<bool, LogError> {
        let id = id.clone();
        let is_frequent = matches!(
            change,
            SessionChange::Touched { .. } | SessionChange::InForce(_) | SessionChange::Stamp(_)
        );
        let work = move |connection: &Connection| {
            let Some(mut session) = find(connection, &id)? else { return Ok(false) };
            session.apply(change);
            put(connection, &session)?;
            Ok(true)
        };
        if is_frequent { self.grouped(work).await } else { self.synced(work).await }
    }

    /// Forgets a session with its queue, its deliveries and the receipts whose scope is its id. Its outputs are the
    /// log's business.
    pub async fn remove_session(&self, id: &SessionId) -> Result<(), LogError> {
        let id = id.clone();
        self.synced(move |connection| remove(connection, &id)).await
    }
}

impl SessionRow {
    /// One that this program made, and of which nothing else is known yet.
    #[must_use]
    pub fn new(session_id: SessionId, cli_type: &str, directory: PathBuf, at: Timestamp) -> Self {
        Self {
            session_id,
            cli_type: cli_type.to_owned(),
            project_id: None,
            directory,
            title: None,
            title_source: TitleSource::Prompt,
            is_archived: false,
            is_made: true,
            was_killed: false,
            has_failed: false,
            queue_paused: None,
            timed_out: false,
            options: StoredOptions::default(),
            in_force: InForce::default(),
            source: None,
            stamp: None,
            token: None,
            created_at: at,
            updated_at: at,
        }
    }

    fn apply(&mut self, change: SessionChange) {
        match change {
            SessionChange::Title(title, source) => {
                if self.title.is_none() || source >= self.title_source {
                    self.title = Some(title);
                    self.title_source = source;
                }
            }
            SessionChange::Archived(is_archived) => self.is_archived = is_archived,
            SessionChange::Killed(was_killed) => {
                self.was_killed = was_killed;
                // Whoever ends an agent knows how it did.
                self.has_failed &= !was_killed;
            }
            SessionChange::Touched { at, has_failed } => {
                self.updated_at = self.updated_at.max(at);
                self.has_failed = has_failed.unwrap_or(self.has_failed);
            }
            SessionChange::Options(options) => self.options = options,
            SessionChange::InForce(in_force) => self.in_force = in_force,
            SessionChange::Stamp(stamp) => self.stamp = stamp,
            SessionChange::Token(token) => self.token = Some(token),
            SessionChange::Attention { queue_paused, timed_out } => {
                (self.queue_paused, self.timed_out) = (queue_paused, timed_out);
            }
        }
    }
}

fn find(connection: &Connection, id: &SessionId) -> Result<Option<SessionRow>, LogError> {
    Ok(bodies(SESSIONS.select(connection, "WHERE session = ?1", [id.as_str()])?).pop())
}

pub(super) fn remove(connection: &Connection, id: &SessionId) -> Result<(), LogError> {
    for records in [SESSIONS, QUEUED, DELIVERIES] {
        records.delete(connection, "session = ?1", [id.as_str()])?;
    }
    RECEIPTS.delete(connection, "scope = ?1", [id.as_str()])?;
    Ok(())
}

pub(super) fn put(connection: &Connection, session: &SessionRow) -> Result<(), LogError> {
    let project = session.project_id.as_ref().map_or(Value::Null, text);
    let keys = vec![text(&session.session_id), project, timestamp::column(session.updated_at)];
    SESSIONS.put(connection, keys, session)
}
