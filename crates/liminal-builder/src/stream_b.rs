//! Stream B for programs outside this one: the messages of every turn, in a Redis. Owns the way there: a feed per session,
//! one outbox for all of them, and one delivery. No session ever waits for it, and what waits is bounded.

mod delivery;
mod feed;
mod outbox;
mod redis;

pub use delivery::Delivery;
pub use feed::{Feed, Feeds};
pub use outbox::{Letter, Outbox};
pub use redis::{PublishError, RedisPublisher, stream_key};
