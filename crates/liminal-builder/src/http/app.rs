//! What handlers share. Owns nothing that changes by itself.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use liminal_core::time::Now;
use tokio::sync::watch;

use super::credentials::{Caller, CredentialFault, Credentials};
use super::host::OwnNames;
use super::ledger::Ledger;
use super::limits::Limits;
use super::server_file::ServerFile;
use super::web_origin::WebOrigin;
use crate::agents::{AgentNews, AgentReport};
use crate::clock::Clock;
use crate::sessions::Sessions;

/// How up to date the list of agents is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentsAsked {
    /// As it is known.
    AsKnown,
    /// As it is known, and every agent is asked again.
    Again,
}

/// Lists the agents of this machine.
pub type FindAgents =
    Arc<dyn Fn(AgentsAsked) -> Pin<Box<dyn Future<Output = Vec<AgentReport>> + Send>> + Send + Sync>;

/// What handlers share; clones are the same.
#[derive(Debug, Clone)]
pub(super) struct App(Arc<Shared>);

pub(super) struct Shared {
    pub(super) url: String,
    pub(super) port: u16,
    /// Where browsers find the page, without a slash at the end.
    pub(super) page_url: String,
    /// Of the certificate, if there is one.
    pub(super) fingerprint: Option<String>,
    pub(super) trusted_proxies: Vec<IpAddr>,
    pub(super) cors_origins: Vec<WebOrigin>,
    pub(super) insecure_no_auth: bool,
    pub(super) names: OwnNames,
    pub(super) credentials: Credentials,
    pub(super) limits: Limits,
    pub(super) clock: Clock,
    pub(super) find_agents: FindAgents,
    pub(super) agent_news: AgentNews,
    pub(super) sessions: Sessions,
    pub(super) ledger: Ledger,
    pub(super) data_directory: PathBuf,
    /// Goes up whenever everybody is logged out.
    pub(super) rotations: watch::Sender<u64>,
    /// Whether the server is to stop; sockets hold a receiver, so that their number is known.
    pub(super) stop: watch::Sender<bool>,
}

impl App {
    pub(super) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// The server's address without a slash at the end.
    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    /// The page's address with a new one-time code. Browsers do not send what stands behind `#`.
    pub(super) async fn fresh_url(&self) -> String {
        format!("{}/#c={}", self.0.page_url, self.0.credentials.new_code(self.now()).await.text())
    }

    pub(super) fn names(&self) -> &OwnNames {
        &self.0.names
    }

    /// Proxies whose word counts.
    pub(super) fn trusted_proxies(&self) -> &[IpAddr] {
        &self.0.trusted_proxies
    }

    /// Origins of other pages that may ask with the token.
    pub(super) fn cors_origins(&self) -> &[WebOrigin] {
        &self.0.cors_origins
    }

    /// Whether credentials are not wanted.
    pub(super) fn takes_anyone(&self) -> bool {
        self.0.insecure_no_auth
    }

    pub(super) fn credentials(&self) -> &Credentials {
        &self.0.credentials
    }

    pub(super) fn limits(&self) -> Limits {
        self.0.limits
    }

    pub(super) fn now(&self) -> Now {
        self.0.clock.now()
    }

    pub(super) fn clock(&self) -> Clock {
        self.0.clock
    }

    pub(super) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    pub(super) fn data_directory(&self) -> &Path {
        &self.0.data_directory
    }

    /// What other programs need to use the server.
    pub(super) fn file(&self) -> ServerFile {
        ServerFile {
            url: self.0.url.clone(),
            port: self.0.port,
            pid: std::process::id(),
            token: self.0.credentials.token().text(),
            certificate: self.0.fingerprint.clone(),
        }
    }

    /// Logs every browser and every program out. Whoever may read the server's file finds the new token there.
    pub(super) async fn rotate(&self) -> Result<(), CredentialFault> {
        let told = match self.0.credentials.rotate().await {
            unreachable @ Err(CredentialFault::Unreachable(_)) => unreachable,
            other => Ok(other?),
        };
        self.0.rotations.send_modify(|count| *count += 1);
        let renewed = self.file().renew(self.data_directory());
        renewed.map_err(|error| CredentialFault::Store(Box::new(error)))?;
        told
    }

    /// Comes when whoever calls is logged out. What is waited for is what happens from the call on.
    pub(super) fn logged_out(&self, caller: Caller) -> impl Future<Output = ()> + Send + use<> {
        let mut rotations = self.0.rotations.subscribe();
        let ended = self.0.credentials.ended().filter(|_| matches!(caller, Caller::Browser(_)));
        async move {
            let elsewhere = async {
                match ended {
                    Some(mut ended) => drop(ended.changed().await),
                    None => std::future::pending().await,
                }
            };
            // The senders live as long as the app.
            tokio::select! {
                _ = rotations.changed() => {}
                () = elsewhere => {}
            }
        }
    }

    /// A place for a socket, which lives outside its connection; none while the server stops.
    pub(super) fn enter(&self) -> Option<watch::Receiver<bool>> {
        let place = self.0.stop.subscribe();
        let is_open = !*place.borrow();
        is_open.then_some(place)
    }

    /// Comes when the server is to stop.
    pub(super) async fn stopping(&self) {
        let mut stop = self.0.stop.subscribe();
        // The sender lives as long as the app.
        stop.wait_for(|is_stopping| *is_stopping).await.ok();
    }

    /// Tells sockets and streams that the server is to stop.
    pub(super) fn stop(&self) {
        self.0.stop.send_replace(true);
    }

    /// Comes when no socket is left.
    pub(super) async fn left(&self) {
        self.0.stop.closed().await;
    }

    pub(super) async fn find_agents(&self, asked: AgentsAsked) -> Vec<AgentReport> {
        (self.0.find_agents)(asked).await
    }

    /// Changes to the agents from now on.
    pub(super) fn agent_changes(&self) -> watch::Receiver<Arc<[AgentReport]>> {
        self.0.agent_news.subscribe()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("url", &self.url).finish_non_exhaustive()
    }
}
