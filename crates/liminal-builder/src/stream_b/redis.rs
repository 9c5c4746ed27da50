//! Stream B messages into a Redis. Owns the keys and fields there, that no message is written twice, and that nothing
//! follows the end of a turn, whichever server told it; when it is tried again is the emitter's business.

use std::time::Duration;

use liminal_core::ids::TurnId;
use liminal_core::stream_b::StreamBMessage;
use redis::{Script, ScriptInvocation};

use crate::config::RedisUrl;
use crate::emitter::Publisher;
use crate::redis_store::{Link, LinkError};

/// A Redis that takes longer is as good as gone.
const PATIENCE: Duration = Duration::from_secs(5);
/// Entries that the stream of a turn keeps at least; far more than any turn has.
const LONGEST: usize = 100_000;

/// Why a message did not reach the Redis.
#[derive(Debug, thiserror::Error)]
#[error("the Redis at {address} did not take it ({source}); see that it runs, can be reached and has room")]
pub struct PublishError {
    address: RedisUrl,
    source: LinkError,
}

/// The key of a turn's stream.
#[must_use]
pub fn stream_key(turn: &TurnId) -> String {
    format!("codex:turn:{turn}:upserts")
}

/// Writes messages into a Redis.
#[derive(Debug)]
pub struct RedisPublisher {
    link: Link,
    address: RedisUrl,
    /// A stream is forgotten so long after its last message.
    keep: Duration,
    script: Script,
}

impl RedisPublisher {
    /// A publisher to this Redis, which is not spoken to yet.
    pub fn new(address: RedisUrl, keep: Duration) -> Result<Self, LinkError> {
        let link = Link::new(address.reveal(), PATIENCE)?;
        Ok(Self { link, address, keep, script: Script::new(PUBLISH) })
    }

    fn call(&self, message: &StreamBMessage) -> ScriptInvocation<'_> {
        let mut call = self.script.key(stream_key(&message.turn_id));
        call.arg(LONGEST).arg(self.keep.as_secs()).arg(&message.event_id).arg(message.timestamp);
        call.arg(message.turn_id.as_str()).arg(message.payload_type.as_str()).arg(&message.payload);
        if let Some(trace) = &message.trace_context {
            call.arg(trace.to_json());
        }
        call
    }
}

impl Publisher for RedisPublisher {
    type Error = PublishError;

    async fn publish(&mut self, message: &StreamBMessage) -> Result<(), PublishError> {
        let call = self.call(message);
        let written = self.link.query::<i64>(&call).await;
        let written = written.map_err(|source| PublishError { address: self.address.clone(), source })?;
        if written == 0 {
            tracing::debug!(turn = %message.turn_id, "another server has told the end of a turn");
        }
        Ok(())
    }
}

/// A turn has one writer at a time, which writes in order: a message whose answer was lost is the last entry. A turn that
/// another server has ended takes nothing more from the one that had it; only a new beginning does.
const PUBLISH: &str = r"
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  local fields = {}
  for at = 1, #last[2], 2 do fields[last[2][at]] = last[2][at + 1] end
  if fields.eventId == ARGV[3] then return 1 end
  local function kind(payload_type, payload)
    if payload_type ~= 'turn_event' then return nil end
    local is_read, event = pcall(cjson.decode, payload)
    return is_read and type(event) == 'table' and event.type or nil
  end
  local before = kind(fields.payloadType, fields.payload)
  local is_over = before == 'turn_completed' or before == 'turn_error'
  if is_over and kind(ARGV[6], ARGV[7]) ~= 'turn_started' then return 0 end
end
local entry = {'eventId', ARGV[3], 'timestamp', ARGV[4], 'turnId', ARGV[5], 'payloadType', ARGV[6], 'payload', ARGV[7]}
if ARGV[8] then
  entry[11] = 'traceContext'
  entry[12] = ARGV[8]
end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(entry))
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
";
