//! All sessions of this server. Owns which exist, which have an agent, and what may be asked of each; one session's
//! conversation is its task's business, and how a request came is not known here.

mod adoption;
mod agents;
mod approvals;
mod attaching;
mod attendant;
mod attention;
mod caretaker;
mod changing;
mod failure;
mod forking;
mod guarding;
mod hearing;
mod herald;
mod identity;
mod kill_mark;
mod killing;
mod known;
mod listing;
mod matching;
mod memory;
mod offers;
mod past;
mod pausing;
mod queue;
mod recalling;
mod recognising;
mod recovery;
mod reloading;
mod room;
mod seat;
mod sending;
mod sharing;
mod slot;
mod steering;
mod watching;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_core::error::ErrorCode;
use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::processor::Config;
use liminal_core::session::Patience;
use liminal_core::wire::Resume;
use liminal_core::wire::rest::SessionStatus;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::attachments::Attachments;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::cluster::{Cluster, Command};
use crate::log::shared::SharedLog;
use crate::log::sqlite::SqliteLog;
use crate::log::{Durability, EventLog, StreamLog, Subscription};
use crate::metrics::{Metrics, Verdict};
use crate::process::StopLadder;
use crate::projects;
use crate::provider::ProviderRegistry;
use crate::session::{Live, Unstored};
use crate::store::Store;
use crate::stream_b;

pub use agents::standing;
pub use approvals::{Keeping, Witness, approval_id};
pub use failure::Failure;
pub use known::WorkedIn;
pub use listing::ListQuery;
pub use seat::Seat;
use slot::Slot;

/// Whoever follows the list of sessions and misses this many changes is told that it missed some.
const CHANGES_KEPT: usize = 256;

/// A database that answers at all does so in a fraction of this.
const DATABASE_PATIENCE: Duration = Duration::from_secs(2);

/// How long agents may take to end when the server stops.
const CLOSE_PATIENCE: Duration = Duration::from_secs(3);

/// How sessions are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A session that did nothing for so long gives its agent up.
    pub idle: Duration,
    /// So many sessions may have an agent at once.
    pub most_agents: usize,
    /// So many messages may wait in one session.
    pub longest_queue: usize,
    /// How what agents say is gathered.
    pub batching: Config,
    /// How patient sessions are with a turn.
    pub patience: Patience,
    /// How agents are ended.
    pub ladder: StopLadder,
    /// What outputs inside a turn have survived when they are seen.
    pub durability: Durability,
    /// Where what agents say is recorded, if anywhere.
    pub recordings: Option<PathBuf>,
    /// Whether a person may let an agent act without asking.
    pub allow_bypass: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(600),
            most_agents: 20,
            longest_queue: 50,
            batching: Config::default()
                .with_first_emission(Duration::from_millis(150))
                .announcing_arguments(),
            patience: Patience::default(),
            ladder: StopLadder::default(),
            durability: Durability::Grouped,
            recordings: None,
            allow_bypass: false,
        }
    }
}

/// What sessions are made of.
#[derive(Debug)]
pub struct Parts {
    /// The database: search, and what only it knows.
    pub database: Arc<SqliteLog>,
    /// Where states go.
    pub log: Arc<dyn StreamLog>,
    /// Where canonical events go.
    pub events: Arc<dyn EventLog>,
    /// Where the messages for programs outside go, if they are wanted.
    pub stream_b: Option<stream_b::Feeds>,
    /// What is kept of sessions beside their logs.
    pub store: Store,
    /// Files that go with messages.
    pub attachments: Attachments,
    /// The other servers, if there are any, and the log that is shared with them.
    pub cluster: Option<Membership>,
    /// Where it is recorded that an agent stopped asking by itself.
    pub audit: Option<Audit>,
    /// The kinds of agents.
    pub providers: ProviderRegistry,
    /// How sessions are run.
    pub settings: Settings,
}

/// This server among others.
#[derive(Debug, Clone)]
pub struct Membership {
    /// The others.
    pub cluster: Cluster,
    /// The log that is shared with them.
    pub log: Arc<SharedLog>,
}

/// What a reader of a session follows.
#[derive(Debug)]
pub struct Followed {
    /// What it says.
    pub subscription: Subscription,
    /// What it does.
    pub live: watch::Receiver<Live>,
    /// What it says while the disk is full.
    pub unstored: watch::Receiver<Unstored>,
}

/// All sessions of this server; clones are the same.
#[derive(Debug, Clone)]
pub struct Sessions(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    parts: Parts,
    clock: Clock,
    slots: Mutex<BTreeMap<SessionId, Arc<Slot>>>,
    tasks: Mutex<JoinSet<()>>,
    changes: broadcast::Sender<Option<ProjectId>>,
    is_closing: watch::Sender<bool>,
    /// What other servers ask, until somebody takes it.
    commands: Mutex<Option<mpsc::Receiver<Command>>>,
    metrics: Metrics,
}

impl Sessions {
    /// No session has an agent yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let (changes, is_closing) = (broadcast::Sender::new(CHANGES_KEPT), watch::Sender::new(false));
        let (slots, tasks) = (Mutex::default(), Mutex::default());
        let (clock, metrics) = (Clock::start(), Metrics::new());
        let commands = Mutex::default();
        Self(Arc::new(Shared { parts, clock, slots, tasks, changes, is_closing, commands, metrics }))
    }

    /// Tells of which project the list of sessions changed; of none, if it may be any.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<Option<ProjectId>> {
        self.0.changes.subscribe()
    }

    /// How a session is.
    pub async fn status(&self, id: &SessionId) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        Ok(self.status_of(&slot).await)
    }

    /// What a session says from a cursor on, and what it does.
    pub async fn follow(&self, id: &SessionId, after: Option<&str>) -> Result<Followed, Failure> {
        let slot = self.slot(id).await?;
        let subscription = Subscription::open(Arc::clone(&self.0.parts.log), id.clone(), after).await?;
        if after.is_some() {
            self.0.metrics.resumed(match subscription.resume() {
                Resume::Ok => Verdict::Ok,
                Resume::Reset => Verdict::Reset,
            });
        }
        Ok(Followed { subscription, live: slot.board.watch(), unstored: slot.board.unstored() })
    }

    /// Where states are kept.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn StreamLog> {
        &self.0.parts.log
    }

    /// Where canonical events are kept.
    #[must_use]
    pub fn events(&self) -> &Arc<dyn EventLog> {
        &self.0.parts.events
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> &Arc<SqliteLog> {
        &self.0.parts.database
    }

    /// What is kept beside the logs.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.parts.store
    }

    /// What is counted.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Everything that is counted, as it stands now, in the text format of Prometheus.
    pub async fn render_metrics(&self) -> Result<String, Failure> {
        self.0.metrics.queued(self.0.parts.store.queued_messages().await?);
        if let Some(Membership { cluster, log }) = &self.0.parts.cluster {
            self.0.metrics.shared(*cluster.answers().borrow(), log.waiting());
        }
        Ok(self.0.metrics.render())
    }

    /// How sessions are run.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0.parts.settings
    }

    /// Why nothing could be done now; nothing, if all is well.
    pub async fn obstacles(&self) -> Vec<String> {
        let database = match timeout(DATABASE_PATIENCE, self.0.parts.store.queued_messages()).await {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(format!("the database does not answer: {error}")),
            Err(_) => Some("the database does not answer in time".to_owned()),
        };
        let agents = self.0.parts.providers.is_empty().then(|| "no kind of agent is known".to_owned());
        let closing = (*self.0.is_closing.borrow()).then(|| "the server is stopping".to_owned());
        [database, self.room_obstacle(), agents, closing, self.redis_obstacle()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn redis_obstacle(&self) -> Option<String> {
        let cluster = self.cluster()?;
        let answers = *cluster.answers().borrow();
        (!answers).then(|| "Redis does not answer: sessions of other servers cannot be used".to_owned())
    }

    fn cluster(&self) -> Option<&Cluster> {
        self.0.parts.cluster.as_ref().map(|membership| &membership.cluster)
    }

    /// Whether a session is this server's; without others, every one is.
    fn is_ours(&self, id: &SessionId) -> bool {
        self.cluster().is_none_or(|cluster| cluster.holds(id))
    }

    /// Something changed in a session that lists show.
    fn announce_of(&self, slot: &Slot) {
        slot.news.notify_one();
        self.announce(slot.project.clone());
    }

    /// How many sessions have an agent now.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.slots().values().filter(|slot| slot.handle().is_some()).count()
    }

    /// Ends every agent, after which nothing is begun any more.
    pub async fn close(&self) {
        self.0.is_closing.send_replace(true);
        self.pause_queues();
        let handles: Vec<_> = self.slots().values().filter_map(|slot| slot.handle()).collect();
        let mut ending = JoinSet::new();
        for handle in handles {
            ending.spawn(async move { handle.kill().await });
        }
        // Whoever has not ended by then is killed with its task.
        timeout(CLOSE_PATIENCE, ending.join_all()).await.ok();
        timeout(CLOSE_PATIENCE, self.store_kills()).await.ok();
        timeout(CLOSE_PATIENCE, self.give_back()).await.ok();
        let mut tasks = std::mem::take(&mut *self.tasks());
        tasks.shutdown().await;
        for provider in self.0.parts.providers.all() {
            provider.close().await;
        }
    }

    /// Does something to its end, also when nobody waits for it any more: half of it done would be half of it known.
    pub async fn finish<T, E>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Failure> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.tasks().spawn(async move { drop(reply.send(work.await)) });
        let gone = |_| Err(Failure::new(ErrorCode::ShuttingDown, "the server is stopping").into());
        answer.await.unwrap_or_else(gone)
    }

    async fn status_of(&self, slot: &Slot) -> SessionStatus {
        SessionStatus {
            session_id: slot.id.clone(),
            cli_type: slot.cli_type.clone(),
            project_id: slot.project.clone(),
            directory: slot.directory.display().to_string(),
            branch: projects::branch(&slot.directory),
            forked_from: self.forked_from(slot).await,
            view: slot.board.now().view,
            unknown_samples: slot.handle().map(|handle| handle.diagnostics().samples).unwrap_or_default(),
        }
    }

    /// Tells that any list may have changed.
    pub fn announce_all(&self) {
        self.announce(None);
    }

    fn announce(&self, project: Option<ProjectId>) {
        // Nobody may be following.
        self.0.changes.send(project).ok();
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<SessionId, Arc<Slot>>> {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks
    }

    fn now(&self) -> jiff::Timestamp {
        self.0.clock.now().wall
    }
}
