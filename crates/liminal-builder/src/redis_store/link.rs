//! The way to Redis. Owns the one connection that commands share, and makes it again when it breaks; after a time-out,
//! too, because a wire that is cut far away never says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::aio::{MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, ScriptInvocation,
    ServerErrorKind,
};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Why Redis did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The address is none.
    #[error(
        "the address of Redis is of no use ({0}); write it as redis://[user:password@]host[:port][/database]"
    )]
    Unusable(String),
    /// It does not answer.
    #[error("Redis does not answer: {0}")]
    Unreachable(String),
    /// It does not want to.
    #[error("Redis refused: {0}")]
    Refused(String),
}

/// A connection that is shared by all clones.
#[derive(Clone)]
pub struct Link {
    client: Client,
    patience: Duration,
    slot: Arc<Mutex<Slot>>,
    failures: Arc<AtomicU64>,
    made: Arc<AtomicU64>,
}

/// A client knows a password.
impl std::fmt::Debug for Link {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Link").field("made", &self.made).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Slot {
    current: Option<MultiplexedConnection>,
    /// Counts connections, so that one that broke is not taken for its successor.
    number: u64,
    problem: String,
}

/// What is asked.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "scripts have none")]
pub enum Ask<'a> {
    /// One command.
    Command(&'a Cmd),
    /// Several, one after the other.
    Several(&'a Pipeline),
    /// A script, which is loaded if Redis does not know it.
    Script(&'a ScriptInvocation<'a>),
}

impl<'a> From<&'a Cmd> for Ask<'a> {
    fn from(command: &'a Cmd) -> Self {
        Self::Command(command)
    }
}

impl<'a> From<&'a mut Cmd> for Ask<'a> {
    fn from(command: &'a mut Cmd) -> Self {
        Self::Command(command)
    }
}

impl<'a> From<&'a Pipeline> for Ask<'a> {
    fn from(commands: &'a Pipeline) -> Self {
        Self::Several(commands)
    }
}

impl<'a> From<&'a ScriptInvocation<'a>> for Ask<'a> {
    fn from(script: &'a ScriptInvocation<'a>) -> Self {
        Self::Script(script)
    }
}

struct Failure {
    error: LinkError,
    /// The connection broke under it; another one may be had.
    was_gone: bool,
}

impl Link {
    /// A link to an address as `redis://[user:password@]host[:port][/database]`. Nothing is sent yet.
    pub fn new(url: &str, patience: Duration) -> Result<Self, LinkError> {
        let unusable = |error: RedisError| {
            LinkError::Unusable(error.detail().unwrap_or_else(|| error.category()).to_owned())
        };
        let client = Client::open(url).map_err(unusable)?;
        Ok(Self { client, patience, slot: Arc::default(), failures: Arc::default(), made: Arc::default() })
    }

    /// How long an answer is waited for.
    #[must_use]
    pub const fn patience(&self) -> Duration {
        self.patience
    }

    /// How many connections were made so far. Another number than before means that another server may answer now,
    /// which need not have all that the one before had.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Acquire)
    }

    /// Asks for something.
    pub async fn query<'a, T: FromRedisValue>(&self, ask: impl Into<Ask<'a>>) -> Result<T, LinkError> {
        self.send(ask.into()).await.map_err(|failure| failure.error)
    }

    /// Asks what changes nothing. A connection that turns out to be gone is made again: nobody notices.
    pub async fn look<'a, T: FromRedisValue>(&self, ask: impl Into<Ask<'a>>) -> Result<T, LinkError> {
        let ask = ask.into();
        match self.send(ask).await {
            Err(Failure { was_gone: true, .. }) => self.send(ask).await.map_err(|failure| failure.error),
            answer => answer.map_err(|failure| failure.error),
        }
    }

    async fn send<T: FromRedisValue>(&self, ask: Ask<'_>) -> Result<T, Failure> {
        let connected = self.connection().await;
        let (mut connection, number) = connected.map_err(|error| Failure { error, was_gone: false })?;
        let answer = match ask {
            Ask::Command(command) => command.query_async(&mut connection).await,
            Ask::Several(commands) => commands.query_async(&mut connection).await,
            Ask::Script(script) => script.invoke_async(&mut connection).await,
        };
        if answer.as_ref().is_err_and(is_broken) {
            self.forget(number).await;
        }
        answer.map_err(|error| Failure { error: told(&error), was_gone: error.is_connection_dropped() })
    }

    /// A connection of its own, for channels.
    pub async fn listen(&self) -> Result<PubSub, LinkError> {
        let connecting = timeout(self.patience, self.client.get_async_pubsub()).await;
        connecting.map_err(|_| silent())?.map_err(|error| told(&error))
    }

    /// A connection of its own, for whoever waits on it for so long.
    pub async fn wait(&self, longest: Duration) -> Result<MultiplexedConnection, LinkError> {
        self.connect(longest + self.patience).await.map_err(|error| told(&error))
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, u64), LinkError> {
        let seen = self.failures.load(Ordering::Acquire);
        let mut slot = self.slot.lock().await;
        if let Some(current) = &slot.current {
            return Ok((current.clone(), slot.number));
        }
        // Whoever waited for somebody else's attempt does not make one more: many would wait one after another.
        if self.failures.load(Ordering::Acquire) != seen {
            return Err(LinkError::Unreachable(slot.problem.clone()));
        }
        match self.connect(self.patience).await {
            Ok(made) => {
                slot.number = self.made.fetch_add(1, Ordering::AcqRel) + 1;
                slot.current = Some(made.clone());
                Ok((made, slot.number))
            }
            Err(error) => {
                self.failures.fetch_add(1, Ordering::AcqRel);
                slot.problem = problem(&error);
                Err(told(&error))
            }
        }
    }

    async fn connect(&self, answer: Duration) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.patience))
            .set_response_timeout(Some(answer));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    async fn forget(&self, number: u64) {
        let mut slot = self.slot.lock().await;
        if slot.number == number {
            slot.current = None;
        }
    }
}

/// Whether the connection is of no further use. One that did not answer in time may answer later, to nobody.
fn is_broken(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Io
            | ErrorKind::Parse
            | ErrorKind::AuthenticationFailed
            | ErrorKind::Server(ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown)
    )
}

impl From<RedisError> for LinkError {
    fn from(error: RedisError) -> Self {
        told(&error)
    }
}

fn told(error: &RedisError) -> LinkError {
    if is_broken(error) || error.kind() == ErrorKind::Server(ServerErrorKind::BusyLoading) {
        return LinkError::Unreachable(problem(error));
    }
    LinkError::Refused(problem(error))
}

fn problem(error: &RedisError) -> String {
    if error.is_timeout() { "no answer in time".to_owned() } else { error.to_string() }
}

fn silent() -> LinkError {
    LinkError::Unreachable("no answer in time".to_owned())
}
