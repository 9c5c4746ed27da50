//! `liminal serve`: puts the parts together, and takes them apart again. Owns the order of both: nothing is answered
//! before what a predecessor left is put right, and nothing is closed before what uses it.

mod browser;
mod reach;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::watch;

use crate::agents::{Detection, Detector, Machine};
use crate::attachments::Attachments;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::cluster::{self, Cluster};
use crate::config::{Config, ConfigError, usual_data_directory};
use crate::data_dir::DataDir;
use crate::emitter::Emitter;
use crate::http::credentials::{BrowserLogins, BrowserSessions, Digest, ProgramToken, SharedLogins};
use crate::http::{AgentsAsked, Endpoint, FindAgents, Options, ServeError, Server, ServerFile};
use crate::log::redis::RedisLog;
use crate::log::shared::SharedLog;
use crate::log::sqlite::{self, SqliteLog};
use crate::log::{self, EventLog, StreamLog};
use crate::process::{Environment, InstanceId, Wrapper, sweep_leftovers};
use crate::provider::ProviderRegistry;
use crate::recording;
use crate::sessions::{Membership, Parts, Sessions, Settings};
use crate::store::Store;
use crate::stream_b::{Delivery, Feeds, Outbox, RedisPublisher};
use crate::telemetry::{self, Destination};

pub use reach::ReachError;

/// Ports that are tried after the usual one, if nobody asked for a certain port.
const MORE_PORTS: u16 = 16;
const USUAL_PORT: u16 = 4747;

/// What is to be served.
#[derive(Debug, Clone)]
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

impl Plan {
    /// What the configuration asks for, without a browser and without recordings.
    pub fn new(config: Config, environment: Environment) -> Result<Self, ConfigError> {
        let data = config.data_directory(&environment)?;
        let managed = managed_agents(&environment);
        Ok(Self { config, environment, managed, data, recordings: None, opens_browser: false })
    }

    fn machine(&self) -> Machine {
        let Self { config, environment, managed, data, .. } = self.clone();
        Machine { config, environment, managed, data }
    }
}

/// Where agents are installed for this program alone.
#[must_use]
pub fn managed_agents(environment: &Environment) -> PathBuf {
    usual_data_directory(environment).unwrap_or_default().join("agents")
}

/// A server that listens and does not yet answer.
#[derive(Debug)]
pub struct Ready {
    directory: DataDir,
    log: Arc<SqliteLog>,
    sessions: Sessions,
    delivery: Option<Delivery>,
    audit: Audit,
    server: Server,
    detection: Detection,
}

/// Serves until what `listen` waits for. Says where, once it can be reached.
///
/// Whoever reads where it is may ask it to end at once: from before that on, it listens.
pub async fn run<F: Future<Output = ()>>(
    plan: Plan,
    say: impl FnOnce(&str) -> io::Result<()>,
    listen: impl FnOnce() -> io::Result<F>,
) -> Result<()> {
    let logging = &plan.config.logging;
    let mut ready = start(&plan, |data| Destination::choose(logging, data)).await?;
    let shutdown = listen()?;
    ready.directory.announce(ready.server.url())?;
    let file = ready.file();
    file.write(&plan.data).with_context(|| format!("cannot write to {}", plan.data.display()))?;
    let url = ready.server.fresh_url().await;
    say(&greeting(&plan.config, ready.server.url(), &url))?;
    if plan.opens_browser && has_page(&plan.config) {
        browser::open(&url, &plan.data, &plan.environment);
    }
    ready.until(shutdown, || file.remove(&plan.data)).await
}

/// Where it is, and who else can reach it.
fn greeting(config: &Config, own: &str, page: &str) -> String {
    let place = if has_page(config) { page } else { own };
    let mut greeting = format!("Liminal Builder is at {place}");
    let (host, port) = (config.listen.host, own.rsplit(':').next().unwrap_or_default());
    if config.listen.socket.is_none() && !host.is_loopback() {
        let how = if config.listen.tls_cert.is_some() {
            "over TLS"
        } else {
            "without TLS: all that is said can be read"
        };
        let address = SocketAddr::new(host, port.parse().unwrap_or(0));
        greeting += &format!("\nOther machines can reach it at {address}, {how}");
    }
    if config.security.insecure_no_auth {
        greeting +=
            "\nNO CREDENTIALS ARE ASKED FOR: every user and every program of this machine can act as you";
    }
    greeting
}

/// No browser opens a socket in the file system.
fn has_page(config: &Config) -> bool {
    config.listen.socket.is_none() || config.security.public_url.is_some()
}

/// Puts everything together. What a predecessor left is put right; nobody is told of it yet.
pub async fn start(plan: &Plan, tells: impl FnOnce(&Path) -> Destination) -> Result<Ready> {
    Wrapper::new(plan.config.security.agent_wrapper.words(), &plan.environment).check()?;
    let reach = reach::of(&plan.config)?;
    reach::check_redis(&plan.config)?;
    plan.recordings.as_deref().map_or(Ok(()), recording::prepare)?;
    let directory = DataDir::open(&plan.data)?;
    telemetry::start(&plan.config.logging, &tells(directory.path()))?;
    let real = directory.path().canonicalize()?;
    let instance = InstanceId::new(&Digest::of(&real.display().to_string()).to_text())?;
    sweep(instance.clone()).await?;
    let log = open_log(&directory, &plan.config).await?;
    let audit = open_audit(&real, &plan.config)?;
    let membership = join(&plan.config, &log, &real).await?;
    let publisher = publisher(&plan.config)?;
    let (outbox, redis) = (Outbox::default(), &plan.config.redis);
    let feeds = publisher.is_some().then(|| Feeds::new(outbox.clone(), redis.stream_b_processor()));
    let (detector, detection) = Detector::start(plan.machine());
    let providers = ProviderRegistry::of(&detector, &instance);
    let sessions = sessions(plan, &log, providers, (membership, feeds, audit.clone()));
    let delivery = publisher.map(|publisher| {
        let emitter = Emitter::new(publisher, redis.stream_b_retry());
        Delivery::start(outbox, emitter, sessions.metrics().clone())
    });
    sessions.take_up().await?;
    let recovered = sessions.recover().await?;
    tracing::info!(turns = recovered.turns, messages = recovered.messages, "put right what was left open");
    sessions.watch();
    sessions.watch_room();
    sessions.meet_others().await;
    let browsers = browsers(&sessions, Store::new(Arc::clone(&log))).await?;
    let token = Arc::new(open_token(&real)?);
    let options = |endpoint| Options {
        endpoint,
        reach: reach.clone(),
        instance: real.display().to_string(),
        names: plan.config.security.names(),
        limits: plan.config.limits.http(),
        token: Arc::clone(&token),
        browsers: Arc::clone(&browsers),
        sessions: sessions.clone(),
        audit: audit.clone(),
        data_directory: real.clone(),
        find_agents: find_agents(&detector),
        agent_news: detector.news().clone(),
    };
    let server = bind(options, &plan.config).await?;
    Ok(Ready { directory, log, sessions, delivery, audit, server, detection })
}

/// Where the sessions of browsers are kept: here, and by the others if there are any.
async fn browsers(sessions: &Sessions, store: Store) -> Result<Arc<dyn BrowserSessions>> {
    Ok(match sessions.others() {
        Some(cluster) => Arc::new(SharedLogins::load(store, cluster.clone()).await?),
        None => Arc::new(BrowserLogins::load(store).await?),
    })
}

fn open_audit(data: &Path, config: &Config) -> Result<Audit> {
    let audit = Audit::open(data, config.logging.syslog.clone(), Clock::start());
    audit.with_context(|| format!("cannot write the audit log in {}; make it writable", data.display()))
}

fn open_token(data: &Path) -> Result<ProgramToken> {
    let token = ProgramToken::kept_in(data);
    token.with_context(|| {
        format!("cannot keep the token in {}; remove the file `token` there", data.display())
    })
}

impl Ready {
    /// What programs need to use it.
    #[must_use]
    pub fn file(&self) -> ServerFile {
        self.server.file()
    }

    /// Serves until `shutdown`; `left` is called when nobody is answered any more. The directory is given back last.
    pub async fn until(self, shutdown: impl Future<Output = ()>, left: impl FnOnce()) -> Result<()> {
        let Self { directory, log, sessions, delivery, audit, server, detection } = self;
        serve(shutdown, server, &sessions).await;
        left();
        detection.close().await;
        if let Some(delivery) = delivery {
            delivery.close().await;
        }
        audit.close().await;
        log.close().await?;
        drop(directory);
        Ok(())
    }
}

/// Agents are ended while readers still listen, so that they see how their turns ended.
async fn serve(shutdown: impl Future<Output = ()>, server: Server, sessions: &Sessions) {
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

/// The other servers, if there is a Redis to meet them at. One that does not answer now is told at once.
async fn join(config: &Config, database: &Arc<SqliteLog>, data: &Path) -> Result<Option<Membership>> {
    let redis = &config.redis;
    let Some(url) = &redis.url else { return Ok(None) };
    if let Some(advice) = url.advice() {
        tracing::warn!(redis = %url, advice, "Redis is not protected");
    }
    let settings = cluster::Settings {
        url: url.clone(),
        prefix: redis.prefix.as_str().to_owned(),
        lease: redis.lease(),
        name: server_name(data),
    };
    let cluster = Cluster::join(settings).await?;
    if let Some(advice) = cluster.report().await?.advice() {
        tracing::warn!(advice, "messages that other servers were told of may be forgotten");
    }
    let defaults = log::redis::Settings::default();
    let settings = log::redis::Settings {
        prefix: redis.prefix.as_str().to_owned(),
        patience: defaults.patience.min(redis.lease()),
        ..defaults
    };
    let copies = RedisLog::open(url.reveal(), settings).await?;
    let shared = SharedLog::open(Arc::clone(database), copies, Clock::start());
    Ok(Some(Membership { cluster, log: Arc::new(shared) }))
}

/// What tells servers apart for people: the machine, and which of its data directories.
fn server_name(data: &Path) -> String {
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let digest: String = Digest::of(&data.display().to_string()).to_text().chars().take(8).collect();
    format!("{machine}-{digest}")
}

/// Writes to the Redis, if that is asked for.
fn publisher(config: &Config) -> Result<Option<RedisPublisher>> {
    let address = config.redis.url.clone().filter(|_| config.redis.publish_stream_b);
    let publisher = address.map(|address| RedisPublisher::new(address, config.redis.stream_b_kept()));
    publisher.transpose().context("redis.url cannot be used")
}

fn sessions(
    plan: &Plan,
    log: &Arc<SqliteLog>,
    providers: ProviderRegistry,
    (membership, stream_b, audit): (Option<Membership>, Option<Feeds>, Audit),
) -> Sessions {
    let (states, events) = logs(log, membership.as_ref());
    let Plan { config, data, recordings, .. } = plan;
    let chosen = &config.sessions;
    Sessions::new(Parts {
        database: Arc::clone(log),
        log: states,
        events,
        cluster: membership,
        stream_b,
        store: Store::new(Arc::clone(log)),
        attachments: Attachments::kept_in(data),
        audit: Some(audit),
        providers,
        settings: Settings {
            idle: chosen.idle(),
            most_agents: usize::try_from(chosen.max_agents).unwrap_or(usize::MAX),
            longest_queue: usize::try_from(chosen.queue_length).unwrap_or(usize::MAX),
            batching: config.batch.processor(),
            patience: chosen.patience(),
            durability: chosen.durability,
            recordings: recordings.clone(),
            allow_bypass: config.security.allow_bypass,
            ..Settings::default()
        },
    })
}

/// Where outputs and events go: to disk, and to the others if there are any.
fn logs(log: &Arc<SqliteLog>, membership: Option<&Membership>) -> (Arc<dyn StreamLog>, Arc<dyn EventLog>) {
    match membership {
        Some(membership) => (Arc::clone(&membership.log) as _, Arc::clone(&membership.log) as _),
        None => (Arc::clone(log) as _, Arc::clone(log) as _),
    }
}

/// The socket; or the port that was asked for; if none was, the usual one or the next that is free.
async fn bind(options: impl Fn(Endpoint) -> Options, config: &Config) -> Result<Server, ServeError> {
    if let Some(socket) = &config.listen.socket {
        return Server::bind(options(Endpoint::Socket(socket.clone()))).await;
    }
    let options = |address| options(Endpoint::Address(address));
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

fn find_agents(detector: &Detector) -> FindAgents {
    let detector = detector.clone();
    Arc::new(move |asking| {
        let detector = detector.clone();
        Box::pin(async move {
            match asking {
                AgentsAsked::AsKnown => detector.agents().await,
                AgentsAsked::Again => detector.refresh().await,
            }
        })
    })
}
