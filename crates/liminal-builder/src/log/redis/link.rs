//! The way to Redis. Owns the one connection that commands share, makes it again when it breaks, and says what went
//! wrong in the words of a log.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::aio::{MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, RedisError, ScriptInvocation,
    ServerErrorKind,
};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::super::LogError;

/// A connection that is shared by all clones.
#[derive(Debug, Clone)]
pub struct Link {
    client: Client,
    patience: Duration,
    slot: Arc<Mutex<Slot>>,
    failures: Arc<AtomicU64>,
    made: Arc<AtomicU64>,
}

#[derive(Default)]
struct Slot {
    current: Option<MultiplexedConnection>,
    /// Counts connections, so that one that broke is not taken for its successor.
    number: u64,
    problem: String,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Slot").field("number", &self.number).finish_non_exhaustive()
    }
}

/// What is asked.
#[derive(Clone, Copy)]
pub(super) enum Ask<'a> {
    Command(&'a Cmd),
    Script(&'a ScriptInvocation<'a>),
}

struct Failure {
    error: LogError,
    /// The connection broke under it; another one may be had.
    was_gone: bool,
}

impl Link {
    /// A link to an address as `redis://[user:password@]host[:port][/database]`. Nothing is sent yet.
    pub fn new(url: &str, patience: Duration) -> Result<Self, LogError> {
        let client = Client::open(url).map_err(|error| {
            let problem = error.detail().unwrap_or_else(|| error.category()).to_owned();
            LogError::Failed(format!(
                "the address of Redis is of no use ({problem}); write it as redis://[user:password@]host[:port][/database]"
            ))
        })?;
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

    /// Asks one thing.
    pub async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, LogError> {
        self.send(Ask::Command(command)).await.map_err(|failure| failure.error)
    }

    /// Runs a script, which is loaded if the server does not know it.
    pub async fn invoke<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, LogError> {
        self.send(Ask::Script(script)).await.map_err(|failure| failure.error)
    }

    /// Asks what changes nothing. A connection that turns out to be gone is made again: nobody notices.
    pub(super) async fn look<T: FromRedisValue>(&self, ask: Ask<'_>) -> Result<T, LogError> {
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
            Ask::Script(script) => script.invoke_async(&mut connection).await,
        };
        if answer.as_ref().is_err_and(is_broken) {
            self.forget(number).await;
        }
        answer.map_err(|error| Failure { error: told(&error), was_gone: error.is_connection_dropped() })
    }

    /// A connection of its own, for channels.
    pub async fn listen(&self) -> Result<PubSub, LogError> {
        let connecting = timeout(self.patience, self.client.get_async_pubsub()).await;
        connecting.map_err(|_| silent())?.map_err(|error| told(&error))
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, u64), LogError> {
        let seen = self.failures.load(Ordering::Acquire);
        let mut slot = self.slot.lock().await;
        if let Some(current) = &slot.current {
            return Ok((current.clone(), slot.number));
        }
        // Whoever waited for somebody else's attempt does not make one more: many would wait one after another.
        if self.failures.load(Ordering::Acquire) != seen {
            return Err(LogError::Unreachable(slot.problem.clone()));
        }
        match self.connect().await {
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

    async fn connect(&self) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.patience))
            .set_response_timeout(Some(self.patience));
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

fn told(error: &RedisError) -> LogError {
    if is_broken(error) || error.kind() == ErrorKind::Server(ServerErrorKind::BusyLoading) {
        return LogError::Unreachable(problem(error));
    }
    LogError::Failed(format!("Redis refused: {}", problem(error)))
}

fn problem(error: &RedisError) -> String {
    if error.is_timeout() { "no answer in time".to_owned() } else { error.to_string() }
}

fn silent() -> LogError {
    LogError::Unreachable("no answer in time".to_owned())
}
