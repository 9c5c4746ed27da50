//! Stream B messages into a Redis. Owns the keys and fields there, and that a message whose fate is unknown is not written
//! twice; when it is tried again is the emitter's business.

use std::time::Duration;

use liminal_core::ids::TurnId;
use liminal_core::stream_b::StreamBMessage;
use redis::aio::MultiplexedConnection;
use redis::streams::StreamRangeReply;
use redis::{AsyncCommands, AsyncConnectionConfig, Client, RedisError, RedisResult};

use crate::config::RedisUrl;
use crate::emitter::Publisher;

/// A Redis that takes longer is as good as gone.
const PATIENCE: Duration = Duration::from_secs(5);
/// Entries that the stream of a turn keeps at least; far more than any turn has.
const LONGEST: usize = 100_000;
const EVENT_ID: &str = "eventId";

/// Why a message did not reach the Redis.
#[derive(Debug, thiserror::Error)]
#[error("the Redis at {address} did not take it ({source}); see that it runs, can be reached and has room")]
pub struct PublishError {
    address: RedisUrl,
    source: RedisError,
}

/// The key of a turn's stream.
#[must_use]
pub fn stream_key(turn: &TurnId) -> String {
    format!("codex:turn:{turn}:upserts")
}

/// Writes messages into a Redis.
#[derive(Debug)]
pub struct RedisPublisher {
    client: Client,
    address: RedisUrl,
    /// A stream is forgotten so long after its last message.
    keep: Duration,
    connection: Option<MultiplexedConnection>,
    /// The message that may have arrived, although we were not told.
    unsure: Option<String>,
}

impl RedisPublisher {
    /// A publisher to this Redis, which is not spoken to yet.
    pub fn new(address: RedisUrl, keep: Duration) -> RedisResult<Self> {
        let client = Client::open(address.reveal())?;
        Ok(Self { client, address, keep, connection: None, unsure: None })
    }

    async fn connection(&mut self) -> RedisResult<MultiplexedConnection> {
        if let Some(connection) = &self.connection {
            return Ok(connection.clone());
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE));
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(self.connection.insert(connection).clone())
    }

    async fn write(&mut self, message: &StreamBMessage) -> RedisResult<()> {
        let mut connection = self.connection().await?;
        let key = stream_key(&message.turn_id);
        if self.unsure.as_ref() == Some(&message.event_id)
            && has_arrived(&mut connection, &key, message).await?
        {
            return Ok(());
        }
        let seconds = i64::try_from(self.keep.as_secs()).unwrap_or(i64::MAX);
        redis::pipe()
            .atomic()
            .add_command(entry(&key, message))
            .ignore()
            .expire(&key, seconds)
            .ignore()
            .query_async(&mut connection)
            .await
    }
}

/// Each turn has one writer, which writes in order: what arrived last is the last entry.
async fn has_arrived(
    connection: &mut MultiplexedConnection,
    key: &str,
    message: &StreamBMessage,
) -> RedisResult<bool> {
    let newest: StreamRangeReply = connection.xrevrange_count(key, "+", "-", 1).await?;
    let newest: Option<String> = newest.ids.first().and_then(|entry| entry.get(EVENT_ID));
    Ok(newest.as_ref() == Some(&message.event_id))
}

fn entry(key: &str, message: &StreamBMessage) -> redis::Cmd {
    let mut command = redis::cmd("XADD");
    command.arg(key).arg("MAXLEN").arg("~").arg(LONGEST).arg("*");
    command.arg(EVENT_ID).arg(&message.event_id);
    command.arg("timestamp").arg(message.timestamp);
    command.arg("turnId").arg(message.turn_id.as_str());
    command.arg("payloadType").arg(message.payload_type.as_str());
    command.arg("payload").arg(&message.payload);
    command
}

impl Publisher for RedisPublisher {
    type Error = PublishError;

    async fn publish(&mut self, message: &StreamBMessage) -> Result<(), PublishError> {
        let Err(source) = self.write(message).await else { return Ok(()) };
        self.connection = None;
        self.unsure = Some(message.event_id.clone());
        Err(PublishError { address: self.address.clone(), source })
    }
}
