//! The HTTP server. Owns the socket, its routes and what every request must pass; what the routes do is asked of
//! others.
//!
//! A request passes, in this order: limits of its connection, its `Host`, its method and media type, its origin, its
//! credentials, the size of its body, its handler. Each step is a module here.

mod agents;
mod answers;
mod app;
mod approvals;
mod auth;
pub mod client;
mod connection;
pub mod credentials;
mod docs;
mod extract;
mod feed;
mod frames;
mod gate;
mod health;
pub mod host;
mod ledger;
mod limits;
mod listen;
pub mod openapi;
mod operation;
pub mod origin;
mod page_state;
mod pages;
mod problem;
mod project;
mod queue;
mod reading;
mod receipts;
mod router;
mod routes;
mod server_file;
mod session;
mod shell;
mod sse;
mod ws;

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::middleware::from_fn_with_state;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

use app::{App, Shared};
use credentials::{BrowserSessions, Credentials, Digest, ProgramToken};
use host::OwnNames;
use ledger::Ledger;

use crate::audit::Audit;
use crate::clock::Clock;
use crate::sessions::Sessions;

pub use app::FindAgents;
pub use limits::Limits;
pub use operation::{Answer, Content, Operation, Type};
pub use problem::ApiError;
pub use routes::{AREAS, Access, Area, Body, Handler, ROUTES, RequestHeader, Route, Verb};
pub use server_file::{ServerFile, ServerFileError};

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not one of this machine alone.
    #[error("{0} can be reached from other machines; listen on 127.0.0.1 or ::1")]
    NotLoopback(IpAddr),
    /// The port is taken, or not ours to take.
    #[error("cannot listen on {address}: {source}; choose another port with --port, or 0 for any free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
}

/// How to start a server.
pub struct Options {
    /// Where to listen; an address of this machine alone.
    pub address: SocketAddr,
    /// Tells the servers of this machine apart; the same text after a restart.
    pub instance: String,
    /// More names by which it may be addressed.
    pub names: Vec<String>,
    /// What clients may ask.
    pub limits: Limits,
    /// What programs send.
    pub token: Arc<ProgramToken>,
    /// Where the sessions of browsers are kept.
    pub browsers: Arc<dyn BrowserSessions>,
    /// The sessions with agents.
    pub sessions: Sessions,
    /// Where it is kept who did what.
    pub audit: Audit,
    /// Where this server keeps its data, which is nobody's project.
    pub data_directory: PathBuf,
    /// Who knows the agents.
    pub find_agents: FindAgents,
}

/// A server that listens and does not yet answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: App,
}

impl Server {
    /// Takes the address.
    pub async fn bind(options: Options) -> Result<Self, ServeError> {
        let address = options.address;
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address.ip()));
        }
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, app: app(options, address) })
    }

    /// Where it can be reached, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        self.app.url()
    }

    /// The page's address with a new one-time code.
    #[must_use]
    pub fn fresh_url(&self) -> String {
        self.app.fresh_url()
    }

    /// What other programs need to use it.
    #[must_use]
    pub fn file(&self) -> ServerFile {
        self.app.file()
    }

    /// Answers until `shutdown` comes, and a little longer to those who wait for an answer then.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let surround = from_fn_with_state(self.app.clone(), shell::surround);
        let router = router::router(&self.app).layer(surround);
        let app = self.app.clone();
        let shutdown = async move {
            shutdown.await;
            app.stop();
        };
        listen::serve(self.listener, router, self.app.limits(), shutdown).await;
        timeout(self.app.limits().stop_time, self.app.left()).await.ok();
    }
}

fn app(options: Options, address: SocketAddr) -> App {
    // Cookie names take few characters, and what an instance is called is nobody's business.
    let instance: String = Digest::of(&options.instance).to_text().chars().take(8).collect();
    App::new(Shared {
        url: format!("http://{address}"),
        port: address.port(),
        names: OwnNames::of(address).with(options.names, address.port()),
        credentials: Credentials::new(address.port(), &instance, options.token, options.browsers),
        limits: options.limits,
        clock: Clock::start(),
        find_agents: options.find_agents,
        sessions: options.sessions,
        ledger: Ledger::new(options.audit, Clock::start()),
        data_directory: options.data_directory,
        rotations: watch::Sender::new(0),
        stop: watch::Sender::new(false),
    })
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Options").field("address", &self.address).finish_non_exhaustive()
    }
}
