//! One life of a server in the simulation: the real sessions on the simulated disk, with simulated agents and clients,
//! from its start to its end. Owns in which order that goes, and how a life ends.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use liminal_builder::attachments::Attachments;
use liminal_builder::log::sqlite::SqliteLog;
use liminal_builder::provider::ProviderRegistry;
use liminal_builder::sessions::{Parts, Sessions, Settings};
use liminal_builder::store::{ProjectRow, Store};
use liminal_core::ids::SessionId;
use liminal_core::wire::projects::Trust;
use liminal_core::wire::rest::SessionState;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::client::Client;
use super::disk::{Death, Disk};
use super::laws;
use super::provider::SimulatedAgents;
use super::watched::WatchedLog;
use super::world::{World, millis, pause, seconds};

/// How long a person has to answer.
pub(super) const PERMISSION: Duration = seconds(45);
const IDLE: Duration = seconds(60);

/// Whether there are more lives after this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Earlier,
    Last,
}

/// A directory to work in, which nobody writes to.
pub(super) fn project() -> PathBuf {
    static PROJECT: LazyLock<tempfile::TempDir> = LazyLock::new(super::disk::directory);
    PROJECT.path().canonicalize().unwrap()
}

/// A database with the project in it, as a server that was stopped left it.
pub(super) fn template() -> Vec<u8> {
    let directory = super::disk::directory();
    let file = directory.path().join("liminal.db");
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let log = Arc::new(SqliteLog::open(&file, Default::default()).unwrap().0);
        let (id, name) = ("p".into(), "project".to_owned());
        let row = ProjectRow { id, path: project(), name, trust: Trust::Trusted, trust_hash: None };
        assert!(Store::new(Arc::clone(&log)).add_project(row).await.unwrap());
        log.close().await.unwrap();
    });
    std::fs::read(file).unwrap()
}

/// Lives once, in a runtime of its own: dropping that is dying at once, wherever everybody is.
pub(super) fn live(world: &World, disk: &Disk, clients: &[Client], place: Place) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let death = runtime.block_on(Server::live(world, disk, clients, place));
    world.end_life();
    disk.survive(death);
    drop(runtime);
    let mut state = world.lock();
    state.outages += u64::from(death == Death::PowerLost);
    let left = std::mem::take(&mut state.processes);
    drop(state);
    world.must(left == 0, || format!("{left} processes have outlived their server"));
}

pub(super) struct Server {
    pub(super) world: World,
    pub(super) sessions: Sessions,
    pub(super) log: Arc<SqliteLog>,
    pub(super) watched: Arc<WatchedLog>,
}

impl Server {
    async fn live(world: &World, disk: &Disk, clients: &[Client], place: Place) -> Death {
        world.begin_life();
        let (log, hands) = disk.open();
        let mut machine = JoinSet::new();
        machine.spawn(disk.clone().work(hands));
        let server = Self::new(world, disk, Arc::new(log));
        let death = if server.start().await { server.serve(clients, place).await } else { Death::Killed };
        // The clients, who are gone by now, must not see a server that is only half there.
        world.note(format_args!("the server ends: {death:?}"));
        death
    }

    fn new(world: &World, disk: &Disk, log: Arc<SqliteLog>) -> Self {
        let watched = Arc::new(WatchedLog::new(Arc::clone(&log), world.clone()));
        let sessions = Sessions::new(Parts {
            database: Arc::clone(&log),
            log: Arc::clone(&watched) as _,
            events: Arc::clone(&log) as _,
            stream_b: None,
            store: Store::new(Arc::clone(&log)),
            attachments: Attachments::kept_in(&disk.directory()),
            cluster: None,
            audit: None,
            providers: ProviderRegistry::default().with(SimulatedAgents(world.clone())),
            settings: Settings { idle: IDLE, most_agents: 2, ..Settings::default() },
        });
        Self { world: world.clone(), sessions, log, watched }
    }

    /// Puts right what the life before has left; a server that cannot does not begin.
    async fn start(&self) -> bool {
        let recovered = self.sessions.recover().await;
        let Ok(recovered) = recovered else {
            self.world.note("the server cannot start");
            return false;
        };
        self.world.note(format_args!("{recovered:?}"));
        self.world.lock().promises.held.clear();
        laws::hold_after_start(self).await;
        true
    }

    async fn serve(self, clients: &[Client], place: Place) -> Death {
        let mut chance = self.world.chance();
        let (mut readers, mut actors) = (JoinSet::new(), JoinSet::new());
        for client in clients {
            readers.spawn(client.clone().follow_all(self.sessions.clone()));
            let times = 3 + chance.below(5);
            actors.spawn(client.clone().act(self.sessions.clone(), self.world.chance(), times));
        }
        let work = async { while actors.join_next().await.is_some() {} };
        if place == Place::Last {
            work.await;
            self.rest().await;
            laws::hold_at_rest(&self, clients).await;
            return self.stop(readers).await;
        }
        let fuse = if chance.one_in(2) { 1 + chance.below(8) } else { u64::MAX };
        tokio::select! {
            biased;
            () = self.world.burn_down(fuse) => {}
            _ = timeout(millis(chance.below(40_000)), work) => {}
        }
        match chance.below(4) {
            0 => {
                actors.shutdown().await;
                self.stop(readers).await
            }
            1 => Death::Killed,
            _ => Death::PowerLost,
        }
    }

    /// Everything is well again, and nobody asks for more: after a while nothing runs.
    async fn rest(&self) {
        self.world.lock().is_healed = true;
        self.world.note("from here on nothing fails");
        for _ in 0..400 {
            pause(seconds(10)).await;
            let mut is_quiet = self.sessions.agents() == 0;
            let all = self.world.lock().sessions.clone();
            for session in &all {
                is_quiet &= self.calm(session).await;
            }
            if is_quiet {
                return;
            }
        }
        let all = self.world.lock().sessions.clone();
        for session in all {
            let view = self.sessions.status(&session).await.map(|status| status.view);
            self.world.note(format_args!("{session}: {view:?}"));
        }
        self.world.violated("it does not come to rest");
    }

    /// Stops what runs, and takes out what cannot be sent; tells whether there was nothing of it.
    async fn calm(&self, session: &SessionId) -> bool {
        let Ok(status) = self.sessions.status(session).await else { return false };
        for queued in &status.view.queue {
            if queued.failure.is_some() || status.view.state == SessionState::Closed {
                self.world.lock().promises.withdrawn.insert(queued.message.clone());
                self.sessions.remove_queued(session, &queued.id).await.ok();
            }
        }
        if status.view.turn.is_some() {
            self.sessions.cancel(session).await.ok();
        } else if status.view.queue_paused.is_some() {
            self.world.release(session);
            self.sessions.resume_queue(session).await.ok();
        }
        let is_still = matches!(status.view.state, SessionState::Idle | SessionState::Closed);
        is_still && status.view.turn.is_none() && status.view.queue.is_empty()
    }

    async fn stop(self, mut readers: JoinSet<()>) -> Death {
        readers.shutdown().await;
        self.sessions.close().await;
        let processes = self.world.lock().processes;
        self.world
            .must(processes == 0, || format!("{processes} processes live in a server that has stopped"));
        // A disk that fails now leaves what a kill would leave.
        if self.log.close().await.is_ok() { Death::Stopped } else { Death::Killed }
    }
}
