//! A session that somebody has asked for. Owns its view, its agent while there is one, and the door through which one
//! thing at a time begins.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use liminal_core::dialect::Abilities;
use liminal_core::ids::{ItemId, ProjectId, SessionId};
use liminal_core::wire::rest::{QueuedMessage, SessionState};
use tokio::sync::Notify;

use super::kill_mark::KillMark;
use super::pausing::Attention;
use super::{Failure, Sessions, identity};
use crate::provider::Guards;
use crate::session::{Board, SessionHandle};
use crate::store::{ForkSource, SessionRow};

/// More than these, and those that nobody uses are forgotten.
const MOST: usize = 512;

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: SessionId,
    pub(super) cli_type: String,
    pub(super) project: Option<ProjectId>,
    pub(super) directory: PathBuf,
    pub(super) source: Option<ForkSource>,
    pub(super) board: Board,
    /// Sends, starts and ends go through it one after another. What stops them does not.
    pub(super) door: tokio::sync::Mutex<()>,
    /// It moves from one server to another only once at a time.
    pub(super) moving: tokio::sync::Mutex<()>,
    /// Others are told one state after another, and never an older one last.
    pub(super) telling: tokio::sync::Mutex<()>,
    /// What is stored of the pause of its queue and of requests that timed out.
    pub(super) attention: tokio::sync::Mutex<Attention>,
    /// Something changed that others are told and the board does not show.
    pub(super) news: Arc<Notify>,
    pub(super) kill_mark: KillMark,
    is_heralded: AtomicBool,
    handle: Mutex<Option<SessionHandle>>,
    /// Questions that were answered, before the agent has heard it.
    answered: Mutex<BTreeSet<ItemId>>,
    outside: Mutex<Outside>,
}

/// What is known of the session's file, and of who writes to it.
#[derive(Debug, Default)]
struct Outside {
    known_bytes: Option<u64>,
    /// When an agent of ours last began or ended something.
    worked_at: Option<Timestamp>,
}

impl Slot {
    /// `initial` is the mode that its agent begins in unless another was chosen.
    pub(super) fn new(
        row: &SessionRow,
        queue: Vec<QueuedMessage>,
        initial: Option<String>,
        guards: Guards,
    ) -> Self {
        let board = Board::default();
        board.change(|live| {
            live.view.title.clone_from(&row.title);
            live.view.is_archived = row.is_archived;
            // What was chosen is in force with the next agent, whatever the last one reported.
            let (chosen, reported) = (row.options.clone(), row.in_force.clone());
            live.view.agent.model = chosen.model.or(reported.model);
            live.view.agent.permission_mode = chosen.permission_mode.or(initial).or(reported.permission_mode);
            live.is_confirmed = row.options.is_unguarded;
            live.guards = guards;
            live.judge();
            live.view.timed_out = row.timed_out;
            live.restore_queue(queue, row.queue_paused);
            live.has_failed = row.has_failed;
            if row.was_killed {
                live.view.state = SessionState::Closed;
            }
        });
        Self {
            id: row.session_id.clone(),
            cli_type: row.cli_type.clone(),
            project: row.project_id.clone(),
            directory: row.directory.clone(),
            source: row.source.clone(),
            board,
            door: tokio::sync::Mutex::default(),
            moving: tokio::sync::Mutex::default(),
            telling: tokio::sync::Mutex::default(),
            attention: tokio::sync::Mutex::new(Attention::of(row)),
            news: Arc::default(),
            kill_mark: KillMark::default(),
            is_heralded: AtomicBool::new(false),
            handle: Mutex::default(),
            answered: Mutex::default(),
            outside: Mutex::new(Outside {
                known_bytes: row.stamp.as_deref().and_then(|stamp| stamp.parse().ok()),
                worked_at: None,
            }),
        }
    }

    pub(super) fn known_bytes(&self) -> Option<u64> {
        self.outside().known_bytes
    }

    pub(super) fn set_known_bytes(&self, bytes: Option<u64>) {
        self.outside().known_bytes = bytes;
    }

    /// Notes that an agent of ours does something now.
    pub(super) fn works(&self, now: Timestamp) {
        self.outside().worked_at = Some(now);
    }

    /// Whether an agent of ours may be writing.
    pub(super) fn is_at_work(&self, now: Timestamp, grace: SignedDuration) -> bool {
        let is_busy = self.handle().is_some_and(|handle| handle.is_busy());
        let has_background = self.board.watch().borrow().view.background.is_some();
        is_busy
            || has_background
            || self.outside().worked_at.is_some_and(|worked| now.duration_since(worked) < grace)
    }

    fn outside(&self) -> std::sync::MutexGuard<'_, Outside> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its agent, while that lives.
    pub(super) fn handle(&self) -> Option<SessionHandle> {
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        handle.clone().filter(SessionHandle::is_alive)
    }

    /// The agent that was there last, of which something may still be written.
    pub(super) fn last_handle(&self) -> Option<SessionHandle> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_handle(&self, handle: Option<SessionHandle>) {
        *self.handle.lock().unwrap_or_else(PoisonError::into_inner) = handle;
        self.answered().clear();
    }

    /// Whether this is the first answer to a question.
    pub(super) fn answer_first(&self, item: &ItemId) -> bool {
        self.answered().insert(item.clone())
    }

    /// The answer did not get anywhere; another one may be given.
    pub(super) fn take_answer_back(&self, item: &ItemId) {
        self.answered().remove(item);
    }

    /// Questions that were answered.
    pub(super) fn answered_items(&self) -> Vec<ItemId> {
        self.answered().iter().cloned().collect()
    }

    fn answered(&self) -> std::sync::MutexGuard<'_, BTreeSet<ItemId>> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody tells others of it yet; the caller does from here on.
    pub(super) fn begin_herald(&self) -> bool {
        !self.is_heralded.swap(true, Ordering::Relaxed)
    }

    fn is_unused(self: &Arc<Self>) -> bool {
        // The list of sessions that need a person knows only those in memory.
        let needs_person = self.board.watch().borrow().view.timed_out;
        Arc::strong_count(self) == 1 && self.handle().is_none() && !needs_person
    }
}

impl Sessions {
    /// The session of an id: one that is known, one that is kept, or one that an agent left on disk.
    pub(super) async fn slot(&self, id: &SessionId) -> Result<Arc<Slot>, Failure> {
        let known = self.slots().get(id).cloned();
        if let Some(slot) = known {
            return Ok(slot);
        }
        let (cli_type, own) = identity::parts(id).ok_or_else(|| Failure::no_session(id))?;
        if let Some(slot) = self.slot_of_others(id).await? {
            return Ok(slot);
        }
        let row = match self.0.parts.store.session(id).await? {
            Some(row) => row,
            None => self.find(id, cli_type, own).await?,
        };
        let queue = self.0.parts.store.queue(id).await?;
        let slot = self.enter(&row, queue);
        self.show_offers(&slot).await;
        self.herald(&slot);
        Ok(slot)
    }

    /// Whoever comes second gets what the first one made.
    pub(super) fn enter(&self, row: &SessionRow, queue: Vec<QueuedMessage>) -> Arc<Slot> {
        let mut slots = self.slots();
        if slots.len() > MOST {
            slots.retain(|_, slot| !slot.is_unused());
        }
        let make = || {
            let provider = self.0.parts.providers.get(&row.cli_type).ok();
            let initial = provider.as_ref().and_then(|provider| provider.initial_mode());
            let slot =
                Slot::new(row, queue, initial.map(str::to_owned), self.guards(&row.cli_type, &row.options));
            let offered = provider.map(|provider| provider.abilities());
            let attachments = self.known_to_take(&row.cli_type);
            let abilities = Abilities { attachments, ..offered.unwrap_or_default() };
            slot.board.change(|live| {
                live.view.agent.abilities = abilities;
                live.judge();
            });
            Arc::new(slot)
        };
        Arc::clone(slots.entry(row.session_id.clone()).or_insert_with(make))
    }

    /// Looks for a session that was made outside, in every project.
    async fn find(&self, id: &SessionId, cli_type: &str, own: &str) -> Result<SessionRow, Failure> {
        let parts = &self.0.parts;
        let Ok(provider) = parts.providers.get(cli_type) else { return Err(Failure::no_session(id)) };
        for project in parts.store.projects().await? {
            let found = provider.found(project.path.clone()).await.unwrap_or_default().sessions;
            if let Some(summary) = found.iter().find(|summary| summary.id == own) {
                let row = self.row_of(summary, cli_type, &project);
                parts.store.save_session(row.clone()).await?;
                return Ok(row);
            }
        }
        Err(Failure::no_session(id))
    }
}
