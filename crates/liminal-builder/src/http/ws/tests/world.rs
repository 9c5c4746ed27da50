//! A server without a listener, whose connections are in memory.

use std::future::pending;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use liminal_core::ids::SessionId;
use tokio::io::DuplexStream;
use tokio::task::JoinSet;

use super::super::super::app::App;
use super::super::super::credentials::{Caller, InMemory, ProgramToken};
use super::super::super::{Endpoint, Limits, Options, Reach, app};
use super::super::Connection;
use super::super::wire::Wire;
use super::held_log::HeldLog;
use crate::agents::AgentNews;
use crate::attachments::Attachments;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::log::sqlite::{self, SqliteLog};
use crate::sessions::{Parts, Sessions, Settings};
use crate::store::{SessionRow, Store};

pub(super) struct World {
    app: App,
    pub(super) log: Arc<HeldLog>,
    store: Store,
    tasks: Mutex<JoinSet<()>>,
    data: tempfile::TempDir,
}

impl World {
    pub(super) fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let (database, _) =
            SqliteLog::open(&data.path().join("liminal.db"), sqlite::Settings::default()).unwrap();
        let database = Arc::new(database);
        let (log, store) = (Arc::new(HeldLog::new(Arc::clone(&database))), Store::new(Arc::clone(&database)));
        let sessions = Sessions::new(Parts {
            database: Arc::clone(&database),
            log: Arc::clone(&log) as _,
            events: database,
            stream_b: None,
            store: store.clone(),
            attachments: Attachments::kept_in(data.path()),
            cluster: None,
            providers: <_>::default(),
            audit: None,
            settings: Settings::default(),
        });
        let endpoint = Endpoint::Address(SocketAddr::from((Ipv4Addr::LOCALHOST, 1)));
        let options = Options {
            endpoint: endpoint.clone(),
            reach: Reach::default(),
            instance: "test".to_owned(),
            names: Vec::new(),
            limits: Limits::default(),
            token: Arc::new(ProgramToken::fleeting()),
            browsers: Arc::new(InMemory::default()),
            sessions,
            audit: Audit::open(data.path(), None, Clock::start()).unwrap(),
            data_directory: data.path().to_owned(),
            find_agents: Arc::new(|_| Box::pin(async { Vec::new() })),
            agent_news: AgentNews::new(Arc::default()),
        };
        Self { app: app(options, &endpoint), log, store, tasks: Mutex::default(), data }
    }

    /// A session that is known and has said nothing.
    pub(super) async fn session(&self, name: &str) -> SessionId {
        let id = SessionId::from(format!("claude-code:{name}"));
        let directory = self.data.path().to_owned();
        let row = SessionRow::new(id.clone(), "claude-code", directory, Clock::start().now().wall);
        self.store.save_session(row).await.unwrap();
        id
    }

    /// The client's end of a new connection with a buffer of this size.
    pub(super) fn accept(&self, bytes: usize) -> DuplexStream {
        let (client, server) = tokio::io::duplex(bytes);
        let app = self.app.clone();
        self.tasks.lock().unwrap().spawn(async move {
            let wire = Wire::around(server, app.limits().message_bytes).await;
            let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
            Connection::new(app, Caller::Token, peer, wire).run(pending()).await;
        });
        client
    }

    /// Has every client sent a frame.
    pub(super) fn announce(&self) {
        self.app.sessions().announce_all();
    }
}
