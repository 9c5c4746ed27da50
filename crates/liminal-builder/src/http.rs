//! The HTTP server. Owns the socket, its routes and what every request must pass; what the routes do is asked of
//! others.
//!
//! A request passes, in this order: limits of its connection, its `Host`, its method and media type, its origin, its
//! credentials, the size of its body, its handler. Each step is a module here.

mod agents;
mod answers;
mod app;
mod approvals;
mod attachments;
mod auth;
pub mod client;
mod connection;
mod cors;
pub mod credentials;
mod docs;
mod extract;
mod feed;
mod first_sight;
mod forward;
mod forwarded;
mod frames;
mod gate;
mod health;
pub mod host;
mod known_projects;
mod ledger;
mod limits;
mod listen;
mod listener;
pub mod openapi;
mod operation;
pub mod origin;
mod page_state;
mod pages;
mod parting;
mod places;
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
mod tls;
pub mod web_origin;
mod ws;

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;

use app::{App, Shared};
use credentials::{BrowserSessions, CookieNames, Credentials, ProgramToken};
use host::OwnNames;
use ledger::Ledger;
use listener::{Ends, Listener};
use parting::Parting;
use places::Places;
use web_origin::WebOrigin;

use crate::agents::AgentNews;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::sessions::Sessions;

pub use app::{AgentsAsked, FindAgents};
pub use limits::Limits;
pub use listener::Endpoint;
pub use operation::{Answer, Content, Operation, Type};
pub use problem::ApiError;
pub use routes::{AREAS, Access, Area, Body, Handler, ROUTES, RequestHeader, Route, Verb};
pub use server_file::{ServerFile, ServerFileError};
pub use tls::{Tls, TlsError};

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not one of this machine alone, and what is said there could be read on the way.
    #[error(
        "{0} can be reached from other machines; listen on 127.0.0.1 or ::1, give --tls-cert and --tls-key, or let them \
         in unprotected with --insecure-http"
    )]
    NotLoopback(IpAddr),
    /// The port is taken, or not ours to take.
    #[error("cannot listen on {address}: {source}; choose another port with --port, or 0 for any free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The socket cannot be made.
    #[error("cannot listen on the socket {}: {source}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Who can reach a server beyond the programs of this machine.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// A certificate of its own.
    pub tls: Option<Tls>,
    /// Other machines may ask without TLS.
    pub insecure_http: bool,
    /// Where browsers find it behind a proxy.
    pub public_url: Option<WebOrigin>,
    /// Proxies whose word on the client's address counts.
    pub trusted_proxies: Vec<IpAddr>,
    /// Origins of other pages that may ask with the token.
    pub cors_origins: Vec<WebOrigin>,
    /// Whether everybody on this machine may ask.
    pub insecure_no_auth: bool,
}

/// How to start a server.
pub struct Options {
    /// Where to listen.
    pub endpoint: Endpoint,
    /// Who can reach it.
    pub reach: Reach,
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
    /// Where changes to the agents are announced.
    pub agent_news: AgentNews,
}

/// A server that listens and does not yet answer.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    tls: Option<Tls>,
    app: App,
}

impl Server {
    /// Takes the address or makes the socket.
    pub async fn bind(options: Options) -> Result<Self, ServeError> {
        let Options { endpoint, reach, .. } = &options;
        if let Endpoint::Address(address) = endpoint
            && !(address.ip().is_loopback() || reach.tls.is_some() || reach.insecure_http)
        {
            return Err(ServeError::NotLoopback(address.ip()));
        }
        let failed = |source| match endpoint.clone() {
            Endpoint::Address(address) => ServeError::Listen { address, source },
            Endpoint::Socket(path) => ServeError::Socket { path, source },
        };
        let listener = Listener::bind(endpoint).await.map_err(failed)?;
        let endpoint = listener.endpoint().map_err(failed)?;
        Ok(Self { listener, tls: reach.tls.clone(), app: app(options, &endpoint) })
    }

    /// Where it can be reached, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        self.app.url()
    }

    /// The page's address with a new one-time code.
    pub async fn fresh_url(&self) -> String {
        self.app.fresh_url().await
    }

    /// What other programs need to use it.
    #[must_use]
    pub fn file(&self) -> ServerFile {
        self.app.file()
    }

    /// Serves a connection that was made inside this process, to its end.
    pub async fn converse(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let (limits, stop) = (self.app.limits(), watch::Sender::new(false));
        let place = Places::new(limits).take().await;
        let (standing, stream) = (place.standing(), Parting::new(stream, place));
        let ends = Ends { peer: IpAddr::V4(Ipv4Addr::LOCALHOST), local: None };
        connection::serve(stream, (ends, standing), self.router(), limits, stop.subscribe()).await;
    }

    fn router(&self) -> Router {
        router::router(&self.app).layer(from_fn_with_state(self.app.clone(), shell::surround))
    }

    /// Answers until `shutdown` comes, and a little longer to those who wait for an answer then.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let router = self.router();
        let app = self.app.clone();
        let shutdown = async move {
            shutdown.await;
            app.stop();
        };
        let tls = self.tls.map(|tls| tls.acceptor().clone());
        let listening = listen::serve(self.listener, tls, router, self.app.limits(), shutdown);
        let commands = self.app.sessions().take_commands();
        let helping = forward::serve(self.app.clone(), router::for_servers(&self.app), commands);
        let logins = (auth::follow_others(self.app.clone()), auth::save_logins(self.app.clone()));
        tokio::join!(listening, helping, logins.0, logins.1);
        timeout(self.app.limits().stop_time, self.app.left()).await.ok();
    }
}

fn app(options: Options, endpoint: &Endpoint) -> App {
    let (url, port) = url(endpoint, options.reach.tls.is_some());
    App::new(Shared {
        page_url: page_url(&options.reach, &url),
        url,
        port,
        fingerprint: options.reach.tls.as_ref().map(|tls| tls.fingerprint().to_owned()),
        names: names(&options, endpoint),
        credentials: credentials(&options, port),
        trusted_proxies: options.reach.trusted_proxies,
        cors_origins: options.reach.cors_origins,
        insecure_no_auth: options.reach.insecure_no_auth,
        limits: options.limits,
        clock: Clock::start(),
        find_agents: options.find_agents,
        agent_news: options.agent_news,
        sessions: options.sessions,
        ledger: Ledger::new(options.audit, Clock::start()),
        data_directory: options.data_directory,
        rotations: watch::Sender::new(0),
        stop: watch::Sender::new(false),
    })
}

/// Servers that share their sessions stand in for each other where a proxy shows them as one.
fn credentials(options: &Options, port: u16) -> Credentials {
    let others = options.sessions.others().cloned();
    let names = CookieNames::new(port, &options.instance);
    let names = match options.reach.public_url.as_ref().filter(|_| others.is_some()) {
        Some(url) => names.shared_at(url),
        None => names,
    };
    Credentials::new(names, Arc::clone(&options.token), Arc::clone(&options.browsers), others)
}

fn names(options: &Options, endpoint: &Endpoint) -> OwnNames {
    let own = match endpoint {
        Endpoint::Address(address) => {
            OwnNames::of(*address).with(options.names.iter().cloned(), address.port())
        }
        Endpoint::Socket(_) => OwnNames::of_socket(),
    };
    let own = if options.reach.tls.is_some() { own.secured() } else { own };
    own.with_public(options.reach.public_url.as_ref())
}

/// Where programs of this machine reach the server, and its port.
fn url(endpoint: &Endpoint, is_secure: bool) -> (String, u16) {
    let scheme = if is_secure { "https" } else { "http" };
    match endpoint {
        Endpoint::Address(address) => (format!("{scheme}://{}", within(*address)), address.port()),
        Endpoint::Socket(path) => (format!("unix:{}", path.display()), 0),
    }
}

/// An address that stands for all of them is none to connect to.
fn within(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn page_url(reach: &Reach, url: &str) -> String {
    match &reach.public_url {
        Some(public) => public.to_string(),
        None if url.starts_with("unix:") => "http://localhost".to_owned(),
        None => url.to_owned(),
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Options").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
