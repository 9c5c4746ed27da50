//! `liminal serve`: puts the parts together, and takes them apart again. Owns the order of both: nothing is answered
//! before what a predecessor left is put right, and nothing is closed before what uses it.

mod browser;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::watch;

use crate::agents::Machine;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::http::credentials::{BrowserLogins, Digest};
use crate::http::{FindAgents, Options, ServeError, Server};
use crate::log::sqlite::{self, SqliteLog};
use crate::process::{Environment, InstanceId, sweep_leftovers};
use crate::provider::ProviderRegistry;
use crate::sessions::{Parts, Sessions, Settings};
use crate::store::Store;
use crate::telemetry::{self, Destination};

/// Ports that are tried after the usual one, if nobody asked for a certain port.
const MORE_PORTS: u16 = 16;
const USUAL_PORT: u16 = 4747;

/// What is to be served.
#[derive(Debug)]
pub struct Plan {
    /// Every setting.
    pub config: Config,
    /// What agents inherit.
    pub environment: Environment,
    /// Where agents are that this program installed itself.
    pub managed: PathBuf,
    /// Where everything is kept.
    pub data: PathBuf,
    /// Where what agents say is recorded, if anywhere.
    pub recordings: Option<PathBuf>,
    /// Whether to show the page.
    pub opens_browser: bool,
}

/// Serves until `shutdown`. Says where, once it can be reached.
pub async fn run(
    plan: Plan,
    say: impl FnOnce(&str) -> io::Result<()>,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    let mut directory = DataDir::open(&plan.data)?;
    let logging = &plan.config.logging;
    telemetry::start(logging, &Destination::choose(logging, directory.path()))?;
    let real = directory.path().canonicalize()?;
    let instance = InstanceId::new(&Digest::of(&real.display().to_string()).to_text())?;
    sweep(instance.clone()).await?;
    let log = open_log(&directory, &plan.config).await?;
    let sessions = sessions(&plan, &log, &instance).await;
    let recovered = sessions.recover().await?;
    tracing::info!(turns = recovered.turns, messages = recovered.messages, "put right what was left open");
    sessions.watch();
    let browsers = Arc::new(BrowserLogins::load(Store::new(Arc::clone(&log))).await?);
    let server = bind(
        |address| Options {
            address,
            instance: real.display().to_string(),
            limits: plan.config.limits.http(),
            browsers: Arc::clone(&browsers) as _,
            sessions: sessions.clone(),
            data_directory: real.clone(),
            find_agents: find_agents(&plan),
        },
        &plan.config,
    )
    .await?;
    directory.announce(server.url())?;
    let file = server.file();
    file.write(&plan.data).with_context(|| format!("cannot write to {}", plan.data.display()))?;
    let url = server.fresh_url();
    say(&format!("Liminal Builder is at {url}"))?;
    if plan.opens_browser {
        browser::open(&url, &plan.data, &plan.environment).await;
    }
    until(shutdown, server, &sessions).await;
    file.remove(&plan.data);
    log.close().await?;
    Ok(())
}

/// Agents are ended while readers still listen, so that they see how their turns ended.
async fn until(shutdown: impl Future<Output = ()>, server: Server, sessions: &Sessions) {
    let (stop, mut stopped) = watch::channel(false);
    let serving = server.run(async move { drop(stopped.wait_for(|stopped| *stopped).await) });
    let stopping = async {
        shutdown.await;
        tracing::info!("stopping");
        sessions.close().await;
        stop.send_replace(true);
    };
    tokio::join!(serving, stopping);
}

/// What an earlier life of this server left running.
async fn sweep(instance: InstanceId) -> Result<()> {
    let report = tokio::task::spawn_blocking(move || sweep_leftovers(&instance, &[])).await??;
    if report.killed > 0 {
        tracing::warn!(killed = report.killed, "ended agents that an earlier server left running");
    }
    Ok(())
}

async fn open_log(directory: &DataDir, config: &Config) -> Result<Arc<SqliteLog>> {
    let path = directory.database();
    let settings = sqlite::Settings {
        event_rows: usize::try_from(config.storage.event_rows).unwrap_or(usize::MAX),
        event_bytes: config.storage.event_bytes(),
        largest_bytes: config.storage.database_bytes(),
        ..sqlite::Settings::default()
    };
    let (log, moved) = tokio::task::spawn_blocking(move || SqliteLog::open(&path, settings)).await??;
    if let Some(moved) = moved {
        tracing::error!(path = %moved.path.display(), problem = moved.problem, "the database was damaged and is moved aside");
    }
    Ok(Arc::new(log))
}

async fn sessions(plan: &Plan, log: &Arc<SqliteLog>, instance: &InstanceId) -> Sessions {
    let Plan { config, environment, managed, data, recordings, .. } = plan;
    let machine = Machine { config, environment, managed, data };
    let chosen = &config.sessions;
    Sessions::new(Parts {
        database: Arc::clone(log),
        log: Arc::clone(log) as _,
        events: Arc::clone(log) as _,
        store: Store::new(Arc::clone(log)),
        providers: ProviderRegistry::of(&machine, instance).await,
        settings: Settings {
            idle: Duration::from_secs(chosen.idle_minutes * 60),
            most_agents: usize::try_from(chosen.max_agents).unwrap_or(usize::MAX),
            longest_queue: usize::try_from(chosen.queue_length).unwrap_or(usize::MAX),
            batching: config.batch.processor(),
            patience: chosen.patience(),
            recordings: recordings.clone(),
            allow_bypass: config.security.allow_bypass,
            ..Settings::default()
        },
    })
}

/// The port that was asked for; if none was, the usual one or the next that is free.
async fn bind(options: impl Fn(SocketAddr) -> Options, config: &Config) -> Result<Server, ServeError> {
    let (host, port) = (config.listen.host, config.listen.port);
    let last = if port == USUAL_PORT { port + MORE_PORTS } else { port };
    let mut result = Server::bind(options(SocketAddr::new(host, port))).await;
    for next in port.saturating_add(1)..=last {
        match &result {
            Err(ServeError::Listen { source, .. }) if source.kind() == io::ErrorKind::AddrInUse => {
                result = Server::bind(options(SocketAddr::new(host, next))).await;
            }
            Ok(_) | Err(_) => return result,
        }
    }
    result
}

fn find_agents(plan: &Plan) -> FindAgents {
    let Plan { config, environment, managed, data, .. } = plan;
    let place = Arc::new((config.clone(), environment.clone(), managed.clone(), data.clone()));
    Arc::new(move || {
        let place = Arc::clone(&place);
        Box::pin(async move {
            let (config, environment, managed, data) = &*place;
            Machine { config, environment, managed, data }.agents().await
        })
    })
}
