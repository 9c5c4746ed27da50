//! A server in this process, on simulated time and without threads. Owns its database, and counts what is written there.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use liminal_builder::agents::AgentNews;
use liminal_builder::attachments::Attachments;
use liminal_builder::audit::Audit;
use liminal_builder::clock::Clock;
use liminal_builder::http::credentials::{InMemory, ProgramToken};
use liminal_builder::http::{Endpoint, Limits, Options, Reach, Server};
use liminal_builder::log::sqlite::{self, Hands, SqliteLog};
use liminal_builder::provider::ProviderRegistry;
use liminal_builder::sessions::{Parts, Sessions, Settings};
use liminal_builder::store::{ProjectRow, Store};
use liminal_core::ids::SessionId;
use liminal_core::processor::Config;
use liminal_core::wire::projects::Trust;
use liminal_core::wire::rest::{CreateSession, SendMessage};
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::agent::{CLI_TYPE, Pace, PacedAgents};

/// More than any bench has.
const MOST_AGENTS: usize = 2_000;

/// What was done to the disk so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Written {
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
    pub(crate) syncs: u64,
}

impl Written {
    pub(crate) const fn since(self, before: Self) -> Self {
        Self {
            bytes: self.bytes - before.bytes,
            rows: self.rows - before.rows,
            syncs: self.syncs - before.syncs,
        }
    }
}

#[derive(Debug, Default)]
struct Counters {
    rows: AtomicU64,
    syncs: AtomicU64,
}

pub(crate) struct Machine {
    pub(crate) sessions: Sessions,
    pub(crate) log: Arc<SqliteLog>,
    directory: tempfile::TempDir,
    counters: Arc<Counters>,
    hands: JoinSet<()>,
}

/// Runs on simulated time, which passes when everybody waits.
pub(crate) fn simulate<T>(work: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(work)
}

impl Machine {
    pub(crate) async fn start(batching: Option<Config>) -> Self {
        Self::begin(batching, true).await
    }

    /// One that indexes nothing before it is asked to.
    pub(crate) async fn busy() -> Self {
        Self::begin(None, false).await
    }

    async fn begin(batching: Option<Config>, rests: bool) -> Self {
        let directory = directory();
        let database = directory.path().join("liminal.db");
        let (log, hands) = SqliteLog::by_hand(&database, sqlite::Settings::default()).unwrap();
        let (log, counters) = (Arc::new(log), Arc::new(Counters::default()));
        let mut tasks = JoinSet::new();
        tasks.spawn(work(hands, Arc::clone(&counters), rests));
        let store = Store::new(Arc::clone(&log));
        let (id, name, path) = ("p".into(), "project".to_owned(), project(directory.path()));
        let row = ProjectRow { id, path, name, trust: Trust::Trusted, trust_hash: None };
        assert!(store.add_project(row).await.unwrap());
        let sessions = sessions(&log, store, directory.path(), batching);
        Self { sessions, log, directory, counters, hands: tasks }
    }

    pub(crate) async fn create(&self) -> SessionId {
        let project_dir = project(self.directory.path()).to_str().unwrap().to_owned();
        let request = CreateSession {
            cli_type: CLI_TYPE.to_owned(),
            project_dir,
            provider_options: Default::default(),
        };
        self.sessions.create(request).await.unwrap().session_id
    }

    pub(crate) async fn prompt(&self, session: &SessionId, pace: Pace) {
        let message = SendMessage {
            message: serde_json::to_string(&pace).unwrap(),
            queue: false,
            client_message_id: None,
            attachments: Vec::new(),
        };
        self.sessions.send(session, message).await.unwrap();
    }

    /// Waits until the session does nothing.
    pub(crate) async fn until_idle(&self, session: &SessionId) {
        let mut live = self.sessions.follow(session, None).await.unwrap().live;
        live.wait_for(|live| live.view.turn.is_none()).await.unwrap();
    }

    pub(crate) fn written(&self) -> Written {
        Written {
            bytes: bytes_written(),
            rows: self.counters.rows.load(Relaxed),
            syncs: self.counters.syncs.load(Relaxed),
        }
    }

    /// A server whose connections are made in this process.
    pub(crate) async fn server(&self) -> Server {
        let options = Options {
            endpoint: Endpoint::Socket(self.directory.path().join("own/socket")),
            reach: Reach::default(),
            instance: "bench".to_owned(),
            names: Vec::new(),
            limits: Limits::default(),
            token: Arc::new(ProgramToken::fleeting()),
            browsers: Arc::new(InMemory::default()),
            sessions: self.sessions.clone(),
            audit: Audit::open(self.directory.path(), None, Clock::start()).unwrap(),
            data_directory: self.directory.path().to_owned(),
            find_agents: Arc::new(|_| Box::pin(async { Vec::new() })),
            agent_news: AgentNews::new(Arc::default()),
        };
        Server::bind(options).await.unwrap()
    }

    /// Stops it; gives the size of the database that is left.
    pub(crate) async fn stop(mut self) -> u64 {
        self.sessions.close().await;
        self.log.close().await.unwrap();
        self.hands.shutdown().await;
        std::fs::metadata(self.directory.path().join("liminal.db")).unwrap().len()
    }
}

/// In memory where there is such a place: what is written counts, and not how fast the disk is.
fn directory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn project(directory: &Path) -> std::path::PathBuf {
    let project = directory.canonicalize().unwrap().join("project");
    std::fs::create_dir_all(&project).unwrap();
    project
}

fn sessions(log: &Arc<SqliteLog>, store: Store, directory: &Path, batching: Option<Config>) -> Sessions {
    let usual = Settings::default();
    let batching = batching.unwrap_or(usual.batching);
    Sessions::new(Parts {
        database: Arc::clone(log),
        log: Arc::clone(log) as _,
        events: Arc::clone(log) as _,
        stream_b: None,
        store,
        attachments: Attachments::kept_in(directory),
        cluster: None,
        audit: None,
        providers: ProviderRegistry::default().with(PacedAgents),
        settings: Settings { most_agents: MOST_AGENTS, batching, ..Settings::default() },
    })
}

/// Writes and syncs as the threads of the log do.
async fn work(mut hands: Hands, counters: Arc<Counters>, rests: bool) {
    let (mut sync_at, mut may_rest) = (None, rests);
    loop {
        let now = Instant::now();
        sync_at = hands.sync_within().map(|within| sync_at.unwrap_or(now + within).min(now + within));
        if sync_at.is_some_and(|due| due <= now) {
            hands.sync();
            counters.syncs.fetch_add(1, Relaxed);
            sync_at = None;
            continue;
        }
        tokio::select! {
            biased;
            is_asked = hands.asked() => {
                if !is_asked {
                    return;
                }
                hands.write();
                may_rest = rests;
            }
            () = tokio::task::yield_now(), if may_rest => may_rest = hands.rest(),
            () = sleep_until(sync_at.unwrap_or(now)), if sync_at.is_some() => {}
        }
        counters.rows.store(hands.rows_changed(), Relaxed);
    }
}

/// What this process has given to the system to write. The socket is in memory, so only the database writes.
fn bytes_written() -> u64 {
    let counters = std::fs::read_to_string("/proc/self/io").unwrap();
    let count = counters.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
    count.parse().unwrap()
}
